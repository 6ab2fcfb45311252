// Package ejection is local search for large sets: what a step costs does not grow
// with the set, and the search keeps what it stands on from slice to slice.
//
// It is the ejection-pool search of Nagata and Bräysy (2009, A powerful route
// minimization heuristic for the vehicle routing problem with time windows), for
// jobs in place of customers. The late jobs are off the board, in the pool. One of
// them goes in, though it or others become late by that; small neighbourhoods then
// work the lateness down (the repair phase). If all of it goes, one job less is late. If
// not, the jobs that are late are ejected where that costs no more than before, else
// everything goes back to its place. Jobs that others come after are on the board for these, too: they come
// and go with the last of them. For tardiness and makespan the same repair phase
// brings all jobs within limits that are a little below the values of the best
// plan; for weighted tardiness it works on the sum itself.
//
// Lateness is counted by task, beyond the finish that leaves the stages after it
// enough time: the latest task of a job alone would tell too little of how far it
// is from being in time. A task that is very late counts by its length.
package ejection
