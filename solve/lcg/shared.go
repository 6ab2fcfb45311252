package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/lcg/core"
)

// sharedTable keeps tasks on whatever slaves within the levels of a limit that they have in
// common (C11), which they hold during [A, F): a time table of optional tasks of which not even
// the slave has to be known. As A is the last heartbeat at R or before, R tells of it: A ≤ τ where R
// is before the first heartbeat after τ, whichever that is on the slaves that are left.
type sharedTable struct {
	limit int64
	// times are the points at which more may be held, or there may be less, than just before:
	// heartbeats, and the times at which levels fall. fixed is by these what there is not of
	// limit, and what others hold.
	times []int32
	profile
	// takers are ordered by need.
	takers []taker
	steps  []int32
}

// taker is a task that holds units of a limit if it is placed.
type taker struct {
	*taskVars
	number int32
	need   int64
	// phases groups its places by their heartbeats; gap is from R to F at the least.
	phases []phase
	gap    int32
}

// phase has the places of a task, the first of them for all, that have the same heartbeats.
type phase struct {
	*place
	places []*place
}

// newTaker is a task of which it is not yet known what it needs.
func newTaker(t model.TaskID, tk *taskVars) taker {
	u := taker{taskVars: tk, number: int32(t), gap: far}
	for k := range tk.places {
		at := &tk.places[k]
		u.gap = min(u.gap, at.transfer+at.wcet)
		i := slices.IndexFunc(u.phases, func(ph phase) bool { return ph.firstBeat == at.firstBeat })
		if i < 0 {
			i = len(u.phases)
			u.phases = append(u.phases, phase{place: at})
		}
		u.phases[i].places = append(u.phases[i].places, at)
	}
	return u
}

// left reports whether the task may run at one of the places.
func (ph *phase) left(s *core.Solver) bool {
	return slices.ContainsFunc(ph.places, func(p *place) bool { return !s.IsFalse(p.x) })
}

// beatAfter is the first heartbeat after t.
func (p *place) beatAfter(t int32) int32 { return p.beatFrom(t + 1) }

// lastBeat is the greatest A that is left of those for an R of at most by.
func (u *taker) lastBeat(s *core.Solver, by int32) int32 {
	last := -far
	for i := range u.phases {
		if ph := &u.phases[i]; len(u.phases) == 1 || ph.left(s) {
			last = max(last, ph.beatBy(by))
		}
	}
	return last
}

// beatAfter is the least heartbeat after t on a slave that is left.
func (u *taker) beatAfter(s *core.Solver, t int32) int32 {
	first := far
	for i := range u.phases {
		if ph := &u.phases[i]; len(u.phases) == 1 || ph.left(s) {
			first = min(first, ph.beatAfter(t))
		}
	}
	return first
}

// end is the least F that is left.
func (u *taker) end(s *core.Solver) int32 {
	return max(s.Lower(u.finish), s.Lower(u.fetch)+u.gap)
}

// explainLeft explains that the task is on no slave with a heartbeat after t, but before at.
func (u *taker) explainLeft(s *core.Solver, t, at int32) {
	if len(u.phases) == 1 {
		return
	}
	for i := range u.phases {
		if ph := &u.phases[i]; ph.beatAfter(t) < at {
			for _, p := range ph.places {
				s.Explain(p.x.Not())
			}
		}
	}
}

// explainBegun explains A ≤ t: by R, and by places that are excluded as far as
// R does not tell.
func (u *taker) explainBegun(s *core.Solver, t int32) {
	at := u.beatAfter(s, t)
	u.explainLeft(s, t, at)
	s.ExplainUpper(u.fetch, at-1)
}

// explainEndsFrom explains F ≥ at.
func (u *taker) explainEndsFrom(s *core.Solver, at int32) {
	if s.Lower(u.finish) >= at {
		s.ExplainLower(u.finish, at)
		return
	}
	s.ExplainLower(u.fetch, at-u.gap)
}

// addShared limits what tasks on all slaves have in common (C11).
func (p *problem) addShared() {
	for id := range p.JS.Shared() {
		missing := p.missing(model.SharedID(id))
		if r, ok := p.sharedResource(model.SharedID(id), missing); ok {
			p.addResource(&r, missing, model.NoSlave, 0, true)
			continue
		}
		number := proof.LimitNumber(p.JS, model.SharedID(id))
		p.because("pool", number)
		if r := p.postShared(model.SharedID(id)); r != nil && len(r.takers) <= mostEnergy {
			p.because("pool-energy", number)
			p.postSharedEnergy(r, missing)
		}
	}
}

