package lcg

import (
	"cmp"
	"slices"

	"downbeat/solve/lcg/core"
)

// disjunctive is a resource of which any two tasks need more than there is, so that they do not overlap. They
// hold it for after + 1 ticks from their from on. Two propagators look at those that are there, forwards and
// backwards in time.
type disjunctive struct {
	resource
	// What follows is computed anew in every run: the tasks that are there, by when they can start
	// first; when they can start; and whether time runs backwards.
	there     []int
	start     []span
	backwards bool
}

// postDisjunctive keeps tasks that hold a resource in turn from overlapping, by their order, and if they need
// all of it by energy. It reports whether time table and energetic reasoning have nothing to add: without
// them job shops are refuted with a third of the conflicts.
func (p *problem) postDisjunctive(r resource, of ...int) (complete bool) {
	energy := r.tasks[0].need == r.capacity
	if energy {
		p.because("energy", of...)
		p.postInTurn(&edgeFinding{disjunctive: newDisjunctive(r)}, r)
	}
	p.because("disjunctive", of...)
	p.postInTurn(&ordering{disjunctive: newDisjunctive(r)}, r)
	return energy && r.step == 1 && len(r.given) == 0 &&
		!slices.ContainsFunc(r.tasks, func(u optionalTask) bool { return u.x != core.True || u.before > 0 })
}

func newDisjunctive(r resource) disjunctive {
	return disjunctive{resource: r, start: make([]span, len(r.tasks))}
}

func (p *problem) postInTurn(by core.Propagator, r resource) {
	id := p.Add(by)
	for k := range r.tasks {
		u := &r.tasks[k]
		p.OnTrue(u.x, id)
		p.OnChange(u.from, id, u.x.Not())
	}
}

// read finds the tasks that are there, and when they can start.
func (r *disjunctive) read(s *core.Solver) {
	r.there = r.there[:0]
	for k := range r.tasks {
		u := &r.tasks[k]
		if u.length() <= 0 || !s.IsTrue(u.x) {
			continue
		}
		at := span{max(s.Lower(u.from), u.fromSpan.lo), min(s.Upper(u.from), u.fromSpan.hi)}
		if r.backwards {
			at = span{-at.hi - u.length(), -at.lo - u.length()}
		}
		r.start[k] = at
		r.there = append(r.there, k)
	}
	slices.SortFunc(r.there, func(a, b int) int { return cmp.Compare(r.start[a].lo, r.start[b].lo) })
}

func (r *disjunctive) length(k int) int32 { return r.tasks[k].length() }

// firstEnd and lastEnd are when a task can end.
func (r *disjunctive) firstEnd(k int) int32 { return r.start[k].lo + r.length(k) }
func (r *disjunctive) lastEnd(k int) int32  { return r.start[k].hi + r.length(k) }

// turned is the start of task k, or the end of its window, where time runs the other way.
func (r *disjunctive) turned(k int, at int32) int32 { return -at - r.length(k) }

// explainFrom explains that a task starts at a time or later, explainBy that it does so by then.
func (r *disjunctive) explainFrom(s *core.Solver, k int, at int32) {
	if r.backwards {
		r.explainUpper(s, k, r.turned(k, at))
	} else {
		r.explainLower(s, k, at)
	}
}

func (r *disjunctive) explainBy(s *core.Solver, k int, at int32) {
	if r.backwards {
		r.explainLower(s, k, r.turned(k, at))
	} else {
		r.explainUpper(s, k, at)
	}
}

func (r *disjunctive) explainLower(s *core.Solver, k int, at int32) {
	if u := &r.tasks[k]; u.fromSpan.lo < at {
		s.ExplainLower(u.from, at)
	}
}

func (r *disjunctive) explainUpper(s *core.Solver, k int, at int32) {
	if u := &r.tasks[k]; u.fromSpan.hi > at {
		s.ExplainUpper(u.from, at)
	}
}

// setFrom has a task start at a time or later, setBy by then.
func (r *disjunctive) setFrom(s *core.Solver, k int, at int32) bool {
	if r.backwards {
		return s.SetUpper(r.tasks[k].from, r.turned(k, at))
	}
	return s.SetLower(r.tasks[k].from, at)
}

