package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/memory"
	"downbeat/solve/packing"
	"downbeat/solve/portfolio"
)

// packer settles values of an objective that is a time, from its bound up, or whether the hard deadlines can be met, where
// tasks differ in their lengths only: they are packed into cores, or prices of
// lengths, which separate code checks, show that they cannot be.
type packer struct {
	w *portfolio.Work
	// v is the value that is looked at, open the last one that was not settled; tries counts them.
	v, open int64
	tries   uint64
}

// Packing packs tasks that differ in their lengths only into cores that are alike, for an
// objective that is a time, or for any plan.
var Packing = &portfolio.Strategy{
	Name: "packing", Unit: "a value of the objective", Proves: "dual",
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && poses(w, packing.New) },
	Begin:   func(w *portfolio.Work, _ uint64) portfolio.Runner { return &packer{w: w, open: -1} },
}

// Run implements portfolio.Runner.
func (k *packer) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	for range s.Units {
		if k.w.Over(k.w.P) || ctx.Err() != nil {
			return portfolio.Open
		}
		k.next()
		p, ok := packing.New(k.w.JS, duesAt(k.w, k.v))
		if !ok || !memory.Allows(ctx, "packing", p.Bytes()) {
			return portfolio.Done
		}
		k.settle(ctx, p)
	}
	return portfolio.Open
}

// next turns to a value twice as far from the bound as the last one that was left open, or halfway between it and the plan's where that is nearer, or else to the
// bound: one after the other ended before 250 tasks on 100 cores, of which some twenty values are left open, had a better plan.
func (k *packer) next() {
	value, bound := timesOpen(k.w)
	if k.v = bound; k.open >= bound && k.open < value-1 {
		k.v = min(2*k.open-bound+1, (k.open+value)/2)
	}
	k.tries++
}

// settle looks for a plan with the value, or for an argument that there is none.
func (k *packer) settle(ctx context.Context, p *packing.Problem) {
	w := k.w
	plan, none, steps := packing.Search(ctx, p, w.Seed+k.tries)
	budget.Spend(ctx, steps/cellsPerUnit)
	switch {
	case plan != nil:
		if plan = w.Complete(plan); check.Schedule(w.JS, plan, w.MayMissHard).Err() == nil { // else slots are in the way
			w.Offer(plan)
		}
	case none != nil:
		if err := inference.Packing(w.JS, duesAt(w, k.v), none); err != nil {
			w.Fail(err)
			return
		}
		if w.P == incumbent.AnyPlan {
			w.Refute(incumbent.NoPlan{Proof: model.DualProof, Packing: none, Sentence: proof.RewardsSentence(1)})
			return
		}
		w.RaiseBy(w.P, k.v+1, model.DualProof, incumbent.Argument{Packing: none}, claim(w.JS, w.Goal[w.P], k.v+1), none.Sentence(clock.Of(w.JS)))
	default:
		k.open = k.v
	}
}

// cellsPerUnit is the number of cells that count as one unit of a budget: at 100
// tasks they take about as long as a construction.
const cellsPerUnit = 1 << 17
