package hunt

import (
	"iter"
	"slices"

	"downbeat/model"
)

// steps are all drafts that are one step smaller, the greatest steps first:
// without a job, a stage, a task or a slave, with a switch at its default, with
// a lower number.
func (d *draft) steps() iter.Seq[*draft] {
	return func(yield func(*draft) bool) {
		for _, kind := range []func(*draft, func(*draft) bool) bool{
			dropJobs, dropStages, dropTasks, dropSlaves, plainSwitches, plainStages, plainKinds, evenFigures, lowerNumbers,
			earlier, shorter,
		} {
			if !kind(d, yield) {
				return
			}
		}
	}
}

// try yields a clone that was changed.
func (d *draft) try(yield func(*draft) bool, change func(*draft)) bool {
	c := d.clone()
	change(c)
	return yield(c)
}

func dropJobs(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		if len(d.jobs) > 1 && !d.try(yield, func(c *draft) { c.jobs = slices.Delete(c.jobs, i, i+1) }) {
			return false
		}
	}
	return true
}

func dropStages(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		for si := range d.jobs[i].stages {
			if len(d.jobs[i].stages) > 1 && !d.try(yield, func(c *draft) {
				c.jobs[i].stages = slices.Delete(c.jobs[i].stages, si, si+1)
			}) {
				return false
			}
		}
	}
	return true
}

func dropTasks(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		for si := range d.jobs[i].stages {
			groups := d.jobs[i].stages[si].groups
			for gi, g := range groups {
				if g.count == 1 && len(groups) == 1 {
					continue
				}
				if !d.try(yield, func(c *draft) {
					st := &c.jobs[i].stages[si]
					if st.groups[gi].count--; st.groups[gi].count == 0 {
						st.groups = slices.Delete(st.groups, gi, gi+1)
					}
				}) {
					return false
				}
			}
		}
	}
	return true
}

func dropSlaves(d *draft, yield func(*draft) bool) bool {
	for s := range d.slaves {
		if len(d.slaves) > 1 && !d.try(yield, func(c *draft) {
			c.slaves = slices.Delete(c.slaves, s, s+1)
			c.eachGroup(func(g *group) {
				g.wcet, g.transfer = slices.Delete(g.wcet, s, s+1), slices.Delete(g.transfer, s, s+1)
			})
		}) {
			return false
		}
	}
	return true
}

func (d *draft) eachGroup(do func(*group)) {
	for i := range d.jobs {
		for si := range d.jobs[i].stages {
			for gi := range d.jobs[i].stages[si].groups {
				do(&d.jobs[i].stages[si].groups[gi])
			}
		}
	}
}

// plainSwitches puts what is special about the cluster back to its default.
func plainSwitches(d *draft, yield func(*draft) bool) bool {
	if d.fifo && !d.try(yield, func(c *draft) { c.fifo = false }) {
		return false
	}
	if d.fetch != model.FetchExclusive && !d.try(yield, func(c *draft) { c.fetch = model.FetchExclusive }) {
		return false
	}
	for s := range d.slaves {
		for k := range d.slaves[s].Down {
			if !d.try(yield, func(c *draft) { c.slaves[s].Down = slices.Delete(c.slaves[s].Down, k, k+1) }) {
				return false
			}
		}
		if d.slaves[s].SplitSlots && !d.try(yield, func(c *draft) {
			c.slaves[s].Slots = max(1, c.slaves[s].TotalSlots())
			c.slaves[s].SplitSlots, c.slaves[s].MapSlots, c.slaves[s].ReduceSlots = false, 0, 0
		}) {
			return false
		}
	}
	return true
}

// plainStages makes the only stage of a job one of maps.
func plainStages(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		if st := d.jobs[i].stages; len(st) == 1 && st[0].slot == model.ReduceSlot && !d.try(yield, func(c *draft) {
			c.jobs[i].stages[0].name, c.jobs[i].stages[0].slot = "map", model.MapSlot
		}) {
			return false
		}
	}
	return true
}

// plainKinds takes deadlines away.
func plainKinds(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		if d.jobs[i].kind != model.BestEffort && !d.try(yield, func(c *draft) {
			c.jobs[i].kind, c.jobs[i].deadline, c.jobs[i].weight = model.BestEffort, 0, 1
		}) {
			return false
		}
	}
	return true
}

// evenFigures gives a group its least figure on all slaves.
func evenFigures(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		for si := range d.jobs[i].stages {
			for gi := range d.jobs[i].stages[si].groups {
				for _, row := range []func(*group) []model.Time{
					func(g *group) []model.Time { return g.wcet }, func(g *group) []model.Time { return g.transfer },
				} {
					if !d.try(yield, func(c *draft) {
						g := &c.jobs[i].stages[si].groups[gi]
						even(row(g), g.wcet)
					}) {
						return false
					}
				}
			}
		}
	}
	return true
}

// even lowers figures to the least one on slaves that are not barred.
func even(row, wcet []model.Time) {
	least := model.Never
	for s := range row {
		if wcet[s] > 0 {
			least = min(least, row[s])
		}
	}
	for s := range row {
		if wcet[s] > 0 {
			row[s] = least
		}
	}
}

// number is a figure that can be lowered.
type number struct {
	least int64
	get   func(*draft) int64
	set   func(*draft, int64)
}

