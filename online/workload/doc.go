// Package workload makes the job sets that online schedulers are measured on:
// the workloads of the papers, the real-time community's generator, streams
// from Facebook's traces, and small random sets. Everything is drawn from a
// seed; the same text and seed give the same job set on every machine, whatever
// was generated before.
//
// A workload is named by a text such as
//
//	rtmr1:seed=3,jobs=88,platform=guarantee
//	swim:file="traces/FB, 2009.tsv",jobs=50,deadline=1.5..3
//
// [Parse] reads it, [List] says which there are, [Explain] which parameters one
// has, with units and ranges, [Workload.JobSet] makes the set. The types behind the
// names ([RTMR], [MaxWeight], [RDS], …) are plain data with one constructor
// each, for use from code.
//
// # What the papers leave open
//
// No paper gives every figure that its experiment needs. Each such figure is a
// parameter with a default, and [Workload.Assumptions] lists them with their
// values, so that a report can state what it rests on.
//
// # Draws
//
// Every figure has a stream of random numbers of its own, named by what it is
// and by the job that it belongs to. A change of one parameter therefore leaves
// all other draws as they were: the first jobs of a longer workload are those
// of the shorter one, and a comparison of two settings compares the same jobs.
package workload
