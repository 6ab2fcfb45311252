package night_test

import (
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/night"
)

// familyAt is a drawn set of a family, changed if change is not nil, in which a plan has gone on until some time.
func familyAt(t *testing.T, name string, seed uint64, change func(*model.JobSet), now func(plan model.Schedule) model.Time) (*model.JobSet, *night.Past) {
	t.Helper()
	js, _, err := gen.Family(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		if change(js); js.Assemble() != nil {
			t.Fatal(name)
		}
	}
	plan := somePlan(js, rand.New(rand.NewPCG(seed, 19)))
	past := night.Cut(js, plan, now(plan))
	if err := past.Check(); err != nil {
		t.Fatalf("seed %d: the past of a valid plan: %v", seed, err)
	}
	return js, past
}

// What is left of set-ups is planned as well as exhaustive search does.
func TestSetupsAgainstExhaustiveSearch(t *testing.T) {
	for seed := range testkit.Tiny(t, 12, 60) {
		name := []string{"setups-5x2", "setups-long-5x3", "setups-6x2"}[seed%3]
		js, past := familyAt(t, name, seed, nil, func(plan model.Schedule) model.Time {
			return model.Time(rand.New(rand.NewPCG(seed, 23)).Int64N(80))
		})
		got, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 4000, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, past.Now, err)
		}
		if err := agree(js, past, got); err != nil {
			t.Errorf("seed %d, now %d: %v", seed, past.Now, err)
		}
	}
}

// The strategy for set-ups serves during the night: of 20 jobs, of which some have run and some do, the rest is planned and
// the plan proved, and of 100 the bound heeds what runs.
func TestSetupsDuringTheNight(t *testing.T) {
	for _, name := range []string{"setups-long-20x3", "setups-20x4", "setups-100x3"} {
		_, past := familyAt(t, name, 1, nil, func(plan model.Schedule) model.Time { return 150 })
		got, err := night.Plan(t.Context(), past, solve.Options{Seed: 1, Budget: 20_000, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != model.Optimal || past.Tasks() == 0 {
			t.Errorf("%s: %s, %v, after %d tasks", name, got.Status, got.Objectives, past.Tasks())
		}
	}
}
