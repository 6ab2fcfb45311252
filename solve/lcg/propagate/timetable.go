package propagate

import (
	"slices"

	"downbeat/solve/lcg/core"
)

// timeTable keeps users within the capacity of a resource at each of its points:
// cumulative with optional users. Explanations speak of one point in time (Schutt,
// Feydy, Stuckey and Wallace, Constraints 2011).
type timeTable struct {
	Resource
	// fixed is what fixed users hold, by point.
	fixed  []int64
	levels []level

	// What follows is computed anew in every run: the points at which a user is
	// there for sure (none if Lo > Hi), and how what they hold changes from point to
	// point.
	sure   []Span
	change []int64
	runs   []run
	steps  []int32
}

// run are points in a row at which as much is held.
type run struct {
	Span
	held int64
}

// level are the users [from, to) with the same need; full, computed anew in every
// run, are the spans of points that leave too little for it.
type level struct {
	need     int64
	from, to int
	full     []Span
}

// PostTimeTable keeps users within the capacity of a resource. It reports whether
// that can ever be exceeded; otherwise there is nothing to keep.
func PostTimeTable(s *core.Solver, resource Resource) bool {
	r := &timeTable{Resource: resource}
	if !r.tabulateFixed(s) {
		return false
	}
	r.change = make([]int64, len(r.fixed)+1)
	r.sure = make([]Span, len(r.Users))
	for k := range r.Users {
		if n := len(r.levels); n == 0 || r.levels[n-1].need < r.Users[k].Need {
			r.levels = append(r.levels, level{need: r.Users[k].Need, from: k})
		}
		r.levels[len(r.levels)-1].to = k + 1
	}
	id := s.Add(r)
	for k := range r.Users {
		u := &r.Users[k]
		s.OnTrue(u.X, id)
		s.OnChange(u.From, id, u.X.Not())
		if !u.To.SameInteger(u.From) {
			s.OnChange(u.To, id, u.X.Not())
		}
	}
	return true
}

// tabulateFixed finds the points at which users can be, and what is fixed there;
// false if there is enough for all, or no such point.
func (r *timeTable) tabulateFixed(s *core.Solver) bool {
	most := int64(0)
	first, last := far, int32(0)
	for k := range r.Users {
		u := &r.Users[k]
		most += u.Need
		first = min(first, s.Lower(u.From)-u.Before)
		last = max(last, s.Upper(u.To)+u.After)
	}
	for _, f := range r.Fixed {
		most += f.Need
	}
	if most <= r.Capacity {
		return false
	}
	r.First = r.timeOf(r.pointFrom(first))
	r.fixed = make([]int64, r.pointBy(last)+1)
	for _, f := range r.Fixed {
		for i := range r.fixed {
			if t := int64(r.timeOf(int32(i))); f.Start <= t && t < f.End {
				r.fixed[i] += f.Need
			}
		}
	}
	return len(r.fixed) > 0
}

// Priority is after the propagators that look at one task only.
func (r *timeTable) Priority() int { return 1 }

func (r *timeTable) timeOf(point int32) int32 { return r.First + point*r.Step }

// pointFrom is the first point at t or later.
func (r *timeTable) pointFrom(t int32) int32 {
	if t <= r.First {
		return 0
	}
	return (t - r.First + r.Step - 1) / r.Step
}

// pointBy is the last point at t or before, -1 if there is none.
func (r *timeTable) pointBy(t int32) int32 {
	if t < r.First {
		return -1
	}
	return (t - r.First) / r.Step
}

