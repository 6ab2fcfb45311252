package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/solve/budget"
	"downbeat/solve/cover"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// HoldInTime has jobs be hard that are in time in every plan with as little weight of late jobs as the best, where that is the objective of w,
// which is closed: each by itself weighs more, or no choice of late jobs with it that meets all cuts is as light. Of choices that let others go some are asked about first. Bounds, searches and questions for the
// objectives that follow have its deadline then.
func HoldInTime(ctx context.Context, w *portfolio.Work) {
	if !w.Goal[w.P].Shape().Counts() || w.MayMissHard {
		return
	}
	c := masterOf(w)
	if err := c.ready(ctx); err != nil {
		w.Fail(err)
		return
	}
	value, _ := w.Gap(w.P)
	weights, by, all := cover.Weights(c.js), model.NoProof, 0
	easy := value > 0 && len(c.js.Tasks) < TooManyToChoose
	if easy && w.Exact.Allows(exact.LCG) {
		c.rivals(budget.Part(ctx, rivalsPart), value)
	}
	var jobs []model.JobID
	for i := range model.JobID(len(c.js.Jobs)) {
		if !c.counts(i) {
			continue
		}
		all++
		held := weights[i] > value
		if !held && easy {
			if held, easy = c.heldInTime(ctx, weights, i, value); held {
				by = c.basis()
			}
		}
		if held {
			jobs = append(jobs, i)
		}
	}
	if len(jobs) > 0 && ctx.Err() == nil {
		w.Narrow(w.P, jobs, by, fmt.Sprintf("of %d jobs that may be late %d are in time in every plan with %s: with one of them late no choice of late jobs that meets %d cuts is as light",
			all, len(jobs), closedAt(w), len(c.known)))
	}
}

// closedAt says at which values the objective of w, and those before it, are closed.
func closedAt(w *portfolio.Work) string {
	var values []string
	for p, o := range w.Goal[:w.P+1] {
		value, _ := w.Gap(p)
		values = append(values, fmt.Sprintf("%s of %s", o, clock.Of(w.JS).Value(o.String(), value)))
	}
	return strings.Join(values, ", ")
}

// mostRivals bounds how many rivals are asked about, each for as long as a fresh candidate, one part of rivalsPart of what is left is what they may take. By judgement:
// of six sets none had more than seven rivals.
const mostRivals, rivalsPart = 16, 16

// rivals adds cuts against choices of late jobs that weigh value or less, as the best plan's do, and let go others than that, and than those about which
// the question had another answer. It ends once these are more than the cuts.
func (c *master) rivals(ctx context.Context, value int64) {
	finishes, may := c.w.JS.Finishes(c.w.Best()), []model.JobID(nil)
	for i := range model.JobID(len(c.js.Jobs)) {
		if c.counts(i) && c.js.Jobs[i].Late(finishes[i]) > 0 {
			may = append(may, i)
		}
	}
	c.open.drop(func(*candidate) bool { return true })
	for n, refuted := 0, 0; n < mostRivals && n-refuted <= refuted; n++ {
		at, easy := c.fresh(ctx, c.clash(may))
		if !easy || at.weight > value {
			return
		}
		search, err := exact.New(ctx, c.question(at.late), &c.w.Exact, c.w.Seed, c.w.Best())
		if err != nil {
			return
		}
		if a, _ := search.Run(ctx, atMost(firstCandidatePolls)); a == lcg.Unsatisfiable {
			at.exact = search
			c.known, c.bySearch = append(c.known, c.conflicting(ctx, at)), c.bySearch+1
			refuted++
			continue
		}
		may = append(may, at.late...)
		slices.Sort(may)
		may = slices.Compact(may)
	}
}

// heldInTime reports whether no choice of late jobs with job i among them that meets all cuts weighs value or less, as other code finds, too. easy tells that both came
// to an end.
func (c *master) heldInTime(ctx context.Context, weights []int64, i model.JobID, value int64) (held, easy bool) {
	cuts := append(slices.Clip(c.known), proof.Cut{Jobs: []model.JobID{i}, Coefficients: []int64{1}, RHS: 1})
	if least, _, exact := cover.Solve(ctx, weights, cuts); least <= value || !exact {
		return false, exact
	}
	proved, exact := inference.Cover(weights, cuts, cover.Multipliers(weights, cuts, value+1), value+1)
	return proved > value, exact
}
