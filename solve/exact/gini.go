package exact

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
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/lcg"
)

// Solver is one encoding inside one SAT solver. Try of gini is never used: it sets
// a deadline that nothing clears, after which Solve answers 0 at once.
type Solver struct {
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
	// Failed holds the assumptions that the last lcg.Unsatisfiable answer rests on.
	Failed []z.Lit
}

// NewSolver prepares a formula; variant 0 gives the solver its clauses as they were
// built, others in other orders.
func NewSolver(enc *encode.Encoding, variant uint64) *Solver {
	return &Solver{Encoding: enc, variant: variant, refuted: enc.Empty()}
}

// feed makes a solver with the formula; false if ctx ended before it was done.
func (e *Solver) feed(ctx context.Context) bool {
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

// Solve asks for a model under assumptions. It ends early, with lcg.Unknown, when
// ctx is done or useless, polled now and then, says that the answer has
// lost its use. After lcg.Unsatisfiable, Failed holds assumptions that cannot hold
// together, not necessarily the fewest; none if the formula is refuted by itself.
func (e *Solver) Solve(ctx context.Context, useless func() bool, assume ...z.Lit) lcg.Answer {
	e.Failed = nil
	if e.refuted {
		return lcg.Unsatisfiable
	}
	if slices.Contains(assume, cnf.False) {
		e.Failed = []z.Lit{cnf.False}
		return lcg.Unsatisfiable
	}
	if ctx.Err() != nil || e.g == nil && !e.feed(ctx) {
		return lcg.Unknown
	}
	e.g.Assume(assume...)
	a := wait(ctx, e.g.GoSolve(), useless)
	budget.Spend(ctx, 1)
	if a == lcg.Unsatisfiable {
		why := e.g.Why(nil)
		e.Failed = slices.DeleteFunc(slices.Clone(assume), func(m z.Lit) bool { return !slices.Contains(why, m) })
		e.refuted = len(e.Failed) == 0
		e.g = nil
	}
	return a
}

func wait(ctx context.Context, run inter.Solve, useless func() bool) lcg.Answer {
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

func toAnswer(result int) lcg.Answer {
	switch result {
	case 1:
		return lcg.Satisfiable
	case -1:
		return lcg.Unsatisfiable
	default:
		return lcg.Unknown
	}
}

// given reports whether m is true under the assumptions tested so far, by
// propagation alone.
func (e *Solver) given(m z.Lit) bool {
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
func (e *Solver) push(m z.Lit) bool {
	if m != cnf.True {
		e.g.Assume(m)
	}
	result, _ := e.g.Test(nil)
	return result >= 0
}

// pop takes back the last push. false means that what is left fails as well, by
// what was learnt from the conflict, and has to be popped too.
func (e *Solver) pop() bool { return e.g.Untest() >= 0 }

// Plan is the schedule of the model found last, jobs that are left out without
// places.
func (e *Solver) Plan() model.Schedule { return e.Decode(e.g.Value) }
