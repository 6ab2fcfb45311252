package strategy

import (
	"context"
	"fmt"
	"math"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/pooled"
	"downbeat/solve/portfolio"
)

// poolMultipliers is the strategy, for one objective.
type poolMultipliers struct {
	w      *portfolio.Work
	search *pooled.Search
	// For an objective that is a time: the least value that no stage refuted, and by how
	// much the next to be refuted lies above the bound.
	failed, stride int64
}

// PoolMultipliers raises the bound of an objective by multipliers of pools of slaves (package
// solve/pooled), which separate code checks. With fewer tasks than Large, those slave by slave
// take no time either.
var PoolMultipliers = &portfolio.Strategy{
	Name: "prices of pools", Unit: "a stage of the search", Proves: "dual", Applies: boundsHold,
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner {
		return &poolMultipliers{w: w, search: pooled.NewSearch(w.JS), failed: math.MaxInt64, stride: 1}
	},
}

// Run implements portfolio.Runner.
func (p *poolMultipliers) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := p.w
	stage := p.weight
	if w.Goal[w.P].Shape().Max {
		stage = p.time
	}
	for range s.Units {
		if ctx.Err() != nil || w.Over(w.P) {
			break
		}
		if done := stage(ctx); done {
			return portfolio.Done
		}
	}
	return portfolio.Open
}

// weight runs a stage for an objective that is a sum over jobs.
func (p *poolMultipliers) weight(ctx context.Context) (done bool) {
	w := p.w
	value, bound := w.Gap(w.P)
	if least, b := p.next(ctx, p.costs(), value); least > bound {
		p.raise(min(least, value), b)
	}
	return p.search.Done()
}

// costs are those of late jobs: their weights, or their weights times lateness. In the
// latter case jobs are due no later than any is late in the plan there is, which
// bounds time; what is later yet costs the more.
func (p *poolMultipliers) costs() *proof.LateCosts {
	w := p.w
	o, shape := w.Goal[w.P], w.Goal[w.P].Shape()
	q := &proof.LateCosts{Weight: LateWeights(w.JS, o)}
	grace := model.Time(0)
	if greatest, ok := o.Greatest(); ok && shape.Sums() {
		grace = model.Time(w.JS.Value(greatest, w.JS.Finishes(w.Best())))
		q.PerTick = make([]int64, len(w.JS.Jobs))
		for i := range w.JS.Jobs {
			if job := &w.JS.Jobs[i]; shape.Jobs.Has(job.Kind) {
				q.PerTick[i] = shape.Weight(job)
			}
			q.Weight[i] *= int64(grace) + 1
		}
	}
	q.Due = query.AtMost(w.JS, o, grace)
	return q
}

// time runs a stage for an objective that is a time: against a value above the bound,
// by strides that double after each success and halve after each failure.
func (p *poolMultipliers) time(ctx context.Context) (done bool) {
	w := p.w
	value, bound := w.Gap(w.P)
	p.failed = min(p.failed, value)
	if bound >= p.failed {
		return true
	}
	v := min(bound+p.stride-1, p.failed-1)
	q := &proof.LateCosts{Due: query.AtMost(w.JS, w.Goal[w.P], model.Time(v)), Weight: make([]int64, len(w.JS.Jobs))}
	for i, due := range q.Due {
		if due < model.Never {
			q.Weight[i] = 1
		}
	}
	switch least, b := p.next(ctx, q, 1); {
	case least > 0:
		p.raise(v+1, b)
		p.stride *= 2
		p.search.Again(0)
	case p.search.Done():
		p.failed = v
		p.stride = max(1, (p.failed-bound)/2)
		p.search.Again(1)
	}
	return false
}

// next runs the next stage and checks what it finds.
func (p *poolMultipliers) next(ctx context.Context, q *proof.LateCosts, target int64) (least int64, b *proof.PoolBound) {
	b, least, steps := p.search.Next(ctx, q, target)
	charge(ctx, steps)
	if b == nil {
		return 0, nil
	}
	proved, err := inference.Pools(ctx, p.w.JS, q, b)
	switch {
	case ctx.Err() != nil:
		return 0, nil
	case err == nil && proved < least:
		err = fmt.Errorf("prices of pools prove %d, not %d", proved, least)
	}
	if err != nil {
		p.w.Fail(err)
		return 0, nil
	}
	return least, b
}

func (p *poolMultipliers) raise(least int64, b *proof.PoolBound) {
	w := p.w
	w.RaiseBy(w.P, least, model.DualProof, incumbent.Argument{Pooled: b}, claim(w.JS, w.Goal[w.P], least), b.Sentence(),
		"with a penalty for each late job, the least that the jobs cost at these prices exceeds what all capacity is worth")
}
