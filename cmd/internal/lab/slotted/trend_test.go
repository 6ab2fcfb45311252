package slotted

import (
	"context"
	"math"
	"testing"

	"downbeat/internal/testkit"
)

// By hand: a backlog that has grown by 3 a slot since the system was empty grows with the first
// power of time, whatever the number of batches and the warm-up; a flat one with the power 0; one
// of which half was there before the warm-up with ½.
func TestGrowthByHand(t *testing.T) {
	for _, n := range []int{4, 7, 20} {
		for _, warmup := range []int{0, 50} {
			line := func(start float64) []batch {
				var queue []float64
				for i := range n {
					queue = append(queue, start+3*(float64(warmup)+10*(float64(i)+0.5)))
				}
				return means(queue...)
			}
			half := 3 * (float64(warmup) + 5*float64(n))
			for start, want := range map[float64]float64{0: 1, half: 0.5, 1e12: 0} {
				if got := growth(line(start), warmup); math.Abs(got.Mean-want) > 1e-6 {
					t.Errorf("%d batches from %g after %d: power %v, want %g", n, start, warmup, got, want)
				}
			}
		}
	}
	if got := growth(means(1, 2, 3), 0); trendOf(got) != Unclear {
		t.Errorf("three batches: %v", got)
	}
	if got := growth(means(0, 0, 0, 0), 0); trendOf(got) != Unclear {
		t.Errorf("nothing there: %v", got)
	}
}

// Systems of which it is known: below the edge of the capacity region JSQ with MaxWeight is stable
// (Theorem 1), above it nothing is; and below α a single machine is, too. A verdict is hardly ever
// wrong, and away from the edge there mostly is one.
func TestTrendsOfKnownSystems(t *testing.T) {
	ten := System{Machines: 10, Holders: 8, Replicas: 3, Alpha: 0.8, Gamma: 0.2}
	one := System{Machines: 1, Holders: 1, Replicas: 1, Alpha: 0.8, Gamma: 0.8}
	for _, of := range []struct {
		name   string
		system System
		policy Policy
		share  float64
		slots  int
		want   Trend
		least  float64 // share of runs with the right verdict
	}{
		{"one machine", one, MaxWeight, 0.9, 40_000, Flat, 0.4},
		{"one machine", one, MaxWeight, 1.1, 40_000, Grows, 0.7},
		{"ten machines", ten, MaxWeight, 0.9, 10_000, Flat, 0.8},
		{"ten machines", ten, MaxWeight, 0.97, 10_000, Flat, 0.3},
		{"ten machines", ten, MaxWeight, 1.03, 10_000, Grows, 0.8},
		{"ten machines", ten, NaiveFair, 1.05, 10_000, Grows, 0.8},
	} {
		edge, err := Capacity(of.system)
		if err != nil {
			t.Fatal(err)
		}
		arrivals, err := PoissonArrivals(of.share*edge, Constant(1))
		if err != nil {
			t.Fatal(err)
		}
		count := map[Trend]int{}
		n := int(testkit.Tiny(t, 4, 30))
		for seed := range uint64(n) {
			r, err := Run(context.Background(), Config{System: of.system, Arrivals: arrivals, Policy: of.policy, Seed: seed,
				Warmup: of.slots / 5, Slots: of.slots, Batches: 50})
			if err != nil {
				t.Fatal(err)
			}
			count[r.Trend]++
		}
		right, unclear := count[of.want], count[Unclear]
		t.Logf("%s, %v at %g of the edge: right %d, unclear %d, wrong %d", of.name, of.policy, of.share, right, unclear, n-right-unclear)
		if wrong := n - right - unclear; wrong > n/20 || float64(right) < of.least*float64(n) {
			t.Errorf("%s, %v at %g of the edge: right %d, wrong %d of %d", of.name, of.policy, of.share, right, wrong, n)
		}
	}
}
