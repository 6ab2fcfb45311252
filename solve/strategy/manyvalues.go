package strategy

import (
	"context"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// fineValues are so many between bound and plan that neighbours are not worth being told apart, manyValues so many that there are
// thousands of them, as in milliseconds.
const fineValues, manyValues = 64, 1024

// stride is by how much the value of w is asked to fall at least: by more than a tick of sums of lateness that have many values.
func stride(w *portfolio.Work) int64 {
	if w.P == incumbent.AnyPlan || !w.Goal[w.P].Shape().Sums() {
		return 1
	}
	value, bound := w.Gap(w.P)
	if value-bound < manyValues {
		return 1
	}
	return (value - bound) / fineValues
}

// tidied is a plan of clause learning, which stops at the value that it was asked for, with all tasks as early as they can be where they are: where
// values are many the questions that follow would else take them one by one.
func tidied(ctx context.Context, w *portfolio.Work, plan model.Schedule) model.Schedule {
	if stride(w) == 1 {
		return plan
	}
	return heuristics.Tidy(ctx, w.JS, plan)
}
