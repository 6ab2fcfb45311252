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
	profile
	needs []span // tasks, by number in tasks, that need as much as each other
	steps []int32

	// now is what is known of each task, for which sure holds; seen what was known of it when its points were looked at
	// last. Tasks of which nothing else is known now need a look only where more is held than then, at points in raised.
	now, seen []known
	raised    span
	// settled: that run went over all tasks.
	settled bool
}

// known is what a time table knows of a task: whether it is there, and when it begins and ends to hold the resource,
// by the bounds of from and to.
type known struct {
	there    int8
	from, to span
}

// postTimeTable keeps tasks within the capacity of a resource. It reports whether
// that can ever be exceeded; otherwise there is nothing to keep.
func postTimeTable(s *core.Solver, of resource) bool {
	r := &timeTable{resource: of}
	if !r.tabulateFixed(s) {
		return false
	}
	r.forTasks(len(r.tasks))
	r.now, r.seen = make([]known, len(r.tasks)), make([]known, len(r.tasks))
	for k := range r.tasks {
		if at := int32(k); k == 0 || r.tasks[k-1].need < r.tasks[k].need {
			r.needs = append(r.needs, span{at, at})
		} else {
			r.needs[len(r.needs)-1].hi = at
		}
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
	r.addGiven()
	return len(r.fixed) > 0
}

// addGiven adds up what is fixed, as it changes from point to point: of a pool it is thousands of tasks in large neighbourhoods.
func (r *timeTable) addGiven() {
	points := len(r.fixed)
	change := make([]int64, points+1)
	point := func(t int64) int32 {
		return r.pointFrom(int32(min(max(t, int64(r.first)), int64(r.timeOf(int32(points))))))
	}
	for _, f := range r.given {
		change[point(f.start)] += f.need
		change[point(f.end)] -= f.need
	}
	held := int64(0)
	for i := range r.fixed {
		held += change[i]
		r.fixed[i] = held
	}
}

// Priority is after the propagators that look at one task only.
func (r *timeTable) Priority() int { return 1 }

func (r *timeTable) timeOf(point int32) int32 { return r.first + point*r.step }

// pointFrom is the first point at t or later.
func (r *timeTable) pointFrom(t int32) int32 {
	switch {
	case t <= r.first:
		return 0
	case r.step == 1:
		return t - r.first // divisions are slow
	}
	return (t - r.first + r.step - 1) / r.step
}

// pointBy is the last point at t or before, -1 if there is none.
func (r *timeTable) pointBy(t int32) int32 {
	switch {
	case t < r.first:
		return -1
	case r.step == 1:
		return t - r.first
	}
	return (t - r.first) / r.step
}

// Propagate keeps tasks away from the points that are full.
func (r *timeTable) Propagate(s *core.Solver) bool {
	if r.tabulate(s); !r.keepTo(s) {
		return false
	}
	all := !r.settled
	r.settled = false
	first := len(r.tasks)
	for first > 0 && r.tasks[first-1].need+r.most > r.capacity {
		first-- // by ascending need: for those further ahead there is enough everywhere
	}
	for k := first; k < len(r.tasks); k++ {
		u, now := &r.tasks[k], &r.now[k]
		if !all && *now == r.seen[k] && (r.raised.hi < r.pointFrom(now.from.lo-u.before) || r.raised.lo > r.pointBy(now.to.hi+u.after)) {
			continue
		}
		if !r.keepAway(s, k) {
			return false
		}
		r.seen[k] = u.known(s)
	}
	r.settled, r.raised = true, nowhere
	return true
}

// known is what is known of a task now.
func (u *optionalTask) known(s *core.Solver) known {
	lo, hi := s.Bounds(u.from)
	from := span{max(lo, u.fromSpan.lo), min(hi, u.fromSpan.hi)}
	if u.to == u.from {
		return known{s.Value(u.x), from, from}
	}
	lo, hi = s.Bounds(u.to)
	return known{s.Value(u.x), from, span{max(lo, u.toSpan.lo), min(hi, u.toSpan.hi)}}
}

func (r *timeTable) keepAway(s *core.Solver, k int) bool {
	switch s.Value(r.tasks[k].x) {
	case 1:
		return r.delay(s, k) && r.advance(s, k)
	case 0:
		return r.tryOut(s, k)
	}
	return true
}

// keepTo is false if more is held at a point than there is.
func (r *timeTable) keepTo(s *core.Solver) bool {
	point := r.findRuns(r.capacity)
	if point < 0 {
		return true
	}
	s.BeginExplanation()
	s.Note(nobody, r.timeOf(point))
	// What is fixed alone may be more than there is, and refutes nothing.
	r.explainHeld(s, point, max(r.capacity, r.fixed[point])+1)
	return s.Imply(core.False)
}

// tabulate finds the points at which tasks are there for sure.
func (r *timeTable) tabulate(s *core.Solver) {
	for k := range r.tasks {
		u := &r.tasks[k]
		now := u.known(s)
		if now == r.now[k] {
			continue
		}
		r.now[k] = now
		at := none
		if now.there > 0 {
			at = span{r.pointFrom(now.from.hi - u.before), r.pointBy(now.to.lo + u.after)}
			if at.lo > at.hi {
				at = none
			}
		}
		if was := r.sure[k]; at != was {
			r.raise(was, at)
			r.move(k, at, u.need)
		}
	}
}

// raise notes that a task holds the resource at other points than before.
func (r *timeTable) raise(was, at span) {
	switch {
	case at == none:
	case was == none || at.hi < was.lo || was.hi < at.lo:
		r.raised.join(at)
	default:
		if at.lo < was.lo {
			r.raised.join(span{at.lo, was.lo - 1})
		}
		if at.hi > was.hi {
			r.raised.join(span{was.hi + 1, at.hi})
		}
	}
}

// explainHeld explains that some units are held at a point, by those who hold most.
func (r *timeTable) explainHeld(s *core.Solver, point int32, units int64) {
	units -= r.fixed[point]
	for _, same := range slices.Backward(r.needs) {
		for k := same.lo; k <= same.hi && units > 0; k++ {
			if r.sure[k].lo <= point && point <= r.sure[k].hi {
				r.explainThere(s, &r.tasks[k], r.timeOf(point))
				units -= r.tasks[k].need
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

// explainCaught begins the explanation of what becomes of a task that is there, and for which too little is free at a point;
// it tells the time of that.
func (r *timeTable) explainCaught(s *core.Solver, k int, point int32) (t int32) {
	t = r.timeOf(point)
	s.BeginExplanation()
	s.Note(nobody, t)
	r.explainFull(s, k, point)
	s.Explain(r.tasks[k].x)
	return t
}

// begin is when from can be if x holds.
func (u *optionalTask) begin(s *core.Solver) span {
	return span{max(s.Lower(u.from), u.fromSpan.lo), min(s.Upper(u.from), u.fromSpan.hi)}
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

// delay makes a task begin after the points at which it would be caught.
func (r *timeTable) delay(s *core.Solver, k int) bool {
	u, sure := &r.tasks[k], r.sure[k]
	for {
		// The last point at which it has not ended for sure, before those at which it is counted itself.
		in := span{r.pointFrom(u.begin(s).lo - u.before), r.pointBy(u.end(s) + u.after)}
		if sure != none {
			in.hi = min(in.hi, sure.lo-1)
		}
		point := r.lastAbove(r.capacity-u.need, in)
		if point < 0 {
			return true
		}
		t := r.explainCaught(s, k, point)
		u.explainEndsFrom(s, t-u.after)
		if !s.SetLower(u.from, t+u.before+1) {
			return false
		}
	}
}

// advance makes a task end before the points at which it would be caught.
func (r *timeTable) advance(s *core.Solver, k int) bool {
	u, sure := &r.tasks[k], r.sure[k]
	for {
		in := span{r.pointFrom(u.begin(s).hi - u.before), r.pointBy(min(s.Upper(u.to), u.toSpan.hi) + u.after)}
		if sure != none {
			in.lo = max(in.lo, sure.hi+1)
		}
		point := r.firstAbove(r.capacity-u.need, in)
		if point < 0 {
			return true
		}
		t := r.explainCaught(s, k, point)
		if u.fromSpan.hi > t+u.before {
			s.ExplainUpper(u.from, t+u.before)
		}
		if !s.SetUpper(u.to, t-u.after-1) {
			return false
		}
	}
}

// tryOut delays a task that may not be there, by itself, and rules it out if
// no time is left.
func (r *timeTable) tryOut(s *core.Solver, k int) bool {
	u := &r.tasks[k]
	begin, end := u.begin(s), u.end(s)
	r.steps = r.steps[:0]
	for {
		point := r.lastAbove(r.capacity-u.need, span{r.pointFrom(begin.lo - u.before), r.pointBy(end + u.after)})
		if point < 0 {
			return true
		}
		begin.lo = r.timeOf(point) + u.before + 1
		r.steps = append(r.steps, point)
		if begin.lo > begin.hi {
			return r.ruleOut(s, k)
		}
		end = max(end, begin.lo+u.gap)
	}
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

// length is how many steps of a tick there are from one end to the other, 0 for nowhere.
func (a *span) length() int64 { return max(0, int64(a.hi)-int64(a.lo)) }

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