// sharedResource is a limit as a resource that its takers hold from their starts on, for a time that is known: where heartbeats come
// at every tick, nothing is fetched, no slave is faster than another, and none takes more than there ever is. Proof files have no words for it.
func (p *problem) sharedResource(id model.SharedID, missing []fixedTask) (r resource, ok bool) {
	sh := &p.JS.Shared()[id]
	if p.names != nil || p.JS.Heartbeat > 1 {
		return r, false
	}
	r = resource{capacity: sh.Most(), step: 1}
	for _, t := range sh.Tasks {
		tk := &p.tasks[t]
		if len(tk.places) == 0 {
			continue
		}
		if !tk.fromStart() || p.JS.Taken(t, id) > r.capacity {
			return r, false
		}
		at := span{p.Lower(tk.start), p.Upper(tk.start)}
		r.tasks = append(r.tasks, optionalTask{
			number: int32(t), x: tk.on, need: p.JS.Taken(t, id), from: tk.start, to: tk.start, after: tk.places[0].wcet - 1, fromSpan: at, toSpan: at,
		})
	}
	slices.SortStableFunc(r.tasks, func(a, b optionalTask) int { return cmp.Compare(a.need, b.need) })
	r.given = append(fixedTasks(p.FixedOf(id)), missing...)
	return r, len(r.tasks) > 0
}

// fromStart reports whether a task holds what it does from its start on, and for as long wherever it runs, as heartbeats come at every
// tick.
func (tk *taskVars) fromStart() bool {
	return !slices.ContainsFunc(tk.places, func(at place) bool {
		return !at.tied || at.transfer > 0 || at.wcet != tk.places[0].wcet
	})
}

// missing is what there is less of a limit than the most over time.
func (p *problem) missing(id model.SharedID) (missing []fixedTask) {
	sh := &p.JS.Shared()[id]
	for i, l := range sh.Levels {
		end := model.Never
		if i+1 < len(sh.Levels) {
			end = sh.Levels[i+1].From
		}
		if less := sh.Most() - max(0, l.Amount); less > 0 {
			missing = append(missing, fixedTask{start: int64(l.From), end: int64(end), need: less})
		}
	}
	return missing
}

// mostEnergy is the number of tasks up to which what they hold of a limit, or need as much of each on a slave, is added up for all windows
// of time, which takes as long as its cube: on sets of 10 to 18 tasks that take of two pools, makespans were refuted with half to a
// tenth of the conflicts.
const mostEnergy = 40

// postSharedEnergy adds up what takers of a limit use at the least, which hold it from R to F.
func (p *problem) postSharedEnergy(r *sharedTable, missing []fixedTask) {
	all := resource{capacity: r.limit, step: 1}
	for k := range r.takers {
		u := &r.takers[k]
		at := span{p.Lower(u.fetch), p.Upper(u.fetch)}
		all.tasks = append(all.tasks, optionalTask{
			number: u.number, x: u.on, need: u.need, from: u.fetch, to: u.fetch, after: u.gap - 1, fromSpan: at, toSpan: at,
		})
	}
	postEnergy(p.Solver, all, missing)
}

// postShared keeps tasks within a limit; nil if it can never be exceeded.
func (p *problem) postShared(id model.SharedID) *sharedTable {
	sh := &p.JS.Shared()[id]
	r := &sharedTable{limit: sh.Most()}
	sum := int64(0)
	for _, t := range sh.Tasks {
		if tk := &p.tasks[t]; len(tk.places) > 0 {
			u := newTaker(t, tk)
			u.need = p.JS.Taken(t, id)
			sum += u.need
			r.takers = append(r.takers, u)
		}
	}
	slices.SortStableFunc(r.takers, func(a, b taker) int { return cmp.Compare(a.need, b.need) })
	r.findTimes(p, id)
	if len(r.times) == 0 || sum+slices.Max(r.fixed) <= r.limit {
		return nil
	}
	r.forTasks(len(r.takers))
	r.watch(p.Solver)
	return r
}

