package solve

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// TestSlavesThatAreAlike holds answers that were found with one slave for those that are alike against exhaustive search over all, and what
// they say of slaves against the set itself.
func TestSlavesThatAreAlike(t *testing.T) {
	statuses, overloads, branchings := map[model.Status]int{}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 400, 8000)) {
		js := gen.AlikeTiny(seed)
		want, err := oracle.Solve(js)
		if err != nil {
			continue
		}
		got, err := Plan(t.Context(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agree(js, got, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		statuses[got.Status]++
		for _, c := range got.conflicts() {
			due := slices.Repeat([]model.Time{model.Never}, len(js.Jobs))
			for _, i := range c.Jobs {
				due[i] = js.Jobs[i].Due()
			}
			for _, o := range c.Overloads {
				if o.Resource == proof.CriticalPath {
					continue // of no slaves
				}
				units := int64(0)
				for _, s := range o.Slaves {
					units += o.Resource.Units(js, s)
				}
				if have := units * int64(o.Interval.Len()); have != o.Have || o.Need <= have-o.Idle {
					t.Errorf("seed %d: slaves %v have %d from %d to %d, said to be %d, of which %d is needed", seed, o.Slaves, have, o.Interval.Start, o.Interval.End, o.Have, o.Need)
				}
				overloads++
			}
			if c.Branching != nil {
				if err := inference.Branching(t.Context(), js, due, c.Branching); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				branchings++
			}
		}
	}
	t.Logf("%v, %d overloads, %d branchings", statuses, overloads, branchings)
	if statuses[model.Infeasible] == 0 {
		t.Error("nothing was infeasible")
	}
}

// Slaves with a slot each stay by themselves where the orders of jobs in them, at heartbeats, are what is to be found.
func TestTurnsAtHeartbeats(t *testing.T) {
	for beats := range model.Time(3) {
		js, _, err := gen.Family("parallel-16x2", 1)
		if err != nil {
			t.Fatal(err)
		}
		goal := js.Objectives
		js.Heartbeat, js.Objectives = 1+beats, nil // what is asked for counts, not what the set has
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		r := restated{js: js, original: js, unit: 1}
		if r.takeTogether(goal); (r.alike == nil) != (beats > 0) {
			t.Errorf("a heartbeat every %d ticks: %d slaves", js.Heartbeat, len(r.js.Slaves))
		}
	}
}