func (r *disjunctive) setBy(s *core.Solver, k int, at int32) bool {
	if r.backwards {
		return s.SetLower(r.tasks[k].from, r.turned(k, at))
	}
	return s.SetUpper(r.tasks[k].from, at)
}

// edgeFinding finds tasks that come after all of some others, as there is not the time for all of
// them until these must have ended (Carlier and Pinson 1990), and times with more to do than time. Both are explained by
// energy: the task does not end with the others, and
// then it does not start before all of them have ended.
type edgeFinding struct {
	disjunctive
	byEnd []int // tasks that are there by when they must have ended
}

// Priority is after the propagators that look at one task only.
func (r *edgeFinding) Priority() int { return 1 }

// Propagate goes over the tasks forwards and backwards.
func (r *edgeFinding) Propagate(s *core.Solver) bool {
	r.backwards = false
	r.readBoth(s)
	if !r.overload(s) || !r.findEdges(s) {
		return false
	}
	r.backwards = true
	r.readBoth(s)
	return r.findEdges(s)
}

func (r *edgeFinding) readBoth(s *core.Solver) {
	r.read(s)
	r.byEnd = append(r.byEnd[:0], r.there...)
	slices.SortFunc(r.byEnd, func(a, b int) int { return cmp.Compare(r.lastEnd(a), r.lastEnd(b)) })
}

// overload looks for times between which there is more to do than time.
func (r *edgeFinding) overload(s *core.Solver) bool {
	for _, last := range r.byEnd {
		b, work := r.lastEnd(last), int32(0)
		for _, k := range slices.Backward(r.there) {
			if r.lastEnd(k) > b {
				continue
			}
			work += r.length(k)
			if a := r.start[k].lo; a+work > b {
				r.explainWork(s, nobody, span{a, b}, b-a+1)
				return s.Imply(core.False)
			}
		}
	}
	return true
}

// explainWork begins to explain that tasks but one have so much to do within a window.
func (r *edgeFinding) explainWork(s *core.Solver, except int, in span, work int32) {
	s.BeginExplanation()
	if r.backwards {
		s.Note(-in.hi, -in.lo)
	} else {
		s.Note(in.lo, in.hi)
	}
	spare := -work
	for _, k := range r.there {
		if r.isWithin(k, except, in) {
			spare += r.length(k)
		}
	}
	for _, k := range r.there {
		if !r.isWithin(k, except, in) {
			continue
		}
		less := min(spare, r.length(k))
		spare -= less
		if held := r.length(k) - less; held > 0 {
			s.Explain(r.tasks[k].x)
			r.explainFrom(s, k, in.lo-less)
			r.explainBy(s, k, in.hi-held)
		}
	}
}

func (r *edgeFinding) isWithin(k, except int, in span) bool {
	return k != except && r.start[k].lo >= in.lo && r.lastEnd(k) <= in.hi
}

// findEdges goes over the times by which tasks must have ended.
func (r *edgeFinding) findEdges(s *core.Solver) bool {
	for n, last := range r.byEnd {
		b := r.lastEnd(last)
		if n == 0 || n+1 < len(r.byEnd) && r.lastEnd(r.byEnd[n+1]) == b {
			continue
		}
		if !r.findEdgesBy(s, b) {
			return false
		}
	}
	return true
}

// findEdgesBy finds tasks that come after all that must have ended by b.
func (r *edgeFinding) findEdgesBy(s *core.Solver, b int32) bool {
	// What those have to do that start at a time or later; the end of all of them, and the start of
	// those that cannot end sooner together.
	work, end, from := int32(0), -far, int32(0)
	for _, k := range slices.Backward(r.there) {
		if r.lastEnd(k) > b {
			continue
		}
		work += r.length(k)
		if e := r.start[k].lo + work; e > end {
			end, from = e, r.start[k].lo
		}
	}
	// Of those that start no later than the task at hand: when it ends at the earliest, and their start.
	reached, first := -far, int32(0)
	for _, k := range r.there {
		a := r.start[k].lo
		switch {
		case r.lastEnd(k) <= b:
			if a+work > reached {
				reached, first = a+work, a
			}
			work -= r.length(k)
		case work > 0 && a+work+r.length(k) > b:
			if !r.comeAfter(s, k, span{a, b}, span{from, end}) {
				return false
			}
		case reached+r.length(k) > b:
			if !r.comeAfter(s, k, span{first, b}, span{from, end}) {
				return false
			}
		}
	}
	return true
}

