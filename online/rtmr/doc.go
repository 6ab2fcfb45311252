// Package rtmr has the two schedulers of He, Lu and Swanson, "Real-Time
// Scheduling in MapReduce Clusters" (2013; technical report 2012): RTMR
// ([New]) and its opponent, the Deadline Constraint scheduler of Kc and
// Anyanwu ([DeadlineConstraint]).
//
// # RTMR
//
// RTMR keeps its accepted jobs in one queue: those that have started, in the
// order in which they did, then those that wait, by the queue's [Order]. For
// each it remembers when the slots of the cluster are free at the latest once
// the job and all before it are done: the vectors T^m of map slots and T^r of
// reduce slots. A new job is accepted if it and all that come after it still
// meet their deadlines on these vectors (Algorithms I to III). Tasks are handed
// out in the order of the queue, and a later job gets a reduce slot only if
// enough are left for the reduces that earlier jobs will have (Algorithm IV).
// When a job ends at another time than estimated, the vectors are computed
// anew from what happened (Algorithms V and VI).
//
// # The guarantee
//
// Accepted jobs meet their deadlines where a slot given is a task running at
// its declared times or faster: a core for each slot, concurrent fetching,
// transfers that do not delay each other (a slave starts its tasks in the order
// in which it got them, so a transfer that ends early waits for a longer one;
// with execution times that include the transfer there is no such wait), all
// tasks eligible on all slaves, first heartbeats within the first interval, no
// absences, no failures, no learning. The estimate of a task then has to
// include the heartbeat interval h, or h has to be 1 (see [Options]).
//
// The reason is a count. Call a task ahead of another if its job is earlier in
// the queue, or the same and its stage is not later. Filling the vectors gives
// every task an end by putting it on the slot that is free first; at time t,
// then, as many tasks end later as slots are free later, as long as some slot
// is free. If a task of job K has a slot by t in the estimate, fewer than all
// slots go to tasks ahead of it that end after t. By induction these end no
// later in fact. A later job holds a slot only if it got it while enough were
// left for everything ahead, so nothing keeps K's task from a slot at t. The
// count needs one slot per later task, which is what the dispatcher reserves
// with >=, not with the printed > (see [Printed]).
//
// The appendix's argument for Algorithm VI takes for granted that a job's tasks
// end after those of the jobs before it on the same slots. That is so for maps,
// but reduces overtake. The claim U ≥ V holds all the same, again by >=: ends
// ascend, so each after the first takes the slot of the one before, and at most
// one slot moves from a time that is yet to come into the past. A reduce that
// overtook was handed out while a slot was left beyond what the jobs before it
// have and will have, and that is the one.
//
// # Other platforms
//
// If any slave has common slots, all slots of the cluster are taken as one kind
// that maps and reduces share: T^m and T^r are then one vector, and maps of
// later jobs leave slots for the reduces of earlier ones too. The count above
// holds there as well if no slave tells slots apart. Deadlines
// of soft and hard jobs are treated alike, best-effort jobs are always
// accepted. Absences are not estimated, nor are cores and resources that a task needs
// beside its slot, nor pools, caps, gangs and tasks that are apart: with those there is no guarantee.
//
// Jobs may be any graph of stages. A job's stages have an order as jobs have in the
// queue: by when they could begin if each took its longest and nothing else. In that
// order they fill the vectors of their kinds, each from the end of those that it comes
// after on, and slots are kept for those that are not open yet, so that the count holds
// with stages for jobs. A job that comes after others stands behind them in the queue,
// and begins in the estimate when they end.
package rtmr
