// Package bench runs online schedulers and the proved optimum over job sets and
// tells how far apart they are.
//
// [Run] plays every policy on every job set, validates each run, and asks the
// solver for the best that was possible. What it leaves is one [Record] per job
// set, which a [Keeper] keeps, so that an interrupted bench goes on. Tables
// ([Config.Summarize]), files ([Config.WriteCSV], [Config.WriteJSON]) and figures
// (package figures) are made from records alone: the same records give the same
// bytes, whoever computed them and in which order.
//
// # What is compared with what
//
// A gap is the objective of an online run less the optimum of the same job set,
// or less its proved bound where the optimum is not proved. It is taken only
// where both answer the same question: declared worst-case times, no failures,
// no job rejected, all hard deadlines met. Elsewhere the cell has no gap and
// says what differs. Where there is a gap, a negative one would mean that the
// solver or the simulator is wrong; [Run] stops at the first, with a [Clash].
//
// # Repeatability
//
// A run hangs on its job set, policy and seed. The optimum, once proved, is a
// fact. So only what a clock limit cut short can differ between two runs of
// a bench, and such cells are marked.
package bench
