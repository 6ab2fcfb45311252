package setups

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// Every order that ends by a time ends with one of the endings for it.
func TestEndings(t *testing.T) {
	ended := 0
	for seed := range uint64(12) {
		js, _, err := gen.Family([]string{"setups-8x2", "setups-8x3", "setups-long-8x3"}[seed%3], seed)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := New(js, query.AtMost(js, model.Makespan, model.Never-1))
		if !ok {
			t.Fatalf("seed %d is no problem of set-ups", seed)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for by := p.Least(); by < p.Least()+8; by++ {
			of := p.endings(p.until(by))
			for range 40 {
				order := NewAnnealing(p, rng.Uint64(), rng.Perm(8), 5000).Run(t.Context(), by, func(int) {})
				if order == nil || p.Makespan(order) > by {
					continue
				}
				last := uint64(0)
				for _, job := range order[8-of.jobs:] {
					last |= 1 << job
				}
				if found := among(nil, of.sets, last); of.jobs > 0 && len(found) == 0 {
					t.Fatalf("seed %d: %v ends by %d, with none of %d endings of %d jobs", seed, order, by, len(of.sets), of.jobs)
				}
				if of.jobs > 1 && by < p.Least()+model.Time(p.machines) {
					ended++
				}
			}
		}
	}
	if ended == 0 {
		t.Error("no order ends early: the test is too narrow")
	}
}
