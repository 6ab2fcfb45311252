package solve

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/event"
)

// coarsened divides all times of js by unit.
func coarsened(js *model.JobSet, unit model.Time) *model.JobSet {
	if unit == 1 {
		return js
	}
	return model.InTicksOf(js, unit)
}

// inTicksOf makes the observer hear of original ticks, and takes the plan to
// start from into coarse ones.
func (o Options) inTicksOf(unit model.Time) Options {
	if o.From != nil {
		o.From = inCoarseTicks(o.From, unit)
	}
	if tell := o.Events; tell != nil && unit > 1 {
		o.Events = func(e event.Event) {
			e.Objectives = stretchValues(e.Objectives, unit)
			tell(e)
		}
	}
	return o
}

// stretch turns a result in coarse ticks into one for js.
func (r *Result) stretch(js *model.JobSet, unit model.Time) {
	r.Schedule = stretchSchedule(r.Schedule, unit)
	r.Objectives = stretchValues(r.Objectives, unit)
	for i := range r.Why {
		r.Why[i].Unit = unit
	}
	stretchAnalysis(r.Conflict, r.Analysis, unit)
}

func stretchSchedule(plan model.Schedule, unit model.Time) model.Schedule {
	out := slices.Clone(plan)
	for t := range out {
		out[t].Fetch *= unit
		out[t].Start *= unit
	}
	return out
}

// stretchValues multiplies the values that are times.
func stretchValues(values []model.ObjectiveValue, unit model.Time) []model.ObjectiveValue {
	out := slices.Clone(values)
	for i := range out {
		if o, err := model.ParseReported(out[i].Name); err == nil && !o.Shape().Timed() {
			continue
		}
		out[i].Value *= int64(unit)
		if out[i].Bound != nil {
			b := *out[i].Bound * int64(unit)
			out[i].Bound = &b
		}
		if out[i].Certified != nil {
			c := *out[i].Certified * int64(unit)
			out[i].Certified = &c
		}
	}
	return out
}

// stretchAnalysis stretches each conflict once: the first may be among the others.
func stretchAnalysis(first *Conflict, a *Analysis, unit model.Time) {
	var conflicts []*Conflict
	if a != nil {
		conflicts = a.Conflicts
		for i := range a.Alone {
			a.Alone[i].Earliest *= unit
			for k := range a.Alone[i].Path {
				a.Alone[i].Path[k].Ends *= unit
			}
		}
	}
	if first != nil && !slices.Contains(conflicts, first) {
		stretchConflict(first, unit)
	}
	for _, c := range conflicts {
		stretchConflict(c, unit)
	}
}

func stretchConflict(c *Conflict, unit model.Time) {
	for i := range c.Overloads {
		sh := &c.Overloads[i]
		sh.Interval.Start *= unit
		sh.Interval.End *= unit
		sh.Need *= int64(unit)
		sh.Have *= int64(unit)
	}
	stretchBranching(c.Branching, unit)
}

func stretchBranching(c *proof.Branching, unit model.Time) {
	if c == nil {
		return
	}
	c.Split.At *= unit
	if c.Bound != nil {
		for i := range c.Bound.Multipliers {
			c.Bound.Multipliers[i].Interval.Start *= unit
			c.Bound.Multipliers[i].Interval.End *= unit
		}
	}
	stretchBranching(c.Holds, unit)
	stretchBranching(c.Fails, unit)
}

// inCoarseTicks is a valid schedule in ticks of unit. What lies between two of
// them is rounded down, which keeps it valid (see model.CommonTick).
func inCoarseTicks(plan model.Schedule, unit model.Time) model.Schedule {
	out := make(model.Schedule, len(plan))
	for t, p := range plan {
		out[t] = model.Placement{Slave: p.Slave, Beat: p.Beat, Fetch: p.Fetch / unit, Start: p.Start / unit}
	}
	return out
}
