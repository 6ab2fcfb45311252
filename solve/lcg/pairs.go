package lcg

import (
	"slices"

	"downbeat/model"
	"downbeat/solve/lcg/core"
)

// pair are two tasks that hold a resource in turn. That the first ends before the second starts is a literal of its
// own (precedence literals; Grimes and Hebrard 2010): what is learnt in such literals holds at whatever time the tasks
// run, and one stands for many bounds.
type pair struct {
	before        core.Lit
	first, second *optionalTask
	slave         model.SlaveID
	resource      model.ResourceID // by which they take turns
}

// note says, for a record, of what an explanation that begins speaks.
func (r *pair) note(s *core.Solver) {
	s.BeginExplanation()
	s.Note(int32(r.slave), int32(r.resource), r.second.number)
}

// mostPairs bounds those of a question: some 300 bytes each, and half a microsecond whenever one of the tasks moves. By
// judgement.
const mostPairs = 20_000

// postPairs makes a literal for each two tasks of a resource that are there for sure and need more than there is, unless
// they have one by another resource; before[j][k] is that j comes before k, False where there is none. There are none beyond
// mostPairs, nor where tasks are so many that half of their pairs would be beyond it, nor of fetches where literals have names:
// proof files have words for the order of starts only.
func (p *problem) postPairs(r *resource, slave model.SlaveID, of model.ResourceID) (before [][]core.Lit) {
	if p.names != nil && of.Hold() == model.HoldFetch || len(r.tasks)*len(r.tasks) > 4*mostPairs {
		return nil
	}
	p.because("disjunctive")
	before = make([][]core.Lit, len(r.tasks))
	for k := range before {
		before[k] = slices.Repeat([]core.Lit{core.False}, len(r.tasks))
		u := &r.tasks[k]
		// By ascending need: what is further ahead fits beside it, too.
		for j := k - 1; j >= 0 && r.tasks[j].need+u.need > r.capacity; j-- {
			t := &r.tasks[j]
			if t.x == core.True && u.x == core.True && t.length() > 0 && u.length() > 0 && len(p.orders) < mostPairs {
				order := p.orderOf(&pair{first: t, second: u, slave: slave, resource: of})
				before[j][k], before[k][j] = order, order.Not()
			}
		}
	}
	return before
}

// orderOf is the literal that the first task of a pair comes before the other one.
func (p *problem) orderOf(by *pair) core.Lit {
	first, second := by.first.from, by.second.from
	if order, ok := p.orders[[2]core.View{first, second}]; ok {
		return order
	}
	if order, ok := p.orders[[2]core.View{second, first}]; ok {
		return order.Not()
	}
	by.before = p.NewBool()
	p.called(by.before, atom{'b', by.first.number, by.second.number})
	p.orders[[2]core.View{first, second}] = by.before
	p.postPair(by)
	return by.before
}

// postPair keeps the order of two tasks: what follows from the literal once it holds, and from bounds of either task.
func (p *problem) postPair(by *pair) {
	id := p.Add(by)
	p.OnTrue(by.before, id)
	p.OnTrue(by.before.Not(), id)
	first, second := p.turnsOf(by.first), p.turnsOf(by.second)
	first.others = append(first.others, turn{by, by.before, by.second.from, by.second.length()})
	second.others = append(second.others, turn{by, by.before.Not(), by.first.from, by.first.length()})
}

// turnsOf are those of a task, which are made when the first is asked for. Tasks of a gang start together, and may take
// another time each.
func (p *problem) turnsOf(u *optionalTask) *turns {
	key := holding{u.from, u.length()}
	of := p.turns[key]
	if of == nil {
		of = &turns{holding: key}
		p.turns[key] = of
		p.OnLower(u.from, p.Add(&laterStart{of}), core.False)
		p.OnUpper(u.from, p.Add(&earlierStart{of}), core.False)
	}
	return of
}

// Priority is first.
func (r *pair) Priority() int { return 0 }

// Propagate keeps the order that was decided.
func (r *pair) Propagate(s *core.Solver) bool {
	switch s.Value(r.before) {
	case 1:
		return r.keep(s, r.before, r.first, r.second)
	case -1:
		return r.keep(s, r.before.Not(), r.second, r.first)
	}
	return true
}

// keep has a task end before another one starts, as before holds.
func (r *pair) keep(s *core.Solver, before core.Lit, first, second *optionalTask) bool {
	length := first.length()
	return r.startAfter(s, before, first.from, second.from, length) && r.endBefore(s, before, first.from, second.from, length)
}

// startAfter has a task start once one of some length has ended that comes before it.
func (r *pair) startAfter(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	from := s.Lower(first)
	if s.Lower(second) >= from+length {
		return true
	}
	r.note(s)
	s.Explain(before)
	s.ExplainLower(first, from)
	return s.SetLower(second, from+length)
}

// endBefore has a task of some length end before one starts that comes after it.
func (r *pair) endBefore(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	by := s.Upper(second)
	if s.Upper(first) <= by-length {
		return true
	}
	r.note(s)
	s.Explain(before)
	s.ExplainUpper(second, by)
	return s.SetUpper(first, by-length)
}

// notBefore finds that a task of some length does not come before another one, if there is no time for that.
func (r *pair) notBefore(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	from := s.Lower(first)
	spare := from + length - s.Upper(second) - 1
	if spare < 0 {
		return true
	}
	// Both bounds may be weaker by as much together.
	at := from - spare/2
	r.note(s)
	s.ExplainLower(first, at)
	s.ExplainUpper(second, at+length-1)
	return s.Imply(before.Not())
}

// turns are the pairs that a task is one of. They are gone over together when a bound of it moves: a propagator for each
// pair would be woken by itself, which took half of the time of projects with little of each resource.
type turns struct {
	holding
	others []turn
}

// holding is when a task begins to hold a resource, and for how long it does.
type holding struct {
	from   core.View
	length int32
}

// turn is the other task of a pair, and the literal that it comes after.
type turn struct {
	by     *pair
	before core.Lit
	from   core.View
	length int32
}

// laterStart passes on that the task starts later.
type laterStart struct{ *turns }

// Priority is first.
func (r *laterStart) Priority() int { return 0 }

// Propagate has tasks that come after it start later, and finds those that it cannot come before any more.
func (r *laterStart) Propagate(s *core.Solver) bool {
	for i := range r.others {
		ok := true
		switch o := &r.others[i]; s.Value(o.before) {
		case 1:
			ok = o.by.startAfter(s, o.before, r.from, o.from, r.length)
		case 0:
			ok = o.by.notBefore(s, o.before, r.from, o.from, r.length)
		}
		if !ok {
			return false
		}
	}
	return true
}

// earlierStart passes on that the task starts earlier.
type earlierStart struct{ *turns }

// Priority is first.
func (r *earlierStart) Priority() int { return 0 }

// Propagate has tasks that come before it start earlier, and finds those that cannot any more.
func (r *earlierStart) Propagate(s *core.Solver) bool {
	for i := range r.others {
		ok := true
		switch o := &r.others[i]; s.Value(o.before) {
		case -1:
			ok = o.by.endBefore(s, o.before.Not(), o.from, r.from, o.length)
		case 0:
			ok = o.by.notBefore(s, o.before.Not(), o.from, r.from, o.length)
		}
		if !ok {
			return false
		}
	}
	return true
}
