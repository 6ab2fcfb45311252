// Package online simulates schedulers that learn of a job at its release and
// decide at heartbeats, on the platform of package model.
//
// [Run] plays one job set under one [Policy]. It leaves an [Outcome]: a plan
// of kind executed, which model/check accepts, what [Measure] measures,
// and on request a trace that says why each task went where it went.
//
// # A policy
//
// A [Policy] has a name, says when it is worth asking again, and hands out
// groups of equal tasks at heartbeats ([Offer.Pick], [Offer.Give]). The package
// example is one, in ten lines. A policy that breaks a rule, by giving what does
// not fit or looking at what has not arrived, ends the run with an error.
//
// A [Killer] takes back what slaves hold when tasks of a job have become ready. What was killed
// is lost as with a failure, and ready again at once.
//
// # The slave's own behaviour
//
// It is the same under every policy: inputs come, and tasks start, in the order in which
// they were given (load.go). So what a slave promises for a task at its assignment
// (see [Offer.Finish]) holds whatever it is given later, unless something overruns.
//
// # Stages and jobs after others
//
// A job works on several stages at once where its graph allows it: all are open whose
// predecessors have ended, and [Job.Groups] has what waits of each. A job that comes
// after others arrives when it is released and all of them have arrived, as before that
// nobody could say when it may begin; its tasks become ready when they have finished.
// With a job that is rejected those after it are, each as soon as it is released.
//
// # Pools, caps, gangs
//
// What takes of pools and caps (C11) is handed out only if that is there until it ends at declared
// times, beside what others hold by then (limits.go); a policy is not offered it before ([Offer.Fits]). A
// gang (C12) is handed out as a whole, when all of it fits, with any of its tasks that a policy gives
// (gang.go); no two gangs can wait for each other. A gang of which a task is lost is lost as a
// whole: its other tasks end at the loss, those that had ended run again, and what was reserved
// of it is free. Of tasks that are apart each is offered to slaves that have had none of the others, and
// only where these still find slaves of their own. Tests of admission that count slots
// promise nothing where there is any of this ([SlotCounter]).
//
// # Absences and failures
//
// An absence that the job set declares is known to all: a slave refuses a task
// that could still be there, at declared worst-case times, when the absence
// begins ([Offer.Fits]). So every policy has foresight of absences, which those of the
// papers have not; [Options.Surprise] takes it away. Failures ([Faults]) come as a surprise: what the slave
// holds is lost and is ready again at once.
//
// # Overruns
//
// Where [Durations] gives shares above 1 tasks may take longer than declared, which
// nobody knows before. Promises hold only as far as nothing on the slave overruns: a
// task that has used up its worst case is taken to end at the next tick, and so at
// each tick until it does. What a slave still holds when a declared absence begins is
// lost, as with a failure; and so is what is held of a pool beyond its amount when that falls, of
// what was handed out last as much as need be. Plans of such runs say how long each task took.
//
// # Order within a tick
//
// Intervals are half-open. At one tick, tasks end first, then slaves fail and
// come back, amounts of pools change, jobs are released, controllers run, and heartbeats come last, by
// slave: a slot freed at t can be given away at t, and a job released at t is
// seen by a heartbeat at t. Events of one kind are taken in the order of slave,
// job or task, so that a run repeats.
//
// # Cost
//
// A heartbeat is an event only where a slave has a free slot, some task is
// ready, and something has changed since it was last asked (see [Asking]). The
// cost of a run grows with the number of tasks and not with its length. Policies
// that rank jobs have them kept in order ([Ranking]).
//
// On 100,000 tasks and 1,000 slaves a run takes 1 to 4 s under most policies, up to 8 under
// those that draw lots, and no more than 300 MB beside the job set; conservative backfill takes 20 s, horizon
// 46 s. docs/scale.md has a table, which peers policies makes.
package online
