package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/enumerate"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Enumeration looks at all schedules of up to enumerate.MostTasks tasks, whatever the ticks,
// that are better than the best plan.
var Enumeration = &portfolio.Strategy{
	Name: "enumeration", Unit: "a tenth of a second", Proves: "enumeration", Grows: 4, Most: 1 << 10,
	Applies: func(w *portfolio.Work) bool {
		return enumerate.Fits(w.JS) && (w.P == incumbent.AnyPlan || !fineTicks(w.JS))
	},
	Begin: beginEnumeration,
}

// EnumerationOfFineTicks is the same where ticks are so fine that whatever goes by ticks
// takes long.
var EnumerationOfFineTicks = &portfolio.Strategy{
	Name: "enumeration of fine ticks", Unit: Enumeration.Unit, Proves: Enumeration.Proves, Grows: Enumeration.Grows, Most: Enumeration.Most,
	Applies: func(w *portfolio.Work) bool { return enumerate.Fits(w.JS) && fineTicks(w.JS) },
	Begin:   beginEnumeration,
}

func beginEnumeration(w *portfolio.Work, _ uint64) portfolio.Runner { return &enumeration{w} }

type enumeration struct{ w *portfolio.Work }

// fineTicks tells that ticks are fine: some job is due after so many.
func fineTicks(js *model.JobSet) bool {
	end := model.Time(0)
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind != model.BestEffort {
			end = max(end, job.Due())
		}
	}
	return end > mostTicks
}

// mostTicks is far beyond what sets have whose times are small whole numbers. By judgement.
const mostTicks = 4000

// States of the first slice, about a tenth of a second, and of any: half a gigabyte.
const (
	firstStates = 10_000
	mostStates  = 1_000_000
)

// statesPerUnit is the number of states that count as one unit of a budget: they take
// about as long as a construction.
const statesPerUnit = 10

// Run implements portfolio.Runner.
func (e *enumeration) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w, states := e.w, firstStates*s.Units
	if states > 4*mostStates {
		return portfolio.Done
	}
	states = min(states, mostStates)
	for ctx.Err() == nil && !w.Over(w.P) {
		plan, over := e.search(ctx, states)
		budget.Spend(ctx, states/statesPerUnit)
		switch {
		case !over:
			return portfolio.Open
		case w.P == incumbent.AnyPlan && plan == nil:
			w.Refute(incumbent.NoPlan{Proof: model.EnumerationProof})
		case w.P == incumbent.AnyPlan:
			w.Offer(plan)
		}
	}
	return portfolio.Open
}

// search looks for a plan, or for one that is better than the best, and raises the bound
// where there is none.
func (e *enumeration) search(ctx context.Context, states int) (plan model.Schedule, over bool) {
	w := e.w
	if w.P == incumbent.AnyPlan {
		return enumerate.Run(ctx, w.JS, []model.Objective{model.HardMisses}, func(finishes []model.Time) bool {
			return w.JS.Value(model.HardMisses, finishes) == 0
		}, states)
	}
	value, _ := w.Gap(w.P)
	limits := w.Limits(w.P, value-1)
	if !w.MayMissHard {
		limits[model.HardMisses] = 0
	}
	objectives := append([]model.Objective{model.HardMisses}, w.Goal[:w.P+1]...)
	plan, over = enumerate.Run(ctx, w.JS, objectives, func(finishes []model.Time) bool {
		for _, o := range objectives {
			if most, limited := limits[o]; limited && w.JS.Value(o, finishes) > most {
				return false
			}
		}
		return true
	}, states)
	switch {
	case plan != nil:
		w.Receive(plan, w.P, value-1)
	case over:
		w.Raise(w.P, value, model.EnumerationProof, searched(w.JS, w.Goal[w.P], value-1))
	}
	return plan, over
}
