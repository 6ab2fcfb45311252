package encode

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// Held is a task outside the question that keeps its place: the tasks of the
// question find its slot, fetch line and core taken.
type Held struct {
	// Task gives the figures; its job plays no part.
	Task *model.Task
	model.Placement
}

// Room bounds a task more closely than its job does.
type Room struct {
	// Slaves, ascending, on which it may run; nil means all.
	Slaves []model.SlaveID
	// From and To bound the task: it is handed out at From or later, and finishes
	// by To.
	From, To model.Time
}

func (r *Room) equal(o *Room) bool {
	return r.From == o.From && r.To == o.To && slices.Equal(r.Slaves, o.Slaves)
}

// SameRoom reports whether two tasks are bounded alike.
func (q *Question) SameRoom(t, u model.TaskID) bool {
	return q.Room == nil || q.Room[t].equal(&q.Room[u])
}

// Narrow cuts the window of task t on a slave to its room: window.None if the
// task has no place there.
func (q *Question) Narrow(t model.TaskID, s model.SlaveID, span window.Span) window.Span {
	if q.Room == nil {
		return span
	}
	room, task := &q.Room[t], &q.JS.Tasks[t]
	if room.Slaves != nil {
		if _, allowed := slices.BinarySearch(room.Slaves, s); !allowed {
			return window.None
		}
	}
	transfer, wcet := task.Transfer(s), task.WCET(s)
	assign, finish := window.LastAssign(q.JS, s, min(room.To, span.LastStart+wcet), transfer, wcet)
	first := window.FirstAssign(q.JS, s, max(room.From, span.FirstFetch), transfer+wcet)
	if assign < first {
		return window.None
	}
	return window.Span{FirstFetch: first, LastStart: finish - wcet}
}

// heldOn lists when the held tasks use a resource of slave s.
func (l *layout) heldOn(s model.SlaveID, span func(h *Held) model.Interval) []model.Interval {
	var taken []model.Interval
	for i := range l.Held {
		if h := &l.Held[i]; h.Slave == s {
			if iv := span(h); iv.Len() > 0 {
				taken = append(taken, iv)
			}
		}
	}
	return taken
}

func (h *Held) run() model.Interval {
	return model.Interval{Start: h.Start, End: h.Start + h.Task.WCET(h.Slave)}
}

func (h *Held) fetching() model.Interval {
	return model.Interval{Start: h.Fetch, End: h.Fetch + h.Task.Transfer(h.Slave)}
}

func (h *Held) hold(js *model.JobSet) model.Interval {
	return model.Interval{Start: js.Assigned(h.Placement), End: h.run().End}
}
