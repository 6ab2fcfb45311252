package rows

import (
	"downbeat/model"
	"downbeat/model/proof"
)

// List lists multipliers, which are by row, those that are not 0: equal ones of
// neighbouring ticks together.
func (r *Rows) List(multipliers []int64) (out []proof.Multiplier) {
	for s := range r.Slaves {
		for _, sup := range r.Slaves[s].Supplies {
			of := proof.Multiplier{Slave: model.SlaveID(s), Resource: sup.Resource}
			out = appendRuns(out, of, multipliers[sup.First:sup.First+int(r.End)])
		}
	}
	return out
}

// appendRuns appends the multipliers of a resource, by tick, that are not 0.
func appendRuns(out []proof.Multiplier, of proof.Multiplier, multipliers []int64) []proof.Multiplier {
	var open *proof.Multiplier
	for t, m := range multipliers {
		at := model.Time(t)
		switch {
		case m == 0:
			open = nil
		case open != nil && open.Value == m:
			open.Interval.End = at + 1
		default:
			of.Interval, of.Value = model.Interval{Start: at, End: at + 1}, m
			out = append(out, of)
			open = &out[len(out)-1]
		}
	}
	return out
}
