package lcg

// place is one task on one slave that it can run on in time.
type place struct {
	slave          int32
	wcet, transfer int32
	// The window: fetch and start keep to it if the task runs here.
	firstFetch, lastStart int32
	// tied: R = S − C.
	tied bool
	// x: the task runs here.
	x lit
	// Heartbeats of the slave are at firstBeat, firstBeat + between, …
	firstBeat, between int32
}

func (p *place) firstStart() int32 { return p.firstFetch + p.transfer }
func (p *place) lastFetch() int32  { return p.lastStart - p.transfer }

// beatFrom is the first heartbeat at t or later.
func (p *place) beatFrom(t int32) int32 {
	if t <= p.firstBeat {
		return p.firstBeat
	}
	return p.firstBeat + (t-p.firstBeat+p.between-1)/p.between*p.between
}

// beatBy is the last heartbeat at t or before; for t before the first, a time
// before t.
func (p *place) beatBy(t int32) int32 {
	if t < p.firstBeat {
		return min(t, p.firstBeat-p.between)
	}
	return p.firstBeat + (t-p.firstBeat)/p.between*p.between
}

// taskRule ties the start, fetch and finish of a task to its slave and to the
// gate before its stage. For every place that is left:
//
//	x → firstStart ≤ S ≤ lastStart, firstFetch ≤ R
//	x → S ≥ R + C (= if tied), F = S + E
//	x → R ≥ first heartbeat at G or later
//
// and what all places that are left agree on holds if the task is placed at all.
type taskRule struct {
	places               []place
	start, fetch, finish num
	on                   lit
	gated                bool
	gate                 num
}

func (r *taskRule) priority() int { return 0 }

// span is a closed range of times.
type span struct{ lo, hi int32 }

const far = int32(1) << 30

func (a *span) join(b span) { a.lo, a.hi = min(a.lo, b.lo), max(a.hi, b.hi) }

// reach is where start, fetch, finish can be, and the last heartbeat.
type reach struct {
	start, fetch, finish span
	lastBeat             int32
}

func (r *taskRule) run(s *solver) bool {
	none := span{far, -far}
	all := reach{none, none, none, -far}
	for k := range r.places {
		p := &r.places[k]
		if s.isFalse(p.x) {
			continue
		}
		here := r.reach(s, p)
		if here.start.lo > here.start.hi || here.fetch.lo > here.fetch.hi {
			if !r.ruleOut(s, p, &here) {
				return false
			}
			continue
		}
		all.start.join(here.start)
		all.fetch.join(here.fetch)
		all.finish.join(here.finish)
		all.lastBeat = max(all.lastBeat, here.lastBeat)
	}
	if !s.isTrue(r.on) || all.start == none {
		return true // not placed, or a clause says so
	}
	return r.bound(s, &all)
}

func (r *taskRule) reach(s *solver, p *place) reach {
	ready := r.ready(s, p)
	var out reach
	out.start.lo = max(p.firstStart(), s.lower(r.start), s.lower(r.fetch)+p.transfer, s.lower(r.finish)-p.wcet, ready+p.transfer)
	out.start.hi = min(p.lastStart, s.upper(r.start), s.upper(r.finish)-p.wcet)
	out.fetch.lo = max(s.lower(r.fetch), ready)
	if p.tied {
		out.start.hi = min(out.start.hi, s.upper(r.fetch)+p.transfer)
		out.fetch.lo = max(out.fetch.lo, out.start.lo-p.transfer)
	}
	out.fetch.hi = min(s.upper(r.fetch), out.start.hi-p.transfer)
	out.finish = span{out.start.lo + p.wcet, out.start.hi + p.wcet}
	out.lastBeat = p.beatBy(out.fetch.hi)
	return out
}

// ready is the first heartbeat of a place that window and gate allow.
func (r *taskRule) ready(s *solver, p *place) int32 {
	if !r.gated {
		return p.firstFetch
	}
	return max(p.firstFetch, p.beatFrom(s.lower(r.gate)))
}

// ruleOut excludes a place where start or fetch has no room.
func (r *taskRule) ruleOut(s *solver, p *place, here *reach) bool {
	s.because = s.because[:0]
	if at := here.start.hi; here.start.lo > at {
		r.whyStartFrom(s, p, at+1)
		r.whyStartBy(s, p, at)
	} else {
		at := here.fetch.hi
		r.whyFetchFrom(s, p, at+1)
		r.whyFetchBy(s, p, at)
	}
	return s.imply(p.x.not())
}

