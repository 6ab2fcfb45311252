package lcg

import (
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
	// byStart, byEnd and byHold are all tasks by when they can start first, by when they must have ended, and the times
	// at which they begin (2k) and cease (2k + 1) to hold it for sure, in the order of the look before: few have moved.
	byStart, byEnd, byHold []int32
	// first, last and hold are these times.
	first, last, hold []int32
	// untilStart and untilEnd are, by task, what all hold for sure until these times.
	untilStart, untilEnd []int64
	isThere              []bool
	// What follows is computed anew for time as it is and backwards: tasks that are there, by when they can start first,
	// and the ends of all.
	backwards bool
	there     []turned
	ends      []windowEnd
}

// turned is a task that is there as time runs, what it needs, what it uses of a window that it starts and ends in beyond what it
// holds for sure, and what all hold for sure until it can start first; windowEnd is a time and what they hold until then.
type turned struct {
	holder
	need, all, held int64
}

type windowEnd struct {
	at   int32
	held int64
}

// longestPause is between two looks that find nothing. With 16 sets that it does not help took a third more time, with 256 those that it
// helps most took four times as many conflicts.
const longestPause = 64

// mostEdges is the number of tasks up to which a look takes a millisecond. By judgement.
const mostEdges = 300

// postTableEdges adds edge finding to the time table of a resource that tasks hold for a fixed time from their from on.
func postTableEdges(s *core.Solver, r resource) {
	n := len(r.tasks)
	edges := &tableEdges{
		energy: energy{resource: r, start: make([]span, n)},
		first:  make([]int32, n), last: make([]int32, n), hold: make([]int32, 2*n),
		untilStart: make([]int64, n), untilEnd: make([]int64, n), isThere: make([]bool, n),
	}
	for k := range int32(n) {
		edges.byStart, edges.byEnd, edges.byHold = append(edges.byStart, k), append(edges.byEnd, k), append(edges.byHold, 2*k, 2*k+1)
	}
	id := s.Add(edges)
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
	r.read(s)
	r.sort()
	r.addUp()
	for _, r.backwards = range []bool{false, true} {
		r.turn()
		for _, b := range r.ends {
			if !r.lookBefore(s, b) {
				return false
			}
		}
	}
	return true
}

// sort has the tasks in order again.
func (r *tableEdges) sort() {
	clear(r.isThere)
	for _, k := range r.sure {
		r.isThere[k] = r.tasks[k].length() > 0
	}
	for k, at := range r.start {
		length := r.tasks[k].length()
		r.first[k], r.last[k] = at.lo, at.hi+length
		r.hold[2*k], r.hold[2*k+1] = at.hi, at.lo+length
	}
	sortAlmost(r.byStart, r.first)
	sortAlmost(r.byEnd, r.last)
	sortAlmost(r.byHold, r.hold)
}

// sortAlmost sorts a list by some keys that is nearly in order.
func sortAlmost(list, keys []int32) {
	for i := 1; i < len(list); i++ {
		k := list[i]
		at, j := keys[k], i
		for ; j > 0 && keys[list[j-1]] > at; j-- {
			list[j] = list[j-1]
		}
		list[j] = k
	}
}

// addUp finds what all hold for sure until each task can start first, and until it must have ended.
func (r *tableEdges) addUp() {
	var until sumUntil
	for _, k := range r.byStart {
		r.untilStart[k] = until.advance(r, r.first[k])
	}
	until = sumUntil{}
	for _, k := range r.byEnd {
		r.untilEnd[k] = until.advance(r, r.last[k])
	}
}

// sumUntil adds up what is held until times that ascend.
type sumUntil struct {
	next      int // of byHold
	at        int32
	held, all int64
}

func (u *sumUntil) advance(r *tableEdges, to int32) int64 {
	for ; u.next < len(r.byHold); u.next++ {
		i := r.byHold[u.next]
		at := r.hold[i]
		if at >= to {
			break
		}
		if r.overlap(i/2) == 0 {
			continue
		}
		u.all += u.held * int64(at-u.at)
		u.at = at
		if need := r.tasks[i/2].need; i%2 == 0 {
			u.held += need
		} else {
			u.held -= need
		}
	}
	return u.all + u.held*int64(to-u.at)
}

// overlap is how long a task holds it for sure.
func (r *tableEdges) overlap(k int32) int32 {
	if !r.isThere[k] {
		return 0
	}
	return max(0, r.hold[2*k+1]-r.hold[2*k])
}

// turn has the tasks that are there as time runs.
func (r *tableEdges) turn() {
	r.there, r.ends = r.there[:0], r.ends[:0]
	if !r.backwards {
		for _, k := range r.byStart {
			r.addTask(k, r.start[k].lo, r.start[k].hi, r.untilStart[k])
		}
		for _, k := range r.byEnd {
			r.addEnd(k, r.last[k], r.untilEnd[k])
		}
		return
	}
	for _, k := range slices.Backward(r.byEnd) {
		r.addTask(k, -r.last[k], -r.hold[2*k+1], -r.untilEnd[k])
	}
	for _, k := range slices.Backward(r.byStart) {
		r.addEnd(k, -r.first[k], -r.untilStart[k])
	}
}

func (r *tableEdges) addTask(k, lo, hi int32, held int64) {
	if !r.isThere[k] {
		return
	}
	u := &r.tasks[k]
	length := u.length()
	r.there = append(r.there, turned{holder{int(k), length, lo, hi}, u.need, u.need * int64(length-r.overlap(k)), held})
}

func (r *tableEdges) addEnd(k, at int32, held int64) {
	if n := len(r.ends); r.isThere[k] && (n == 0 || r.ends[n-1].at != at) {
		r.ends = append(r.ends, windowEnd{at, held})
	}
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
		if b >= u.hi+u.length {
			used += u.all
		} else {
			least := max(0, b-u.hi)
			used += u.need * int64(least-max(0, min(u.lo+u.length, b)-u.hi))
			if more := u.need * int64(min(u.length, b-u.lo)-least); more > most {
				most, eager = more, u
			}
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
