package setups

import (
	"math/rand/v2"
	"testing"
)

// The least scores come first, in order, those that are equal by place, however many are asked for.
func TestLeastFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 300, 5000} {
		for _, some := range []int{1, 20, 2000} {
			all := make([]scored, n)
			for k := range all {
				all[k] = scored{rng.Int64N(1000) - 300, step{before: int32(k)}}
			}
			seen, last := 0, scored{score: -1000}
			for s := range leastFirst(all, make([]scored, n), some) {
				if s.score < last.score || s.score == last.score && s.before <= last.before {
					t.Fatalf("%v after %v", s, last)
				}
				seen, last = seen+1, s
			}
			if seen != n {
				t.Errorf("%d of %d", seen, n)
			}
		}
	}
}
