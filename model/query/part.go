package query

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// Fixed is a task outside the question that keeps its place: the tasks of the
// question find its slot, fetch line and core taken.
type Fixed struct {
	// Task gives the figures; its job plays no part.
	Task *model.Task
	model.Placement
}

// FixedOn lists when the fixed tasks hold a resource of slave s, each with its need.
func (q *Question) FixedOn(s model.SlaveID, p model.Supply) (held []model.Interval, needs []int64) {
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
