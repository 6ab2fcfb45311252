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
	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/event"
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
	const often = 1 << 13
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
	event.Count(ctx, event.Counts{Calls: 1})
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

// A dive goes down the formula as Penn §4.2 orders the search: tasks in the
// order of a rule (EDF or LLF), each on the slave that takes the least transfer
// and execution time, started as early as propagation allows. Every decision
// is propagated before the next, so that stages, windows and capacity rule out
// values ahead of time, which list scheduling cannot do. From a conflict the
// solver learns a clause, and decisions are taken back until it holds: so a
// dive does not run into the same conflict twice.
type dive struct {
	// e is used for propagation only.
	e    *Solver
	jobs []model.JobID
	// tasks are those of jobs, in order.
	tasks []model.TaskID
	// stack holds the decisions: for every task first its slave, then its start.
	stack     []decision
	conflicts int
}

type decision struct {
	at    int // into tasks
	start bool
	lit   z.Lit
}

// GuidedSolve asks for a model under the assumptions that dives come to, in the
// order of one rule after the other, and without any if those lead nowhere.
func (e *Solver) GuidedSolve(ctx context.Context, order []string, useless func() bool) lcg.Answer {
	for _, rule := range heuristics.Rules() {
		if !slices.Contains(order, rule.Name) {
			continue
		}
		lits := goDown(ctx, e.Encoding, rule)
		budget.Spend(ctx, 1)
		if lits != nil && e.Solve(ctx, useless, lits...) == lcg.Satisfiable {
			return lcg.Satisfiable
		}
	}
	return e.Solve(ctx, useless)
}

// A dive is given up after maxConflicts. After every restartAfter it starts
// again with the job first that it got stuck on.
const (
	maxConflicts = 4000
	restartAfter = 100
)

// goDown looks for decisions that propagation leaves standing, in the order of a
// rule; nil if it finds none. A model of the formula that agrees with them is
// likely and has yet to be asked for.
//
// The dive has a solver to itself, which never solves: in gini v1.0.1 taking
// back assumptions can leave literals assigned that are no longer implied
// (backWithLates drops them from its trail), so that later answers could be
// wrong, and a model that fails gini's own check ends the process. The
// variable without clauses keeps that check from being made.
func goDown(ctx context.Context, enc *encode.Encoding, rule heuristics.Rule) []z.Lit {
	e := NewSolver(enc, 0)
	if e.refuted || !e.feed(ctx) {
		return nil
	}
	e.g.Lit()
	d := &dive{e: e, jobs: jobOrder(e.JS, rule)}
	d.line()
	for ctx.Err() == nil && d.conflicts < maxConflicts {
		next, done := d.next()
		if done {
			return d.decisions()
		}
		if !d.decide(next) && !d.retreat(next) {
			return nil
		}
	}
	return nil
}

// jobOrder is the order in which a rule first mentions each job.
func jobOrder(js *model.JobSet, rule heuristics.Rule) []model.JobID {
	var jobs []model.JobID
	seen := make([]bool, len(js.Jobs))
	for _, ref := range rule.Order(heuristics.NewFigures(js)) {
		if !seen[ref.Job] {
			seen[ref.Job] = true
			jobs = append(jobs, ref.Job)
		}
	}
	return jobs
}

// line puts the tasks in the order of the jobs, and of the stages that wait for each
// other.
func (d *dive) line() {
	d.tasks = d.tasks[:0]
	for _, i := range d.jobs {
		if d.e.On(i) == cnf.False {
			continue
		}
		job := &d.e.JS.Jobs[i]
		for _, k := range job.Order() {
			for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
				d.tasks = append(d.tasks, t)
			}
		}
	}
}

// next is the decision to take, without its literal; done that there is none
// left.
func (d *dive) next() (next decision, done bool) {
	if n := len(d.stack); n > 0 {
		top := d.stack[n-1]
		if !top.start {
			return decision{at: top.at, start: true}, false
		}
		next.at = top.at + 1
	}
	return next, next.at == len(d.tasks)
}

// decide takes a decision; false is a conflict.
func (d *dive) decide(next decision) bool {
	next.lit = d.choose(next)
	d.stack = append(d.stack, next)
	return d.e.push(next.lit)
}

// choose is the first value that propagation leaves open; True where there is
// nothing to decide, because the job is left out or the last value is forced.
func (d *dive) choose(next decision) z.Lit {
	t := d.tasks[next.at]
	if d.e.given(d.e.On(d.e.JS.Tasks[t].Job).Not()) {
		return cnf.True
	}
	if !next.start {
		for _, c := range d.e.Choices(t) {
			if !d.e.given(c.On.Not()) {
				return c.On
			}
		}
		return cnf.True
	}
	first, last := d.e.Starts(t)
	for at := first; at < last; at++ {
		if by := d.e.StartBy(t, at); !d.e.given(by.Not()) {
			return by
		}
	}
	return cnf.True
}

// decisions lists the literals decided.
func (d *dive) decisions() []z.Lit {
	lits := make([]z.Lit, len(d.stack))
	for i := range d.stack {
		lits[i] = d.stack[i].lit
	}
	return lits
}

// retreat takes decisions back until the rest is consistent with what was
// learnt; false means that the formula is refuted.
func (d *dive) retreat(failed decision) bool {
	d.conflicts++
	for ok := false; !ok; {
		if len(d.stack) == 0 {
			return false
		}
		d.stack = d.stack[:len(d.stack)-1]
		ok = d.e.pop()
	}
	if d.e.g.Value(z.LitNull) {
		return false // see engine.g: nothing is left but a conflict at level 0
	}
	if d.conflicts%restartAfter == 0 {
		return d.restart(d.e.JS.Tasks[d.tasks[failed.at]].Job)
	}
	return true
}

// restart takes everything back and puts job i first.
func (d *dive) restart(i model.JobID) bool {
	ok := true
	for range d.stack {
		ok = d.e.pop()
	}
	d.stack = d.stack[:0]
	at := slices.Index(d.jobs, i)
	copy(d.jobs[1:at+1], d.jobs[:at])
	d.jobs[0] = i
	d.line()
	return ok
}
