package propagate

import "downbeat/solve/lcg/core"

// Place is one task on one slave that it can run on in time.
type Place struct {
	Slave          int32
	WCET, Transfer int32
	// The window: fetch and start keep to it if the task runs here.
	FirstFetch, LastStart int32
	// Tied: R = S − C.
	Tied bool
	// X: the task runs here.
	X core.Lit
	// Heartbeats of the slave are at FirstBeat, FirstBeat + Beat, …; FirstFetch ≥ FirstBeat.
	FirstBeat, Beat int32
}

// Fetches is when the task can be fetched here.
func (p *Place) Fetches() Span { return Span{p.FirstFetch, p.lastFetch()} }

// Starts is when the task can start here.
func (p *Place) Starts() Span { return Span{p.firstStart(), p.LastStart} }

// Finishes is when the task can finish here.
func (p *Place) Finishes() Span { return Span{p.firstStart() + p.WCET, p.LastStart + p.WCET} }

func (p *Place) firstStart() int32 { return p.FirstFetch + p.Transfer }
func (p *Place) lastFetch() int32  { return p.LastStart - p.Transfer }

// beatFrom is the first heartbeat at t or later.
func (p *Place) beatFrom(t int32) int32 {
	if t <= p.FirstBeat {
		return p.FirstBeat
	}
	return p.FirstBeat + (t-p.FirstBeat+p.Beat-1)/p.Beat*p.Beat
}

// beatBy is the last heartbeat at t or before; for t before the first, a time
// before t.
func (p *Place) beatBy(t int32) int32 {
	if t < p.FirstBeat {
		return min(t, p.FirstBeat-p.Beat)
	}
	return p.FirstBeat + (t-p.FirstBeat)/p.Beat*p.Beat
}

// Task is what is to be found out about one task: where it runs, and when.
type Task struct {
	Places               []Place
	Start, Fetch, Finish core.View
	// On: the task is placed. Then it runs at one of its places, for which a clause
	// has to see.
	On core.Lit
	// Completions are, of each stage before, by when it has finished.
	Completions []core.View
}

// task ties the start, fetch and finish of a task to its slave and to the
// completions G of the stages before. For every place that is left:
//
//	x → firstStart ≤ S ≤ lastStart, firstFetch ≤ R
//	x → S ≥ R + C (= if tied), F = S + E
//	x → R ≥ first heartbeat at G or later, for every G
//
// and what all places that are left agree on holds if the task is placed at all
// (constructive disjunction).
type task struct{ Task }

// PostTask ties the variables of a task with places to each other.
func PostTask(s *core.Solver, t *Task) {
	id := s.Add(&task{*t})
	s.OnChange(t.Start, id, core.False)
	if !t.Fetch.SameInteger(t.Start) {
		s.OnChange(t.Fetch, id, core.False)
	}
	if !t.Finish.SameInteger(t.Start) {
		s.OnChange(t.Finish, id, core.False)
	}
	for _, g := range t.Completions {
		s.OnChange(g, id, core.False)
	}
	s.OnTrue(t.On, id)
	for k := range t.Places {
		s.OnTrue(t.Places[k].X, id)
		s.OnTrue(t.Places[k].X.Not(), id)
	}
}

// Priority is first.
func (r *task) Priority() int { return 0 }

// reach is where start, fetch, finish can be, and the last heartbeat.
type reach struct {
	start, fetch, finish Span
	lastBeat             int32
}

// Propagate rules out places and tightens bounds.
func (r *task) Propagate(s *core.Solver) bool {
	all := reach{Nowhere, Nowhere, Nowhere, -far}
	for k := range r.Places {
		p := &r.Places[k]
		if s.IsFalse(p.X) {
			continue
		}
		here := r.reach(s, p)
		if here.start.Lo > here.start.Hi || here.fetch.Lo > here.fetch.Hi {
			if !r.ruleOut(s, p, &here) {
				return false
			}
			continue
		}
		all.start.Join(here.start)
		all.fetch.Join(here.fetch)
		all.finish.Join(here.finish)
		all.lastBeat = max(all.lastBeat, here.lastBeat)
	}
	if !s.IsTrue(r.On) || all.start == Nowhere {
		return true // not placed, or a clause says so
	}
	return r.bound(s, &all)
}

