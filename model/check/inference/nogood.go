package inference

// derive checks a nogood: n ID : LIT … : ID …
func (st *state) derive() {
	id := st.nextID()
	st.expect(":")
	st.suppose()
	st.expect(":")
	for st.more() {
		hint := st.number(0, idLimit)
		clause, ok := st.clauses[hint]
		if !ok || st.stoppedAfter(len(clause)) { // once stopped, no fault is told
			st.fail("there is no clause %d", hint)
		}
		if n := st.propagate(clause); n > 1 {
			st.fail("the nogood does not follow: clause %d leaves %d literals open", hint, n)
		}
	}
	if !st.dead {
		st.fail("the nogood does not follow: its clauses leave no contradiction")
	}
	st.add(id, "nogood")
}

// propagate has the only literal of a clause that is not false hold. It returns how many
// there are, 0 if some literal is true or nothing is possible any more.
func (st *state) propagate(clause []literal) int {
	open, at := 0, 0
	for i, l := range clause {
		switch value := st.value(l); {
		case value == yes || st.dead:
			return 0
		case value == unknown:
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
