package lcg

import (
	"slices"

	"downbeat/solve/lcg/core"
)

// timeTable keeps tasks within the capacity of a resource at each of its points:
// cumulative with optional tasks. Explanations speak of one point in time (Schutt,
// Feydy, Stuckey and Wallace, Constraints 2011).
type timeTable struct {
	resource
	// fixed is what fixed tasks hold, by point.
	fixed  []int64
	levels []level

	// What follows is computed anew in every run: the points at which a task is
	// there for sure (none if Lo > Hi), and how what they hold changes from point to
	// point.
	sure   []span
	change []int64
	runs   []run
	steps  []int32
}

// run are points in a row at which as much is held.
type run struct {
	span
	held int64
}

// level are the tasks [from, to) with the same need; full, computed anew in every
// run, are the spans of points that leave too little for it.
type level struct {
	need     int64
	from, to int
	full     []span
}

// postTimeTable keeps tasks within the capacity of a resource. It reports whether
// that can ever be exceeded; otherwise there is nothing to keep.
func postTimeTable(s *core.Solver, of resource) bool {
	r := &timeTable{resource: of}
	if !r.tabulateFixed(s) {
		return false
	}
	r.change = make([]int64, len(r.fixed)+1)
	r.sure = make([]span, len(r.tasks))
	for k := range r.tasks {
		if n := len(r.levels); n == 0 || r.levels[n-1].need < r.tasks[k].need {
			r.levels = append(r.levels, level{need: r.tasks[k].need, from: k})
		}
		r.levels[len(r.levels)-1].to = k + 1
	}
	id := s.Add(r)
	for k := range r.tasks {
		u := &r.tasks[k]
		s.OnTrue(u.x, id)
		s.OnChange(u.from, id, u.x.Not())
		if !u.to.SameInteger(u.from) {
			s.OnChange(u.to, id, u.x.Not())
		}
	}
	return true
}

// tabulateFixed finds the points at which tasks can be, and what is fixed there;
// false if there is enough for all, or no such point.
func (r *timeTable) tabulateFixed(s *core.Solver) bool {
	most := int64(0)
	first, last := far, int32(0)
	for k := range r.tasks {
		u := &r.tasks[k]
		most += u.need
		first = min(first, s.Lower(u.from)-u.before)
		last = max(last, s.Upper(u.to)+u.after)
	}
	for _, f := range r.given {
		most += f.need
	}
	if most <= r.capacity {
		return false
	}
	r.first = r.timeOf(r.pointFrom(first))
	r.fixed = make([]int64, r.pointBy(last)+1)
	for _, f := range r.given {
		for i := range r.fixed {
			if t := int64(r.timeOf(int32(i))); f.start <= t && t < f.end {
				r.fixed[i] += f.need
			}
		}
	}
	return len(r.fixed) > 0
}

// Priority is after the propagators that look at one task only.
func (r *timeTable) Priority() int { return 1 }

func (r *timeTable) timeOf(point int32) int32 { return r.first + point*r.step }

// pointFrom is the first point at t or later.
func (r *timeTable) pointFrom(t int32) int32 {
	if t <= r.first {
		return 0
	}
	return (t - r.first + r.step - 1) / r.step
}

// pointBy is the last point at t or before, -1 if there is none.
func (r *timeTable) pointBy(t int32) int32 {
	if t < r.first {
		return -1
	}
	return (t - r.first) / r.step
}

// Propagate keeps tasks away from the points that are full.
func (r *timeTable) Propagate(s *core.Solver) bool {
	if !r.tabulate(s) {
		return false
	}
	for i := range r.levels {
		if l := &r.levels[i]; len(l.full) > 0 && !r.keepAway(s, l) {
			return false
		}
	}
	return true
}

func (r *timeTable) keepAway(s *core.Solver, l *level) bool {
	for k := l.from; k < l.to; k++ {
		ok := true
		switch s.Value(r.tasks[k].x) {
		case 1:
			ok = r.delay(s, k, l.full) && r.advance(s, k, l.full)
		case 0:
			ok = r.tryOut(s, k, l.full)
		}
		if !ok {
			return false
		}
	}
	return true
}

