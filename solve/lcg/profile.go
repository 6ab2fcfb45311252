package lcg

import "slices"

// profile is what tasks and others hold at each of the points of a resource. It is kept up from one propagation to the next, as few tasks
// are there for sure at other points than the time before.
type profile struct {
	// fixed is what is held whatever is decided, by point.
	fixed []int64
	// sure are the points at which a task is there for sure, change how what all of them hold changes from
	// point to point.
	sure   []span
	change []int64
	// runs are points in a row at which as much is held, runOf tells which a point is of; most is the most that is held.
	// They hold unless stale.
	runs  []run
	runOf []int32
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
	p.runOf, p.stale = make([]int32, len(p.fixed)), true
}

// move has task k, which needs some units, be there for sure at other points than before.
func (p *profile) move(k int, to span, need int64) {
	if from := p.sure[k]; from != none {
		p.change[from.lo] -= need
		p.change[from.hi+1] += need
	}
	if to != none {
		p.change[to.lo] += need
		p.change[to.hi+1] -= need
	}
	p.sure[k], p.stale = to, true
}

// findRuns adds up what is held, and tells the first point at which tasks hold some of a capacity that is exceeded, or −1.
func (p *profile) findRuns(capacity int64) int32 {
	if !p.stale {
		return -1
	}
	held := int64(0)
	p.runs, p.most = p.runs[:0], 0
	for i, fixed := range p.fixed {
		held += p.change[i]
		all := held + fixed
		if held > 0 && all > capacity {
			return int32(i)
		}
		if n := len(p.runs); n > 0 && p.runs[n-1].held == all {
			p.runs[n-1].hi = int32(i)
		} else {
			p.runs = append(p.runs, run{span{int32(i), int32(i)}, all})
			p.most = max(p.most, all)
		}
		p.runOf[i] = int32(len(p.runs) - 1)
	}
	p.stale = false
	return -1
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
	for i := p.runOf[in.hi]; i >= 0 && p.runs[i].hi >= in.lo; i-- {
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
	for i := int(p.runOf[in.lo]); i < len(p.runs) && p.runs[i].lo <= in.hi; i++ {
		if p.runs[i].held > held {
			return max(in.lo, p.runs[i].lo)
		}
	}
	return -1
}
