// Package query holds questions about a job set as data: which jobs have to
// finish by when, within which limits on objectives, and around which tasks of
// a plan. Package encode writes a question as a formula, package solve/lcg
// propagates it; both find in here what it comes to.
package query

import "downbeat/model"

// Role says what a question asks of a job.
type Role uint8

const (
	// Out: the job is left out.
	Out Role = iota
	// Must: every task of the job is placed and finishes by the job's Cap.
	Must
	// May: either as Must, or no task is placed.
	May
)

// Unbounded switches off a limit of a Question.
const Unbounded int64 = -1

// Question asks for a schedule of some jobs. Role and Cap are indexed by JobID.
type Question struct {
	JS   *model.JobSet
	Role []Role
	// Cap is the absolute time by which the job's tasks finish. It must be
	// below model.Never for every job that is not Out: every question has such
	// a time (a deadline, a deadline plus the lateness to beat, a makespan to
	// beat).
	Cap []model.Time
	// MissLimit bounds Σ ω_i over soft jobs that are May and not placed, or
	// Must and finish after their deadline. Unbounded: not asked.
	MissLimit int64
	// HardMissLimit bounds the number of hard jobs in the same way.
	HardMissLimit int64
	// WeightedLimit bounds Σ ω_i late_i over the soft jobs that are Must.
	// Unbounded: not asked.
	WeightedLimit int64
	// Restrict bounds tasks further, by TaskID; nil means no task. Not with fifo.
	Restrict []Restriction
	// Fixed lists tasks outside JS that keep their places. They obey all rules
	// among themselves. Not with fifo.
	Fixed []Fixed
	// NoSymmetry leaves out the ordering of equal tasks and slaves, for tests.
	NoSymmetry bool
}

// Due is the time by which each job that is not Out finishes, Never for the others.
func (q *Question) Due() []model.Time {
	due := noDues(q.JS)
	for i := range due {
		if q.Role[i] != Out {
			due[i] = q.Cap[i]
		}
	}
	return due
}
