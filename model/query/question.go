// Package query holds questions about a job set as data: which jobs have to
// finish by when, within which limits on objectives, and around which tasks of
// a plan. Package encode writes a question as a formula, package solve/lcg
// propagates it; both find in here what it comes to.
package query

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

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

// Question asks for a schedule of some jobs. Role and Cap are indexed by JobID. A job
// that one which is not Out comes after is Must.
type Question struct {
	JS   *model.JobSet
	Role []Role
	// Cap is the absolute time by which the job's tasks finish. It must be
	// below model.Never for every job that is not Out: every question has such
	// a time (a deadline, a deadline plus the lateness to beat, a makespan to
	// beat).
	Cap []model.Time
	// Later marks, by JobID, the jobs that are Must only because others come after them;
	// nil if there are none. Plans need have them end by LaterBy at the earliest, so that
	// one with an earlier Cap is Must for its own sake.
	Later   []bool
	LaterBy model.Time
	// Limits bound objectives that are sums, each at most once, in ascending order. Of late
	// jobs those are counted that are May and not placed, or Must and finish after their
	// deadlines; how late, or when they finish, only of those that are Must.
	Limits []Limit
	// Restrict bounds tasks further, by TaskID; nil means no task. Not with fifo.
	Restrict []Restriction
	// Fixed lists tasks outside JS that keep their places. They obey all rules
	// among themselves. Not with fifo.
	Fixed []Fixed
	// Ordered lists pairs of tasks of which the first is to have ended before the second starts, of jobs that are Must. Tasks that
	// are equal otherwise are in no order of their own then. For package lcg alone, and not where refutations are recorded.
	Ordered [][2]model.TaskID
	// NoSymmetry leaves out the ordering of equal tasks and slaves: for tests, and where more is asked of some
	// jobs than is said here.
	NoSymmetry bool
}

// Most is the limit on an objective; ok is false where there is none.
func (q *Question) Most(o model.Objective) (most int64, ok bool) {
	for _, l := range q.Limits {
		if l.Objective == o {
			return l.Most, true
		}
	}
	return 0, false
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

// Narrows reports whether every schedule that a question asks for is one that another asks for, as both say the
// same of the same jobs, within times and limits of which none is greater: as where a lower value of an objective is
// asked for. Not those with restrictions, fixed tasks, or jobs that are only in for others, whose times
// are no limits.
func (q *Question) Narrows(o *Question) bool {
	if q.JS != o.JS || q.NoSymmetry != o.NoSymmetry || q.special() || o.special() || !slices.Equal(q.Role, o.Role) {
		return false
	}
	for i, role := range q.Role {
		if q.Cap[i] > o.Cap[i] || role == May && q.Cap[i] != o.Cap[i] {
			return false
		}
	}
	return slices.EqualFunc(q.Limits, o.Limits, func(l, m Limit) bool { return l.Objective == m.Objective && l.Most <= m.Most })
}

func (q *Question) special() bool {
	return q.Restrict != nil || q.Fixed != nil || q.Ordered != nil || q.Later != nil
}

// Fixed is a task outside the question that keeps its place: the tasks of the
// question find its slot, fetch line and core taken.
type Fixed struct {
	// Task gives the figures; its job plays no part.
	Task *model.Task
	model.Placement
}

// FixedOn lists when fixed tasks, and reservations, hold a resource of slave s, each with
// its need.
func (q *Question) FixedOn(s model.SlaveID, p model.Supply) (held []model.Interval, needs []int64) {
	for _, k := range q.JS.Slaves[s].Reservations {
		if k.Resource == p.Resource {
			held, needs = append(held, k.Interval), append(needs, k.Units)
		}
	}
	for i := range q.Fixed {
		f := &q.Fixed[i]
		if f.Slave != s {
			continue
		}
		need, iv := q.JS.Need(f.Task, s, p.Resource), q.JS.Held(f.Task, f.Placement, p.Hold)
		if need > 0 && iv.Len() > 0 {
			held, needs = append(held, iv), append(needs, need)
		}
	}
	return held, needs
}

// FixedOf lists when fixed tasks hold of a pool, each with its need; id numbers limits of JS (C11).
// Caps count tasks of jobs of the question only: what fixed tasks of the same job hold of them
// stands in what is reserved of these.
func (q *Question) FixedOf(id model.SharedID) (held []model.Interval, needs []int64) {
	pool := q.JS.Shared()[id].Pool
	for i := range q.Fixed {
		f := &q.Fixed[i]
		all := f.Task.Profile.Needs()
		if pool >= 0 && all.Pooled(int(pool)) > 0 {
			held, needs = append(held, q.JS.Held(f.Task, f.Placement, model.HoldStay)), append(needs, all.Pooled(int(pool)))
		}
	}
	return held, needs
}

// Restriction bounds the domain of a task more closely than its job does.
type Restriction struct {
	// Slaves, ascending, on which it may run; nil means all.
	Slaves []model.SlaveID
	// From and To bound the task: it is handed out at From or later, and finishes
	// by To.
	From, To model.Time
}

func (r *Restriction) equal(o *Restriction) bool {
	return r.From == o.From && r.To == o.To && slices.Equal(r.Slaves, o.Slaves)
}

// SameDomain reports whether two tasks are restricted alike.
func (q *Question) SameDomain(t, u model.TaskID) bool {
	return q.Restrict == nil || q.Restrict[t].equal(&q.Restrict[u])
}

// Narrow cuts the window of task t on a slave to its restriction: window.None if
// the task has no place there.
func (q *Question) Narrow(t model.TaskID, s model.SlaveID, span window.Span) window.Span {
	if q.Restrict == nil {
		return span
	}
	r, task := &q.Restrict[t], &q.JS.Tasks[t]
	if r.Slaves != nil {
		if _, allowed := slices.BinarySearch(r.Slaves, s); !allowed {
			return window.None
		}
	}
	transfer, wcet := task.Transfer(s), task.WCET(s)
	assign, finish := window.LastAssign(q.JS, s, min(r.To, span.LastStart+wcet), transfer, wcet)
	first := window.FirstAssign(q.JS, s, max(r.From, span.FirstFetch), transfer+wcet)
	if assign < first {
		return window.None
	}
	return window.Span{FirstFetch: first, LastStart: finish - wcet}
}
