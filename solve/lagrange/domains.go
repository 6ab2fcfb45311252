package lagrange

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// domains are those of a relaxation, to be narrowed by splits, with a trail to put
// them back.
type domains struct {
	*lagrangian
	// at is where each task is in the relaxation; job -1 if it plays no part.
	at []spot
	// trail lists domains as they were before each change.
	trail []change
	// state tells apart all that the domains have been: it is that of the last change, changes
	// counts these.
	state, changes int
}

type spot struct{ job, stage, group int32 }

type change struct {
	domain *domain
	was    domain
	state  int // before it
}

// newDomains takes the domains as they are.
func newDomains(r *lagrangian) *domains {
	d := &domains{lagrangian: r, at: make([]spot, len(r.js.Tasks))}
	for t := range d.at {
		d.at[t].job = -1
	}
	for j := range r.jobs {
		b := &r.jobs[j]
		for k := range b.stages {
			t := r.js.Jobs[b.id].Stages[k].First
			for g := range b.stages[k].groups {
				for range b.stages[k].groups[g].count {
					d.at[t] = spot{int32(j), int32(k), int32(g)}
					t++
				}
			}
		}
	}
	return d
}

func (ds *domains) stage(t model.TaskID) *stage {
	at := ds.at[t]
	return &ds.jobs[at.job].stages[at.stage]
}

func (ds *domains) group(t model.TaskID) *group { return &ds.stage(t).groups[ds.at[t].group] }

// single reports whether a task plays a part and is alone in its group.
func (ds *domains) single(t model.TaskID) bool { return ds.at[t].job >= 0 && ds.group(t).count == 1 }

// narrow leaves the placements for which a split holds, or does not, and reports
// whether each task of the groups concerned still has one.
func (ds *domains) narrow(s *proof.Split, holds bool) bool {
	c := ds.concerned(s, holds)
	return ds.each(ds.jobs[c.job].stages[c.stage].groups[c.from:c.to], func(d *domain) {
		switch {
		case s.Kind == proof.StageEndsBy && holds:
			d.lastRun = min(d.lastRun, s.At-d.wcet)
		case s.Kind == proof.StageEndsBy:
			d.firstAssign = max(d.firstAssign, s.At+1)
		case s.Kind == proof.TaskEndsBy && holds:
			d.lastRun = min(d.lastRun, s.At-d.wcet)
		case s.Kind == proof.TaskEndsBy:
			d.firstRun = max(d.firstRun, s.At+1-d.wcet-ds.slack)
		case s.Kind == proof.FetchedBy && holds:
			d.lastFetch = min(d.lastFetch, s.At)
		case s.Kind == proof.FetchedBy:
			d.firstFetch = max(d.firstFetch, s.At+1)
		case (model.SlaveID(d.slave) == s.Slave) != holds: // proof.OnSlave
			d.lastRun = -1
		}
	})
}

// groups are some of a stage, from one up to another.
type groups struct{ job, stage, from, to int32 }

// concerned are those of which a split, or its other side, says something.
func (ds *domains) concerned(s *proof.Split, holds bool) groups {
	at := ds.at[s.Task]
	if s.Kind != proof.StageEndsBy {
		return groups{at.job, at.stage, at.group, at.group + 1}
	}
	stage := at.stage
	if !holds {
		stage++
	}
	return groups{at.job, stage, 0, int32(len(ds.jobs[at.job].stages[stage].groups))}
}

func (ds *domains) each(groups []group, narrow func(*domain)) bool {
	possible := true
	for g := range groups {
		some := false
		for k := range groups[g].domains {
			d := &groups[g].domains[k]
			was := *d
			narrow(d)
			if *d != was {
				ds.trail = append(ds.trail, change{domain: d, was: was, state: ds.state})
				ds.changes++
				ds.state = ds.changes
			}
			some = some || ds.possible(d)
		}
		possible = possible && some
	}
	return possible
}

// mark is a state to go back to.
func (ds *domains) mark() int { return len(ds.trail) }

// undo takes back all changes since a mark.
func (ds *domains) undo(mark int) {
	for k := len(ds.trail) - 1; k >= mark; k-- {
		*ds.trail[k].domain, ds.state = ds.trail[k].was, ds.trail[k].state
	}
	ds.trail = ds.trail[:mark]
}

// possible reports whether a domain has any placement.
func (r *lagrangian) possible(d *domain) bool {
	at := &r.slaves[d.slave]
	for _, present := range at.present {
		ready := max(d.firstAssign, present.Start)
		last := min(d.lastRun, present.End-d.wcet)
		if last < d.firstRun {
			continue
		}
		for fetch := max(ready, d.firstFetch); fetch <= min(d.lastFetch, last-d.transfer); fetch++ {
			if model.Time(at.beat[fetch]) >= ready {
				return true
			}
		}
	}
	return false
}

// finishes are the earliest and latest time at which a task of a group can finish: by what a split can tell, which is
// the slack later.
func (r *lagrangian) finishes(g *group) (first, last model.Time) {
	first = model.Never
	for k := range g.domains {
		if d := &g.domains[k]; r.possible(d) {
			first = min(first, max(d.firstRun, max(d.firstAssign, d.firstFetch)+d.transfer)+d.wcet+r.slack)
			last = max(last, d.lastRun+d.wcet)
		}
	}
	return first, last
}

// fetches are the earliest and latest time at which the fetch of a task of a
// group can start.
func (r *lagrangian) fetches(g *group) (first, last model.Time) {
	first = model.Never
	for k := range g.domains {
		if d := &g.domains[k]; r.possible(d) {
			first = min(first, max(d.firstAssign, d.firstFetch))
			last = max(last, min(d.lastFetch, d.lastRun-d.transfer))
		}
	}
	return first, last
}

// completions are the earliest and latest time at which the stage of a task can end,
// as far as that makes a difference: the next one has its first heartbeat no earlier,
// or the job is late by then.
func (ds *domains) completions(t model.TaskID) (first, last model.Time) {
	at := ds.at[t]
	stages := ds.jobs[at.job].stages[at.stage:]
	for g := range stages[0].groups {
		f, l := ds.finishes(&stages[0].groups[g])
		first, last = max(first, f), max(last, l)
	}
	if len(stages) == 1 {
		return first, last
	}
	from := model.Never
	for g := range stages[1].groups {
		next := &stages[1].groups[g]
		for k := range next.domains {
			if d := &next.domains[k]; ds.possible(d) {
				from = min(from, d.firstAssign)
			}
		}
	}
	return max(first, from), last
}

// restrictions are the domains by task, as far as restrictions can say.
func (ds *domains) restrictions() []query.Restriction {
	out := make([]query.Restriction, len(ds.at))
	for t := range out {
		r := &out[t]
		if r.To = model.Never; ds.at[t].job < 0 {
			continue
		}
		g := ds.group(model.TaskID(t))
		r.From = model.Never
		for k := range g.domains {
			if d := &g.domains[k]; ds.possible(d) {
				r.Slaves = append(r.Slaves, model.SlaveID(d.slave))
				r.From = min(r.From, d.firstAssign)
			}
		}
		slices.Sort(r.Slaves)
		_, r.To = ds.finishes(g)
	}
	return out
}
