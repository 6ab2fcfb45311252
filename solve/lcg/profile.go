package lcg

import (
	"math/bits"
	"slices"
)

// profile is what tasks and others hold at each of the points of a resource. It is kept up from one propagation to the next, as few tasks
// are there for sure at other points than the time before.
type profile struct {
	// fixed is what is held whatever is decided, by point.
	fixed []int64
	// sure are the points at which a task is there for sure, change how what all of them hold changes from
	// point to point.
	sure   []span
	change []int64
	// marks has a bit for each point at which what is held may be other than at the point before: there are few of them however fine ticks are.
	marks []uint64
	// runs are points in a row at which as much is held, most is the most that is held.
	// They hold unless stale.
	runs  []run
	most  int64
	stale bool
}

// run are points in a row at which as much is held.
type run struct {
	span
	held int64
}

// none are no points.
var none = span{1, 0}

// forTasks makes room for some tasks, none of which is there for sure.
func (p *profile) forTasks(n int) {
	p.sure, p.change = slices.Repeat([]span{none}, n), make([]int64, len(p.fixed)+1)
	p.marks, p.stale = make([]uint64, len(p.fixed)/64+1), true
	for i := range p.fixed {
		p.mark(int32(i))
	}
}

// move has task k, which needs some units, be there for sure at other points than before.
func (p *profile) move(k int, to span, need int64) {
	if from := p.sure[k]; from != none {
		p.changeBy(from.lo, -need)
		p.changeBy(from.hi+1, need)
	}
	if to != none {
		p.changeBy(to.lo, need)
		p.changeBy(to.hi+1, -need)
	}
	p.sure[k], p.stale = to, true
}

// changeBy has more units be held from a point on.
func (p *profile) changeBy(point int32, units int64) {
	p.change[point] += units
	p.mark(point)
}

// mark marks a point if what is held may change there.
func (p *profile) mark(i int32) {
	if p.change[i] != 0 || i == 0 || int(i) < len(p.fixed) && p.fixed[i] != p.fixed[i-1] {
		p.marks[i/64] |= 1 << (i % 64)
	} else {
		p.marks[i/64] &^= 1 << (i % 64)
	}
}

// findRuns adds up what is held, and tells the first point at which tasks hold some of a capacity that is exceeded, or −1.
func (p *profile) findRuns(capacity int64) int32 {
	if !p.stale {
		return -1
	}
	held, points := int64(0), int32(len(p.fixed))
	p.runs, p.most = p.runs[:0], 0
	for k, word := range p.marks {
		for ; word != 0; word &= word - 1 {
			i := int32(64*k + bits.TrailingZeros64(word))
			if i == points {
				break
			}
			held += p.change[i]
			all := held + p.fixed[i]
			if held > 0 && all > capacity {
				return i
			}
			n := len(p.runs)
			if n > 0 {
				if p.runs[n-1].held == all {
					continue
				}
				p.runs[n-1].hi = i - 1
			}
			p.runs = append(p.runs, run{span{i, points - 1}, all})
			p.most = max(p.most, all)
		}
	}
	p.stale = false
	return -1
}

// runOf is the run that a point is of.
func (p *profile) runOf(point int32) int {
	lo, hi := 0, len(p.runs)
	for lo+1 < hi {
		if middle := (lo + hi) / 2; p.runs[middle].lo <= point {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}

// cut leaves of a span what are points.
func (p *profile) cut(in span) span {
	in = span{max(in.lo, 0), min(in.hi, int32(len(p.fixed))-1)}
	if in.lo > in.hi {
		return none
	}
	return in
}

// lastAbove is the last point of a span at which more is held, −1 if there is none.
func (p *profile) lastAbove(held int64, in span) int32 {
	if in = p.cut(in); in == none {
		return -1
	}
	for i := p.runOf(in.hi); i >= 0 && p.runs[i].hi >= in.lo; i-- {
		if p.runs[i].held > held {
			return min(in.hi, p.runs[i].hi)
		}
	}
	return -1
}

// firstAbove is the first point of a span at which more is held, −1 if there is none.
func (p *profile) firstAbove(held int64, in span) int32 {
	if in = p.cut(in); in == none {
		return -1
	}
	for i := p.runOf(in.lo); i < len(p.runs) && p.runs[i].lo <= in.hi; i++ {
		if p.runs[i].held > held {
			return max(in.lo, p.runs[i].lo)
		}
	}
	return -1
}
