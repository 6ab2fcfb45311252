// Package fluid is a relaxation of planning that grows with jobs, kinds of slaves and
// steps of time, not with tasks times slaves: a guide to good plans for sets of
// thousands of tasks. It proves nothing.
//
// What it leaves out: equal slaves are one pool ([Pooling]), whose cores, slots and fetch
// lines are rows with a capacity per step of time (package relaxation), as is what all slaves
// share where it may be short (a pool of licences, but no cap); the tasks of a stage are handed
// out together and take their means on a pool; a job may be in several columns at once, each
// with a share (being left out of the plan is one). What it keeps: releases, due times, stages
// in sequence, absences, and that resources are shared.
//
// How it is solved: block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and
// Pletscher, 2013) on an augmented Lagrangian. Job by job, the cheapest column at the
// prices as they are (a dynamic program over the stages) takes over as much as pays of
// the share of the dearest (a pairwise step); after each pass multipliers take over a
// part of what penalties charge. It goes on from where it is when capacities change
// ([Relaxation.Scale], [Relaxation.Feed]).
//
// How a plan falls short of capacities (heartbeats, fetching, what is left between
// tasks) is not seen here: callers count on a part of them, and feed back where that
// was too much.
package fluid
