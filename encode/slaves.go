package encode

import "downbeat/encode/cnf"

// C0: a task that is placed runs on exactly one of the slaves that it can run
// on in time.
//
//	on → ∨_k x[t,k]     x[t,k] → on     at most one x[t,·]

func predictSlaves(l *layout, _ int64) int64 {
	total := int64(0)
	for _, t := range l.Included {
		n := int64(len(l.Places[t]))
		total += 1 + n + cnf.AtMostClauses(n, 1)
	}
	return total
}

func buildSlaves(e *Encoding) {
	for _, t := range e.Included {
		on := e.on[e.JS.Tasks[t].Job]
		x := e.vars[t].x
		if len(x) == 1 {
			continue // x is on itself
		}
		clause := append(x[:len(x):len(x)], on.Not())
		e.Add(clause...)
		for _, m := range x {
			e.Add(m.Not(), on)
		}
		e.AtMost(x, 1)
	}
}
