// Package sequence finds the orders of jobs of one task each that take turns on slaves, for
// the least weighted tardiness, or the least weight of late jobs: successive sublimation dynamic programming (Tanaka, Fujikuma and Araki,
// 2009), with local search for orders.
//
// Of all walks through time, in which a job may run any number of times or never, the cheapest is a
// bound, where each job has a reward for running and all rewards are paid once (Lagrangian relaxation
// of the time-indexed formulation by job; Abdul-Razaq and Potts, 1988). Subgradient steps improve the
// rewards. What is on no walk that costs less than the best order is left out for good. Then jobs that
// run more than once are counted: walks remember which of these have run. So the relaxation becomes
// the problem itself, in a graph that gets smaller by bounds and larger by what is remembered.
//
// On several slaves, or cores, there is a walk for each (Pessoa, Uchoa, Poggi de Aragão and Rodrigues, 2010, with the job before
// in the state as here). As each of them is about all jobs, rewards begin with what prices of ticks come to, and go on with those of the linear
// programme that has walks as its columns (column generation; of many jobs with subgradient steps). What is
// left open is split by when a job begins, depth first.
//
// Where late jobs are counted each may be let go for what it costs, which its reward is no more than then, as walks have jobs in time alone. Jobs that would
// cost too much let go have to run. What is left open is split by whether a job is let go first; of those that are on some of the latest walks and
// off others, by the one of which both parts cost most after some steps (strong branching). There is no local search for orders.
//
// The passes, each with rewards and the jobs that are counted from it on, are the argument: the rule
// sequence of proof files (docs/proof.md) goes through them again.
package sequence
