package lcg

import (
	"slices"

	"downbeat/model"
	"downbeat/solve/lcg/core"
)

// disjunctive is a resource of which any two tasks need more than there is, so that they do not overlap. They
// hold it for after + 1 ticks from their from on. Two propagators look at those that are there, forwards and
// backwards in time.
type disjunctive struct {
	resource
	// What follows is computed anew in every run: the tasks that are there, by when they can start
	// first, and whether time runs backwards.
	there     []holder
	backwards bool
}

// holder is task k, which holds a resource for a length, when it can start to.
type holder struct {
	k              int
	length, lo, hi int32
}

// postDisjunctive keeps tasks that hold a resource in turn from overlapping, by their order, and if they need
// all of it by energy. It reports whether time table and energetic reasoning have nothing to add: without
// them job shops are refuted with a third of the conflicts.
func (p *problem) postDisjunctive(r resource, of ...int) (complete bool) {
	energy := r.tasks[0].need == r.capacity
	if energy {
		p.because("energy", of...)
		p.postInTurn(&edgeFinding{disjunctive: disjunctive{resource: r}}, r)
	}
	by := &ordering{disjunctive: disjunctive{resource: r}, before: p.postPairs(&r, model.SlaveID(of[0]), model.ResourceID(of[1]))}
	p.because("disjunctive", of...)
	id := p.postInTurn(by, r)
	for _, orders := range by.before {
		for _, before := range orders {
			if before != core.False {
				p.OnTrue(before, id)
			}
		}
	}
	return energy && r.step == 1 && len(r.given) == 0 &&
		!slices.ContainsFunc(r.tasks, func(u optionalTask) bool { return u.x != core.True || u.before > 0 })
}

func (p *problem) postInTurn(by core.Propagator, r resource) core.PropagatorID {
	id := p.Add(by)
	for k := range r.tasks {
		u := &r.tasks[k]
		p.OnTrue(u.x, id)
		p.OnChange(u.from, id, u.x.Not())
	}
	return id
}

// read finds the tasks that are there, and when they can start.
func (r *disjunctive) read(s *core.Solver) {
	r.there = r.there[:0]
	for k := range r.tasks {
		u := &r.tasks[k]
		length := u.length()
		if length <= 0 || !s.IsTrue(u.x) {
			continue
		}
		lo, hi := max(s.Lower(u.from), u.fromSpan.lo), min(s.Upper(u.from), u.fromSpan.hi)
		if r.backwards {
			lo, hi = -hi-length, -lo-length
		}
		r.there = append(r.there, holder{k, length, lo, hi})
	}
	slices.SortFunc(r.there, func(a, b holder) int { return int(a.lo - b.lo) })
}

// turned is the start of task k where time runs the other way.
func (r *disjunctive) turned(k int, at int32) int32 { return -at - r.tasks[k].length() }

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
	ends []int32 // by which tasks that are there must have ended, ascending
}

// Priority is after the propagators that look at one task only.
func (r *edgeFinding) Priority() int { return 1 }

// Propagate goes over the tasks forwards and backwards.
func (r *edgeFinding) Propagate(s *core.Solver) bool {
	r.backwards = false
	r.readEnds(s)
	if !r.overload(s) || !r.findEdges(s) {
		return false
	}
	r.backwards = true
	r.readEnds(s)
	return r.findEdges(s)
}

func (r *edgeFinding) readEnds(s *core.Solver) {
	r.read(s)
	r.ends = r.ends[:0]
	for i := range r.there {
		r.ends = append(r.ends, r.there[i].hi+r.there[i].length)
	}
	slices.Sort(r.ends)
	r.ends = slices.Compact(r.ends)
}

