package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/memory"
	"downbeat/solve/portfolio"
	"downbeat/solve/sequence"
)

// sequencing bounds the weighted tardiness of jobs of one task each by walks through time. Where they take turns, and
// all there is to find are their orders, it finds the best.
type sequencing struct {
	w    *portfolio.Work
	seed uint64
	s    *sequence.Search // nil before the first slice
	// from is the value that the search began with, and claimed the bound that was claimed last.
	from, claimed int64
	// aims tells that less is asked for than the best plan, and asked is how many passes there were at the latest question about what is left.
	aims  bool
	asked int
}

// Sequencing closes the weighted tardiness where all there is to find are the orders of jobs on slaves, by
// successive sublimation, and on several slaves by splits.
var Sequencing = &portfolio.Strategy{
	Name: "sequencing", Unit: "20 million links of walks", Proves: "dual",
	Applies: func(w *portfolio.Work) bool { p := sequenceOf(w); return p != nil && p.Tight() },
	Begin:   beginSequencing,
}

// Walks bounds the weighted tardiness of jobs of one task each where there is more to find than orders.
var Walks = &portfolio.Strategy{
	Name: "walks through time", Unit: Sequencing.Unit, Proves: Sequencing.Proves,
	Applies: func(w *portfolio.Work) bool { p := sequenceOf(w); return p != nil && !p.Tight() },
	Begin:   beginSequencing,
}

func beginSequencing(w *portfolio.Work, seed uint64) portfolio.Runner {
	return &sequencing{w: w, seed: seed}
}

// linksOfUnit is a unit, a seventh of a second; so many links, so many jobs that local search evaluates, and so many starts of
// jobs that prices of ticks do, count as one unit of a budget: each takes about as long.
const linksOfUnit, linksPerUnit, evaluationsPerUnit, startsPerUnit = 20_000_000, 1 << 18, 1 << 18, 1 << 19

// linksOfQuestion is about how many links of walks take as long as a question about what is left.
const linksOfQuestion = 10_000_000

// sequenceOf is the problem of better plans than the best, nil where it is another one.
func sequenceOf(w *portfolio.Work) *sequence.Problem {
	if shape := w.Goal[w.P].Shape(); !w.First(w.P) || w.Goal[w.P] != model.WeightedTardiness && !shape.Counts() || !boundsHold(w) {
		return nil
	}
	value, _ := w.Gap(w.P)
	return sequence.New(w.Question(w.Limits(w.P, max(0, value-1))), w.Goal[w.P])
}

// Run implements portfolio.Runner.
func (q *sequencing) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if !q.begin(ctx) {
		return portfolio.Done
	}
	for work := s.Units * linksOfUnit; work > 0 && ctx.Err() == nil && !q.w.Over(q.w.P) && q.more(ctx); {
		took := q.s.Run(ctx, min(work, linksOfUnit/4))
		work -= took
		budget.Spend(ctx, took/linksPerUnit)
		event.Count(ctx, event.Counts{Steps: 1})
		q.offer()
		if q.ask(ctx) {
			work -= linksOfQuestion
		}
		// What is claimed at the end alone is lost where ctx ends first.
		if value, bound := q.w.Gap(q.w.P); 2*(value-q.s.Bound()) < value-bound || q.s.Optional() && q.s.Bound() > bound {
			q.claim(ctx)
		}
	}
	q.claim(ctx)
	if !q.s.Open() && q.s.Tight() {
		return portfolio.Done
	}
	return portfolio.Open
}

// farBetter is a value of so many tenths of another: then when jobs can begin is worth being looked at anew, as the
// first steps depend on it.
const farBetter = 9

// begin begins a search, or tells the one that there is of the best plan. It is false if there is none to begin.
func (q *sequencing) begin(ctx context.Context) bool {
	value, _ := q.w.Gap(q.w.P)
	if q.s != nil && (q.s.Tight() || value*10 >= q.from*farBetter) {
		q.s.Try(ctx, q.w.Best(), value)
		return true
	}
	p := sequenceOf(q.w)
	if p == nil || !memory.Allows(ctx, Sequencing.Name, p.Bytes()) {
		return false
	}
	q.s, q.from = sequence.NewSearch(ctx, p, q.w.Best(), q.seed), value
	budget.Spend(ctx, q.s.Starts()/startsPerUnit)
	budget.Spend(ctx, q.s.First(ctx)/evaluationsPerUnit)
	q.offer()
	return true
}

// more reports whether there is anything left to find out. Where jobs may be let go less is asked for than the value above the bound: refutations
// of values that are far below the plan's take few splits, and each raises the bound. It begins once it is known about where that is.
func (q *sequencing) more(ctx context.Context) bool {
	value, bound := q.w.Gap(q.w.P)
	bound = max(bound, q.s.Bound())
	if q.s.Optional() && bound < value && (!q.aims && q.s.Passed() > 0 || q.s.Value() <= bound) {
		q.aims, q.asked = true, 0
		q.s.Ask(ctx, bound+1)
	}
	return q.s.Open()
}

// ask asks clause learning for a plan in what is left where jobs may be let go and it is settled which, once for each part, and reports whether it did.
func (q *sequencing) ask(ctx context.Context) bool {
	w := q.w
	if passed := q.s.Passed(); !q.s.Optional() || passed == q.asked || !q.s.Settled() || !divesApply(w) {
		return false
	}
	q.asked = q.s.Passed()
	most := q.s.Value() - 1
	asked := w.Question(w.Limits(w.P, most))
	q.s.Left(&asked)
	if answer, plan := askDive(ctx, asked, &w.Exact, q.seed+uint64(q.asked), w.Best()); answer == lcg.Satisfiable {
		w.Receive(w.Complete(plan), w.P, most)
	}
	return true
}

// offer hands on the best order, where it is a plan.
func (q *sequencing) offer() {
	w := q.w
	value, _ := w.Gap(w.P)
	if partial := q.s.Schedule(w.JS); partial != nil {
		plan := w.Complete(partial)
		if w.JS.Value(w.Goal[w.P], w.JS.Finishes(plan)) < value && check.Schedule(w.JS, plan, false).Err() == nil {
			w.Offer(plan)
		}
	}
}

// claim raises the bound, once the checker of proof files agrees.
func (q *sequencing) claim(ctx context.Context) {
	w, least := q.w, q.s.Bound()
	value, bound := w.Gap(w.P)
	if least = min(least, value); least <= bound || least == q.claimed {
		return
	}
	q.claimed = least
	asked := w.Question(w.Limits(w.P, least-1))
	by := q.s.Refutation(&asked)
	if err := inference.CheckClaim(ctx, w.JS, w.Goal[w.P], least, by); err != nil {
		w.Fail(err)
		return
	}
	w.RaiseBy(w.P, least, model.DualProof, incumbent.Argument{Refutation: by}, claim(w.JS, w.Goal[w.P], least), q.s.Sentence(w.JS))
}
