package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// addResources limits what tasks hold on each slave (C4 to C6, C9).
func (p *problem) addResources() {
	// Where all machines do one task at a time their order is most of what is to be found out, also while it is
	// open who does what.
	shop := !slices.ContainsFunc(p.JS.Slaves, func(s model.Slave) bool { return s.Cores > 1 })
	var exclusive []resource // one of each slave
	for s := range model.SlaveID(len(p.JS.Slaves)) {
		found := false
		for _, supply := range p.Supplies[s] {
			r := p.resource(s, supply)
			p.held = append(p.held, held{s, supply.Hold, r.tasks})
			if shop && !found && r.isExclusive() {
				exclusive, found = append(exclusive, r), true
			}
			p.addResource(&r, nil, s, supply.Resource, shop || p.mostlySettled(r.tasks))
		}
	}
	if p.names == nil { // proof files have no words for it
		p.postLoads(exclusive)
	}
}

// addResource limits what tasks hold of one, of which some is missing at times; settled tells that it is known of most who holds it, or
// that their order is to be found out.
func (p *problem) addResource(r *resource, missing []fixedTask, slave model.SlaveID, of model.ResourceID, settled bool) {
	if settled && inTurn(r) && p.postDisjunctive(*r, int(slave), int(of)) {
		return
	}
	p.because("cap", int(slave), int(of))
	if !postTimeTable(p.Solver, *r) || r.tasks[0].from != r.tasks[0].to || !p.mostlySettled(r.tasks) {
		return
	}
	p.postPairs(r, slave, of)
	p.because("energy", int(slave), int(of))
	switch {
	case equalNeeds(r.tasks) && len(r.tasks) <= mostEnergy:
		postEnergy(p.Solver, *r, missing)
	case len(r.tasks) <= mostEdges:
		postTableEdges(p.Solver, *r)
	}
}

// inTurn reports whether no two of several tasks hold a resource at once, each for a time that is known.
func inTurn(r *resource) bool {
	return len(r.tasks) > 1 && 2*r.tasks[0].need > r.capacity &&
		!slices.ContainsFunc(r.tasks, func(u optionalTask) bool { return u.from != u.to })
}

// resource is what a slave has of a resource, with the tasks that may hold it
// there. What is held for whole stays is counted at heartbeats only, where it
// begins: a task holds it at beat β if it is fetched before the next beat and has
// not finished by β.
func (p *problem) resource(s model.SlaveID, supply model.Supply) resource {
	r := resource{capacity: supply.Units, step: 1}
	if supply.Hold == model.HoldStay {
		r.first, r.step = int32(p.JS.Slaves[s].FirstBeat), int32(p.JS.Heartbeat)
	}
	for _, c := range p.BySlave[s] {
		if need := p.JS.Need(&p.JS.Tasks[c.Task], s, supply.Resource); need > 0 {
			u := p.optionalTask(&p.tasks[c.Task], c.Index, supply.Hold)
			u.number, u.need = int32(c.Task), need
			r.tasks = append(r.tasks, u)
		}
	}
	slices.SortStableFunc(r.tasks, func(a, b optionalTask) int { return cmp.Compare(a.need, b.need) })
	r.given = fixedTasks(p.FixedOn(s, supply))
	return r
}

// fixedTasks are what is held over some intervals, of each so many units.
func fixedTasks(held []model.Interval, units []int64) (fixed []fixedTask) {
	for i, iv := range held {
		fixed = append(fixed, fixedTask{start: int64(iv.Start), end: int64(iv.End), need: units[i]})
	}
	return fixed
}

// held are the tasks that hold a resource of a slave, all of them in the same way.
type held struct {
	slave model.SlaveID
	hold  model.Hold
	tasks []optionalTask
}

// optionalTask is a task on its k-th slave that holds a resource in some way.
func (p *problem) optionalTask(tk *taskVars, k int, hold model.Hold) optionalTask {
	at := &tk.places[k]
	u := optionalTask{x: at.x, from: tk.start, to: tk.start, after: at.wcet - 1}
	switch hold {
	case model.HoldFetch:
		u.from, u.to, u.after = tk.fetch, tk.fetch, at.transfer-1
	case model.HoldStay:
		u.from, u.before, u.gap = tk.fetch, int32(p.JS.Heartbeat)-1, at.transfer
	}
	u.within(at, hold)
	return u
}

// within has a task that holds a resource in some way keep to the window of its place.
func (u *optionalTask) within(at *place, hold model.Hold) {
	u.fromSpan, u.toSpan = at.starts(), at.starts()
	switch hold {
	case model.HoldFetch:
		u.fromSpan, u.toSpan = at.fetches(), at.fetches()
	case model.HoldStay:
		u.fromSpan = at.fetches()
	}
}

// mostlySettled reports whether it is known of most tasks of a resource that
// they use it, if their jobs are placed at all.
func (p *problem) mostlySettled(tasks []optionalTask) bool {
	settled := 0
	for i := range tasks {
		if slices.Contains(p.on, tasks[i].x) {
			settled++
		}
	}
	return 2*settled > len(tasks)
}

// equalNeeds reports whether all tasks need as much, by their order.
func equalNeeds(tasks []optionalTask) bool {
	return tasks[0].need == tasks[len(tasks)-1].need
}
