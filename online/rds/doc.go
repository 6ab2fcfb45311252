// Package rds is RDS, the scheduler of Cheng, Rao, Jiang and Zhou: Resource and
// Deadline-aware Job Scheduling in Dynamic Hadoop Clusters (IPDPS 2015).
//
// Every control interval it reads how many slots there are and predicts how
// many there will be ([Forecast], Eq. 10), measures what each job has done and
// adapts a fuzzy model of its progress (Eqs. 4 to 9), and chooses the slots of
// every job over the next intervals so that progress keeps up with the
// deadlines (Eq. 3), as a quadratic program. Only the first move is carried
// out, through heartbeats (Algorithm 1): the running job that lacks most of its
// slots is served first.
//
// Jobs come into a waiting queue and are moved to the running queue once the
// controller gives them something, or at once if they are due before it looks
// again: the fast path.
//
// The paper leaves much open; [Options] names each choice, [AsPrinted] has the text where it
// says something, and these hold throughout:
//
//   - Resources are counted in slots. Where a slave has more slots than cores, a
//     slot counts as its share of the cores (r_slot in the paper).
//   - Work is what is declared, transfer and worst-case execution, averaged over
//     the slaves that a task may run on. Progress counts tasks under way in
//     part.
//   - By default jobs that the controller finds due before it looks again are on the fast
//     path too, and those on it are served first. Its moves are means over an interval; at that
//     pace a job that is due after a tenth of it would come too late.
//   - By default a move that lets a job finish its maps or its reduces within the interval may
//     take its slot time all at once.
//   - By default what ensures the deadline (y^ref) is the work that is left, spread evenly
//     over the time that is left; a job that is late should do all at once.
//   - Progress and moves are measured as shares of the job's whole work, so that W,
//     P and Q mean the same for large and small jobs.
//   - A job gets no more slots than it has tasks, nor for longer than its work
//     takes, and none for a later stage before the stages ahead of it can be
//     done. Where slaves tell map from reduce slots, each kind has its own limit
//     besides the common one.
//   - A task is one slot, whatever cores and resources it needs beside it. Stages of a
//     graph that are open together run together; a job that comes after others has no
//     slots before the critical path of what remains of these allows it.
//   - Running tasks are not taken back; a job with Δu < 0 gets nothing until
//     others have theirs.
package rds
