// Package packing treats tasks that differ in their lengths only, on cores that are
// alike, as what they are: items to be packed into bins. The cores are the bins, and
// the time from the release of all to their due time is the capacity (the dual of
// P||Cmax; Coffman, Garey and Johnson, 1978).
//
//	problem.go  when a job set is such a problem, and the schedule of a packing
//	argument.go what the prices of the relaxation by patterns prove (package patterns, which has the knapsacks of cores, too)
//	dive.go     a packing from the relaxation, pattern by pattern
//	balance.go  a packing by local search between two cores at a time
//
// The relaxation is hardly ever more than a bin away from the optimum, and the prices
// that it comes to are an argument that model/check/inference recomputes ([proof.Packing]).
// Where there are many tasks to a core, local search finds a packing sooner; where
// there are two or three, patterns do.
package packing
