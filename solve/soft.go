package solve

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/certify"
)

// SoftAnswer is what soft deadlines come to in a set without hard jobs, all of whose plans
// are feasible.
type SoftAnswer struct {
	// Jobs is the number of soft jobs.
	Jobs int
	// Misses is their objective: the weight of the soft jobs that the plan of the verdict has
	// late or leaves out, and a bound where one was proved. It is empty where Jobs is 0.
	Misses model.ObjectiveValue
}

// Soft adds to the verdict about a set without hard jobs, of which [Check] says no more than that
// there is a plan, what its soft deadlines come to: it takes the plan with the fewest misses
// found within the limits of opt, and of those the one with the least weighted tardiness, and, where opt asks for
// proofs, what is certified of these misses. Other verdicts stay as they are. An error is an internal one.
func Soft(ctx context.Context, js *model.JobSet, v *Verdict, opt Options) error {
	if v.Schedule == nil || len(query.HardJobs(js)) > 0 {
		return nil
	}
	v.Soft = &SoftAnswer{}
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Soft {
			v.Soft.Jobs++
		}
	}
	if v.Soft.Jobs == 0 {
		return nil
	}
	opt.Objectives = []model.Objective{model.Misses, model.WeightedTardiness}
	r, err := Plan(ctx, js, opt)
	if err != nil {
		return err
	}
	if r.Schedule != nil {
		v.Schedule, v.LeftOut, v.Certificate = r.Schedule, r.LeftOut, r.Certificate
		misses := func(o model.ObjectiveValue) bool { return o.Is(model.Misses) } // what is left out may be before it
		v.Soft.Misses = r.Objectives[slices.IndexFunc(r.Objectives, misses)]
		if c := v.Certificate; c != nil {
			others := func(of certify.Claim) bool { return of.Objective != model.Misses }
			c.Claims, c.Open = slices.DeleteFunc(c.Claims, others), slices.DeleteFunc(c.Open, others)
		}
	} else {
		v.Soft.Misses = model.ObjectiveValue{Name: model.Misses.String(), Value: js.Value(model.Misses, js.Finishes(v.Schedule))}
	}
	v.Elapsed += r.Elapsed
	for _, n := range r.Notes {
		if !slices.Contains(v.Notes, n) {
			v.Notes = append(v.Notes, n)
		}
	}
	return nil
}
