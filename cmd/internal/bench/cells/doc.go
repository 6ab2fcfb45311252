// Package cells keeps what benches found out: the records of many job sets in journals that
// grow, that shards of one sweep write side by side, and that are merged in any order.
//
// # The form of a journal
//
// A journal is a file of package journal, a JSON object to a line. Three kinds of line come
// in any order, as often as may be, so that journals may be put together with cat:
//
//   - {"journal": "downbeat bench", "version": 2, "conditions": {…}}: what records hang on
//     beside job set, policy and seed (bench.Conditions). All such lines are equal.
//   - {"asked": {…}}: what was to be done ([Asked]). What is missing follows from this.
//   - {"set": …}: what is known of a job set (bench.Record), or more of it.
//
// downbeat schema journal prints the JSON Schema of a line. Records of a job set are put
// together cell by cell; cells that are the same run must be equal, so what the order of
// lines was, and which process wrote them, cannot be seen in the result.
package cells
