package setups

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
)

// Weights are never below zero, the same for jobs that are alike, and what is shared out is what stands idle and what all jobs weigh; those get heavier that are at both borders.
func TestReweigh(t *testing.T) {
	heavier, alike := 0, 0
	for seed := range testkit.Seeds(t, 40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := drawn(t, "setups-20x3", seed, 12, 6, 0)
		s := NewSearch(p)
		s.by = p.until(p.Least()) + 40
		if !s.split() {
			t.Fatalf("seed %d: no time for %v", seed, p.jobs)
		}
		idle := s.total
		for range 5 {
			for d := range s.borders {
				b := &s.borders[d]
				b.add(rng.Uint64()&firstJobs(10), 1<<(10+rng.IntN(10)))
				b.add(rng.Uint64()&firstJobs(10), firstJobs(20)&^firstJobs(15))
			}
			both, was := s.borders[0].share(p.alikeTo(0))+s.borders[1].share(p.alikeTo(0)), s.exact[0]
			first, last := s.first.idle, s.last.idle
			s.reweigh(s.total - 1 - first - last)
			if s.total != idle+s.weighed(firstJobs(20)) {
				t.Fatalf("seed %d: %d to share out, of which %d idle, and jobs weigh %d", seed, s.total, idle, s.weighed(firstJobs(20)))
			}
			if s.first.idle < 0 || s.last.idle < 0 || s.total-1-s.first.idle-s.last.idle < 0 {
				t.Fatalf("seed %d: shares of %d and %d of %d", seed, s.first.idle, s.last.idle, s.total)
			}
			for k := range p.jobs {
				if s.weigh[k] < 0 || s.weigh[k] != s.weigh[bits.TrailingZeros64(p.alikeTo(k))] {
					t.Fatalf("seed %d: job %d weighs %d", seed, k, s.weigh[k])
				}
				alike += bits.OnesCount64(p.alikeTo(k)) - 1
			}
			if both > balance+0.01 {
				if heavier++; s.exact[0] <= was {
					t.Fatalf("seed %d: a job with %.2f of both borders weighs %.2f parts, %.2f before", seed, both, s.exact[0], was)
				}
			}
		}
	}
	if heavier == 0 || alike == 0 {
		t.Errorf("%d jobs got heavier, %d were alike: the test is too narrow", heavier, alike)
	}
}
