// Package worktest has what tests of strategies begin with.
package worktest

import (
	"time"

	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// On is the work on an objective of a set of which nothing is known yet.
func On(js *model.JobSet, o model.Objective) *portfolio.Work {
	w := incumbent.New(js, []model.Objective{o}, nil, nil, time.Now())
	return &portfolio.Work{Incumbent: w, Seed: 1}
}

// Value is that of the best plan, which there must be.
func Value(w *portfolio.Work) int64 {
	value, _ := w.Gap(w.P)
	return value
}
