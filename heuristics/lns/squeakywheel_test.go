package lns

import (
	"context"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
)

// TestWheel: every schedule is valid and has the values claimed; jobs that are late
// without being meant to be are named, and turns repeat.
func TestWheel(t *testing.T) {
	for seed := range uint64(60) {
		js := contended(seed)
		goal := goals[seed%uint64(len(goals))]
		turn := func() (*SqueakyWheel, []SqueakyRun) {
			w := NewSqueakyWheel(context.Background(), js, Options{Objectives: goal, Seed: seed, OnBetter: func(s model.Schedule, values []int64) {
				if err := check.Schedule(js, s, true).Err(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if want := valuesOf(js, s, goal); !slices.Equal(values, want) {
					t.Fatalf("seed %d: claims %v, has %v", seed, values, want)
				}
			}})
			var spins []SqueakyRun
			for range 3 {
				key := make([]float64, len(w.rank))
				for i := range key {
					key[i] = w.s.rng.Float64()
				}
				aim := Aim{Key: key, Last: make([]bool, len(js.Jobs)), ByTime: seed%3 == 0}
				for i := range js.Jobs {
					aim.By = append(aim.By, js.Jobs[i].Due())
				}
				some := seed % uint64(len(js.Jobs))
				aim.By[some], aim.Last[some] = model.Never, true
				spins = append(spins, w.Run(t.Context(), aim, 5))
				for _, i := range spins[len(spins)-1].Late {
					if aim.By[i] == model.Never {
						t.Fatalf("seed %d: job %d may finish at any time", seed, i)
					}
				}
			}
			return w, spins
		}
		w, a := turn()
		_, b := turn()
		for i := range a {
			if !slices.Equal(a[i].Values, b[i].Values) || !slices.Equal(a[i].Late, b[i].Late) {
				t.Fatalf("seed %d: turn %d: %v and %v", seed, i, a[i], b[i])
			}
			if slices.Compare(a[i].Values, w.s.values) < 0 {
				t.Fatalf("seed %d: turn %d came to %v, the best is %v", seed, i, a[i].Values, w.s.values)
			}
		}
		if w.Placed() < int64(3*len(js.Tasks)) {
			t.Fatalf("seed %d: %d tasks placed in three turns", seed, w.Placed())
		}
	}
}

// TestWheelStarts: a wheel that is given a schedule tells of it, and goes on from its
// values.
func TestWheelStarts(t *testing.T) {
	js := contended(3)
	start, values := Search(t.Context(), js, Options{Objectives: goals[1], Seed: 1, Constructions: 50})
	told := 0
	w := NewSqueakyWheel(context.Background(), js, Options{Objectives: goals[1], Seed: 1, Start: start, OnBetter: func(_ model.Schedule, got []int64) {
		if told++; !slices.Equal(got, values) {
			t.Errorf("told of %v, the start has %v", got, values)
		}
	}})
	if told != 1 || !slices.Equal(w.s.values, values) {
		t.Errorf("told %d times, values %v", told, w.s.values)
	}
}