// findTimes lists the points from the first heartbeat of a taker on, and what is missing there.
func (r *sharedTable) findTimes(p *problem, id model.SharedID) {
	first, last := far, -far
	for k := range r.takers {
		for i := range r.takers[k].places {
			first = min(first, r.takers[k].places[i].firstFetch)
		}
		last = max(last, p.Upper(r.takers[k].finish))
	}
	add := func(t model.Time) {
		if int64(first) <= int64(t) && t < model.Time(last) {
			r.times = append(r.times, int32(t))
		}
	}
	seen := map[int32]bool{}
	for k := range r.takers {
		for _, ph := range r.takers[k].phases {
			for t := ph.beatFrom(first); t < last && !seen[ph.firstBeat]; t += ph.beat {
				add(model.Time(t))
			}
			seen[ph.firstBeat] = true
		}
	}
	sh := &p.JS.Shared()[id]
	for _, l := range sh.Levels {
		add(l.From)
	}
	held, needs := p.FixedOf(id)
	for _, iv := range held {
		add(iv.Start)
	}
	slices.Sort(r.times)
	r.times = slices.Compact(r.times)
	// In large neighbourhoods thousands of tasks are fixed: what they hold is added up as it changes.
	change := make([]int64, len(r.times)+1)
	point := func(t model.Time) int32 { return r.pointFrom(int32(min(t, model.Time(far)))) }
	for k, iv := range held {
		change[point(iv.Start)] += needs[k]
		change[point(iv.End)] -= needs[k]
	}
	r.fixed = make([]int64, len(r.times))
	fixed := int64(0)
	for i, t := range r.times {
		fixed += change[i]
		r.fixed[i] = r.limit - sh.At(model.Time(t)) + fixed
	}
}

// watch has the table run where bounds of a taker change, or slaves are excluded that
// have heartbeats of their own.
func (r *sharedTable) watch(s *core.Solver) {
	id := s.Add(r)
	for k := range r.takers {
		u := &r.takers[k]
		s.OnTrue(u.on, id)
		s.OnChange(u.fetch, id, u.on.Not())
		if !u.finish.SameInteger(u.fetch) {
			s.OnChange(u.finish, id, u.on.Not())
		}
		for i := range u.places {
			if len(u.phases) > 1 {
				s.OnTrue(u.places[i].x.Not(), id)
			}
		}
	}
}

// Priority is that of time tables.
func (r *sharedTable) Priority() int { return 1 }

// pointFrom is the first point at t or later.
func (r *sharedTable) pointFrom(t int32) int32 {
	i, _ := slices.BinarySearch(r.times, t)
	return int32(i)
}

// pointBefore is the last point before t, -1 if there is none.
func (r *sharedTable) pointBefore(t int32) int32 { return r.pointFrom(t) - 1 }

// Propagate keeps tasks away from the points that are full.
func (r *sharedTable) Propagate(s *core.Solver) bool {
	r.tabulate(s)
	if point := r.findRuns(r.limit); point >= 0 {
		s.BeginExplanation()
		s.Note(nobody, r.times[point])
		// What is missing alone may be more than there is, and refutes nothing.
		r.explainHeld(s, point, max(r.limit, r.fixed[point])+1)
		return s.Imply(core.False)
	}
	for k := range r.takers {
		if r.takers[k].need+r.most > r.limit && !r.keepAway(s, k) {
			return false
		}
	}
	return true
}

func (r *sharedTable) keepAway(s *core.Solver, k int) bool {
	u := &r.takers[k]
	switch {
	case s.IsFalse(u.on):
		return true
	case !s.IsTrue(u.on):
	case !r.delay(s, k) || !r.advance(s, k):
		return false
	case len(u.phases) == 1:
		return true // what holds of one place holds of all
	}
	for i := range u.places {
		if p := &u.places[i]; s.Value(p.x) == 0 && !r.tryOut(s, k, p) {
			return false
		}
	}
	return true
}

// tabulate finds at which points tasks hold what they take for sure.
func (r *sharedTable) tabulate(s *core.Solver) {
	for k := range r.takers {
		u, at := &r.takers[k], none
		if s.IsTrue(u.on) {
			at = span{r.pointFrom(u.lastBeat(s, s.Upper(u.fetch))), r.pointBefore(u.end(s))}
			if at.lo > at.hi {
				at = none
			}
		}
		if at != r.sure[k] {
			r.move(k, at, u.need)
		}
	}
}

// explainHeld explains that some units are missing or held at a point, by those who hold most.
func (r *sharedTable) explainHeld(s *core.Solver, point int32, units int64) {
	units -= r.fixed[point]
	for k := len(r.takers) - 1; k >= 0 && units > 0; k-- {
		if r.sure[k].lo <= point && point <= r.sure[k].hi {
			u := &r.takers[k]
			s.Explain(u.on)
			u.explainBegun(s, r.times[point])
			u.explainEndsFrom(s, r.times[point]+1)
			units -= u.need
		}
	}
}

