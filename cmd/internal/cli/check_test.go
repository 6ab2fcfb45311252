package cli

import (
	"context"
	"testing"

	"downbeat/model"
	"downbeat/solve"
)

// What check looks at beside its answer takes no more than the budget that it is given: of 30 jobs with soft deadlines a call with a budget of 1
// took minutes.
func TestBesideWithinBudget(t *testing.T) {
	js := &model.JobSet{Tasks: make([]model.Task, 9)}
	for given, want := range map[int64]int64{0: 100, 1: 1, 99: 99, 5000: 100} {
		opt := solve.Options{Budget: given}
		_, stop := new(checkOptions).aside(context.Background(), js, &opt, 1000)
		if stop(); opt.Budget != want {
			t.Errorf("a budget of %d: %d for what is beside", given, opt.Budget)
		}
	}
}
