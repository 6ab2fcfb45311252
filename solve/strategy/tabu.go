package strategy

import (
	"context"
	"math"

	"downbeat/heuristics/tabu"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/portfolio"
)

// TabuSearch improves plans of shops by local search on the critical path: job shops, also flexible ones, parallel
// machines, and clusters on which nothing else ties tasks to each other, for the makespan or the
// greatest lateness. It knows plans only by the objective, which has to be the first one.
var TabuSearch = &portfolio.Strategy{
	Name: "tabu search", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return w.P == 0 && tabu.Treats(w.JS, w.Goal[:1]) },
	Begin:   func(w *portfolio.Work, seed uint64) portfolio.Runner { return &tabuSearch{w: w, seed: seed} },
}

// tabuSearch goes on with one search, to which better plans of others are added.
type tabuSearch struct {
	w    *portfolio.Work
	seed uint64
	s    *tabu.Search // nil before the first slice
}

const (
	// tabuUnit is an amount of work that takes about an eighth of a second.
	tabuUnit = 16_000_000
	// A slice ends early after so many moves, or twice as many as led to the best plan, that brought nothing: small sets
	// are soon done with, and others take up their time.
	leastMoves = 5000
	// workOfTask is how much takes as long as to place a task.
	workOfTask = 160
)

// Run implements portfolio.Runner.
func (t *tabuSearch) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if t.s == nil {
		t.s = tabu.New(t.w.JS, t.w.Goal[0], t.seed)
	}
	if value, _ := t.w.Gap(t.w.P); value < t.s.Best() {
		t.s.Consider(t.w.Best())
	}
	construction := workOfTask * int64(len(t.w.JS.Tasks))
	constructions := int64(math.MaxInt64)
	if s.Units > 0 {
		constructions = 1 + int64(s.Units)*tabuUnit/construction
	}
	for from := t.s.Moves(); constructions > 0; constructions-- {
		improved := t.s.Improved()
		barren := s.Units > 0 && t.s.Moves()-max(from, improved) > max(leastMoves, 2*improved)
		if barren || ctx.Err() != nil || t.w.Over(t.w.P) {
			break
		}
		t.s.Run(ctx, construction, t.w.Offer)
		budget.Spend(ctx, 1)
		event.Count(ctx, event.Counts{Constructions: 1})
	}
	return portfolio.Open
}