// lowerNumbers brings each number to its least value, to half of what is above
// that, or down by one.
func lowerNumbers(d *draft, yield func(*draft) bool) bool {
	for _, n := range d.numbers() {
		now := n.get(d)
		for _, v := range []int64{n.least, (now + n.least) / 2, now - 1} {
			if v >= n.least && v < now && !d.try(yield, func(c *draft) { n.set(c, v) }) {
				return false
			}
		}
	}
	return true
}

// field makes a number of a field of any integer type.
func field[T ~int | ~int64](least int64, at func(*draft) *T) number {
	return number{
		least: least,
		get:   func(d *draft) int64 { return int64(*at(d)) },
		set:   func(d *draft, v int64) { *at(d) = T(v) },
	}
}

func (d *draft) numbers() []number {
	out := []number{field(1, func(d *draft) *model.Time { return &d.heartbeat })}
	for s := range d.slaves {
		out = append(out, field(0, func(d *draft) *model.Time { return &d.slaves[s].FirstBeat }),
			field(1, func(d *draft) *int { return &d.slaves[s].Cores }))
		if d.slaves[s].SplitSlots {
			out = append(out, field(0, func(d *draft) *int { return &d.slaves[s].MapSlots }),
				field(0, func(d *draft) *int { return &d.slaves[s].ReduceSlots }))
		} else {
			out = append(out, field(1, func(d *draft) *int { return &d.slaves[s].Slots }))
		}
		for k, away := range d.slaves[s].Down {
			out = append(out, field(0, func(d *draft) *model.Time { return &d.slaves[s].Down[k].Start }),
				field(int64(away.Start)+1, func(d *draft) *model.Time { return &d.slaves[s].Down[k].End }))
		}
	}
	for i := range d.jobs {
		out = append(out, field(0, func(d *draft) *model.Time { return &d.jobs[i].release }),
			field(1, func(d *draft) *int64 { return &d.jobs[i].weight }))
		if d.jobs[i].kind != model.BestEffort {
			out = append(out, field(1, func(d *draft) *model.Time { return &d.jobs[i].deadline }))
		}
		for si := range d.jobs[i].stages {
			for gi := range d.jobs[i].stages[si].groups {
				out = append(out, d.figures(i, si, gi)...)
			}
		}
	}
	return out
}

// figures are a group's execution and transfer times where it is not barred.
// One step lowers them on all slaves together.
func (d *draft) figures(i, si, gi int) []number {
	at := func(d *draft) *group { return &d.jobs[i].stages[si].groups[gi] }
	out := []number{together(at(d).wcet, func(d *draft) []model.Time { return at(d).wcet }, at(d).wcet, 1),
		together(at(d).wcet, func(d *draft) []model.Time { return at(d).transfer }, at(d).transfer, 0)}
	for s, wcet := range at(d).wcet {
		if wcet > 0 {
			out = append(out, field(1, func(d *draft) *model.Time { return &at(d).wcet[s] }),
				field(0, func(d *draft) *model.Time { return &at(d).transfer[s] }))
		}
	}
	return out
}

// together lowers a row of figures by the same amount on every slave that is
// not barred; its value is that of the least of them.
func together(wcet []model.Time, row func(*draft) []model.Time, now []model.Time, least int64) number {
	lowest := model.Never
	for s, v := range now {
		if wcet[s] > 0 {
			lowest = min(lowest, v)
		}
	}
	eligible := slices.Clone(wcet)
	return number{
		least: least,
		get:   func(*draft) int64 { return int64(lowest) },
		set: func(d *draft, v int64) {
			for s := range row(d) {
				if eligible[s] > 0 {
					row(d)[s] -= lowest - model.Time(v)
				}
			}
		},
	}
}

// earlier brings all releases forward together: lowered one by one they would
// change their order.
func earlier(d *draft, yield func(*draft) bool) bool {
	least := model.Never
	for _, j := range d.jobs {
		least = min(least, j.release)
	}
	for _, by := range []model.Time{least, least / 2, 1} {
		if by > 0 && by <= least && !d.try(yield, func(c *draft) {
			for i := range c.jobs {
				c.jobs[i].release -= by
			}
		}) {
			return false
		}
	}
	return true
}

// shorter lowers the execution time of a group and the deadline of its job by
// the same amount, which leaves the job as tight as it was.
func shorter(d *draft, yield func(*draft) bool) bool {
	for i := range d.jobs {
		for si := range d.jobs[i].stages {
			for gi := range d.jobs[i].stages[si].groups {
				if !d.shorten(yield, i, si, gi) {
					return false
				}
			}
		}
	}
	return true
}

func (d *draft) shorten(yield func(*draft) bool, i, si, gi int) bool {
	if d.jobs[i].kind == model.BestEffort {
		return true
	}
	wcet := d.figures(i, si, gi)[0]
	room := min(wcet.get(d)-1, int64(d.jobs[i].deadline)-1)
	for _, by := range []int64{room, room / 2, 1} {
		if by > 0 && by <= room && !d.try(yield, func(c *draft) {
			wcet.set(c, wcet.get(c)-by)
			c.jobs[i].deadline -= model.Time(by)
		}) {
			return false
		}
	}
	return true
}