// tabulate finds the spans that are full; false if more is held than there is.
func (r *timeTable) tabulate(s *core.Solver) bool {
	clear(r.change)
	for i := range r.levels {
		r.levels[i].full = r.levels[i].full[:0]
	}
	some := len(r.given) > 0
	for k := range r.tasks {
		u := &r.tasks[k]
		r.sure[k] = span{1, 0}
		if !s.IsTrue(u.x) {
			continue
		}
		at := span{
			r.pointFrom(min(s.Upper(u.from), u.fromSpan.hi) - u.before),
			r.pointBy(max(s.Lower(u.to), u.toSpan.lo) + u.after),
		}
		if at.lo <= at.hi {
			r.sure[k] = at
			r.change[at.lo] += u.need
			r.change[at.hi+1] -= u.need
			some = true
		}
	}
	if !some {
		return true
	}
	if !r.findRuns(s) {
		return false
	}
	for i := range r.levels {
		r.levels[i].findFull(r.runs, r.capacity)
	}
	return true
}

// findRuns adds up what is held; false if it is more than there is.
func (r *timeTable) findRuns(s *core.Solver) bool {
	runs, held := r.runs[:0], int64(0)
	for i, fixed := range r.fixed {
		held += r.change[i]
		point, all := int32(i), held+fixed
		if held > 0 && all > r.capacity {
			s.BeginExplanation()
			s.Note(nobody, r.timeOf(point))
			r.explainHeld(s, point, r.capacity+1)
			return s.Imply(core.False)
		}
		if n := len(runs); n > 0 && runs[n-1].held == all {
			runs[n-1].hi = point
		} else {
			runs = append(runs, run{span{point, point}, all})
		}
	}
	r.runs = runs
	return true
}

// findFull finds the spans of runs that are full for a need.
func (l *level) findFull(runs []run, capacity int64) {
	free, full := capacity-l.need, l.full[:0]
	for i := range runs {
		switch here, n := &runs[i], len(full); {
		case here.held <= free:
		case n > 0 && full[n-1].hi == here.lo-1:
			full[n-1].hi = here.hi
		default:
			full = append(full, here.span)
		}
	}
	l.full = full
}

// explainHeld explains that some units are held at a point, by those who hold most.
func (r *timeTable) explainHeld(s *core.Solver, point int32, units int64) {
	units -= r.fixed[point]
	for _, l := range slices.Backward(r.levels) {
		for k := l.from; k < l.to && units > 0; k++ {
			if r.sure[k].lo <= point && point <= r.sure[k].hi {
				r.explainThere(s, &r.tasks[k], r.timeOf(point))
				units -= l.need
			}
		}
	}
}

// explainThere explains that a task holds the resource at t.
func (r *timeTable) explainThere(s *core.Solver, u *optionalTask, t int32) {
	s.Explain(u.x)
	if u.fromSpan.hi > t+u.before {
		s.ExplainUpper(u.from, t+u.before)
	}
	if u.toSpan.lo < t-u.after {
		s.ExplainLower(u.to, t-u.after)
	}
}

// explainFull explains that there is too little left for task k at a point.
func (r *timeTable) explainFull(s *core.Solver, k int, point int32) {
	r.explainHeld(s, point, r.capacity-r.tasks[k].need+1)
}

// end is the least that to can be if x holds.
func (u *optionalTask) end(s *core.Solver) int32 {
	return max(s.Lower(u.to), u.toSpan.lo, max(s.Lower(u.from), u.fromSpan.lo)+u.gap)
}

// explainEndsFrom explains to ≥ at if x holds.
func (u *optionalTask) explainEndsFrom(s *core.Solver, at int32) {
	switch {
	case u.toSpan.lo >= at || u.fromSpan.lo+u.gap >= at:
	case s.Lower(u.to) >= at:
		s.ExplainLower(u.to, at)
	default:
		s.ExplainLower(u.from, at-u.gap)
	}
}

// delay makes a task begin after the full spans that it would be caught in.
func (r *timeTable) delay(s *core.Solver, k int, full []span) bool {
	u, sure := &r.tasks[k], r.sure[k]
	for _, span := range full {
		for {
			// The last point of the span at which it has not ended for sure,
			// before those at which it is counted itself.
			end := u.end(s)
			point := min(span.hi, r.pointBy(end+u.after))
			if sure.lo <= sure.hi {
				point = min(point, sure.lo-1)
			}
			t := r.timeOf(point)
			if point < span.lo || t+u.before < s.Lower(u.from) {
				break
			}
			s.BeginExplanation()
			s.Note(nobody, t)
			r.explainFull(s, k, point)
			s.Explain(u.x)
			u.explainEndsFrom(s, t-u.after)
			if !s.SetLower(u.from, t+u.before+1) {
				return false
			}
			if u.end(s) == end {
				break
			}
		}
	}
	return true
}

