package inference

import (
	"cmp"
	"slices"
)

// follow reads a line of a refutation, and reports whether it is the last one: refuted NUMBER
// ID, where that step is the empty clause.
func (st *state) follow(word string, number int64) (last bool) {
	st.observed = false
	defer st.observe()
	switch word {
	case "c":
		st.infer()
	case "n":
		st.derive()
	case "m":
		st.readMultipliers()
	case "d":
		st.forget()
	case "refuted":
		st.number(number, number)
		id := st.number(0, idLimit)
		if clause, ok := st.clauses[id]; !ok || len(clause) > 0 {
			st.fail("step %d is not the empty clause", id)
		}
		return true
	default:
		st.fail("%.40q where a step is due", word)
	}
	return false
}

// observe tells the observer of the line, once, if it is in order.
func (st *state) observe() {
	if st.observer != nil && st.err == nil && !st.observed {
		st.observed = true
		st.observer.Step(st.scan.Bytes(), &View{st})
	}
}

// nextID reads the number of a step; they ascend.
func (st *state) nextID() int64 {
	st.last = st.number(st.last+1, idLimit)
	return st.last
}

// suppose reads literals up to a colon or the end of the line, and assumes that they are
// false.
func (st *state) suppose() {
	st.clause = st.clause[:0]
	for st.more() && !st.atColon() {
		l := st.readLiteral()
		st.clause = append(st.clause, l)
		st.assume(l.not())
		if n := len(st.clause); n&(n-1) == 0 { // now and then, so that a line takes no more than what it says
			st.merge()
		}
	}
	st.merge()
}

// merge leaves of literals that bound an integer on the same side the weakest, which they come to.
func (st *state) merge() {
	slices.SortFunc(st.clause, func(a, b literal) int {
		side, v := a.sense()
		other, w := b.sense()
		return cmp.Or(cmp.Compare(a.n, b.n), side-other, cmp.Compare(v, w))
	})
	st.clause = slices.CompactFunc(st.clause, func(a, b literal) bool { return a.n == b.n && a.above == b.above })
}

// infer checks an inference: c ID RULE args : LIT …
func (st *state) infer() {
	id, name := st.nextID(), string(st.word())
	r, ok := rules[name]
	if !ok || name == "order" && st.js.FIFO {
		st.fail("%.40q is no rule here", name)
	}
	args := st.readArgs(&r)
	st.expect(":")
	st.suppose()
	if st.end(); st.err != nil {
		return
	}
	st.consequences()
	if !st.dead {
		if err := r.check(st, args); err != nil && !st.dead {
			st.fail("the clause does not follow: %w", err)
		}
	}
	st.add(id, name)
}

// add ends a step: what was assumed is undone, and the clause is kept.
func (st *state) add(id int64, name string) {
	st.observe()
	if st.undo(0); st.err != nil {
		return
	}
	st.clauses[id] = slices.Clone(st.clause)
	switch len(st.clause) {
	case 0:
		st.dead, st.lost = true, true
	case 1:
		st.keep(st.clause[0])
	}
	st.verdict.Steps++
	st.verdict.Rules[name]++
}

// forget deletes clauses and multipliers: d ID …
func (st *state) forget() {
	for first := true; first || st.more(); first = false {
		id := st.number(0, idLimit)
		if _, ok := st.clauses[id]; !ok && st.multipliers[id] == nil {
			st.fail("there is no step %d", id)
		}
		delete(st.clauses, id)
		delete(st.multipliers, id)
	}
}