// overload looks for times between which there is more to do than time.
func (r *edgeFinding) overload(s *core.Solver) bool {
	for _, b := range r.ends {
		work := int32(0)
		for i := len(r.there) - 1; i >= 0; i-- {
			u := &r.there[i]
			if u.hi+u.length > b {
				continue
			}
			work += u.length
			if u.lo+work > b {
				r.explainWork(s, nobody, span{u.lo, b}, b-u.lo+1)
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
	for i := range r.there {
		if u := &r.there[i]; u.isWithin(in) && u.k != except {
			spare += u.length
		}
	}
	for i := range r.there {
		u := &r.there[i]
		if !u.isWithin(in) || u.k == except {
			continue
		}
		less := min(spare, u.length)
		spare -= less
		if held := u.length - less; held > 0 {
			s.Explain(r.tasks[u.k].x)
			r.explainFrom(s, u.k, in.lo-less)
			r.explainBy(s, u.k, in.hi-held)
		}
	}
}

func (u *holder) isWithin(in span) bool { return u.lo >= in.lo && u.hi+u.length <= in.hi }

// findEdges goes over the times by which tasks must have ended.
func (r *edgeFinding) findEdges(s *core.Solver) bool {
	for _, b := range r.ends {
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
	for i := len(r.there) - 1; i >= 0; i-- {
		u := &r.there[i]
		if u.hi+u.length > b {
			continue
		}
		work += u.length
		if e := u.lo + work; e > end {
			end, from = e, u.lo
		}
	}
	// Of those that start no later than the task at hand: when all end at the earliest, and their start.
	reached, first := -far, int32(0)
	for i := range r.there {
		u, in := &r.there[i], span{0, b}
		switch {
		case u.hi+u.length <= b:
			if u.lo+work > reached {
				reached, first = u.lo+work, u.lo
			}
			work -= u.length
			continue
		case work > 0 && u.lo+work+u.length > b:
			in.lo = u.lo
		case reached+u.length > b:
			in.lo = first
		default:
			continue
		}
		if u.lo < end && !r.comeAfter(s, u, in, span{from, end}) {
			return false
		}
	}
	return true
}

// comeAfter has a task start after others, as it does not fit into a window with those of it: their end
// is that of all that start from a time on.
func (r *edgeFinding) comeAfter(s *core.Solver, u *holder, in, others span) bool {
	late := in.hi - u.length + 1 // it does not end by the end of the window
	if u.lo < late {
		r.explainWork(s, u.k, in, in.hi-in.lo-u.length+1)
		s.Explain(r.tasks[u.k].x)
		r.explainFrom(s, u.k, in.lo)
		if !r.setFrom(s, u.k, late) {
			return false
		}
	}
	if late >= others.hi {
		return true
	}
	r.explainWork(s, u.k, span{others.lo, in.hi}, others.hi-others.lo)
	s.Explain(r.tasks[u.k].x)
	r.explainFrom(s, u.k, late)
	return r.setFrom(s, u.k, others.hi)
}

// ordering has tasks start after those that they come after, be it that they cannot come before (detectable
// precedences), and not be the last where others leave no time for that (Vilím, Barták and Čepek 2005).
type ordering struct {
	disjunctive
	before [][]core.Lit // see postPairs
	chain  []int        // see chainOf
}

// Priority is after the propagators that look at one task only.
func (r *ordering) Priority() int { return 1 }

// Propagate goes over the tasks forwards and backwards.
func (r *ordering) Propagate(s *core.Solver) bool {
	for _, r.backwards = range []bool{false, true} {
		r.read(s)
		for i := range r.there {
			if u := &r.there[i]; !r.detect(s, u) || !r.notLast(s, u) {
				return false
			}
		}
	}
	return true
}

// endOf is when tasks but one that start by a time have ended at the earliest.
func (r *ordering) endOf(but *holder, by int32) int32 {
	end := -far
	for i := range r.there {
		if u := &r.there[i]; u.hi <= by && u != but {
			end = max(end, u.lo) + u.length
		}
	}
	return end
}

// chainOf finds those of them, in chain, that do not end sooner together, and from when on they can start, and by when they
// have all done so.
func (r *ordering) chainOf(but *holder, by int32) (from, all int32) {
	end := -far
	for i := range r.there {
		u := &r.there[i]
		if u.hi > by || u == but {
			continue
		}
		if u.lo >= end {
			from, all, end = u.lo, u.hi, u.lo
			r.chain = r.chain[:0]
		}
		r.chain = append(r.chain, u.k)
		all = max(all, u.hi)
		end += u.length
	}
	return from, all
}

// explainOrder explains that a task comes after the chain: at the earliest it ends after by, when all of
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

// order is the literal that j comes before k as time runs, False if there is none.
func (r *ordering) order(j, k int) core.Lit {
	switch {
	case r.before == nil:
		return core.False
	case r.backwards:
		return r.before[k][j]
	}
	return r.before[j][k]
}

// detect has a task start after those that it cannot come before, or does not.
func (r *ordering) detect(s *core.Solver, u *holder) bool {
	by := u.lo + u.length - 1
	from, end := int32(0), -far
	r.chain = r.chain[:0]
	for i := range r.there {
		j := &r.there[i]
		if j == u || j.hi > by && !s.IsTrue(r.order(j.k, u.k)) {
			continue
		}
		if j.lo >= end {
			from, end = j.lo, j.lo
			r.chain = r.chain[:0]
		}
		r.chain = append(r.chain, j.k)
		end += j.length
	}
	if end <= u.lo {
		return true
	}
	r.explainAfter(s, u.k, from, by)
	return r.setFrom(s, u.k, end)
}

// explainAfter explains that a task comes after the chain, whose tasks start from a time on: by literals, or as it ends
// after a time by which they start.
func (r *ordering) explainAfter(s *core.Solver, k int, from, by int32) {
	s.BeginExplanation()
	s.Note(r.tasks[k].number)
	timed := false
	for _, j := range r.chain {
		r.explainFrom(s, j, from)
		if order := r.order(j, k); s.IsTrue(order) {
			s.Explain(order)
			continue
		}
		s.Explain(r.tasks[j].x)
		r.explainBy(s, j, by)
		timed = true
	}
	if timed {
		s.Explain(r.tasks[k].x)
		r.explainFrom(s, k, by+1-r.tasks[k].length())
	}
}

// notLast has a task end by the time at which the last of some others starts: it cannot start after all of them.
func (r *ordering) notLast(s *core.Solver, u *holder) bool {
	for due := u.hi + u.length; ; {
		end := r.endOf(u, due-1)
		if end <= due-u.length {
			return true
		}
		from, all := r.chainOf(u, due-1)
		due = all
		r.explainOrder(s, u.k, from, due)
		r.explainBy(s, u.k, end-1)
		if !r.setBy(s, u.k, due-u.length) {
			return false
		}
	}
}
