package bench

import (
	"iter"
	"slices"

	"downbeat/model"
)

// steps are all candidates that are one step smaller, the greatest steps first:
// without a job, a stage, a task or a slave, with a switch at its default, with
// a lower number.
func (c *candidate) steps() iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for _, kind := range []func(*candidate, func(*candidate) bool) bool{
			dropJobs, dropStages, dropTasks, dropSlaves, dropAfter, dropNamed, dropPools, dropTies, plainSwitches, plainStages, plainKinds, evenFigures, lowerNumbers,
			earlier, shorter,
		} {
			if !kind(c, yield) {
				return
			}
		}
	}
}

// try yields a clone that was changed.
func (c *candidate) try(yield func(*candidate) bool, change func(*candidate)) bool {
	next := c.clone()
	change(next)
	return yield(next)
}

func dropJobs(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		if len(c.jobs) > 1 && !c.try(yield, func(next *candidate) {
			without(len(next.jobs), i, func(k int) *[]int32 { return &next.jobs[k].after })
			next.jobs = slices.Delete(next.jobs, i, i+1)
		}) {
			return false
		}
	}
	return true
}

func dropStages(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		for si := range c.jobs[i].stages {
			if len(c.jobs[i].stages) > 1 && !c.try(yield, func(next *candidate) {
				stages := next.jobs[i].stages
				without(len(stages), si, func(k int) *[]int32 { return &stages[k].after })
				next.jobs[i].stages = slices.Delete(stages, si, si+1)
			}) {
				return false
			}
		}
	}
	return true
}

