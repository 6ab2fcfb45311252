package strategy

import (
	"context"
	"math"

	"downbeat/heuristics/ejection"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/portfolio"
)

// ejectionPool goes on with one local search, from the best plan where others found a
// better one.
type ejectionPool struct {
	w    *portfolio.Work
	seed uint64
	s    *ejection.Search // nil before the first slice
}

// EjectionPool improves the plan by ejection-pool search. Of fewer tasks than Large it is for
// the first objective alone.
var EjectionPool = &portfolio.Strategy{
	Name: "ejection pool", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool {
		return (w.First(w.P) || len(w.JS.Tasks) >= Large) && ejection.Treats(w.JS, w.Goal[:w.P+1])
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner { return &ejectionPool{w: w, seed: seed} },
}

// takesOver reports whether the ejection pool takes the place of lists: local search with
// small steps is better then than lists, that see less the larger a set is.
func takesOver(w *portfolio.Work) bool {
	return len(w.JS.Tasks) >= Large && EjectionPool.Applies(w)
}

// Large is the number of tasks from which on the ejection pool takes the place of lists, a
// fluid relaxation guides them better than rules do, and it pays to pool slaves
// (docs/solver.md).
const Large = 400

// BesideLists is the number of tasks from which on the ejection pool is worth its time beside
// lists where misses are counted: misses-150-1, -3 and -5 are at 10, 14 and 5 after 0.2 to 10 s
// of it, where lists and neighbourhoods alone came to 10, 12 and 8 after half a minute.
const BesideLists = 100

// ejectionUnit is a number of placements that takes about an eighth of a second.
const ejectionUnit = 12_000

// Run implements portfolio.Runner.
func (e *ejectionPool) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if e.s == nil {
		e.s = ejection.New(e.w.JS, e.w.Goal[:e.w.P+1], e.seed)
		e.s.RestartFrom(e.w.Best())
	} else if value, _ := e.w.Gap(e.w.P); value < e.s.Best() {
		e.s.RestartFrom(e.w.Best())
	}
	return e.run(ctx, s.Units)
}

// run searches for a number of units, 0 for any number.
func (e *ejectionPool) run(ctx context.Context, units int) portfolio.Outcome {
	n := len(e.w.JS.Tasks)
	wanted := 0
	if units > 0 {
		wanted = 1 + units*ejectionUnit/n
	}
	placements := int64(math.MaxInt64 / 2)
	if affordable := budget.Affordable(ctx, wanted); affordable > 0 {
		placements = int64(affordable) * int64(n)
	}
	if units > 0 {
		placements = min(placements, int64(units)*ejectionUnit)
	}
	before := e.s.Placed()
	e.s.Run(ctx, placements, e.w.Offer)
	placed := e.s.Placed() - before
	budget.Spend(ctx, max(1, int(placed/int64(n))))
	event.Count(ctx, event.Counts{Constructions: placed / int64(n)})
	if placed == 0 && ctx.Err() == nil {
		return portfolio.Done
	}
	return portfolio.Open
}
