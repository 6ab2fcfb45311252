package online

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
)

// Events come by tick, then class, then number, in whatever order they go in,
// also when some come out in between.
func TestQueueOrder(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q queue
		var sorted []event
		for range 400 {
			if len(sorted) > 0 && rng.IntN(3) == 0 {
				if got := q.pop(); got != sorted[0] {
					t.Fatalf("seed %d: %+v, not %+v", seed, got, sorted[0])
				}
				sorted = sorted[1:]
				continue
			}
			e := newEvent(model.Time(rng.IntN(20)), eventClass(rng.IntN(7)), rng.IntN(10))
			q.push(e)
			sorted = append(sorted, e)
			slices.SortFunc(sorted, func(a, b event) int {
				switch {
				case a.at != b.at:
					return int(a.at - b.at)
				case a.class() != b.class():
					return int(a.class()) - int(b.class())
				}
				return a.number() - b.number()
			})
		}
		for _, want := range sorted {
			if got := q.pop(); got != want {
				t.Fatalf("seed %d: %+v, not %+v", seed, got, want)
			}
		}
		if len(q) != 0 {
			t.Fatalf("seed %d: %d left", seed, len(q))
		}
	}
}
