package lcg

import (
	"cmp"
	"slices"

	"downbeat/solve/lcg/core"
)

// tableEdges finds windows of time in which tasks of a resource must use more than there is, and tasks that start
// after a time, as too little is left for them in a window before (time table edge finding; Vilím 2011,
// Schutt, Feydy and Stuckey 2013). What must be used is counted of tasks that start in the window at the earliest by how far they
// reach into it at the least, of others by what they hold for sure: no more than energetic reasoning counts, by which
// all is explained, in steps of the square of the tasks.
//
// It looks more often the more it finds: sets of which every third look finds something are refuted with a tenth of the
// conflicts and less, of others with as many as without, at a third of the speed if it looked each time.
type tableEdges struct {
	energy
	// skip is how often it passes, pause how often it does so after this look, by whether looks found
	// anything.
	skip, pause int
	found       bool
	// What follows is computed anew in every run, for time as it is and backwards: tasks that are there, by when they
	// can start first, the ends of all, and what is held for sure.
	backwards bool
	there     []turned
	ends      []windowEnd
	held      []heldFrom
}

// turned is a task that is there as time runs, what it needs, and what all hold for sure until it can start first; windowEnd is
// a time and what they hold until then.
type turned struct {
	holder
	need, held int64
}

type windowEnd struct {
	at   int32
	held int64
}

// heldFrom is what all hold for sure until a time, and how much they hold at once from then on.
type heldFrom struct {
	at           int32
	before, then int64
}

// longestPause is between two looks that find nothing. With 16 sets that it does not help took a third more time, with 256 those that it
// helps most took four times as many conflicts.
const longestPause = 64

// mostEdges is the number of tasks up to which a look takes a millisecond. By judgement.
const mostEdges = 300

// postTableEdges adds edge finding to the time table of a resource that tasks hold for a fixed time from their from on.
func postTableEdges(s *core.Solver, r resource) {
	id := s.Add(&tableEdges{energy: energy{resource: r, start: make([]span, len(r.tasks))}})
	for k := range r.tasks {
		u := &r.tasks[k]
		s.OnTrue(u.x, id)
		s.OnChange(u.from, id, u.x.Not())
	}
}

// Propagate looks at all windows from the first start of a task that is there to the last end of one, forwards and
// backwards; where decisions stand, now and then.
func (r *tableEdges) Propagate(s *core.Solver) bool {
	if s.Level() > 0 && r.skip > 0 {
		r.skip--
		return true
	}
	r.found = false
	ok := r.look(s)
	r.pause = min(2*r.pause+1, longestPause)
	if r.found {
		r.pause /= 4
	}
	r.skip = r.pause
	return ok
}

func (r *tableEdges) look(s *core.Solver) bool {
	for _, r.backwards = range []bool{false, true} {
		r.read(s)
		r.turn()
		for _, b := range r.ends {
			if !r.lookBefore(s, b) {
				return false
			}
		}
	}
	return true
}

// turn has the tasks that are there as time runs, and what they hold for sure.
func (r *tableEdges) turn() {
	r.there, r.ends, r.held = r.there[:0], r.ends[:0], r.held[:0]
	for _, k := range r.sure {
		length, at := r.tasks[k].length(), r.start[k]
		if length <= 0 {
			continue
		}
		u := turned{holder: holder{k, length, at.lo, at.hi}, need: r.tasks[k].need}
		if r.backwards {
			u.lo, u.hi = -at.hi-length, -at.lo-length
		}
		r.there = append(r.there, u)
		r.ends = append(r.ends, windowEnd{at: u.hi + length})
		if u.hi < u.lo+length {
			r.held = append(r.held, heldFrom{at: u.hi, then: u.need}, heldFrom{at: u.lo + length, then: -u.need})
		}
	}
	slices.SortFunc(r.there, func(a, b turned) int { return int(a.lo - b.lo) })
	slices.SortFunc(r.ends, func(a, b windowEnd) int { return int(a.at - b.at) })
	r.ends = slices.Compact(r.ends)
	slices.SortFunc(r.held, func(a, b heldFrom) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(r.held); i++ {
		h, last := &r.held[i], &r.held[i-1]
		h.before = last.before + last.then*int64(h.at-last.at)
		h.then += last.then
	}
	i := 0
	for k := range r.there {
		r.there[k].held = r.heldBy(r.there[k].lo, &i)
	}
	i = 0
	for k := range r.ends {
		r.ends[k].held = r.heldBy(r.ends[k].at, &i)
	}
}

// heldBy is what is held for sure until a time that is none before those asked for with i, which is 0 at first.
func (r *tableEdges) heldBy(t int32, i *int) int64 {
	for *i < len(r.held) && r.held[*i].at < t {
		*i++
	}
	if *i == 0 {
		return 0
	}
	h := &r.held[*i-1]
	return h.before + h.then*int64(t-h.at)
}

// lookBefore goes over the windows that end at b, the shortest first.
func (r *tableEdges) lookBefore(s *core.Solver, end windowEnd) bool {
	b := end.at
	// What tasks use that start in the window at the earliest, beyond what they hold for sure; and the one that would use
	// most beyond what is counted of it, if it started first.
	used, most := int64(0), int64(0)
	var eager *turned
	for i := len(r.there) - 1; i >= 0; i-- {
		u := &r.there[i]
		if u.lo >= b {
			continue
		}
		least := max(0, min(u.length, b-u.hi))
		used += u.need * int64(least-max(0, min(u.lo+u.length, b)-u.hi))
		if more := u.need * int64(min(u.length, b-u.lo)-least); more > most {
			most, eager = more, u
		}
		if i > 0 && r.there[i-1].lo == u.lo {
			continue
		}
		left := r.capacity*int64(b-u.lo) - (end.held - u.held) - used
		switch {
		case left < 0:
			r.found = true
			return r.checkWindow(s, u.lo, b)
		case most > left && !r.startLater(s, eager, u.lo, b):
			return false
		}
	}
	return true
}

// window is [a, b) as time is.
func (r *tableEdges) window(a, b int32) (from, to int32) {
	if r.backwards {
		return -b, -a
	}
	return a, b
}

// checkWindow says that tasks must use more in a window than there is.
func (r *tableEdges) checkWindow(s *core.Solver, a, b int32) bool {
	a, b = r.window(a, b)
	return r.energy.checkWindow(s, a, b)
}

// startLater has a task of which too much would be in a window start so late that it is not.
func (r *tableEdges) startLater(s *core.Solver, u *turned, from, to int32) bool {
	a, b := r.window(from, to)
	left := r.have(a, b)
	for _, k := range r.sure {
		if k != u.k {
			left -= r.tasks[k].need * int64(r.within(k, a, b))
		}
	}
	if left < 0 {
		return r.energy.checkWindow(s, a, b)
	}
	fits := int32(left / u.need)
	r.found = true
	s.BeginExplanation()
	s.Note(a, b)
	r.explainUsed(s, u.k, a, b, u.need*int64(fits+1)-left-1)
	t := &r.tasks[u.k]
	s.Explain(t.x)
	if r.backwards {
		if by := b - fits - 1; t.fromSpan.hi > by {
			s.ExplainUpper(t.from, by)
		}
		return s.SetUpper(t.from, a+fits-u.length)
	}
	if at := a + fits + 1 - u.length; t.fromSpan.lo < at {
		s.ExplainLower(t.from, at)
	}
	return s.SetLower(t.from, b-fits)
}
