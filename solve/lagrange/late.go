package lagrange

import "downbeat/model"

// mostGrains is into how many parts the time between a job's deadline and its last end is
// divided at most: within one it pays for tasks that end by the end of it, and for being
// late at its begin.
const mostGrains = 512

// solveLate finds the cheapest column of a job that pays for lateness: the later it may
// end the less its tasks cost, the more it pays.
func (b *subproblem) solveLate(before []int64) column {
	from := min(b.deadline, b.last)
	if last := &b.stages[len(b.stages)-1]; last.alone && b.last-from < mostGrains {
		return b.solveLast(&last.groups[0], before)
	}
	best := b.endingBy(before, from)
	best.cost += b.paid(from)
	last := from
	if from < b.last {
		widest := b.endingBy(before, b.last)
		last = b.endLater(before, from, b.last, (b.last-from)/mostGrains, widest, &best)
	}
	if last < best.finish {
		b.endingBy(before, best.finish) // domains' least costs are those of the column taken
	}
	return best
}

// paid is what the job pays for lateness where it ends at a time.
func (b *subproblem) paid(end model.Time) int64 {
	if end <= b.deadline {
		return 0
	}
	return b.late*int64(end-b.deadline) - b.short
}

// pay has the job pay for lateness as charges say.
func (b *subproblem) pay(c *charges, job *model.Job) {
	b.late, b.short, b.deadline = 0, 0, job.Due()
	if c.late != nil {
		b.late = c.late[b.id]
	}
	if c.short != nil {
		b.short = c.short[b.id]
	}
}

// endLater improves the best column by one that ends after from, and at to at the
// latest, in grains; by is one that ends by to or later, lateness apart. It tells the last
// end that was looked at, to if none was.
func (b *subproblem) endLater(before []int64, from, to, grain model.Time, by column, best *column) model.Time {
	looked := to
	for {
		saved := best.cost - by.cost - 1
		if saved < 0 || b.ctx.Err() != nil {
			return looked
		}
		if to = min(to, b.deadline+model.Time((saved+b.short)/b.late)); to <= from {
			return looked
		}
		if to-from <= grain {
			*best = column{by.cost + b.paid(from+1), by.handOut, by.finish}
			return looked
		}
		middle := from + (to-from+1)/2
		at := b.endingBy(before, middle)
		looked = middle
		late := at
		if late.cost += b.paid(middle); late.cost < best.cost {
			*best = late
		}
		if middle < to {
			looked = min(looked, b.endLater(before, middle, to, grain, by, best))
		}
		to, by = middle-1, at
	}
}

// solveLast is solveLate where the last stage is one task, which pays for what it ends late itself.
func (b *subproblem) solveLast(g *group, before []int64) column {
	b.rows.looked += len(g.domains) * int(b.last-b.first)
	b.lane()
	for t := b.first; t <= b.last; t++ {
		b.lateness[t] = b.paid(t)
	}
	best := column{cost: never, handOut: b.first, finish: b.last}
	for k := range g.domains {
		d := &g.domains[k]
		p := b.ends(d, before, b.lateness, 0, b.last, b.single)
		if d.least = p.cost; p.cost < best.cost {
			best = column{p.cost, model.Time(b.rows.slaves[d.slave].beat[p.fetch]), p.start + d.wcet}
		}
	}
	if best.cost == never {
		return best
	}
	// Handed out no earlier and ended no later than that, a task costs no less without than with what is
	// apart from it, less as much.
	apart := b.lateness[best.finish]
	if before != nil {
		apart += before[best.handOut]
	}
	for k := range g.domains {
		g.domains[k].least -= apart
	}
	return best
}
