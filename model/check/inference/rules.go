package inference

import (
	"downbeat/model"
)

// rule shows that what a step assumes contradicts the rules of the job set; otherwise its
// error says what is left.
type rule struct {
	args   string // see Arguments
	points bool
	check  func(st *state, a []int64) error
}

// rules by name; those of limits have the names of these.
var rules = withLimits(map[string]rule{
	"task":        {"T", false, (*state).noPlace}, // C0 to C3, C7, C10, absences
	"stage":       {"K", false, (*state).stageLate},
	"job":         {"J", false, (*state).jobLate},
	"cap":         {"SRP", false, (*state).overfull}, // C4 to C6, C9
	"push":        {"TSR", true, (*state).pushedOut},
	"energy":      {"SRPP", false, (*state).overloaded},
	"disjunctive": {"SRT", false, (*state).outOfTurn},

	"pool":        {"QP", false, (*state).exhausted}, // C11
	"pool-push":   {"TQ", true, (*state).pushedOutOfPool},
	"pool-energy": {"QPP", false, (*state).overdrawn},
	"apart":       {"K", false, (*state).crowded}, // C12

	"order":   {"TT", false, (*state).outOfOrder}, // symmetry
	"first":   {"TSS", false, (*state).notFirst},
	"used":    {"TS", false, (*state).unused},
	"cut":     {"N", false, (*state).refutedBefore},
	"prices":  {"M", false, (*state).overpaid},
	"charges": {"M", false, (*state).overcharged},       // C7 and C10 between jobs
	"idle":    {"M", false, (*state).overpaidWhileIdle}, // C4 to C6, C9 where inputs come one after the other

	"weights":    {"MPP", false, (*state).outweighed},  // C4, C5, C9
	"sequence":   {"M", false, (*state).outOfSequence}, // C4, C5, C9 of slaves that run one task at a time
	"assignment": {"M", false, (*state).unassigned},    // C4 of each core
})

func withLimits(rules map[string]rule) map[string]rule {
	for _, o := range limited {
		rules[o.InProofs()] = rule{"", false, func(st *state, _ []int64) error { return st.exceeded(o) }}
	}
	return rules
}

// Arguments says what the arguments of a rule are, in their order: T(ask), K (stage), J(ob),
// S(lave), R(esource), Q (a limit that tasks on all slaves have in common: pools come first, then the
// caps of all jobs, then those of all stages), P(oint in time), M(ultipliers, by the ID of their line) and N(umber), and whether any number of points may
// follow. A rule that there is not has none.
func Arguments(name string) (kinds string, points bool) { return rules[name].args, rules[name].points }

// readArgs reads the arguments of a rule up to a colon.
func (st *state) readArgs(r *rule) []int64 {
	st.args = st.args[:0]
	for _, kind := range []byte(r.args) {
		st.args = append(st.args, st.readArg(kind))
	}
	for r.points && st.more() && !st.atColon() {
		st.args = append(st.args, st.readArg('P'))
	}
	return st.args
}

// readArg reads an argument of a kind. Tasks, stages and jobs become those of the question.
func (st *state) readArg(kind byte) int64 {
	switch kind {
	case 'S':
		return st.number(0, int64(len(st.js.Slaves))-1)
	case 'R':
		return st.number(0, int64(model.NumResources)-1)
	case 'Q':
		return st.number(0, int64(len(st.limits))-1)
	case 'P':
		return st.number(0, latest)
	case 'M', 'N':
		return st.number(0, idLimit)
	}
	n := st.number(0, idLimit)
	at := numbered(st.local[kind], n)
	if at < 0 {
		st.fail("the question knows nothing of %d", n)
	}
	return int64(at)
}
