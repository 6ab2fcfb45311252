package solve

import (
	"runtime"
	"time"

	"downbeat/model"
	"downbeat/solve/certify"
	"downbeat/solve/conflict"
	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/whatif"
)

// Options steer a solve. The zero value means the defaults.
type Options struct {
	// Objectives replaces the job set's own list when not nil.
	Objectives []model.Objective
	// TimeLimit bounds the whole call; 0 means none.
	TimeLimit time.Duration
	// Writing is how long the caller takes to write the plan to files within that limit,
	// in times of what validating it takes.
	Writing int
	// Painting is what of that takes the same time whatever the plan is; a quarter of the
	// limit at most is kept back for it.
	Painting time.Duration
	// Budget, if not 0, bounds the work in place of TimeLimit, in units: one for a
	// construction of a plan, or as many placements of tasks as one takes; other
	// work is charged by the piece: a call of gini, some subgradient steps, a
	// stretch of package lcg. It bounds the work of all workers together, and for a number of
	// workers the same answer comes out every time.
	Budget int64
	// Memory bounds, in bytes, what the program may come to hold: methods that would
	// take too large a part are left out, and the search ends where it is reached. 0
	// stands for no bound, and with Budget for memory.Fixed. With Budget only methods
	// are left out, for the rest would not repeat.
	Memory int64
	// Seed fixes every random choice.
	Seed uint64
	// Workers that search side by side; 0 means one per core.
	Workers int
	// Relax asks for the least bad plan of an infeasible set: the fewest late hard jobs, then the
	// least lateness of theirs, the largest before the sum, then the objectives.
	Relax bool
	// HardByCount has Relax pass over by how much hard jobs are late.
	HardByCount bool
	// Early has jobs of the answer finish early: of a plan that people will look at. It takes some
	// tens of milliseconds, and changes no value.
	Early bool
	// NoConflict leaves out why a set is infeasible, which can take longer than
	// the proof that it is.
	NoConflict bool
	// From is a schedule to start from, nil for none: it may be partial and
	// break any rule. It is repaired first, and the answer is no worse than what
	// comes of that.
	From model.Schedule
	// Exact are the options of the engines that answer questions: which are asked,
	// in what order the SAT path tries tasks, how large formulas may be.
	Exact exact.Options
	// Proof has what is proved written down step by step, as the certificate of the result.
	Proof bool
	// EachSlave has each slave stand for itself: a proof of which others go on with the refutations, by numbers of slaves as they are in the set.
	EachSlave bool
	// Events, if set, is called from one goroutine at a time whenever something
	// happened.
	Events func(event.Event)
	// Stats asks for the statistics of the result.
	Stats bool
	// leftOf is the set that jobs were left out of to come to the one that is planned; nil where none were.
	leftOf *model.JobSet
}

// NumWorkers is how many workers search: with a budget a single one, unless more are named.
func (o Options) NumWorkers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	if o.Budget > 0 {
		return 1
	}
	return runtime.NumCPU()
}

// exact are the options of the engines.
func (o *Options) exact() exact.Options {
	e := o.Exact
	e.Budgeted = o.Budget > 0
	if e.Order == nil {
		e.Order = []string{"edf", "llf"}
	}
	return e
}

// Result is the answer to a planning question.
//
// Invariants: Optimal implies a complete, validated Schedule and value = bound
// for every objective; Feasible implies a complete, validated Schedule.
// Infeasible and Unknown come with a Schedule only if Relaxed; it is the least
// bad one where value = bound throughout.
type Result struct {
	Status model.Status
	// Schedule is nil when there is no plan.
	Schedule model.Schedule
	// Objectives hold value and bound, in lexicographic order. With Relax on an
	// infeasible set hard-misses comes first, hard-tardiness and hard-total-tardiness follow.
	Objectives []model.ObjectiveValue
	// LeftOut are the jobs, ascending, that the schedule leaves out, as they can run nowhere any
	// more or come after such jobs; their tasks have no slave.
	LeftOut []model.JobID
	// Relaxed tells that the schedule misses hard deadlines because none meets them all.
	Relaxed bool
	// Proof backs the bound (or the infeasibility) that was hardest to get.
	Proof model.Proof
	// Conflict explains an infeasible answer; nil if a limit ended the search
	// before one was found.
	Conflict *Conflict
	// Analysis says all that is wrong with an infeasible set; nil where Conflict is.
	Analysis *Analysis
	// Repairs are changes that were tried; nil where Conflict is.
	Repairs *Repairs
	// Interrupted tells that a limit or the caller ended the search, Stop why it ended.
	Interrupted bool
	Stop        event.Reason
	// Stats are nil unless they were asked for.
	Stats *event.Stats
	// Why says, objective by objective, what the bounds rest on.
	Why []incumbent.Reason
	// Certificate has what of Status and bounds can be proved to others; nil unless
	// Options.Proof asks for it.
	Certificate *certify.Certificate
	// Notes are remarks for people: a formula that was refused, and the like.
	Notes []string
	// Kept tells what became of Options.From; nil without one.
	Kept *Kept
	// Past tells of a plan that was made during the night; nil for others.
	Past *Past
	Seed uint64
	// Settled is when it was settled whether all hard jobs can meet their deadlines, 0 if it was not, or
	// no job is hard.
	Settled, Elapsed time.Duration
}

// Closed reports whether there is a plan and every objective is at its bound.
func (r *Result) Closed() bool {
	for _, o := range r.Objectives {
		if o.Bound == nil || *o.Bound != o.Value {
			return false
		}
	}
	return len(r.Objectives) > 0
}

// Past is what a plan that was made during the night comes after.
type Past struct {
	// Now is when it was made, in ticks: what is handed out before is past.
	Now model.Time
	// Declared is the job set at declared times. In the one that was planned, tasks of the
	// past take as long as they did.
	Declared *model.JobSet
}

// Conflict is a set of hard jobs that cannot all meet their deadlines.
type Conflict = conflict.Conflict

// Analysis is what is wrong with an infeasible set: all conflicts known, and how many hard jobs
// have to be left out.
type Analysis = conflict.Analysis

// Repairs are changes to an infeasible set that were tried, and what came of it.
type Repairs = whatif.Repairs

// Repair is one of these, or several together.
type Repair = whatif.Repair

// Verdict is the answer to a feasibility question: Feasible, Infeasible or
// Unknown.
type Verdict struct {
	Status model.Status
	Proof  model.Proof
	// Schedule of the whole set, validated, when feasible.
	Schedule model.Schedule
	// LeftOut are the jobs that it leaves out, as in Result.
	LeftOut []model.JobID
	// Soft is set by [Soft], nil else.
	Soft *SoftAnswer
	// Conflict, Analysis and Repairs when infeasible.
	Conflict *Conflict
	Analysis *Analysis
	Repairs  *Repairs
	// Certificate is as in Result.
	Certificate *certify.Certificate
	Notes       []string
	// Stop and Stats are as in Result.
	Stop  event.Reason
	Stats *event.Stats
	// Settled is as in Result: the rest of Elapsed went into why, and what would help.
	Settled, Elapsed time.Duration
}
