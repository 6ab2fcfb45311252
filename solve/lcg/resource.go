package lcg

// user may use a resource of a slave: if x holds it does so at the points τ with
// from − before ≤ τ ≤ to + after.
type user struct {
	x             lit
	from, to      num
	before, after int32
	// to ≥ from + gap.
	gap int32
	// Windows of from and to, given x.
	fromSpan, toSpan span
}

// resourceRule is the time table of a resource: at most capacity users at each
// of the points first, first + step, ….
type resourceRule struct {
	users       []user
	capacity    int32
	first, step int32
	// held is what tasks outside the question take, by point.
	held    []int32
	anyHeld bool

	// What follows is computed anew in every run: the points at which a user is
	// there for sure (none if lo > hi), how their number changes from point to
	// point, the spans of points that are full.
	sure   []span
	change []int32
	full   []span
	steps  []int32
}

func (r *resourceRule) priority() int { return 1 }

func (r *resourceRule) timeOf(point int32) int32 { return r.first + point*r.step }

// pointFrom is the first point at t or later.
func (r *resourceRule) pointFrom(t int32) int32 {
	if t <= r.first {
		return 0
	}
	return (t - r.first + r.step - 1) / r.step
}

// pointBy is the last point at t or before, -1 if there is none.
func (r *resourceRule) pointBy(t int32) int32 {
	if t < r.first {
		return -1
	}
	return (t - r.first) / r.step
}

func (r *resourceRule) run(s *solver) bool {
	if !r.tabulate(s) {
		return false
	}
	if len(r.full) == 0 {
		return true
	}
	for k := range r.users {
		ok := true
		switch s.vals[r.users[k].x] {
		case 1:
			ok = r.delay(s, k) && r.advance(s, k)
		case 0:
			ok = r.tryOut(s, k)
		}
		if !ok {
			return false
		}
	}
	return true
}

// tabulate finds the spans that are full; false if one is more than that.
func (r *resourceRule) tabulate(s *solver) bool {
	clear(r.change)
	r.full = r.full[:0]
	some := r.anyHeld
	for k := range r.users {
		u := &r.users[k]
		r.sure[k] = span{1, 0}
		if !s.isTrue(u.x) {
			continue
		}
		at := span{
			r.pointFrom(min(s.upper(u.from), u.fromSpan.hi) - u.before),
			r.pointBy(max(s.lower(u.to), u.toSpan.lo) + u.after),
		}
		if at.lo <= at.hi {
			r.sure[k] = at
			r.change[at.lo]++
			r.change[at.hi+1]--
			some = true
		}
	}
	if !some {
		return true
	}
	users := int32(0)
	for i, held := range r.held {
		users += r.change[i]
		point := int32(i)
		switch n := len(r.full); {
		case users > 0 && users+held > r.capacity:
			s.because = s.because[:0]
			r.whyTaken(s, point, r.capacity+1)
			return s.imply(no)
		case users+held < r.capacity:
		case n > 0 && r.full[n-1].hi == point-1:
			r.full[n-1].hi = point
		default:
			r.full = append(r.full, span{point, point})
		}
	}
	return true
}

// whyTaken explains that amount of the capacity is taken at a point.
func (r *resourceRule) whyTaken(s *solver, point, amount int32) {
	amount -= r.held[point]
	t := r.timeOf(point)
	for k := range r.users {
		if amount <= 0 {
			return
		}
		if r.sure[k].lo > point || r.sure[k].hi < point {
			continue
		}
		u := &r.users[k]
		s.why(u.x)
		if u.fromSpan.hi > t+u.before {
			s.whyUpper(u.from, t+u.before)
		}
		if u.toSpan.lo < t-u.after {
			s.whyLower(u.to, t-u.after)
		}
		amount--
	}
}

// end is the least that to can be if x holds.
func (u *user) end(s *solver) int32 {
	return max(s.lower(u.to), u.toSpan.lo, max(s.lower(u.from), u.fromSpan.lo)+u.gap)
}

// whyEndsFrom explains to ≥ at if x holds.
func (u *user) whyEndsFrom(s *solver, at int32) {
	switch {
	case u.toSpan.lo >= at || u.fromSpan.lo+u.gap >= at:
	case s.lower(u.to) >= at:
		s.whyLower(u.to, at)
	default:
		s.whyLower(u.from, at-u.gap)
	}
}

// delay makes a user begin after the full spans that it would be caught in.
func (r *resourceRule) delay(s *solver, k int) bool {
	u, sure := &r.users[k], r.sure[k]
	for _, full := range r.full {
		for {
			// The last point of the span at which it has not ended for sure,
			// before those at which it is counted itself.
			end := u.end(s)
			point := min(full.hi, r.pointBy(end+u.after))
			if sure.lo <= sure.hi {
				point = min(point, sure.lo-1)
			}
			t := r.timeOf(point)
			if point < full.lo || t+u.before < s.lower(u.from) {
				break
			}
			s.because = s.because[:0]
			r.whyTaken(s, point, r.capacity)
			s.why(u.x)
			u.whyEndsFrom(s, t-u.after)
			if !s.raise(u.from, t+u.before+1) {
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
func (r *resourceRule) advance(s *solver, k int) bool {
	u, sure := &r.users[k], r.sure[k]
	for i := len(r.full) - 1; i >= 0; i-- {
		full := r.full[i]
		for {
			begin := min(s.upper(u.from), u.fromSpan.hi)
			point := max(full.lo, r.pointFrom(begin-u.before))
			if sure.lo <= sure.hi {
				point = max(point, sure.hi+1)
			}
			t := r.timeOf(point)
			if point > full.hi || s.upper(u.to) < t-u.after {
				break
			}
			s.because = s.because[:0]
			r.whyTaken(s, point, r.capacity)
			s.why(u.x)
			if u.fromSpan.hi > t+u.before {
				s.whyUpper(u.from, t+u.before)
			}
			if !s.cut(u.to, t-u.after-1) {
				return false
			}
			if min(s.upper(u.from), u.fromSpan.hi) == begin {
				break
			}
		}
	}
	return true
}

// tryOut delays a user that may not be there, by itself, and rules it out if
// no room is left.
func (r *resourceRule) tryOut(s *solver, k int) bool {
	u := &r.users[k]
	begin := span{max(s.lower(u.from), u.fromSpan.lo), min(s.upper(u.from), u.fromSpan.hi)}
	end := u.end(s)
	r.steps = r.steps[:0]
	for _, full := range r.full {
		for {
			point := min(full.hi, r.pointBy(end+u.after))
			if point < full.lo || r.timeOf(point)+u.before < begin.lo {
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

// ruleOut excludes a user that the steps push beyond its window. That it has
// not ended at a step follows from the step before, or from its own bounds:
// then earlier steps are not needed.
func (r *resourceRule) ruleOut(s *solver, k int) bool {
	u := &r.users[k]
	s.because = s.because[:0]
	last := r.timeOf(r.steps[len(r.steps)-1])
	if u.fromSpan.hi > last+u.before {
		s.whyUpper(u.from, last+u.before)
	}
	for i := len(r.steps) - 1; i >= 0; i-- {
		point := r.steps[i]
		r.whyTaken(s, point, r.capacity)
		if at := r.timeOf(point) - u.after; u.end(s) >= at {
			u.whyEndsFrom(s, at)
			break
		}
	}
	return s.imply(u.x.not())
}