func dropTasks(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		for si := range c.jobs[i].stages {
			groups := c.jobs[i].stages[si].groups
			for gi, g := range groups {
				if g.count == 1 && len(groups) == 1 {
					continue
				}
				if !c.try(yield, func(next *candidate) {
					st := &next.jobs[i].stages[si]
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

func dropSlaves(c *candidate, yield func(*candidate) bool) bool {
	for s := range c.slaves {
		if len(c.slaves) > 1 && !c.try(yield, func(next *candidate) {
			next.slaves = slices.Delete(next.slaves, s, s+1)
			for _, at := range next.groups() {
				g := at.in(next)
				g.wcet, g.transfer = slices.Delete(g.wcet, s, s+1), slices.Delete(g.transfer, s, s+1)
			}
		}) {
			return false
		}
	}
	return true
}

// without has n items do without the one in a place, which is to go: those that come
// after it come after those before it, and what stands behind it moves up.
func without(n, gone int, after func(int) *[]int32) {
	for k := range n {
		list := after(k)
		if at := slices.Index(*list, int32(gone)); at >= 0 {
			*list = append(slices.Delete(*list, at, at+1), *after(gone)...)
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
	}
	for k := range n {
		for at, before := range *after(k) {
			if int(before) > gone {
				(*after(k))[at]--
			}
		}
	}
}

// dropAfter lets a job or a stage no longer come after another.
func dropAfter(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		for k := range c.jobs[i].after {
			if !c.try(yield, func(next *candidate) { next.jobs[i].after = slices.Delete(next.jobs[i].after, k, k+1) }) {
				return false
			}
		}
		for si := range c.jobs[i].stages {
			for k := range c.jobs[i].stages[si].after {
				if !c.try(yield, func(next *candidate) {
					st := &next.jobs[i].stages[si]
					st.after = slices.Delete(st.after, k, k+1)
				}) {
					return false
				}
			}
		}
	}
	return true
}

// dropNamed takes away a named resource, and what groups need of one or of cores.
func dropNamed(c *candidate, yield func(*candidate) bool) bool {
	for k := range c.named {
		if !c.try(yield, func(next *candidate) {
			next.named = slices.Delete(next.named, k, k+1)
			for s := range next.slaves {
				next.slaves[s].Units = slices.Delete(next.slaves[s].Units, k, k+1)
			}
			for _, at := range next.groups() {
				units := &at.in(next).needs.Units
				copy(units[k:], units[k+1:])
				units[len(units)-1] = 0
			}
		}) {
			return false
		}
	}
	for _, at := range c.groups() {
		for k, units := range at.in(c).needs.Units {
			if units > 0 && !c.try(yield, func(next *candidate) { at.in(next).needs.Units[k] = 0 }) {
				return false
			}
		}
		if at.in(c).needs.Cores > 1 && !c.try(yield, func(next *candidate) { at.in(next).needs.Cores = 1 }) {
			return false
		}
	}
	return true
}

// place is where a group stands, in a candidate and in copies of it.
type place struct{ job, stage, group int }

func (p place) in(c *candidate) *huntGroup { return &c.jobs[p.job].stages[p.stage].groups[p.group] }

func (c *candidate) groups() []place {
	var out []place
	for i := range c.jobs {
		for si := range c.jobs[i].stages {
			for gi := range c.jobs[i].stages[si].groups {
				out = append(out, place{i, si, gi})
			}
		}
	}
	return out
}

// plainSwitches puts what is special about the cluster back to its default.
func plainSwitches(c *candidate, yield func(*candidate) bool) bool {
	if c.fifo && !c.try(yield, func(next *candidate) { next.fifo = false }) {
		return false
	}
	if c.fetch != model.FetchExclusive && !c.try(yield, func(next *candidate) { next.fetch = model.FetchExclusive }) {
		return false
	}
	for s := range c.slaves {
		for k := range c.slaves[s].Down {
			if !c.try(yield, func(next *candidate) { next.slaves[s].Down = slices.Delete(next.slaves[s].Down, k, k+1) }) {
				return false
			}
		}
		if c.slaves[s].SplitSlots && !c.try(yield, func(next *candidate) {
			next.slaves[s].Slots = max(1, next.slaves[s].TotalSlots())
			next.slaves[s].SplitSlots, next.slaves[s].MapSlots, next.slaves[s].ReduceSlots = false, 0, 0
		}) {
			return false
		}
	}
	return true
}

// plainStages makes the only stage of a job one of maps.
func plainStages(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		if st := c.jobs[i].stages; len(st) == 1 && st[0].slot == model.ReduceSlot && !c.try(yield, func(next *candidate) {
			next.jobs[i].stages[0].name, next.jobs[i].stages[0].slot = "map", model.MapSlot
		}) {
			return false
		}
	}
	return true
}

// plainKinds takes deadlines away.
func plainKinds(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		if c.jobs[i].kind != model.BestEffort && !c.try(yield, func(next *candidate) {
			next.jobs[i].kind, next.jobs[i].deadline, next.jobs[i].weight = model.BestEffort, 0, 1
		}) {
			return false
		}
	}
	return true
}

// evenFigures gives a group its least figure on all slaves.
func evenFigures(c *candidate, yield func(*candidate) bool) bool {
	for _, at := range c.groups() {
		for _, row := range []func(*huntGroup) []model.Time{
			func(g *huntGroup) []model.Time { return g.wcet }, func(g *huntGroup) []model.Time { return g.transfer },
		} {
			if !c.try(yield, func(next *candidate) { even(row(at.in(next)), at.in(next).wcet) }) {
				return false
			}
		}
	}
	return true
}

// even lowers figures to the least one on slaves that are not barred.
func even(row, wcet []model.Time) {
	least := lowest(row, wcet)
	for s := range row {
		if wcet[s] > 0 {
			row[s] = least
		}
	}
}

// lowest is the least figure of a row on slaves that are not barred.
func lowest(row, wcet []model.Time) model.Time {
	least := model.Never
	for s, v := range row {
		if wcet[s] > 0 {
			least = min(least, v)
		}
	}
	return least
}

// number is a figure that can be lowered.
type number struct {
	least int64
	get   func(*candidate) int64
	set   func(*candidate, int64)
}

// lowerNumbers brings each number to its least value, to half of what is above
// that, or down by one.
func lowerNumbers(c *candidate, yield func(*candidate) bool) bool {
	for _, n := range c.numbers() {
		now := n.get(c)
		for _, v := range []int64{n.least, (now + n.least) / 2, now - 1} {
			if v >= n.least && v < now && !c.try(yield, func(next *candidate) { n.set(next, v) }) {
				return false
			}
		}
	}
	return true
}

// field makes a number of a field of any integer type.
func field[T ~int | ~int64](least int64, at func(*candidate) *T) number {
	return number{
		least: least,
		get:   func(c *candidate) int64 { return int64(*at(c)) },
		set:   func(c *candidate, v int64) { *at(c) = T(v) },
	}
}

func (c *candidate) numbers() []number {
	out := []number{field(1, func(c *candidate) *model.Time { return &c.heartbeat })}
	for s := range c.slaves {
		out = append(out, field(0, func(c *candidate) *model.Time { return &c.slaves[s].FirstBeat }),
			field(1, func(c *candidate) *int { return &c.slaves[s].Cores }))
		if c.slaves[s].SplitSlots {
			out = append(out, field(0, func(c *candidate) *int { return &c.slaves[s].MapSlots }),
				field(0, func(c *candidate) *int { return &c.slaves[s].ReduceSlots }))
		} else {
			out = append(out, field(1, func(c *candidate) *int { return &c.slaves[s].Slots }))
		}
		for k, away := range c.slaves[s].Down {
			out = append(out, field(0, func(c *candidate) *model.Time { return &c.slaves[s].Down[k].Start }),
				field(int64(away.Start)+1, func(c *candidate) *model.Time { return &c.slaves[s].Down[k].End }))
		}
		for k := range c.named {
			out = append(out, field(0, func(c *candidate) *int64 { return &c.slaves[s].Units[k] }))
		}
	}
	for i := range c.jobs {
		out = append(out, field(0, func(c *candidate) *model.Time { return &c.jobs[i].release }),
			field(1, func(c *candidate) *int64 { return &c.jobs[i].weight }))
		if c.jobs[i].kind != model.BestEffort {
			out = append(out, field(1, func(c *candidate) *model.Time { return &c.jobs[i].deadline }))
		}
		for si := range c.jobs[i].stages {
			for gi := range c.jobs[i].stages[si].groups {
				out = append(out, huntFiguresOf(c, place{i, si, gi})...)
			}
		}
	}
	return append(out, c.poolNumbers()...)
}

// huntFiguresOf are a group's execution and transfer times where it is not barred, and its
// needs.
// One step lowers them on all slaves together.
func huntFiguresOf(c *candidate, at place) []number {
	g := at.in(c)
	out := []number{together(g.wcet, func(c *candidate) []model.Time { return at.in(c).wcet }, g.wcet, 1),
		together(g.wcet, func(c *candidate) []model.Time { return at.in(c).transfer }, g.transfer, 0)}
	for s, wcet := range g.wcet {
		if wcet > 0 {
			out = append(out, field(1, func(c *candidate) *model.Time { return &at.in(c).wcet[s] }),
				field(0, func(c *candidate) *model.Time { return &at.in(c).transfer[s] }))
		}
	}
	out = append(out, field(1, func(c *candidate) *int64 { return &at.in(c).needs.Cores }))
	for k := range c.named {
		out = append(out, field(0, func(c *candidate) *int64 { return &at.in(c).needs.Units[k] }))
	}
	return out
}

// together lowers a row of figures by the same amount on every slave that is
// not barred; its value is that of the least of them.
func together(wcet []model.Time, row func(*candidate) []model.Time, now []model.Time, least int64) number {
	from, eligible := lowest(now, wcet), slices.Clone(wcet)
	return number{
		least: least,
		get:   func(*candidate) int64 { return int64(from) },
		set: func(c *candidate, v int64) {
			for s := range row(c) {
				if eligible[s] > 0 {
					row(c)[s] -= from - model.Time(v)
				}
			}
		},
	}
}

// earlier brings all releases forward together: lowered one by one they would
// change their order.
func earlier(c *candidate, yield func(*candidate) bool) bool {
	least := model.Never
	for _, j := range c.jobs {
		least = min(least, j.release)
	}
	for _, by := range []model.Time{least, least / 2, 1} {
		if by > 0 && by <= least && !c.try(yield, func(next *candidate) {
			for i := range next.jobs {
				next.jobs[i].release -= by
			}
		}) {
			return false
		}
	}
	return true
}

// shorter lowers the execution time of a group and the deadline of its job by
// the same amount, which leaves the job as tight as it was.
func shorter(c *candidate, yield func(*candidate) bool) bool {
	for _, at := range c.groups() {
		deadline := c.jobs[at.job].deadline // 0 without one
		wcet := huntFiguresOf(c, at)[0]
		room := min(wcet.get(c)-1, int64(deadline)-1)
		for _, by := range []int64{room, room / 2, 1} {
			if by > 0 && by <= room && !c.try(yield, func(next *candidate) {
				wcet.set(next, wcet.get(next)-by)
				next.jobs[at.job].deadline -= model.Time(by)
			}) {
				return false
			}
		}
	}
	return true
}
