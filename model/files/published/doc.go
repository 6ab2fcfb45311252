// Package published reads the sets of the literature on scheduling as job sets, in the formats in
// which they are handed around:
//
//   - job shops, as the OR-Library and JSPLIB have them: jobs and machines, then a line for each job with
//     machine (from 0) and time of each operation; flow shops, too, of which machines may take the jobs in different orders then;
//   - flexible job shops (Brandimarte 1993): a line for each job with the number of its operations and, of
//     each, the number of machines and machine (from 1) and time for each;
//   - open shops (Taillard 1993): jobs and machines, then a line for each job with its time on each machine;
//   - projects with resources (RCPSP): Patterson's format (.rcp) and that of PSPLIB with one mode (.sm);
//   - weighted tardiness on one machine, as the OR-Library has it (wt40.txt): many sets in a file, of each the
//     times, the weights and the due dates of all jobs.
//
// Machines are slaves of one core with a heartbeat of 1, a project's activities are jobs of one task that come
// after each other, on one slave with named resources. A set has the same optimum as in the literature,
// but for weighted tardiness where a job is due at 0: deadlines are at least 1, so the machine's first
// heartbeat is at 1 there, and all is due a tick later.
package published
