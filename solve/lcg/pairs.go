package lcg

import "downbeat/solve/lcg/core"

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

// postPairs makes a literal for each two tasks of a resource that are there for sure and need more than there is;
// before[j][k] is that j comes before k, False where there is none. Nil where there are too many, and where literals
// are called by names, of which proof files have none for these.
func (p *problem) postPairs(r *resource) (before [][]core.Lit) {
	n := len(r.tasks)
	if p.pairs += n * (n - 1) / 2; p.names != nil || p.pairs > mostPairs {
		return nil
	}
	before = make([][]core.Lit, n)
	for k := range before {
		before[k] = make([]core.Lit, n)
		for j := range n {
			before[k][j] = core.False
		}
		for j := range k {
			t, u := &r.tasks[j], &r.tasks[k]
			if t.x != core.True || u.x != core.True || t.need+u.need <= r.capacity || t.length() <= 0 || u.length() <= 0 {
				continue
			}
			order := p.NewBool()
			before[j][k], before[k][j] = order, order.Not()
			p.postPair(&pair{order, t, u})
		}
	}
	return before
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
