package solve

import (
	"context"
	"slices"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/inter"
	"github.com/irifrance/gini/z"

	"downbeat/encode"
)

// answer is what the SAT solver says; the zero value claims nothing.
type answer int

const (
	unknown answer = iota
	satisfiable
	unsatisfiable
)

// engine is one encoding inside one SAT solver. This is the only file that
// runs gini. Try is never used: it sets a deadline that nothing clears, after
// which Solve answers 0 at once.
type engine struct {
	*encode.Encoding
	g *gini.Gini
	// refuted is set once the formula is refuted without assumptions. The solver
	// must not be asked again then: gini analyses the old conflict at level 0
	// and goes on with a literal that does not exist.
	refuted bool
	// failed holds the assumptions that the last unsatisfiable answer rests on.
	failed []z.Lit
}

func newEngine(enc *encode.Encoding) *engine {
	e := &engine{Encoding: enc, g: gini.NewVc(enc.Vars()+1, int(enc.Clauses())+1), refuted: enc.Empty()}
	enc.Feed(e.g)
	return e
}

// Polling for an answer starts fast, for formulas that fall at once, and slows
// down.
const (
	firstPoll = 10 * time.Microsecond
	lastPoll  = 2 * time.Millisecond
)

// solve asks for a model under assumptions. It ends early, with unknown, when
// ctx is done or useless, polled now and then, says that the answer has
// lost its use. After unsatisfiable, failed holds assumptions that cannot hold
// together, not necessarily the fewest; none if the formula is refuted by itself.
func (e *engine) solve(ctx context.Context, useless func() bool, assume ...z.Lit) answer {
	e.failed = nil
	if e.refuted {
		return unsatisfiable
	}
	for _, m := range assume {
		switch m {
		case encode.False:
			e.failed = []z.Lit{m}
			return unsatisfiable
		case encode.True:
		default:
			e.g.Assume(m)
		}
	}
	a := wait(ctx, e.g.GoSolve(), useless)
	if a == unsatisfiable {
		why := e.g.Why(nil)
		e.failed = slices.DeleteFunc(slices.Clone(assume), func(m z.Lit) bool { return !slices.Contains(why, m) })
		e.refuted = len(e.failed) == 0
	}
	return a
}

func wait(ctx context.Context, run inter.Solve, useless func() bool) answer {
	for pause := firstPoll; ; pause = min(pause*5/4, lastPoll) {
		if result, done := run.Test(); done {
			return toAnswer(result)
		}
		if ctx.Err() != nil || useless != nil && useless() {
			return toAnswer(run.Stop())
		}
		time.Sleep(pause)
	}
}

func toAnswer(result int) answer {
	switch result {
	case 1:
		return satisfiable
	case -1:
		return unsatisfiable
	default:
		return unknown
	}
}
