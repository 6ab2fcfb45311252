package solve

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/event"
)

// restated is a job set as it is solved.
type restated struct {
	js *model.JobSet
	// original is the set in its own ticks, with its own slaves.
	original *model.JobSet
	// unit is what one of js's ticks is in those of original.
	unit model.Time
	// alike has the slaves for which those of js stand; nil where each stands for itself. Near is a plan near which tasks are put on these; nil for none.
	alike *model.Alike
	near  model.Schedule
}

// restate divides all times of js by what divides all of them.
func restate(js *model.JobSet) restated {
	r := restated{js: js, original: js, unit: model.CommonTick(js)}
	if r.unit > 1 {
		r.js = model.InTicksOf(js, r.unit)
	}
	return r
}

// takeTogether has one slave stand for those that are alike, unless that is in the way of what is to be minimised.
func (r *restated) takeTogether(goal []model.Objective) {
	if turnsAtHeartbeats(r.js, goal) {
		return
	}
	if alike := model.OneOfAlike(r.js); alike != nil {
		r.js, r.alike = alike.JobSet, alike
	}
}

// turnsAtHeartbeats reports whether jobs of one task each take turns in the one slot that slaves have, at heartbeats more than a tick
// apart, for a sum over jobs: walks through time, which are the orders of one task at a time, know of several only what they are at every tick.
func turnsAtHeartbeats(js *model.JobSet, goal []model.Objective) bool {
	sums := func(o model.Objective) bool { return o.Shape().Sums() || o.Shape().Counts() }
	return js.Heartbeat > 1 && len(js.Tasks) == len(js.Jobs) && slices.ContainsFunc(goal, sums) &&
		slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return s.Slots == 1 })
}

// back is a plan of js as one of the original.
func (r *restated) back(plan model.Schedule) model.Schedule {
	if r.alike != nil && plan != nil {
		plan = r.alike.Spread(plan, r.near)
	}
	return plan.OutOfTicksOf(r.original, r.unit)
}

// backIn turns a result for js into one for the original.
func (r *restated) backIn(of *Result) {
	if r.alike != nil {
		of.spread(r.alike, r.near)
	}
	of.stretch(r.original, r.unit)
}

// restate makes the observer hear of original ticks, and takes the plan to start from into the set as it is solved.
func (o Options) restate(r *restated) Options {
	if o.From != nil {
		o.From = o.From.InTicksOf(r.original, r.unit)
		if r.alike != nil {
			o.From = r.alike.Gather(o.From)
		}
	}
	if tell := o.Events; tell != nil && r.unit > 1 {
		o.Events = func(e event.Event) {
			e.Objectives = stretchValues(e.Objectives, r.unit)
			tell(e)
		}
	}
	return o
}

// stretch turns a result in coarse ticks into one of the set in original ones.
func (r *Result) stretch(original *model.JobSet, unit model.Time) {
	r.Schedule = r.Schedule.OutOfTicksOf(original, unit)
	r.Objectives = stretchValues(r.Objectives, unit)
	for i := range r.Why {
		r.Why[i].Unit = unit
	}
	if r.Analysis != nil {
		for i := range r.Analysis.Alone {
			r.Analysis.Alone[i].Earliest *= unit
			for k := range r.Analysis.Alone[i].Path {
				r.Analysis.Alone[i].Path[k].Ends *= unit
			}
		}
	}
	for _, c := range r.conflicts() {
		stretchConflict(c, unit)
	}
}

// conflicts lists each once: the first may be among the others.
func (r *Result) conflicts() (list []*Conflict) {
	if r.Analysis != nil {
		list = r.Analysis.Conflicts
	}
	if r.Conflict != nil && !slices.Contains(list, r.Conflict) {
		list = append(list[:len(list):len(list)], r.Conflict)
	}
	return list
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

// spread turns a result about slaves that stand for others into one about these, its plan near another.
func (r *Result) spread(alike *model.Alike, near model.Schedule) {
	if r.Schedule != nil {
		r.Schedule = alike.Spread(r.Schedule, near)
	}
	for i := range r.Why {
		by := &r.Why[i].Argument
		by.Overloads = spreadOverloads(by.Overloads, alike)
		by.Branching = spreadBranching(by.Branching, alike)
		by.Pooled = spreadPools(by.Pooled, alike)
	}
	for _, c := range r.conflicts() {
		c.Overloads = spreadOverloads(c.Overloads, alike)
		c.Branching = spreadBranching(c.Branching, alike)
	}
}

// spreadSlaves are all for which some stand.
func spreadSlaves(slaves []model.SlaveID, alike *model.Alike) (all []model.SlaveID) {
	for _, s := range slaves {
		all = append(all, alike.Members(s)...)
	}
	slices.Sort(all)
	return all
}

// spreadOverloads has them speak of all slaves that are meant: these have as much together.
func spreadOverloads(list []proof.Overload, alike *model.Alike) []proof.Overload {
	list = slices.Clone(list)
	for i := range list {
		list[i].Slaves = spreadSlaves(list[i].Slaves, alike)
	}
	return list
}

// spreadBranching has each slave that one stands for have its multipliers: all its units are worth as much then, and a task pays as much
// on any of them. It is nil where a case says on which slave a task is, of which there is no word for several.
func spreadBranching(b *proof.Branching, alike *model.Alike) *proof.Branching {
	if b == nil {
		return nil
	}
	out := *b
	if b.Bound != nil {
		bound := *b.Bound
		bound.Multipliers = nil
		for _, m := range b.Bound.Multipliers {
			if m.Slave == model.NoSlave {
				bound.Multipliers = append(bound.Multipliers, m)
				continue
			}
			for _, m.Slave = range alike.Members(m.Slave) {
				bound.Multipliers = append(bound.Multipliers, m)
			}
		}
		out.Bound = &bound
	}
	out.Holds, out.Fails = spreadBranching(b.Holds, alike), spreadBranching(b.Fails, alike)
	if b.Holds != nil && (out.Holds == nil || out.Fails == nil) {
		return nil
	}
	if split := &out.Split; b.Holds != nil && split.Kind == proof.OnSlave {
		members := alike.Members(split.Slave)
		if split.Slave = members[0]; len(members) > 1 {
			return nil
		}
	}
	return &out
}

// spreadPools has every slave in its pool.
func spreadPools(b *proof.PoolBound, alike *model.Alike) *proof.PoolBound {
	if b == nil {
		return nil
	}
	out := *b
	out.Pools = nil
	for _, pool := range b.Pools {
		out.Pools = append(out.Pools, spreadSlaves(pool, alike))
	}
	return &out
}
