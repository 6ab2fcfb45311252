// Package horizon plans again and again: a receding-horizon scheduler, as TetriSched
// (Tumanov et al., EuroSys 2016) and 3Sigma (Park et al., EuroSys 2018) are, with the
// planner of whoever makes it.
//
// At a heartbeat after anything has happened all that is known is planned to its end:
// jobs that have arrived, at declared worst-case times. What the plan hands out now is
// handed out, and what it hands out later waits until then, unless it is planned anew
// before. A slot may stay free although something would fit, where the plan wants it for
// something else.
//
// # What is known as a job set
//
// The planner gets an ordinary [model.JobSet], whose plans are those of the cluster from
// now on:
//
//   - Every slave has its first heartbeat now or later, and tasks start in the order in
//     which they are handed out, as slaves do it.
//   - What tasks that were handed out still hold of a slave is reserved (model.Slave.Reservations)
//     until they end at the latest.
//   - One task stands in for those of a stage that were handed out and have not ended. It
//     is on a slave of its own and ends when the last of them does.
//   - What these tasks hold of pools and caps is reserved likewise (C11). A gang is handed out as a
//     whole, so that it waits or is held as a whole. Of a stage whose tasks are apart those that
//     wait are barred from slaves that have had another.
//   - A slave that has failed is back once all else could have been done: nobody knows when.
//
// # Times
//
// Tasks are planned at declared worst-case times, or at what their history tells ([Times]): half of it,
// or all of it. With the latter each decision has scenarios, in which each task takes a time drawn from
// its history, and tasks that run already one that is longer than they have run. A plan is made for each
// scenario, for median and for declared times, and the one to go by is that which comes to the least on
// the average of all scenarios, hard jobs that are late first. That is 3Sigma's idea, to plan with
// distributions in place of point estimates; its mixed-integer program over the utilities of start times,
// its mitigation of wrong distributions and its preemption are not here.
//
// # Gangs
//
// A plan may hand out a task of a gang while the slave of another is still busy; the simulator
// hands out none before all can be. Until then the slave waits for it, as the plan has it, and it
// is planned anew at each tick.
//
// # Work is counted
//
// A decision may cost some constructions of a plan, and placements of tasks altogether.
// Where not even one construction can be had, tasks are handed out by EDF until the next
// decision; [Policy.Decisions] counts how often. The planner starts from what is left of
// the last plan.
package horizon