// bound tightens bounds to what the places that are left agree on.
func (r *taskRule) bound(s *solver, all *reach) bool {
	start, fetch, finish := all.start, all.fetch, all.finish
	return r.raise(s, r.start, start.lo, startFrom, func(*place) int32 { return start.lo }) &&
		r.cut(s, r.start, start.hi, startBy, func(*place) int32 { return start.hi }) &&
		r.raise(s, r.fetch, fetch.lo, fetchFrom, func(*place) int32 { return fetch.lo }) &&
		r.cut(s, r.fetch, fetch.hi, fetchBy, func(*place) int32 { return fetch.hi }) &&
		r.raise(s, r.finish, finish.lo, startFrom, func(p *place) int32 { return finish.lo - p.wcet }) &&
		r.cut(s, r.finish, finish.hi, startBy, func(p *place) int32 { return finish.hi - p.wcet }) &&
		(!r.gated || r.cut(s, r.gate, all.lastBeat, fetchBy, func(p *place) int32 { return p.beatFrom(all.lastBeat+1) - 1 }))
}

func (r *taskRule) raise(s *solver, v num, to int32, c claim, at func(p *place) int32) bool {
	if to <= s.lower(v) {
		return true
	}
	r.whyAll(s, c, at)
	return s.raise(v, to)
}

func (r *taskRule) cut(s *solver, v num, to int32, c claim, at func(p *place) int32) bool {
	if to >= s.upper(v) {
		return true
	}
	r.whyAll(s, c, at)
	return s.cut(v, to)
}

// claim is a bound on the start or fetch of the task on a place.
type claim struct {
	always func(p *place, at int32) bool // the window alone sees to it
	why    func(r *taskRule, s *solver, p *place, at int32)
}

var (
	startFrom = claim{func(p *place, at int32) bool { return p.firstStart() >= at }, (*taskRule).whyStartFrom}
	startBy   = claim{func(p *place, at int32) bool { return p.lastStart <= at }, (*taskRule).whyStartBy}
	fetchFrom = claim{func(p *place, at int32) bool { return p.firstFetch >= at }, (*taskRule).whyFetchFrom}
	fetchBy   = claim{func(p *place, at int32) bool { return p.lastFetch() <= at }, (*taskRule).whyFetchBy}
)

// whyAll explains a claim for whichever place it is: by the one that is sure,
// or for each one by its window, by its being ruled out, or by bounds.
func (r *taskRule) whyAll(s *solver, c claim, at func(p *place) int32) {
	s.because = s.because[:0]
	for k := range r.places {
		if p := &r.places[k]; s.isTrue(p.x) {
			s.why(p.x)
			c.why(r, s, p, at(p))
			return
		}
	}
	s.why(r.on)
	for k := range r.places {
		p := &r.places[k]
		switch here := at(p); {
		case c.always(p, here):
		case s.isFalse(p.x):
			s.why(p.x.not())
		default:
			c.why(r, s, p, here)
		}
	}
}

// whyStartFrom explains S ≥ at if the task runs at p.
func (r *taskRule) whyStartFrom(s *solver, p *place, at int32) {
	switch {
	case p.firstStart() >= at:
	case s.lower(r.start) >= at:
		s.whyLower(r.start, at)
	case r.ready(s, p)+p.transfer >= at:
		s.whyLower(r.gate, p.beatBy(at-p.transfer-1)+1)
	case s.lower(r.fetch)+p.transfer >= at:
		s.whyLower(r.fetch, at-p.transfer)
	default:
		s.whyLower(r.finish, at+p.wcet)
	}
}

// whyStartBy explains S ≤ at if the task runs at p.
func (r *taskRule) whyStartBy(s *solver, p *place, at int32) {
	switch {
	case p.lastStart <= at:
	case s.upper(r.start) <= at:
		s.whyUpper(r.start, at)
	case s.upper(r.finish) <= at+p.wcet:
		s.whyUpper(r.finish, at+p.wcet)
	default:
		s.whyUpper(r.fetch, at-p.transfer)
	}
}

// whyFetchFrom explains R ≥ at if the task runs at p.
func (r *taskRule) whyFetchFrom(s *solver, p *place, at int32) {
	switch {
	case p.firstFetch >= at:
	case s.lower(r.fetch) >= at:
		s.whyLower(r.fetch, at)
	case r.ready(s, p) >= at:
		s.whyLower(r.gate, p.beatBy(at-1)+1)
	default:
		r.whyStartFrom(s, p, at+p.transfer)
	}
}

// whyFetchBy explains R ≤ at if the task runs at p.
func (r *taskRule) whyFetchBy(s *solver, p *place, at int32) {
	switch {
	case p.lastFetch() <= at:
	case s.upper(r.fetch) <= at:
		s.whyUpper(r.fetch, at)
	default:
		r.whyStartBy(s, p, at+p.transfer)
	}
}

// orderRule keeps each of before at or below after.
type orderRule struct {
	before []num
	after  num
}

func (r *orderRule) priority() int { return 0 }

func (r *orderRule) run(s *solver) bool {
	for _, b := range r.before {
		if at := s.lower(b); at > s.lower(r.after) {
			s.because = s.because[:0]
			s.whyLower(b, at)
			if !s.raise(r.after, at) {
				return false
			}
		}
		if at := s.upper(r.after); at < s.upper(b) {
			s.because = s.because[:0]
			s.whyUpper(r.after, at)
			if !s.cut(b, at) {
				return false
			}
		}
	}
	return true
}
