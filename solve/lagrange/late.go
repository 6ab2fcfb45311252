package lagrange

import "downbeat/model"

// solveLate finds the cheapest way of a job that pays for lateness: the later it may
// end the less its tasks cost, the more it pays.
func (b *subproblem) solveLate(before []int64) way {
	from := min(b.deadline, b.last)
	best := b.endingBy(before, from)
	best.cost += b.paid(from)
	floor, last := int64(0), from
	if from < b.last {
		widest := b.endingBy(before, b.last)
		floor, last = widest.cost, b.last
		last = b.endLater(before, from, last, floor, &best)
	}
	if last < best.finish {
		b.endingBy(before, best.finish) // domains' least costs are those of the way taken
	}
	return best
}

// paid is what the job pays for lateness where it ends at a time.
func (b *subproblem) paid(end model.Time) int64 { return b.late * int64(max(0, end-b.deadline)) }

// endLater improves the best way by one that ends after from, and at to at the
// latest; floor is what tasks cost at least there. It tells the last end that was
// looked at, to if none was.
func (b *subproblem) endLater(before []int64, from, to model.Time, floor int64, best *way) model.Time {
	looked := to
	for {
		saved := best.cost - floor - 1
		if saved < 0 || b.ctx.Err() != nil {
			return looked
		}
		if to = min(to, b.deadline+model.Time(saved/b.late)); to <= from {
			return looked
		}
		middle := from + (to-from+1)/2
		at := b.endingBy(before, middle)
		looked = middle
		cost := at.cost
		if at.cost += b.paid(middle); at.cost < best.cost {
			*best = at
		}
		if middle < to {
			looked = min(looked, b.endLater(before, middle, to, floor, best))
		}
		to, floor = middle-1, cost
	}
}
