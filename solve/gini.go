package solve

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/inter"
	"github.com/irifrance/gini/z"

	"downbeat/encode"
	"downbeat/encode/cnf"
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
	// variant says in which order the solver gets the clauses: 0 as they were
	// built, else another order for every variant.
	variant uint64
	// g is nil until it is needed, and again after an unsatisfiable answer. A
	// formula may then be refuted for good without gini saying so (Why can
	// name assumptions that have long been implied), and asked once more it
	// would analyse a conflict at level 0 and go on with a literal that does
	// not exist. Feeding a new solver costs little beside that.
	g *gini.Gini
	// refuted is set once the formula is known to be refuted without assumptions.
	refuted bool
	// failed holds the assumptions that the last unsatisfiable answer rests on.
	failed []z.Lit
}

func newEngine(enc *encode.Encoding, variant uint64) *engine {
	return &engine{Encoding: enc, variant: variant, refuted: enc.Empty()}
}

// feed makes a solver with the formula; false if ctx ended before it was done.
func (e *engine) feed(ctx context.Context) bool {
	g := gini.NewVc(e.Vars()+1, int(e.Clauses())+1)
	in := &intake{ctx: ctx, g: g}
	if e.variant == 0 {
		e.Feed(in)
	} else {
		e.FeedShuffled(in, rand.New(rand.NewPCG(e.variant, 0)))
	}
	if in.stopped {
		return false
	}
	e.g = g
	return true
}

// intake passes clauses on until its context ends, so that a limit also ends
// the seconds that millions of clauses take.
type intake struct {
	ctx     context.Context
	g       *gini.Gini
	n       int
	stopped bool
}

// Add implements inter.Adder.
func (in *intake) Add(m z.Lit) {
	const often = 1 << 16
	if in.n++; in.n%often == 0 && in.ctx.Err() != nil {
		in.stopped = true
	}
	if !in.stopped {
		in.g.Add(m)
	}
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
	if slices.Contains(assume, cnf.False) {
		e.failed = []z.Lit{cnf.False}
		return unsatisfiable
	}
	if ctx.Err() != nil || e.g == nil && !e.feed(ctx) {
		return unknown
	}
	e.g.Assume(assume...)
	a := wait(ctx, e.g.GoSolve(), useless)
	spend(ctx, 1)
	if a == unsatisfiable {
		why := e.g.Why(nil)
		e.failed = slices.DeleteFunc(slices.Clone(assume), func(m z.Lit) bool { return !slices.Contains(why, m) })
		e.refuted = len(e.failed) == 0
		e.g = nil
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

// given reports whether m is true under the assumptions tested so far, by
// propagation alone.
func (e *engine) given(m z.Lit) bool {
	switch m {
	case cnf.True:
		return true
	case cnf.False:
		return false
	}
	return e.g.Value(m)
}

// push assumes m on top of what is assumed, in a scope of its own, and
// propagates. false means that this fails; pop comes next.
func (e *engine) push(m z.Lit) bool {
	if m != cnf.True {
		e.g.Assume(m)
	}
	result, _ := e.g.Test(nil)
	return result >= 0
}

// pop takes back the last push. false means that what is left fails as well, by
// what was learnt from the conflict, and has to be popped too.
func (e *engine) pop() bool { return e.g.Untest() >= 0 }
