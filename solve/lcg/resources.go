package lcg

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// candidate is a task that can run on a slave.
type candidate struct {
	task  *task
	place *place
}

func (p *problem) addResources() {
	on := make([][]candidate, len(p.JS.Slaves))
	for t := range p.by {
		tk := &p.by[t]
		for k := range tk.places {
			pl := &tk.places[k]
			on[pl.slave] = append(on[pl.slave], candidate{tk, pl})
		}
	}
	for s := range model.SlaveID(len(p.JS.Slaves)) {
		p.addCores(s, on[s])
		p.addSlots(s, on[s])
		if p.JS.Fetch != model.FetchConcurrent {
			p.addFetchLine(s, on[s])
		}
	}
}

// addCores limits what runs (C4). Where there are no more slots than cores,
// those do.
func (p *problem) addCores(s model.SlaveID, on []candidate) {
	slave := &p.JS.Slaves[s]
	if slave.TotalSlots() <= slave.Cores {
		return
	}
	r := &resourceRule{capacity: int32(slave.Cores), step: 1}
	for _, c := range on {
		starts := span{c.place.firstStart(), c.place.lastStart}
		r.users = append(r.users, user{
			x: c.place.x, from: c.task.start, to: c.task.start, after: c.place.wcet - 1,
			fromSpan: starts, toSpan: starts,
		})
	}
	p.addResource(r, p.heldOn(s, func(h *query.Fixed) model.Interval {
		return model.Interval{Start: h.Start, End: h.Start + h.Task.WCET(s)}
	}))
}

// addSlots limits what holds slots of each pool (C5). Holds start at heartbeats
// only, so it is enough to count there: a task holds a slot at beat β if it is
// fetched before the next beat and has not finished by β.
func (p *problem) addSlots(s model.SlaveID, on []candidate) {
	slave := &p.JS.Slaves[s]
	for pool := range slave.Pools() {
		r := &resourceRule{
			capacity: int32(slave.PoolSize(pool)),
			first:    int32(slave.FirstBeat), step: int32(p.JS.Heartbeat),
		}
		for _, c := range on {
			if slave.Pool(p.JS.Tasks[c.task.id].Slot) != pool {
				continue
			}
			r.users = append(r.users, user{
				x: c.place.x, from: c.task.fetch, to: c.task.start,
				before: int32(p.JS.Heartbeat) - 1, after: c.place.wcet - 1, gap: c.place.transfer,
				fromSpan: span{c.place.firstFetch, c.place.lastFetch()},
				toSpan:   span{c.place.firstStart(), c.place.lastStart},
			})
		}
		p.addResource(r, p.heldOn(s, func(h *query.Fixed) model.Interval {
			if slave.Pool(h.Task.Slot) != pool {
				return model.Interval{}
			}
			return model.Interval{Start: p.JS.Assigned(h.Placement), End: h.Start + h.Task.WCET(s)}
		}))
	}
}

// addFetchLine lets one input be fetched at a time (C6).
func (p *problem) addFetchLine(s model.SlaveID, on []candidate) {
	r := &resourceRule{capacity: 1, step: 1}
	for _, c := range on {
		if c.place.transfer == 0 {
			continue
		}
		fetches := span{c.place.firstFetch, c.place.lastFetch()}
		r.users = append(r.users, user{
			x: c.place.x, from: c.task.fetch, to: c.task.fetch, after: c.place.transfer - 1,
			fromSpan: fetches, toSpan: fetches,
		})
	}
	p.addResource(r, p.heldOn(s, func(h *query.Fixed) model.Interval {
		return model.Interval{Start: h.Fetch, End: h.Fetch + h.Task.Transfer(s)}
	}))
}

// heldOn lists when the held tasks use a resource of slave s.
func (p *problem) heldOn(s model.SlaveID, span func(h *query.Fixed) model.Interval) []model.Interval {
	var out []model.Interval
	for i := range p.Fixed {
		if h := &p.Fixed[i]; h.Slave == s {
			if iv := span(h); iv.Len() > 0 {
				out = append(out, iv)
			}
		}
	}
	return out
}

// addResource adds a rule for users and capacity, unless there can never be
// too many. held is what is taken already.
func (p *problem) addResource(r *resourceRule, held []model.Interval) {
	if len(r.users)+len(held) <= int(r.capacity) {
		return
	}
	first, last := far, int32(0)
	for i := range r.users {
		u := &r.users[i]
		first = min(first, p.lower(u.from)-u.before)
		last = max(last, p.upper(u.to)+u.after)
	}
	r.first = r.timeOf(r.pointFrom(first))
	points := r.pointBy(last) + 1
	if points <= 0 {
		return
	}
	r.held = make([]int32, points)
	for _, iv := range held {
		r.anyHeld = true
		for i := range points {
			if t := model.Time(r.timeOf(i)); iv.Start <= t && t < iv.End {
				r.held[i]++
			}
		}
	}
	r.change = make([]int32, points+1)
	r.sure = make([]span, len(r.users))
	id := p.addRule(r)
	for i := range r.users {
		u := &r.users[i]
		p.onTrue(u.x, id)
		p.onChange(u.from, id, u.x.not())
		if u.to.x != u.from.x {
			p.onChange(u.to, id, u.x.not())
		}
	}
	if r.users[0].from == r.users[0].to && p.mostlySettled(r) {
		p.addEnergy(r)
	}
}

func (p *problem) addEnergy(r *resourceRule) {
	id := p.addRule(&energyRule{users: r.users, capacity: int64(r.capacity), start: make([]span, len(r.users))})
	for i := range r.users {
		u := &r.users[i]
		p.onTrue(u.x, id)
		p.onChange(u.from, id, u.x.not())
	}
}

// mostlySettled reports whether it is known of most users of a resource that
// they use it, if their jobs are placed at all.
func (p *problem) mostlySettled(r *resourceRule) bool {
	settled := 0
	for i := range r.users {
		if x := r.users[i].x; slices.Contains(p.on, x) {
			settled++
		}
	}
	return 2*settled > len(r.users)
}
