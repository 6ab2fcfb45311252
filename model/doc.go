// Package model holds the words of downbeat: job sets, schedules and plans,
// and what their fields mean. It knows no other package of the program.
//
// # Time
//
// All times are integers, called ticks. Every interval is half-open,
// [start, end): a slot freed at t can be given away at t, and two fetches
// [0, 4) and [4, 6) do not meet.
//
// # Platform
//
// Slaves have cores, slots, a first heartbeat and the common heartbeat
// interval h. Heartbeat γ of a slave happens at FirstBeat + γ·h; only then can
// the master hand it tasks. A slot holds a task from that moment (its
// assignment, A) until it finishes (F). The slave fetches the task's input
// during [R, R+C) and runs it on a core during [S, F), F = S + E, with
// A ≤ R, R + C ≤ S. Nothing is preempted, nothing migrates.
//
// # Constraints
//
// The names C0–C8 follow Phan, Zhang, Loo, Lee: Real-Time MapReduce
// Scheduling (University of Pennsylvania, 2010), §4.1:
//
//	C0  a task runs on a slave that it is eligible for
//	C1  F = S + E
//	C2  S ≥ R + C
//	C3  R ≥ A ≥ release of the job
//	C4  tasks that run on a slave need at most Cores cores at any time
//	C5  at most Slots tasks are held by a slave at any time (per pool of slots)
//	C6  a slave fetches one input at a time (unless FetchConcurrent)
//	C7  a task is handed out only after every task of the stages that its own comes
//	    after has finished
//	C8  hard jobs finish by their absolute deadline
//
// Four are of our own:
//
//	C9  at any time tasks held by a slave need no more of a named resource than it offers
//	C10 a task is handed out only after every task of the jobs that its own comes after
//	    has finished
//	C11 of every pool, tasks on any slave need at any time in [A, F) no more than there is
//	    then; of a stage or job with a cap no more tasks are held at once
//	C12 tasks of a gang start at the same time; tasks of a stage that is apart are on
//	    different slaves
//
// # Ways in
//
// [JobSet.Assemble] finishes a job set built in code. Package model/files/jobfile reads
// and writes job sets, model/files/planfile plans; model/check checks plans and
// arguments, model/window computes the times between which tasks can run.
package model
