// Package bench runs online schedulers and the proved optimum over job sets and
// tells how far apart they are.
//
// [Run] plays every policy on every job set, validates each run, and asks the
// solver for the best that was possible. What it leaves is one [Record] per job
// set, which a [Keeper] keeps, so that an interrupted bench goes on. Tables
// ([Config.Summarize]), files ([Config.WriteCSV], [Config.WriteJSON]) and figures
// (package present) are made from records alone: the same records give the same
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
// A run depends on its job set, policy and seed. The optimum, once proved, is a
// fact. So only what a clock limit cut short can differ between two runs of
// a bench, and such cells are marked.
//
// Cells keeps what benches found out: the records of many job sets in journals that
// grow, that shards of one sweep write side by side, and that are merged in any order.
//
// # The form of a journal
//
// A journal (package journal) is a JSON object to a line. Three kinds of line come
// in any order, as often as may be, so that journals may be put together with cat:
//
//   - {"journal": "downbeat bench", "version": 2, "conditions": {…}}: what records depend on
//     beside job set, policy and seed (bench.Conditions). All such lines are equal.
//   - {"asked": {…}}: what was to be done ([Asked]). What is missing follows from this.
//   - {"set": …}: what is known of a job set (bench.Record), or more of it.
//
// downbeat schema journal prints the JSON Schema of a line. Records of a job set are put
// together cell by cell; cells that are the same run must be equal, so what the order of
// lines was, and which process wrote them, cannot be seen in the result.
package bench
