package lcg

import "downbeat/solve/lcg/core"

// place is one task on one slave that it can run on in time.
type place struct {
	slave          int32
	wcet, transfer int32
	// The window: fetch and start keep to it if the task runs here.
	firstFetch, lastStart int32
	// tied: R = S − C.
	tied bool
	// x: the task runs here.
	x core.Lit
	// Heartbeats of the slave are at firstBeat, firstBeat + beat, …; firstFetch ≥ firstBeat.
	firstBeat, beat int32
}

// fetches is when the task can be fetched here.
func (p *place) fetches() span { return span{p.firstFetch, p.lastFetch()} }

// starts is when the task can start here.
func (p *place) starts() span { return span{p.firstStart(), p.lastStart} }

// finishes is when the task can finish here.
func (p *place) finishes() span { return span{p.firstStart() + p.wcet, p.lastStart + p.wcet} }

func (p *place) firstStart() int32 { return p.firstFetch + p.transfer }
func (p *place) lastFetch() int32  { return p.lastStart - p.transfer }

// beatFrom is the first heartbeat at t or later.
func (p *place) beatFrom(t int32) int32 {
	switch {
	case t <= p.firstBeat:
		return p.firstBeat
	case p.beat == 1:
		return t // divisions are slow
	}
	return p.firstBeat + (t-p.firstBeat+p.beat-1)/p.beat*p.beat
}

// beatBy is the last heartbeat at t or before; for t before the first, a time
// before t.
func (p *place) beatBy(t int32) int32 {
	switch {
	case t < p.firstBeat:
		return min(t, p.firstBeat-p.beat)
	case p.beat == 1:
		return t
	}
	return p.firstBeat + (t-p.firstBeat)/p.beat*p.beat
}

// taskVars is what is to be found out about one task: where it runs, and when.
type taskVars struct {
	places               []place
	start, fetch, finish core.View
	// on: the task is placed. Then it runs at one of its places, for which a clause
	// has to see.
	on core.Lit
	// completions are, of each stage before, by when it has finished.
	completions []core.View
}

// taskPropagator ties the start, fetch and finish of a task to its slave and to the
// completions G of the stages before. For every place that is left:
//
//	x → firstStart ≤ S ≤ lastStart, firstFetch ≤ R
//	x → S ≥ R + C (= if tied), F = S + E
//	x → R ≥ first heartbeat at G or later, for every G
//
// and what all places that are left agree on holds if the task is placed at all
// (constructive disjunction).
type taskPropagator struct {
	taskVars
	// pinned: it has one place, and fetch and finish are the start plus a constant.
	pinned bool
}

// postTask ties the variables of a task with places to each other.
func postTask(s *core.Solver, t *taskVars) {
	r := &taskPropagator{taskVars: *t}
	r.pinned = len(t.places) == 1 && t.fetch.SameInteger(t.start) && t.finish.SameInteger(t.start)
	id := s.Add(r)
	s.OnTrue(t.on, id)
	if r.pinned {
		s.OnUpper(t.start, id, core.False)
		for _, g := range t.completions {
			s.OnLower(g, id, core.False)
		}
		return
	}
	s.OnChange(t.start, id, core.False)
	if !t.fetch.SameInteger(t.start) {
		s.OnChange(t.fetch, id, core.False)
	}
	if !t.finish.SameInteger(t.start) {
		s.OnChange(t.finish, id, core.False)
	}
	for _, g := range t.completions {
		s.OnChange(g, id, core.False)
	}
	for k := range t.places {
		s.OnTrue(t.places[k].x, id)
		s.OnTrue(t.places[k].x.Not(), id)
	}
}

// Priority is first.
func (r *taskPropagator) Priority() int { return 0 }

// reach is where start, fetch, finish can be, and the last heartbeat.
type reach struct {
	start, fetch, finish span
	lastBeat             int32
}

