package encode

import (
	"downbeat/model"
	"downbeat/model/query"
)

// heldOn lists when the held tasks use a resource of slave s.
func (l *layout) heldOn(s model.SlaveID, span func(h *query.Fixed) model.Interval) []model.Interval {
	var taken []model.Interval
	for i := range l.Fixed {
		if h := &l.Fixed[i]; h.Slave == s {
			if iv := span(h); iv.Len() > 0 {
				taken = append(taken, iv)
			}
		}
	}
	return taken
}

func run(h *query.Fixed) model.Interval {
	return model.Interval{Start: h.Start, End: h.Start + h.Task.WCET(h.Slave)}
}

func fetching(h *query.Fixed) model.Interval {
	return model.Interval{Start: h.Fetch, End: h.Fetch + h.Task.Transfer(h.Slave)}
}

func hold(h *query.Fixed, js *model.JobSet) model.Interval {
	return model.Interval{Start: js.Assigned(h.Placement), End: run(h).End}
}
