package lagrange

import (
	"context"

	"downbeat/model"
	"downbeat/model/proof"
)

// Refute is a search with no more than some work.
func Refute(ctx context.Context, js *model.JobSet, due []model.Time, e Effort, ask Ask) (c *proof.Branching, steps int) {
	return NewRefutation(ctx, js, due, e.Thorough).Run(e.Work, ask)
}

// WithPlan is a random set with a plan of it.
var WithPlan = withPlan

// EndsPlanned is a random set of soft jobs, and some others, with the value of a plan.
var EndsPlanned = endsPlanned
