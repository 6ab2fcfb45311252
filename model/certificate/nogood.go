package certificate

import (
	"fmt"
	"slices"
)

// nextID reads the number of a step; they ascend.
func (st *state) nextID(f *fields) int64 {
	id := f.number(0, idLimit)
	if id <= st.last {
		f.fail("step %d comes after step %d", id, st.last)
	}
	st.last = id
	return id
}

// suppose reads literals up to a colon or the end of the line, and assumes that they are
// false.
func (st *state) suppose(f *fields) {
	st.clause = st.clause[:0]
	for f.more() && !f.atColon() {
		l := st.readLiteral(f)
		if st.clause = append(st.clause, l); f.err == nil {
			st.assume(l.not())
		}
	}
}

// infer checks an inference: c ID RULE args : LIT …
func (st *state) infer(f *fields) error {
	id := st.nextID(f)
	name := string(f.word())
	r, ok := rules[name]
	if !ok {
		f.fail("%.40q is no rule", name)
	}
	args := st.readArgs(f, &r)
	f.expect(":")
	st.suppose(f)
	if err := f.end(); err != nil {
		return err
	}
	if st.consequences(); !st.dead {
		if err := r.check(st, args); err != nil && !st.dead {
			return fmt.Errorf("the clause does not follow: %w", err)
		}
	}
	st.add(id, name)
	return nil
}

// derive checks a nogood: n ID : LIT … : ID …
func (st *state) derive(f *fields) error {
	id := st.nextID(f)
	f.expect(":")
	st.suppose(f)
	f.expect(":")
	for f.more() {
		hint := f.number(0, idLimit)
		clause, ok := st.clauses[hint]
		switch {
		case !ok:
			f.fail("there is no clause %d", hint)
		case st.dead || f.err != nil:
		default:
			if n := st.propagate(clause); n > 1 {
				f.fail("the nogood does not follow: clause %d leaves %d literals open", hint, n)
			}
		}
	}
	if f.err == nil && !st.dead {
		f.fail("the nogood does not follow: its clauses leave no contradiction")
	}
	if f.err == nil {
		st.add(id, "nogood")
	}
	return f.err
}

// propagate has the only literal of a clause that is not false hold. It returns how many
// there are, 0 if some literal is true.
func (st *state) propagate(clause []literal) int {
	open, at := 0, 0
	for i, l := range clause {
		switch st.value(l) {
		case yes:
			return 0
		case unknown:
			open, at = open+1, i
		}
	}
	switch open {
	case 0:
		st.dead = true
	case 1:
		st.assume(clause[at])
	}
	return open
}

// add ends a step: what was assumed is undone, and the clause is kept.
func (st *state) add(id int64, name string) {
	st.undo(0)
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
func (st *state) forget(f *fields) error {
	for id := f.number(0, idLimit); ; id = f.number(0, idLimit) {
		_, clause := st.clauses[id]
		if _, other := st.multipliers[id]; !clause && !other {
			f.fail("there is no step %d", id)
		}
		delete(st.clauses, id)
		delete(st.multipliers, id)
		if !f.more() {
			return f.err
		}
	}
}
