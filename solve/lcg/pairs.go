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

func (p *problem) postPair(by *pair) {
	id := p.Add(by)
	p.OnTrue(by.before, id)
	p.OnTrue(by.before.Not(), id)
	p.OnLower(by.first.from, id, by.before.Not())
	p.OnUpper(by.second.from, id, by.before.Not())
	p.OnLower(by.second.from, id, by.before)
	p.OnUpper(by.first.from, id, by.before)
}

// Priority is first.
func (r *pair) Priority() int { return 0 }

// Propagate keeps the order, and finds it where only one is left.
func (r *pair) Propagate(s *core.Solver) bool {
	return keepOrder(s, r.before, r.first, r.second) && keepOrder(s, r.before.Not(), r.second, r.first)
}

// keepOrder has a task end before another one starts if before holds, which it does not where there is no time for that.
func keepOrder(s *core.Solver, before core.Lit, first, second *optionalTask) bool {
	from, by, length := s.Lower(first.from), s.Upper(second.from), first.length()
	switch s.Value(before) {
	case 1:
		if end := from + length; s.Lower(second.from) < end {
			s.BeginExplanation()
			s.Explain(before)
			s.ExplainLower(first.from, from)
			if !s.SetLower(second.from, end) {
				return false
			}
		}
		if last := by - length; s.Upper(first.from) > last {
			s.BeginExplanation()
			s.Explain(before)
			s.ExplainUpper(second.from, by)
			return s.SetUpper(first.from, last)
		}
	case 0:
		if spare := from + length - by - 1; spare >= 0 {
			// Both bounds may be weaker by as much together.
			at := from - spare/2
			s.BeginExplanation()
			s.ExplainLower(first.from, at)
			s.ExplainUpper(second.from, at+length-1)
			return s.Imply(before.Not())
		}
	}
	return true
}