// Propagate keeps users away from the points that are full.
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
		switch s.Value(r.Users[k].X) {
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
	some := len(r.Fixed) > 0
	for k := range r.Users {
		u := &r.Users[k]
		r.sure[k] = Span{1, 0}
		if !s.IsTrue(u.X) {
			continue
		}
		at := Span{
			r.pointFrom(min(s.Upper(u.From), u.FromSpan.Hi) - u.Before),
			r.pointBy(max(s.Lower(u.To), u.ToSpan.Lo) + u.After),
		}
		if at.Lo <= at.Hi {
			r.sure[k] = at
			r.change[at.Lo] += u.Need
			r.change[at.Hi+1] -= u.Need
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
		r.findFull(&r.levels[i])
	}
	return true
}

// findRuns adds up what is held; false if it is more than there is.
func (r *timeTable) findRuns(s *core.Solver) bool {
	runs, held := r.runs[:0], int64(0)
	for i, fixed := range r.fixed {
		held += r.change[i]
		point, all := int32(i), held+fixed
		if held > 0 && all > r.Capacity {
			s.BeginExplanation()
			s.Note(Nobody, r.timeOf(point))
			r.explainHeld(s, point, r.Capacity+1)
			return s.Imply(core.False)
		}
		if n := len(runs); n > 0 && runs[n-1].held == all {
			runs[n-1].Hi = point
		} else {
			runs = append(runs, run{Span{point, point}, all})
		}
	}
	r.runs = runs
	return true
}

// findFull finds the spans that are full for a need.
func (r *timeTable) findFull(l *level) {
	free, full := r.Capacity-l.need, l.full
	for i := range r.runs {
		switch here, n := &r.runs[i], len(full); {
		case here.held <= free:
		case n > 0 && full[n-1].Hi == here.Lo-1:
			full[n-1].Hi = here.Hi
		default:
			full = append(full, here.Span)
		}
	}
	l.full = full
}

// explainHeld explains that some units are held at a point, by those who hold most.
func (r *timeTable) explainHeld(s *core.Solver, point int32, units int64) {
	units -= r.fixed[point]
	for _, l := range slices.Backward(r.levels) {
		for k := l.from; k < l.to && units > 0; k++ {
			if r.sure[k].Lo <= point && point <= r.sure[k].Hi {
				r.explainThere(s, &r.Users[k], r.timeOf(point))
				units -= l.need
			}
		}
	}
}

// explainThere explains that a user holds the resource at t.
func (r *timeTable) explainThere(s *core.Solver, u *User, t int32) {
	s.Explain(u.X)
	if u.FromSpan.Hi > t+u.Before {
		s.ExplainUpper(u.From, t+u.Before)
	}
	if u.ToSpan.Lo < t-u.After {
		s.ExplainLower(u.To, t-u.After)
	}
}

// explainFull explains that there is too little left for user k at a point.
func (r *timeTable) explainFull(s *core.Solver, k int, point int32) {
	r.explainHeld(s, point, r.Capacity-r.Users[k].Need+1)
}

// end is the least that To can be if X holds.
func (u *User) end(s *core.Solver) int32 {
	return max(s.Lower(u.To), u.ToSpan.Lo, max(s.Lower(u.From), u.FromSpan.Lo)+u.Gap)
}

// explainEndsFrom explains To ≥ at if X holds.
func (u *User) explainEndsFrom(s *core.Solver, at int32) {
	switch {
	case u.ToSpan.Lo >= at || u.FromSpan.Lo+u.Gap >= at:
	case s.Lower(u.To) >= at:
		s.ExplainLower(u.To, at)
	default:
		s.ExplainLower(u.From, at-u.Gap)
	}
}

// delay makes a user begin after the full spans that it would be caught in.
func (r *timeTable) delay(s *core.Solver, k int, full []Span) bool {
	u, sure := &r.Users[k], r.sure[k]
	for _, span := range full {
		for {
			// The last point of the span at which it has not ended for sure,
			// before those at which it is counted itself.
			end := u.end(s)
			point := min(span.Hi, r.pointBy(end+u.After))
			if sure.Lo <= sure.Hi {
				point = min(point, sure.Lo-1)
			}
			t := r.timeOf(point)
			if point < span.Lo || t+u.Before < s.Lower(u.From) {
				break
			}
			s.BeginExplanation()
			s.Note(Nobody, t)
			r.explainFull(s, k, point)
			s.Explain(u.X)
			u.explainEndsFrom(s, t-u.After)
			if !s.SetLower(u.From, t+u.Before+1) {
				return false
			}
			if u.end(s) == end {
				break
			}
		}
	}
	return true
}

// advance makes a user end before the full spans that it would be caught in.
func (r *timeTable) advance(s *core.Solver, k int, full []Span) bool {
	u, sure := &r.Users[k], r.sure[k]
	for i := len(full) - 1; i >= 0; i-- {
		for {
			begin := min(s.Upper(u.From), u.FromSpan.Hi)
			point := max(full[i].Lo, r.pointFrom(begin-u.Before))
			if sure.Lo <= sure.Hi {
				point = max(point, sure.Hi+1)
			}
			t := r.timeOf(point)
			if point > full[i].Hi || s.Upper(u.To) < t-u.After {
				break
			}
			s.BeginExplanation()
			s.Note(Nobody, t)
			r.explainFull(s, k, point)
			s.Explain(u.X)
			if u.FromSpan.Hi > t+u.Before {
				s.ExplainUpper(u.From, t+u.Before)
			}
			if !s.SetUpper(u.To, t-u.After-1) {
				return false
			}
			if min(s.Upper(u.From), u.FromSpan.Hi) == begin {
				break
			}
		}
	}
	return true
}

// tryOut delays a user that may not be there, by itself, and rules it out if
// no time is left.
func (r *timeTable) tryOut(s *core.Solver, k int, full []Span) bool {
	u := &r.Users[k]
	begin := Span{max(s.Lower(u.From), u.FromSpan.Lo), min(s.Upper(u.From), u.FromSpan.Hi)}
	end := u.end(s)
	r.steps = r.steps[:0]
	for _, span := range full {
		for {
			point := min(span.Hi, r.pointBy(end+u.After))
			if point < span.Lo || r.timeOf(point)+u.Before < begin.Lo {
				break
			}
			begin.Lo = r.timeOf(point) + u.Before + 1
			r.steps = append(r.steps, point)
			if begin.Lo > begin.Hi {
				return r.ruleOut(s, k)
			}
			if begin.Lo+u.Gap <= end {
				break
			}
			end = begin.Lo + u.Gap
		}
	}
	return true
}

// ruleOut excludes a user that the steps push beyond its window. That it has
// not ended at a step follows from the step before, or from its own bounds:
// then earlier steps are not needed.
func (r *timeTable) ruleOut(s *core.Solver, k int) bool {
	u := &r.Users[k]
	s.BeginExplanation()
	s.Note(u.Task)
	last := r.timeOf(r.steps[len(r.steps)-1])
	if u.FromSpan.Hi > last+u.Before {
		s.ExplainUpper(u.From, last+u.Before)
	}
	for i := len(r.steps) - 1; i >= 0; i-- {
		point := r.steps[i]
		s.Note(r.timeOf(point))
		r.explainFull(s, k, point)
		if at := r.timeOf(point) - u.After; u.end(s) >= at {
			u.explainEndsFrom(s, at)
			break
		}
	}
	return s.Imply(u.X.Not())
}

// Span is a closed range of times.
type Span struct{ Lo, Hi int32 }

// far is later than all times of a question.
const far = int32(1) << 30

// Nowhere is the empty span, to be joined with others.
var Nowhere = Span{far, -far}

// Join makes a the least span that holds a and b.
func (a *Span) Join(b Span) { a.Lo, a.Hi = min(a.Lo, b.Lo), max(a.Hi, b.Hi) }

// Nobody stands in a record where a user is delayed that is there for sure, or more is
// held at a point than there is: then the point tells all. Otherwise what is noted is the
// task that is ruled out and the points that push it, the last one first.
const Nobody = -1

// User may hold units of a resource: if X holds it does so at the points τ with
// From − Before ≤ τ ≤ To + After.
type User struct {
	Task          int32 // its number, for a record
	X             core.Lit
	Need          int64
	From, To      core.View
	Before, After int32
	// To ≥ From + Gap.
	Gap int32
	// FromSpan and ToSpan are the windows of From and To, given X.
	FromSpan, ToSpan Span
}

// Fixed holds units of a resource in [Start, End), whatever is decided.
type Fixed struct{ Start, End, Need int64 }

// Resource has Capacity units at each of the points First, First + Step, ….
type Resource struct {
	Capacity    int64
	First, Step int32
	// Users are ordered by Need.
	Users []User
	Fixed []Fixed
}