// advance makes a task end before the full spans that it would be caught in.
func (r *timeTable) advance(s *core.Solver, k int, full []span) bool {
	u, sure := &r.tasks[k], r.sure[k]
	for i := len(full) - 1; i >= 0; i-- {
		for {
			begin := min(s.Upper(u.from), u.fromSpan.hi)
			point := max(full[i].lo, r.pointFrom(begin-u.before))
			if sure.lo <= sure.hi {
				point = max(point, sure.hi+1)
			}
			t := r.timeOf(point)
			if point > full[i].hi || s.Upper(u.to) < t-u.after {
				break
			}
			s.BeginExplanation()
			s.Note(nobody, t)
			r.explainFull(s, k, point)
			s.Explain(u.x)
			if u.fromSpan.hi > t+u.before {
				s.ExplainUpper(u.from, t+u.before)
			}
			if !s.SetUpper(u.to, t-u.after-1) {
				return false
			}
			if min(s.Upper(u.from), u.fromSpan.hi) == begin {
				break
			}
		}
	}
	return true
}

// tryOut delays a task that may not be there, by itself, and rules it out if
// no time is left.
func (r *timeTable) tryOut(s *core.Solver, k int, full []span) bool {
	u := &r.tasks[k]
	begin := span{max(s.Lower(u.from), u.fromSpan.lo), min(s.Upper(u.from), u.fromSpan.hi)}
	end := u.end(s)
	r.steps = r.steps[:0]
	for _, span := range full {
		for {
			point := min(span.hi, r.pointBy(end+u.after))
			if point < span.lo || r.timeOf(point)+u.before < begin.lo {
				break
			}
			begin.lo = r.timeOf(point) + u.before + 1
			r.steps = append(r.steps, point)
			if begin.lo > begin.hi {
				return r.ruleOut(s, k)
			}
			if begin.lo+u.gap <= end {
				break
			}
			end = begin.lo + u.gap
		}
	}
	return true
}

// ruleOut excludes a task that the steps push beyond its window. That it has
// not ended at a step follows from the step before, or from its own bounds:
// then earlier steps are not needed.
func (r *timeTable) ruleOut(s *core.Solver, k int) bool {
	u := &r.tasks[k]
	s.BeginExplanation()
	s.Note(u.number)
	last := r.timeOf(r.steps[len(r.steps)-1])
	if u.fromSpan.hi > last+u.before {
		s.ExplainUpper(u.from, last+u.before)
	}
	for i := len(r.steps) - 1; i >= 0; i-- {
		point := r.steps[i]
		s.Note(r.timeOf(point))
		r.explainFull(s, k, point)
		if at := r.timeOf(point) - u.after; u.end(s) >= at {
			u.explainEndsFrom(s, at)
			break
		}
	}
	return s.Imply(u.x.Not())
}

// span is a closed range of times.
type span struct{ lo, hi int32 }

// far is later than all times of a question.
const far = int32(1) << 30

// nowhere is the empty span, to be joined with others.
var nowhere = span{far, -far}

// join makes a the least span that holds a and b.
func (a *span) join(b span) { a.lo, a.hi = min(a.lo, b.lo), max(a.hi, b.hi) }

// nobody stands in a record where a task is delayed that is there for sure, or more is
// held at a point than there is: then the point tells all. Otherwise what is noted is the
// task that is ruled out and the points that push it, the last one first.
const nobody = -1

// optionalTask may hold units of a resource: if x holds it does so at the points τ with
// from − before ≤ τ ≤ to + after.
type optionalTask struct {
	number        int32 // its number, for a record
	x             core.Lit
	need          int64
	from, to      core.View
	before, after int32
	// to ≥ from + gap.
	gap int32
	// fromSpan and toSpan are the windows of from and to, given x.
	fromSpan, toSpan span
}

// fixedTask holds units of a resource in [start, end), whatever is decided.
type fixedTask struct{ start, end, need int64 }

// resource has capacity units at each of the points first, first + step, ….
type resource struct {
	capacity    int64
	first, step int32
	// tasks are ordered by need.
	tasks []optionalTask
	given []fixedTask // what holds it whatever is decided
}
