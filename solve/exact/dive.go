package exact

import (
	"context"
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode"
	"downbeat/encode/cnf"
	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/lcg"
)

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

// line puts the tasks in the order of the jobs.
func (d *dive) line() {
	d.tasks = d.tasks[:0]
	for _, i := range d.jobs {
		if d.e.On(i) == cnf.False {
			continue
		}
		for t := d.e.JS.Jobs[i].First; t < d.e.JS.Jobs[i].End; t++ {
			d.tasks = append(d.tasks, t)
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