// explainFull explains that there is too little left for a taker at a point at which it is not
// counted itself.
func (r *sharedTable) explainFull(s *core.Solver, k int, point int32) {
	r.explainHeld(s, point, r.limit-r.takers[k].need+1)
}

// delay makes a task begin after the points at which it would be caught.
func (r *sharedTable) delay(s *core.Solver, k int) bool {
	u, sure := &r.takers[k], r.sure[k]
	for {
		// The last point at which it has not ended for sure, before those at which it is counted itself.
		in := span{r.pointFrom(u.lastBeat(s, s.Lower(u.fetch))), r.pointBefore(u.end(s))}
		if sure != none {
			in.hi = min(in.hi, sure.lo-1)
		}
		point := r.lastAbove(r.limit-u.need, in)
		if point < 0 {
			return true
		}
		t := r.times[point]
		after := u.beatAfter(s, t)
		s.BeginExplanation()
		s.Note(nobody, t)
		r.explainFull(s, k, point)
		s.Explain(u.on)
		u.explainEndsFrom(s, t+1)
		u.explainLeft(s, t, after)
		if !s.SetLower(u.fetch, after) {
			return false
		}
	}
}

// advance makes a task end before the points at which it would be caught.
func (r *sharedTable) advance(s *core.Solver, k int) bool {
	u, sure := &r.takers[k], r.sure[k]
	in := span{r.pointFrom(u.lastBeat(s, s.Upper(u.fetch))), r.pointBefore(s.Upper(u.finish))}
	if sure != none {
		in.lo = max(in.lo, sure.hi+1)
	}
	point := r.firstAbove(r.limit-u.need, in)
	if point < 0 {
		return true
	}
	s.BeginExplanation()
	s.Note(nobody, r.times[point])
	r.explainFull(s, k, point)
	s.Explain(u.on)
	u.explainBegun(s, r.times[point])
	return s.SetUpper(u.finish, r.times[point])
}

// endAt is the least F if the task runs at p.
func (u *taker) endAt(s *core.Solver, p *place) int32 {
	return max(s.Lower(u.finish), p.firstStart()+p.wcet, s.Lower(u.start)+p.wcet, s.Lower(u.fetch)+p.transfer+p.wcet)
}

// explainEndsAt explains F ≥ at if the task runs at p.
func (u *taker) explainEndsAt(s *core.Solver, p *place, at int32) {
	switch {
	case p.firstStart()+p.wcet >= at:
	case s.Lower(u.finish) >= at:
		s.ExplainLower(u.finish, at)
	case s.Lower(u.start)+p.wcet >= at:
		s.ExplainLower(u.start, at-p.wcet)
	default:
		s.ExplainLower(u.fetch, at-p.transfer-p.wcet)
	}
}

// tryOut delays a task at a place where it may not be, by itself, and rules the place out if
// no time is left.
func (r *sharedTable) tryOut(s *core.Solver, k int, p *place) bool {
	u, sure := &r.takers[k], r.sure[k]
	begin := span{max(s.Lower(u.fetch), p.firstFetch), min(s.Upper(u.fetch), p.lastFetch())}
	end := u.endAt(s, p)
	r.steps = r.steps[:0]
	for {
		in := span{r.pointFrom(p.beatBy(begin.lo)), r.pointBefore(end)}
		if sure != none {
			in.hi = min(in.hi, sure.lo-1)
		}
		point := r.lastAbove(r.limit-u.need, in)
		if point < 0 {
			return true
		}
		begin.lo = p.beatAfter(r.times[point])
		r.steps = append(r.steps, point)
		if begin.lo > begin.hi {
			return r.ruleOut(s, k, p)
		}
		end = max(end, begin.lo+p.transfer+p.wcet)
	}
}

// ruleOut excludes a place from which the steps push a task beyond its window; see the other
// one for which of them are needed.
func (r *sharedTable) ruleOut(s *core.Solver, k int, p *place) bool {
	u := &r.takers[k]
	s.BeginExplanation()
	s.Note(u.number)
	last := p.beatAfter(r.times[r.steps[len(r.steps)-1]])
	if p.lastFetch() >= last {
		s.ExplainUpper(u.fetch, last-1)
	}
	for _, point := range slices.Backward(r.steps) {
		t := r.times[point]
		s.Note(t)
		r.explainFull(s, k, point)
		if u.endAt(s, p) > t {
			u.explainEndsAt(s, p, t+1)
			break
		}
	}
	return s.Imply(p.x.Not())
}
