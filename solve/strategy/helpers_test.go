package strategy_test

import (
	"context"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// mustPlan is the answer of a whole solve.
func mustPlan(t *testing.T, js *model.JobSet, opt solve.Options) *solve.Result {
	t.Helper()
	r, err := solve.Plan(context.Background(), js, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// workOn is the first objective of a set, of which nothing is known yet.
func workOn(js *model.JobSet, o model.Objective) *portfolio.Work {
	w := incumbent.New(js, []model.Objective{o}, nil, nil, time.Now())
	return &portfolio.Work{Incumbent: w, Seed: 1, Counted: true}
}

// valueOf is that of the best plan.
func valueOf(w *portfolio.Work) int64 {
	value, _ := w.Gap(w.P)
	return value
}