func (r *task) reach(s *core.Solver, p *Place) reach {
	ready := r.ready(s, p)
	var out reach
	out.start.Lo = max(p.firstStart(), s.Lower(r.Start), s.Lower(r.Fetch)+p.Transfer, s.Lower(r.Finish)-p.WCET, ready+p.Transfer)
	out.start.Hi = min(p.LastStart, s.Upper(r.Start), s.Upper(r.Finish)-p.WCET)
	out.fetch.Lo = max(s.Lower(r.Fetch), ready)
	if p.Tied {
		out.start.Hi = min(out.start.Hi, s.Upper(r.Fetch)+p.Transfer)
		out.fetch.Lo = max(out.fetch.Lo, out.start.Lo-p.Transfer)
	}
	out.fetch.Hi = min(s.Upper(r.Fetch), out.start.Hi-p.Transfer)
	out.finish = Span{out.start.Lo + p.WCET, out.start.Hi + p.WCET}
	out.lastBeat = p.beatBy(out.fetch.Hi)
	return out
}

// ready is the first heartbeat of a place that window and stages allow.
func (r *task) ready(s *core.Solver, p *Place) int32 {
	first := p.FirstFetch
	for _, g := range r.Completions {
		first = max(first, p.beatFrom(s.Lower(g)))
	}
	return first
}

// explainReady explains that the first heartbeat which stages allow is after a time.
func (r *task) explainReady(s *core.Solver, p *Place, after int32) {
	from := p.beatBy(after) + 1
	for _, g := range r.Completions {
		if s.Lower(g) >= from {
			s.ExplainLower(g, from)
			return
		}
	}
}

// ruleOut excludes a place where no start or fetch is left.
func (r *task) ruleOut(s *core.Solver, p *Place, here *reach) bool {
	s.BeginExplanation()
	if at := here.start.Hi; here.start.Lo > at {
		r.explainStartFrom(s, p, at+1)
		r.explainStartBy(s, p, at)
	} else {
		at := here.fetch.Hi
		r.explainFetchFrom(s, p, at+1)
		r.explainFetchBy(s, p, at)
	}
	return s.Imply(p.X.Not())
}

// bound tightens bounds to what the places that are left agree on.
func (r *task) bound(s *core.Solver, all *reach) bool {
	start, fetch, finish := all.start, all.fetch, all.finish
	return r.setLower(s, r.Start, start.Lo, startFrom, func(*Place) int32 { return start.Lo }) &&
		r.setUpper(s, r.Start, start.Hi, startBy, func(*Place) int32 { return start.Hi }) &&
		r.setLower(s, r.Fetch, fetch.Lo, fetchFrom, func(*Place) int32 { return fetch.Lo }) &&
		r.setUpper(s, r.Fetch, fetch.Hi, fetchBy, func(*Place) int32 { return fetch.Hi }) &&
		r.setLower(s, r.Finish, finish.Lo, startFrom, func(p *Place) int32 { return finish.Lo - p.WCET }) &&
		r.setUpper(s, r.Finish, finish.Hi, startBy, func(p *Place) int32 { return finish.Hi - p.WCET }) &&
		r.boundCompletions(s, all.lastBeat)
}

// boundCompletions has stages before finish by the last heartbeat at which the task can
// be handed out.
func (r *task) boundCompletions(s *core.Solver, beat int32) bool {
	for _, g := range r.Completions {
		if !r.setUpper(s, g, beat, fetchBy, func(p *Place) int32 { return p.beatFrom(beat+1) - 1 }) {
			return false
		}
	}
	return true
}

