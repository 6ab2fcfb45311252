package strategy

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// Multipliers raises the bound of an objective by multipliers of the Lagrangian
// relaxation, after separate code has recomputed what they prove, or refutes that
// there is a plan. Those that bound misses are left as cuts for the master problem.
var Multipliers = &portfolio.Strategy{
	Name: "dual prices", Unit: "1000 subgradient steps", Proves: "dual", Applies: boundsHold,
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner { return &multipliers{w: w, cuts: cutsOf(w)} },
}

// multipliers is the strategy at work. There is a plan where there is an objective, and its
// value is a target for the bound.
type multipliers struct {
	w    *portfolio.Work
	cuts *cuts
	// cut: the first slice was too short for what it was to do, as steps take long where ticks are fine.
	cut bool
}

// firstWork is the work of the first slice, in starts looked at, two seconds at most: where that is too little questions, which hang less on
// how fine ticks are, have their turn before the rest; laterWork is that of a slice after it.
const firstWork, laterWork = 200_000_000, 1_000_000_000

// Run implements portfolio.Runner.
func (d *multipliers) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	e := lagrange.Extent{Steps: lagrange.DefaultSteps * s.Units, Work: laterWork}
	switch {
	case s.Number == 0:
		e.Work = firstWork
	case s.Units == 1 && !d.cut:
		return portfolio.Open // it would be what was done already
	}
	switch w := d.w; {
	case w.P == incumbent.AnyPlan:
		if c := d.refute(ctx, query.HardDues(w.JS), &e); c != nil {
			w.Refute(incumbent.NoPlan{Proof: c.Proof(), Branching: c})
		}
	case w.Goal[w.P].Shape().Counts():
		d.misses(ctx, &e)
	case w.Goal[w.P].Shape().Sums():
		d.weighted(ctx, &e)
	default:
		d.raise(ctx, &e)
	}
	d.cut = s.Number == 0 && e.Cut
	return portfolio.Open
}

// raise refutes values of a time until the work of all ascents is done.
func (d *multipliers) raise(ctx context.Context, e *lagrange.Extent) {
	w := d.w
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	raiseTime(ctx, w, func(v int64) *proof.Branching {
		asked, end := w.Until(ctx, w.P, v)
		defer end()
		c := d.refute(asked, query.AtMost(w.JS, w.Goal[w.P], model.Time(v)), e)
		if e.Cut {
			stop()
		}
		return c
	})
}

// refute looks for multipliers that rule due out; what work that was is no longer left to others.
func (d *multipliers) refute(ctx context.Context, due []model.Time, e *lagrange.Extent) *proof.Branching {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := lagrange.NewRefutation(ctx, d.w.JS, due, false)
	r.Extent = *e
	c := refuteOn(ctx, d.w.Incumbent, r, due, 0, nil)
	work := e.Work
	*e = r.Extent
	e.Work = max(1, work-e.Done)
	return c
}

func (d *multipliers) misses(ctx context.Context, e *lagrange.Extent) {
	w := d.w
	value, bound := w.Gap(w.P)
	tf, least := d.late(ctx, 0, value, e)
	if tf != nil {
		d.cuts.addMultipliers(tf.Multipliers)
	}
	if least > bound {
		w.RaiseBy(w.P, least, model.DualProof, incumbent.Multipliers(tf), claim(w.JS, w.Goal[w.P], least), tf.Sentence(w.JS, clock.Of(w.JS)),
			"with a penalty for each late job, the least that the jobs cost at these prices exceeds what all capacity is worth")
	}
}

// weighted bounds the weighted tardiness by what jobs pay for it.
func (d *multipliers) weighted(ctx context.Context, e *lagrange.Extent) {
	w := d.w
	value, bound := w.Gap(w.P)
	e.Lanes = !w.Exact.Record // certificates have no words for lanes
	by, due := lagrange.WeightedTardiness(ctx, w.JS, value, e)
	chargeAscent(ctx, e)
	if by == nil {
		return
	}
	least, err := inference.WeightedTardiness(ctx, w.JS, value-1, due, by)
	if err != nil {
		w.Fail(err)
		return
	}
	if least > bound {
		w.RaiseBy(w.P, least, model.DualProof, incumbent.Multipliers(by), claim(w.JS, w.Goal[w.P], least), by.Sentence(w.JS, clock.Of(w.JS)),
			"with a price for each tick that a job is late, the least that the jobs cost at these prices exceeds what all capacity is worth")
	}
}

// chargeAscent takes an ascent off the budget: its steps, and a unit for what comes before them, so that one without any is
// not for nothing.
func chargeAscent(ctx context.Context, e *lagrange.Extent) {
	budget.Spend(ctx, 1)
	charge(ctx, e.Taken)
}

// late is the least weight, up to most, of soft jobs that are late by more than
// grace, or the least number of late hard ones, with the argument.
func (d *multipliers) late(ctx context.Context, grace model.Time, most int64, e *lagrange.Extent) (*proof.DualBound, int64) {
	w := d.w
	o := w.Goal[w.P]
	due := query.AtMost(w.JS, o, grace)
	tf, least := lagrange.LateWeight(ctx, w.JS, due, LateWeights(w.JS, o), most, e)
	chargeAscent(ctx, e)
	if least == 0 || !agrees(ctx, w, tf, due, least) {
		return nil, 0
	}
	return tf, least
}

// LateWeights are the weights of jobs where late ones are to be bounded: of those that the objective
// looks at, with hard ones to be in time.
func LateWeights(js *model.JobSet, o model.Objective) []int64 {
	weight, shape := make([]int64, len(js.Jobs)), o.Shape()
	for i := range weight {
		switch job := &js.Jobs[i]; {
		case shape.Jobs.Has(job.Kind):
			weight[i] = shape.Weight(job)
		case job.Kind == model.Hard:
			weight[i] = hardWeight
		}
	}
	return weight
}

// hardWeight is that of hard jobs beside soft ones; the relaxation makes a rejection
// penalty of it (lagrange.Weight). Any figure is right, for they
// are in time; great ones make multipliers rise slowly. 16 in place of 4 brought
// the bound of misses-40-1 from 6 to 8.
const hardWeight = 16

// agrees reports whether other code finds that multipliers prove as much; if not,
// the solve has failed, or was interrupted.
func agrees(ctx context.Context, w *portfolio.Work, tf *proof.DualBound, due []model.Time, weight int64) bool {
	surplus, err := inference.Surplus(ctx, w.JS, due, tf)
	if err == nil && (surplus <= 0 || lagrange.Weight(surplus) < weight) {
		err = fmt.Errorf("multipliers have a surplus of %d only", surplus)
	}
	if err != nil {
		w.Fail(err)
	}
	return err == nil
}