// Propagate rules out places and tightens bounds.
func (r *taskPropagator) Propagate(s *core.Solver) bool {
	if r.pinned && s.IsTrue(r.on) {
		p := &r.places[0]
		from, by := r.ready(s, p)+p.transfer, s.Upper(r.start)
		if from <= by {
			return r.setLower(s, r.start, from, startFrom, func(*place) int32 { return from }) &&
				r.boundCompletions(s, p.beatBy(by-p.transfer))
		}
	}
	all := reach{nowhere, nowhere, nowhere, -far}
	for k := range r.places {
		p := &r.places[k]
		if s.IsFalse(p.x) {
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
	if !s.IsTrue(r.on) || all.start == nowhere {
		return true // not placed, or a clause says so
	}
	return r.bound(s, &all)
}

func (r *taskPropagator) reach(s *core.Solver, p *place) reach {
	ready := r.ready(s, p)
	var out reach
	out.start.lo = max(p.firstStart(), s.Lower(r.start), s.Lower(r.fetch)+p.transfer, s.Lower(r.finish)-p.wcet, ready+p.transfer)
	out.start.hi = min(p.lastStart, s.Upper(r.start), s.Upper(r.finish)-p.wcet)
	out.fetch.lo = max(s.Lower(r.fetch), ready)
	if p.tied {
		out.start.hi = min(out.start.hi, s.Upper(r.fetch)+p.transfer)
		out.fetch.lo = max(out.fetch.lo, out.start.lo-p.transfer)
	}
	out.fetch.hi = min(s.Upper(r.fetch), out.start.hi-p.transfer)
	out.finish = span{out.start.lo + p.wcet, out.start.hi + p.wcet}
	out.lastBeat = p.beatBy(out.fetch.hi)
	return out
}

// ready is the first heartbeat of a place that window and stages allow.
func (r *taskPropagator) ready(s *core.Solver, p *place) int32 {
	first := p.firstFetch
	for _, g := range r.completions {
		first = max(first, p.beatFrom(s.Lower(g)))
	}
	return first
}

// explainReady explains that the first heartbeat which stages allow is after a time.
func (r *taskPropagator) explainReady(s *core.Solver, p *place, after int32) {
	from := p.beatBy(after) + 1
	for _, g := range r.completions {
		if s.Lower(g) >= from {
			s.ExplainLower(g, from)
			return
		}
	}
}

// ruleOut excludes a place where no start or fetch is left.
func (r *taskPropagator) ruleOut(s *core.Solver, p *place, here *reach) bool {
	s.BeginExplanation()
	if at := here.start.hi; here.start.lo > at {
		r.explainStartFrom(s, p, at+1)
		r.explainStartBy(s, p, at)
	} else {
		at := here.fetch.hi
		r.explainFetchFrom(s, p, at+1)
		r.explainFetchBy(s, p, at)
	}
	return s.Imply(p.x.Not())
}

// bound tightens bounds to what the places that are left agree on.
func (r *taskPropagator) bound(s *core.Solver, all *reach) bool {
	start, fetch, finish := all.start, all.fetch, all.finish
	if !r.setLower(s, r.start, start.lo, startFrom, func(*place) int32 { return start.lo }) ||
		!r.setUpper(s, r.start, start.hi, startBy, func(*place) int32 { return start.hi }) {
		return false
	}
	if r.fetch.SameInteger(r.start) && r.finish.SameInteger(r.start) {
		return r.boundCompletions(s, all.lastBeat) // they move along
	}
	return r.setLower(s, r.fetch, fetch.lo, fetchFrom, func(*place) int32 { return fetch.lo }) &&
		r.setUpper(s, r.fetch, fetch.hi, fetchBy, func(*place) int32 { return fetch.hi }) &&
		r.setLower(s, r.finish, finish.lo, startFrom, func(p *place) int32 { return finish.lo - p.wcet }) &&
		r.setUpper(s, r.finish, finish.hi, startBy, func(p *place) int32 { return finish.hi - p.wcet }) &&
		r.boundCompletions(s, all.lastBeat)
}

// boundCompletions has stages before finish by the last heartbeat at which the task can
// be handed out.
func (r *taskPropagator) boundCompletions(s *core.Solver, beat int32) bool {
	for _, g := range r.completions {
		if beat < s.Upper(g) && !r.setUpper(s, g, beat, fetchBy, func(p *place) int32 { return p.beatFrom(beat+1) - 1 }) {
			return false
		}
	}
	return true
}

func (r *taskPropagator) setLower(s *core.Solver, v core.View, to int32, c claim, at func(p *place) int32) bool {
	if to <= s.Lower(v) {
		return true
	}
	r.explainAll(s, c, at)
	return s.SetLower(v, to)
}

func (r *taskPropagator) setUpper(s *core.Solver, v core.View, to int32, c claim, at func(p *place) int32) bool {
	if to >= s.Upper(v) {
		return true
	}
	r.explainAll(s, c, at)
	return s.SetUpper(v, to)
}

// claim is a bound on the start or fetch of the task on a place.
type claim struct {
	always  func(p *place, at int32) bool // the window alone sees to it
	explain func(r *taskPropagator, s *core.Solver, p *place, at int32)
}

var (
	startFrom = claim{func(p *place, at int32) bool { return p.firstStart() >= at }, (*taskPropagator).explainStartFrom}
	startBy   = claim{func(p *place, at int32) bool { return p.lastStart <= at }, (*taskPropagator).explainStartBy}
	fetchFrom = claim{func(p *place, at int32) bool { return p.firstFetch >= at }, (*taskPropagator).explainFetchFrom}
	fetchBy   = claim{func(p *place, at int32) bool { return p.lastFetch() <= at }, (*taskPropagator).explainFetchBy}
)

// explainAll explains a claim for whichever place it is: by the one that is sure,
// or for each one by its window, by its being ruled out, or by bounds.
func (r *taskPropagator) explainAll(s *core.Solver, c claim, at func(p *place) int32) {
	s.BeginExplanation()
	for k := range r.places {
		if p := &r.places[k]; s.IsTrue(p.x) {
			s.Explain(p.x)
			c.explain(r, s, p, at(p))
			return
		}
	}
	s.Explain(r.on)
	for k := range r.places {
		p := &r.places[k]
		switch here := at(p); {
		case c.always(p, here):
		case s.IsFalse(p.x):
			s.Explain(p.x.Not())
		default:
			c.explain(r, s, p, here)
		}
	}
}

// explainStartFrom explains S ≥ at if the task runs at p.
func (r *taskPropagator) explainStartFrom(s *core.Solver, p *place, at int32) {
	switch {
	case p.firstStart() >= at:
	case s.Lower(r.start) >= at:
		s.ExplainLower(r.start, at)
	case r.ready(s, p)+p.transfer >= at:
		r.explainReady(s, p, at-p.transfer-1)
	case s.Lower(r.fetch)+p.transfer >= at:
		s.ExplainLower(r.fetch, at-p.transfer)
	default:
		s.ExplainLower(r.finish, at+p.wcet)
	}
}

// explainStartBy explains S ≤ at if the task runs at p.
func (r *taskPropagator) explainStartBy(s *core.Solver, p *place, at int32) {
	switch {
	case p.lastStart <= at:
	case s.Upper(r.start) <= at:
		s.ExplainUpper(r.start, at)
	case s.Upper(r.finish) <= at+p.wcet:
		s.ExplainUpper(r.finish, at+p.wcet)
	default:
		s.ExplainUpper(r.fetch, at-p.transfer)
	}
}

// explainFetchFrom explains R ≥ at if the task runs at p.
func (r *taskPropagator) explainFetchFrom(s *core.Solver, p *place, at int32) {
	switch {
	case p.firstFetch >= at:
	case s.Lower(r.fetch) >= at:
		s.ExplainLower(r.fetch, at)
	case r.ready(s, p) >= at:
		r.explainReady(s, p, at-1)
	default:
		r.explainStartFrom(s, p, at+p.transfer)
	}
}

// explainFetchBy explains R ≤ at if the task runs at p.
func (r *taskPropagator) explainFetchBy(s *core.Solver, p *place, at int32) {
	switch {
	case p.lastFetch() <= at:
	case s.Upper(r.fetch) <= at:
		s.ExplainUpper(r.fetch, at)
	default:
		r.explainStartBy(s, p, at+p.transfer)
	}
}
