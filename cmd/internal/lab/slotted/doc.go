// Package slotted simulates the slotted stochastic cluster of Wang, Zhu, Ying,
// Tan and Zhang, "Map Task Scheduling in MapReduce with Data Locality"
// (INFOCOM 2013), and computes what that paper proves about it. It shares
// nothing with the simulator of package online: no heartbeats, no transfers,
// no deadlines, only machines, tasks and geometric service.
//
// # The model
//
// Time runs in slots 0, 1, 2, … At the start of a slot jobs arrive, each with a
// number of map tasks; both numbers are drawn anew for every slot and job. A
// task's type is the set of at most three machines that hold its input. A task
// on one of these machines (local) ends in each slot with probability Alpha,
// anywhere else (remote) with probability Gamma < Alpha; it is never
// interrupted. [Run] simulates one sample path:
//
//	law, _ := slotted.Bins(slotted.FacebookBins())
//	config := slotted.Paper(350, law)
//	config.Policy = slotted.NaiveFair
//	result, err := slotted.Run(ctx, config)
//
// [Sweep] runs several loads and policies on several workers, [Figures] is the
// sweep behind the paper's Figures 3 and 4, [Capacity] the largest load that
// any scheduler can carry, [LowerBound] Theorem 2 and [HeavyTraffic] the
// approach to the limit of Section IV.
//
// # A slot
//
// In this order, as Section II-C of the paper has it:
//  1. Tasks whose service ended in the slot before leave, and their machines
//     are idle. Queue lengths are Q(t) now; [Result.Queue] averages their sum.
//  2. Jobs arrive. [Result.Jobs] averages the jobs in the system after this,
//     so that Little's law holds without a correction of one slot.
//  3. Idle machines start tasks. A task started in slot t can end in slot t:
//     its delay is then 1.
//
// # Policies
//
// [MaxWeight] is the paper's: a local queue for each machine and one common
// queue; an arriving task joins the shortest of its local queues and the common
// one, ties at random; an idle machine m serves its own queue if
// Alpha·Q_m ≥ Gamma·Q̄ and else the common one. Tasks of the common queue are
// served at rate Gamma wherever they run, as the paper's equations have it,
// even on the few occasions on which the machine holds their data. Among the
// tasks of a queue one of the job with the fewest running tasks goes first
// (Section V). In a slot the machines that serve their own queues start first, in no
// particular order, then in random order those that compete for the common one.
// What the text leaves open is a [Reading].
//
// [NaiveFair] is its opponent there, the naive fair sharing of Zaharia et al.
// (EuroSys 2010): idle machines come in random order, each takes a task of the
// job with the fewest running tasks among those with tasks left (ties to the
// older job), a local task if that job has one, else any.
//
// [Pandas] (Xie and Lu, INFOCOM 2015) and [BalancedPandas] (Xie, Yekkehkhany and Lu,
// INFOCOM 2016, with two levels) have no common queue. Under the first a task joins the
// shortest of its local queues, and an idle machine without tasks of its own takes from the
// longest; under the second it joins the machine with the least work for the rate at which
// it would serve the task, and stays there. Decisions are made one after the other, each
// seeing those before it; ties go to a local machine, then at random.
//
// # What the paper does not say
//
// The arrivals of its simulation are "mimicking real workload analyzed in"
// PACMan (Ananthanarayanan et al., NSDI 2012), without figures. Here the number
// of jobs in a slot is Poisson, cut where its tail is below 1e-17 (the theorems
// ask for bounded arrivals), and the number of tasks in a job follows any [Law];
// [FacebookBins] is the default. The number of machines, the machines holding
// data (800 of 1000), the three replicas, the rates, and the 250,000 slots over
// which means are taken are the paper's; the 50,000 slots before them are ours.
//
// # What the figures come to
//
// Under [MaxWeight] the backlog leaves the ground near 800·Alpha = 640 tasks a
// slot, where local work alone no longer suffices. Above, local queues grow until
// the common one is the shortest; that one counts its tasks in service, of which
// there must be five for each task a slot served remotely. At 670 that is some 150
// tasks in each of 801 queues, about 120,000 in all: a long delay, but a stable
// one, and much less with [Reading.WaitingOnly]. That is with [Reading.Live]; on the
// lengths at the beginning of a slot the tasks of the slot all join the same short
// queues, and delays are long further below.
// Under [NaiveFair] a share p of local tasks carries Machines/(p/Alpha +
// (1-p)/Gamma) tasks a slot, and p depends on the sizes of jobs, hardly on the load.
//
// # How it is fast
//
// The number of slots of a service is drawn when it starts, and its end waits
// in a ring of 64 slots; longer services are drawn again when they come round,
// which is exact because geometric service has no memory. Nothing is done for a
// busy machine. A task is no object of its own: in the queues of MaxWeight it
// is a count beside its job, and under NaiveFair the places of a large job's
// tasks are drawn only as far as the search for a local one has to look.
//
// The same seed gives the same jobs, tasks and places under every policy.
package slotted
