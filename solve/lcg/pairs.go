package lcg

import (
	"slices"

	"downbeat/solve/lcg/core"
)

// pair are two tasks that hold a resource in turn. That the first ends before the second starts is a literal of its
// own (precedence literals; Grimes and Hebrard 2010): what is learnt in such literals holds at whatever time the tasks
// run, and one stands for many bounds.
type pair struct {
	before        core.Lit
	first, second *optionalTask
}

// mostPairs bounds those of a question: some 300 bytes each, and half a microsecond whenever one of the tasks moves. By
// judgement.
const mostPairs = 20_000

// postPairs makes a literal for each two tasks of a resource that are there for sure and need more than there is, unless
// they have one by another resource; before[j][k] is that j comes before k, False where there is none. There are none beyond
// mostPairs, nor where tasks are so many that half of their pairs would be beyond it, nor where literals have names: proof
// files have no words for these.
func (p *problem) postPairs(r *resource) (before [][]core.Lit) {
	if p.names != nil || len(r.tasks)*len(r.tasks) > 4*mostPairs {
		return nil
	}
	before = make([][]core.Lit, len(r.tasks))
	for k := range before {
		before[k] = slices.Repeat([]core.Lit{core.False}, len(r.tasks))
		u := &r.tasks[k]
		// By ascending need: what is further ahead fits beside it, too.
		for j := k - 1; j >= 0 && r.tasks[j].need+u.need > r.capacity; j-- {
			t := &r.tasks[j]
			if t.x == core.True && u.x == core.True && t.length() > 0 && u.length() > 0 && len(p.orders) < mostPairs {
				order := p.orderOf(t, u)
				before[j][k], before[k][j] = order, order.Not()
			}
		}
	}
	return before
}

// orderOf is the literal that a task comes before another one.
func (p *problem) orderOf(first, second *optionalTask) core.Lit {
	if order, ok := p.orders[[2]core.View{first.from, second.from}]; ok {
		return order
	}
	if order, ok := p.orders[[2]core.View{second.from, first.from}]; ok {
		return order.Not()
	}
	order := p.NewBool()
	p.orders[[2]core.View{first.from, second.from}] = order
	p.postPair(&pair{order, first, second})
	return order
}

// postPair keeps the order of two tasks: what follows from the literal once it holds, and from bounds of either task.
func (p *problem) postPair(by *pair) {
	id := p.Add(by)
	p.OnTrue(by.before, id)
	p.OnTrue(by.before.Not(), id)
	first, second := p.turnsOf(by.first), p.turnsOf(by.second)
	first.others = append(first.others, turn{by.before, by.second.from, by.second.length()})
	second.others = append(second.others, turn{by.before.Not(), by.first.from, by.first.length()})
}

// turnsOf are those of a task, which are made when the first is asked for.
func (p *problem) turnsOf(u *optionalTask) *turns {
	of := p.turns[u.from]
	if of == nil {
		of = &turns{from: u.from, length: u.length()}
		p.turns[u.from] = of
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
		return keepOrder(s, r.before, r.first, r.second)
	case -1:
		return keepOrder(s, r.before.Not(), r.second, r.first)
	}
	return true
}

// keepOrder has a task end before another one starts, as before holds.
func keepOrder(s *core.Solver, before core.Lit, first, second *optionalTask) bool {
	return startAfter(s, before, first.from, second.from, first.length()) && endBefore(s, before, first.from, second.from, first.length())
}

// startAfter has a task start once one of some length has ended that comes before it.
func startAfter(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	from := s.Lower(first)
	if s.Lower(second) >= from+length {
		return true
	}
	s.BeginExplanation()
	s.Explain(before)
	s.ExplainLower(first, from)
	return s.SetLower(second, from+length)
}

// endBefore has a task of some length end before one starts that comes after it.
func endBefore(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	by := s.Upper(second)
	if s.Upper(first) <= by-length {
		return true
	}
	s.BeginExplanation()
	s.Explain(before)
	s.ExplainUpper(second, by)
	return s.SetUpper(first, by-length)
}

// notBefore finds that a task of some length does not come before another one, if there is no time for that.
func notBefore(s *core.Solver, before core.Lit, first, second core.View, length int32) bool {
	from := s.Lower(first)
	spare := from + length - s.Upper(second) - 1
	if spare < 0 {
		return true
	}
	// Both bounds may be weaker by as much together.
	at := from - spare/2
	s.BeginExplanation()
	s.ExplainLower(first, at)
	s.ExplainUpper(second, at+length-1)
	return s.Imply(before.Not())
}

// turns are the pairs that a task is one of. They are gone over together when a bound of it moves: a propagator for each
// pair would be woken by itself, which took half of the time of projects with little of each resource.
type turns struct {
	from   core.View
	length int32
	others []turn
}

// turn is the other task of a pair, and the literal that it comes after.
type turn struct {
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
			ok = startAfter(s, o.before, r.from, o.from, r.length)
		case 0:
			ok = notBefore(s, o.before, r.from, o.from, r.length)
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
			ok = endBefore(s, o.before.Not(), o.from, r.from, o.length)
		case 0:
			ok = notBefore(s, o.before.Not(), o.from, r.from, o.length)
		}
		if !ok {
			return false
		}
	}
	return true
}
