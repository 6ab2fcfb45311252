package heuristics

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
)

// TestOffers: the best offer is the one that a look at all of them finds.
func TestOffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	var o offers
	for range 300 {
		n := 1 + rng.IntN(70)
		o.resize(n)
		for i := range o.finish {
			o.finish[i] = model.Time(rng.IntN(20))
		}
		o.entered()
		for range 20 {
			best := 0
			for i, finish := range o.finish {
				if finish < o.finish[best] {
					best = i
				}
			}
			option, finish := o.best()
			if finish != o.finish[best] || finish < withdrawn && option != int32(best) {
				t.Fatalf("%d finishes at %d of %v", option, finish, o.finish)
			}
			if o.set(int32(rng.IntN(n)), model.Time(rng.IntN(20))); rng.IntN(3) == 0 {
				o.set(int32(rng.IntN(n)), withdrawn)
			}
		}
	}
}
