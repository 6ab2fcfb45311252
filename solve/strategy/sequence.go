package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/memory"
	"downbeat/solve/portfolio"
	"downbeat/solve/sequence"
)

// sequencing finds the order of jobs on a slave that runs one task at a time, for the weighted tardiness.
type sequencing struct {
	w    *portfolio.Work
	seed uint64
	s    *sequence.Search // nil before the first slice
	// claimed is the bound that was claimed last.
	claimed int64
}

// Sequencing closes the weighted tardiness where all there is to decide is the order of jobs on one slave, by
// successive sublimation.
var Sequencing = &portfolio.Strategy{
	Name: "sequencing", Unit: "20 million links of walks", Proves: "dual",
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && sequenceOf(w) != nil },
	Begin:   func(w *portfolio.Work, seed uint64) portfolio.Runner { return &sequencing{w: w, seed: seed} },
}

// linksOfUnit is a unit, a seventh of a second; so many links, and so many jobs that local search looks at, count as one
// unit of a budget.
const linksOfUnit, linksPerUnit, looksPerUnit = 20_000_000, 1 << 18, 1 << 18

// searchBytes is about what a search takes at most.
const searchBytes = 200 << 20

// sequenceOf is the problem of better plans than the best, nil where it is another one.
func sequenceOf(w *portfolio.Work) *sequence.Problem {
	if w.P != 0 || w.Goal[0] != model.WeightedTardiness {
		return nil
	}
	return sequence.New(below(w))
}

// below asks for a plan that is better than the best.
func below(w *portfolio.Work) query.Question {
	value, _ := w.Gap(w.P)
	return w.Question(w.Limits(w.P, max(0, value-1)))
}

// Run implements portfolio.Runner.
func (q *sequencing) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if q.s == nil {
		if !memory.Allows(ctx, Sequencing.Name, searchBytes) {
			return portfolio.Done
		}
		p := sequenceOf(q.w)
		if p == nil {
			return portfolio.Done // a plan has come in meanwhile that leaves a job no place
		}
		q.s = sequence.NewSearch(p, p.Order(q.w.Best()), q.seed)
		budget.Spend(ctx, q.s.First()/looksPerUnit)
		q.offer()
	} else {
		q.s.Try(q.w.Best())
	}
	for work := s.Units * linksOfUnit; work > 0 && ctx.Err() == nil && !q.w.Over(q.w.P) && q.s.Open(); {
		took := q.s.Run(ctx, min(work, linksOfUnit/4))
		work -= took
		budget.Spend(ctx, took/linksPerUnit)
		event.Count(ctx, event.Counts{Steps: 1})
		q.offer()
	}
	q.claim(ctx)
	if !q.s.Open() {
		return portfolio.Done
	}
	return portfolio.Open
}

// offer hands on the best order.
func (q *sequencing) offer() {
	if value, _ := q.w.Gap(q.w.P); q.s.Value() < value {
		q.w.Offer(q.w.Complete(q.s.Schedule(q.w.JS, q.s.Order())))
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
