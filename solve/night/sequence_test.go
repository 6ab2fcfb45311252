package night_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/night"
)

// What is left of jobs that take turns is planned as well as exhaustive search does, on slaves with a slot each, and with several, of which some are kept.
func TestSequencesAgainstExhaustiveSearch(t *testing.T) {
	open, sets := 0, testkit.Tiny(t, 20, 120)
	for seed := range testkit.Seeds(t, sets) {
		js, past := familyAt(t, fmt.Sprintf("parallel-6x%d", 1+seed%2), seed, func(js *model.JobSet) {
			for s := range js.Slaves {
				js.Slaves[s].Cores, js.Slaves[s].Slots = 1+int(seed/2%2), 1+int(seed/4%2*7)
			}
		}, func(model.Schedule) model.Time { return model.Time(rand.New(rand.NewPCG(seed, 23)).Int64N(150)) })
		got, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 4000, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, past.Now, err)
		}
		switch err := agree(js, past, got); {
		case errors.Is(err, errOpen):
			open++
		case err != nil:
			t.Errorf("seed %d, now %d: %v", seed, past.Now, err)
		}
	}
	if uint64(open)*20 > sets {
		t.Errorf("%d of %d sets are open", open, sets)
	}
}

// Sequencing serves during the night: of 20 jobs on a slave and on two, of which some have run and some do, the rest is planned and the plan proved.
func TestSequencesDuringTheNight(t *testing.T) {
	for _, name := range []string{"one-machine-20", "parallel-20x2"} {
		for _, slots := range []int{1, 3} {
			js, past := familyAt(t, name, 3, func(js *model.JobSet) {
				for s := range js.Slaves {
					js.Slaves[s].Slots = slots
				}
			}, func(model.Schedule) model.Time { return 150 })
			got, err := night.Plan(t.Context(), past, solve.Options{Seed: 1, Budget: 2000, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != model.Optimal || past.Tasks() == 0 || past.Tasks() == len(js.Tasks) {
				t.Errorf("%s, %d slots: %s, %v, after %d tasks", name, slots, got.Status, got.Objectives, past.Tasks())
			}
		}
	}
}
