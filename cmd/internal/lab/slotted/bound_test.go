package slotted

import (
	"context"
	"math"
	"testing"

	"downbeat/internal/testkit"
)

// ten is a system on which Theorem 2 bites: data on eight of ten machines.
var ten = System{Machines: 10, Alpha: 0.8, Gamma: 0.2, Holders: 8, Replicas: 3}

// By hand: ν² = 8·0.16 + 2·0.16 = 1.6, the ceiling is 6.8. At load 6.6 with σ² = 5
// the bound is (5 + 1.6 + 0.04)/0.4 - 5 = 11.6.
func TestLowerBoundByHand(t *testing.T) {
	if v := ten.ServiceVariance(); math.Abs(v-1.6) > 1e-12 {
		t.Errorf("ν² = %g", v)
	}
	jobs := &Law{mean: 6.6, square: 5 + 6.6*6.6}
	got, err := LowerBound(ten, Arrivals{Jobs: jobs, Tasks: Constant(1)})
	if err != nil || math.Abs(got-11.6) > 1e-9 {
		t.Errorf("bound %g, %v", got, err)
	}
	if limit := HeavyTrafficLimit(ten, 5); math.Abs(limit-3.3) > 1e-12 {
		t.Errorf("limit %g", limit)
	}
	jobs.mean = 6.9
	if b, err := LowerBound(ten, Arrivals{Jobs: jobs, Tasks: Constant(1)}); err == nil {
		t.Errorf("a bound of %g above the ceiling", b)
	}
}

// On the paper's cluster with single tasks the bound is negative and says
// nothing, as the specification notes.
func TestLowerBoundOfThePaper(t *testing.T) {
	c := Paper(670, Constant(1))
	if b, err := LowerBound(c.System, c.Arrivals); err != nil || b >= 0 {
		t.Errorf("bound %g, %v", b, err)
	}
}

// No simulated mean is below Theorem 2, under any policy or reading and with
// arrivals of any burstiness. The mean itself is held against the bound, without
// allowance for its error.
func TestNeverBelowTheBound(t *testing.T) {
	bursts, err := Bins([]Bin{{1, 1, 9}, {10, 20, 1}})
	if err != nil {
		t.Fatal(err)
	}
	// Distances at which 40,000 slots are many times σ²/ε², the time over which
	// the backlog forgets.
	for _, test := range []struct {
		sizes    *Law
		epsilons []float64
	}{{Constant(1), []float64{5, 1, 0.4, 0.2}[:testkit.Sets(1, 4)]}, {bursts, []float64{5, 2, 1}[:testkit.Sets(1, 3)]}} {
		for _, eps := range test.epsilons {
			for variant := range 9 {
				arrivals, err := PoissonArrivals(ten.Ceiling()-eps, test.sizes)
				if err != nil {
					t.Fatal(err)
				}
				c := Config{System: ten, Arrivals: arrivals, Seed: uint64(variant), Warmup: 5000, Slots: 40_000, Batches: 20,
					Reading: Reading{Live: variant&1 > 0, WaitingOnly: variant&2 > 0, Fallback: variant&4 > 0}}
				if variant == 8 {
					c.Policy = NaiveFair
				}
				bound, err := LowerBound(c.System, c.Arrivals)
				if err != nil {
					t.Fatal(err)
				}
				r, err := Run(context.Background(), c)
				if err != nil {
					t.Fatal(err)
				}
				if r.Queue.Mean < bound {
					t.Errorf("ε = %g, %v %+v: mean queue %v below the bound %g", eps, c.Policy, c.Reading, r.Queue, bound)
				}
			}
		}
	}
}

// The scaled mean queue comes down to the limit as ε goes to 0, and stays above
// its bound. With decisions one after the other it is near by ε = 0.1.
func TestHeavyTraffic(t *testing.T) {
	c := Config{System: ten, Reading: Reading{Live: true}, Warmup: 20_000, Slots: 250_000, Batches: 20, Seed: 5}
	points, err := HeavyTraffic(context.Background(), c, []float64{0.4, 0.2, 0.1}, 20, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points {
		t.Logf("ε = %g: E[ΣQ] = %v, bound %.4g; ε·E[ΣQ] = %v, limit %.4g", p.Epsilon, p.Result.Queue, p.Bound, p.Scaled, p.Limit)
		if !p.Local {
			t.Errorf("ε = %g: the local traffic is not heavy", p.Epsilon)
		}
		if p.Result.Queue.Mean < p.Bound {
			t.Errorf("ε = %g: mean queue %v below the bound %g", p.Epsilon, p.Result.Queue, p.Bound)
		}
		if i > 0 && p.Scaled.Mean >= points[i-1].Scaled.Mean {
			t.Errorf("ε = %g: scaled mean queue %v, no nearer to the limit %g than %v", p.Epsilon, p.Scaled, p.Limit, points[i-1].Scaled)
		}
	}
	last := points[len(points)-1]
	if last.Scaled.Mean > 1.4*last.Limit {
		t.Errorf("ε = %g: scaled mean queue %v, far from the limit %g", last.Epsilon, last.Scaled, last.Limit)
	}
	if _, err := HeavyTraffic(context.Background(), c, []float64{7}, 20, 1); err == nil {
		t.Error("a negative load was run")
	}
}

// MaxWeight is stable just below the capacity of a lopsided system, and no
// policy is just above: throughput optimality, Theorem 1.
func TestStableInsideTheCapacity(t *testing.T) {
	s := System{Machines: 4, Alpha: 0.8, Gamma: 0.25, Types: []Type{{[]int{0}, 5}, {[]int{0, 1}, 3}, {[]int{1, 2}, 1}}}
	capacity, err := Capacity(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		share  float64
		policy Policy
		want   Trend
	}{{0.95, MaxWeight, Flat}, {1.05, MaxWeight, Grows}, {1.05, NaiveFair, Grows}} {
		arrivals, err := PoissonArrivals(test.share*capacity, Constant(1))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), Config{System: s, Arrivals: arrivals, Policy: test.policy, Seed: 2, Warmup: 10_000, Slots: testkit.Sets(60_000, 200_000), Batches: 20})
		if err != nil {
			t.Fatal(err)
		}
		if r.Trend != test.want {
			t.Errorf("%v at %g of the capacity %g: %v, power of time %v, mean queue %v", test.policy, test.share, capacity, r.Trend, r.Growth, r.Queue)
		}
	}
}