// comeAfter has task k start after others, as it does not fit into a window with those of it: their end
// is that of all that start from a time on.
func (r *edgeFinding) comeAfter(s *core.Solver, k int, in, others span) bool {
	if r.start[k].lo >= others.hi {
		return true
	}
	late := in.hi - r.length(k) + 1 // it does not end by the end of the window
	if r.start[k].lo < late {
		r.explainWork(s, k, in, in.hi-in.lo-r.length(k)+1)
		s.Explain(r.tasks[k].x)
		r.explainFrom(s, k, in.lo)
		if !r.setFrom(s, k, late) {
			return false
		}
	}
	if late >= others.hi {
		return true
	}
	r.explainWork(s, k, span{others.lo, in.hi}, others.hi-others.lo)
	s.Explain(r.tasks[k].x)
	r.explainFrom(s, k, late)
	return r.setFrom(s, k, others.hi)
}

// ordering has tasks start after those that they cannot come before (detectable precedences), and not be
// the last where others leave no time for that (Vilím, Barták and Čepek 2005).
type ordering struct {
	disjunctive
	chain []int // see chainOf
}

// Priority is after the propagators that look at one task only.
func (r *ordering) Priority() int { return 1 }

// Propagate goes over the tasks forwards and backwards.
func (r *ordering) Propagate(s *core.Solver) bool {
	for _, r.backwards = range []bool{false, true} {
		r.read(s)
		for _, k := range r.there {
			if !r.detect(s, k) || !r.notLast(s, k) {
				return false
			}
		}
	}
	return true
}

// chainOf is when tasks but one that start by a time have ended at the earliest, and from when on those can
// start, in chain, that do not end sooner together.
func (r *ordering) chainOf(but int, by int32) (from, end int32) {
	from, end = -far, -far
	r.chain = r.chain[:0]
	for _, k := range r.there {
		if k == but || r.start[k].hi > by {
			continue
		}
		if at := r.start[k].lo; at >= end {
			from, end = at, at
			r.chain = r.chain[:0]
		}
		r.chain = append(r.chain, k)
		end += r.length(k)
	}
	return from, end
}

// explainOrder explains that task k comes after the chain: at the earliest it ends after by, when all of
// these have started, which they do from a time on.
func (r *ordering) explainOrder(s *core.Solver, k int, from, by int32) {
	s.BeginExplanation()
	s.Note(r.tasks[k].number)
	s.Explain(r.tasks[k].x)
	for _, j := range r.chain {
		s.Explain(r.tasks[j].x)
		r.explainFrom(s, j, from)
		r.explainBy(s, j, by)
	}
}

// detect has task k start after those that it cannot come before.
func (r *ordering) detect(s *core.Solver, k int) bool {
	by := r.firstEnd(k) - 1
	from, end := r.chainOf(k, by)
	if end <= r.start[k].lo {
		return true
	}
	r.explainOrder(s, k, from, by)
	r.explainFrom(s, k, by+1-r.length(k))
	return r.setFrom(s, k, end)
}

// notLast has task k end by the time at which the last of some others starts: it cannot start after all of them.
func (r *ordering) notLast(s *core.Solver, k int) bool {
	for due := r.lastEnd(k); ; {
		from, end := r.chainOf(k, due-1)
		if end <= due-r.length(k) {
			return true
		}
		due = -far
		for _, j := range r.chain {
			due = max(due, r.start[j].hi)
		}
		r.explainOrder(s, k, from, due)
		r.explainBy(s, k, end-1)
		if !r.setBy(s, k, due-r.length(k)) {
			return false
		}
	}
}
