package strategy_test

import (
	"context"
	"testing"

	"downbeat/model"
	"downbeat/solve"
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