func (r *task) setLower(s *core.Solver, v core.View, to int32, c claim, at func(p *Place) int32) bool {
	if to <= s.Lower(v) {
		return true
	}
	r.explainAll(s, c, at)
	return s.SetLower(v, to)
}

func (r *task) setUpper(s *core.Solver, v core.View, to int32, c claim, at func(p *Place) int32) bool {
	if to >= s.Upper(v) {
		return true
	}
	r.explainAll(s, c, at)
	return s.SetUpper(v, to)
}

// claim is a bound on the start or fetch of the task on a place.
type claim struct {
	always  func(p *Place, at int32) bool // the window alone sees to it
	explain func(r *task, s *core.Solver, p *Place, at int32)
}

var (
	startFrom = claim{func(p *Place, at int32) bool { return p.firstStart() >= at }, (*task).explainStartFrom}
	startBy   = claim{func(p *Place, at int32) bool { return p.LastStart <= at }, (*task).explainStartBy}
	fetchFrom = claim{func(p *Place, at int32) bool { return p.FirstFetch >= at }, (*task).explainFetchFrom}
	fetchBy   = claim{func(p *Place, at int32) bool { return p.lastFetch() <= at }, (*task).explainFetchBy}
)

// explainAll explains a claim for whichever place it is: by the one that is sure,
// or for each one by its window, by its being ruled out, or by bounds.
func (r *task) explainAll(s *core.Solver, c claim, at func(p *Place) int32) {
	s.BeginExplanation()
	for k := range r.Places {
		if p := &r.Places[k]; s.IsTrue(p.X) {
			s.Explain(p.X)
			c.explain(r, s, p, at(p))
			return
		}
	}
	s.Explain(r.On)
	for k := range r.Places {
		p := &r.Places[k]
		switch here := at(p); {
		case c.always(p, here):
		case s.IsFalse(p.X):
			s.Explain(p.X.Not())
		default:
			c.explain(r, s, p, here)
		}
	}
}

// explainStartFrom explains S ≥ at if the task runs at p.
func (r *task) explainStartFrom(s *core.Solver, p *Place, at int32) {
	switch {
	case p.firstStart() >= at:
	case s.Lower(r.Start) >= at:
		s.ExplainLower(r.Start, at)
	case r.ready(s, p)+p.Transfer >= at:
		r.explainReady(s, p, at-p.Transfer-1)
	case s.Lower(r.Fetch)+p.Transfer >= at:
		s.ExplainLower(r.Fetch, at-p.Transfer)
	default:
		s.ExplainLower(r.Finish, at+p.WCET)
	}
}

// explainStartBy explains S ≤ at if the task runs at p.
func (r *task) explainStartBy(s *core.Solver, p *Place, at int32) {
	switch {
	case p.LastStart <= at:
	case s.Upper(r.Start) <= at:
		s.ExplainUpper(r.Start, at)
	case s.Upper(r.Finish) <= at+p.WCET:
		s.ExplainUpper(r.Finish, at+p.WCET)
	default:
		s.ExplainUpper(r.Fetch, at-p.Transfer)
	}
}

// explainFetchFrom explains R ≥ at if the task runs at p.
func (r *task) explainFetchFrom(s *core.Solver, p *Place, at int32) {
	switch {
	case p.FirstFetch >= at:
	case s.Lower(r.Fetch) >= at:
		s.ExplainLower(r.Fetch, at)
	case r.ready(s, p) >= at:
		r.explainReady(s, p, at-1)
	default:
		r.explainStartFrom(s, p, at+p.Transfer)
	}
}

// explainFetchBy explains R ≤ at if the task runs at p.
func (r *task) explainFetchBy(s *core.Solver, p *Place, at int32) {
	switch {
	case p.lastFetch() <= at:
	case s.Upper(r.Fetch) <= at:
		s.ExplainUpper(r.Fetch, at)
	default:
		r.explainStartBy(s, p, at+p.Transfer)
	}
}
