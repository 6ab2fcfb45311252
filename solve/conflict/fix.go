package conflict

import (
	"context"
	"errors"
	"time"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/budget"
)

// Fix is a change to one job that makes the job set feasible.
type Fix struct {
	Job model.JobID
	// Deadline is the relative deadline that would do, in ticks. Least tells
	// that one tick less was proved not to be enough.
	Deadline model.Time
	Least    bool
}

// The search for fixes is a courtesy: maxFixes bounds the number of jobs for which
// one is sought, fixTime the time on the clock, fixBudget counted work.
const (
	maxFixes  = 8
	fixTime   = 2 * time.Second
	fixBudget = 2000
)

// fixes looks, for each job of the conflict, for the least deadline with which
// the whole set becomes feasible. Where jobs clash in several unrelated places no
// single change helps.
func (x *explainer) fixes(ctx context.Context, c *Conflict) []Fix {
	var fixes []Fix
	for k, i := range c.Jobs[:min(len(c.Jobs), maxFixes)] {
		if x.w.Err() != nil {
			break
		}
		left := min(len(c.Jobs), maxFixes) - k
		if fix, ok := x.fix(budget.Part(ctx, left), i); ok {
			fixes = append(fixes, fix)
		}
	}
	return fixes
}

// fix treats job i as soft and asks how late it has to be.
func (x *explainer) fix(ctx context.Context, i model.JobID) (Fix, bool) {
	if ctx.Err() != nil {
		return Fix{}, false
	}
	js := x.w.JS
	hard := query.HardJobs(js)
	eased := js.Subset(hard)
	for k := range hard {
		if hard[k] == i {
			eased.Jobs[k].Kind = model.Soft
		}
	}
	late, bound, ok, err := x.opt.LeastLate(ctx, eased)
	switch {
	case err != nil:
		x.w.Fail(err)
		return Fix{}, false
	case !ok:
		return Fix{}, false
	case late == 0:
		x.w.Fail(errors.New("the hard jobs were proved infeasible, and a plan for them found"))
		return Fix{}, false
	}
	return Fix{Job: i, Deadline: js.Jobs[i].Deadline + model.Time(late), Least: late == bound}, true
}
