package patterns

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
)

// TestVectorAndRelaxation holds the knapsack against all patterns, and the relaxation against its dual: no pattern is worth more than it costs, and what
// is used covers all at that price.
func TestVectorAndRelaxation(t *testing.T) {
	for seed := range testkit.Seeds(t, 500) {
		r := rand.New(rand.NewPCG(seed, 3))
		capacities := make([]int, 1+r.IntN(3))
		for d := range capacities {
			capacities[d] = 1 + r.IntN(6)
		}
		n := 1 + r.IntN(5)
		needs, counts, demand, fits, prices := make([][]int, n), make([]int, n), make([]float64, n), make([]int, n), make([]float64, n)
		for i := range needs {
			for _, c := range capacities {
				needs[i] = append(needs[i], r.IntN(c+1))
			}
			counts[i], demand[i], fits[i], prices[i] = 1+r.IntN(3), float64(r.IntN(20)), 1, float64(r.IntN(10))
		}
		k := NewVector(capacities, needs, 1<<16)
		value, best := k.Solve(prices, counts)
		if want := exhaustive(capacities, needs, counts, prices, 0); value != want || worthOf(best, prices) != value {
			t.Fatalf("seed %d: %v of %v, %v is most", seed, value, best, want)
		}
		lp := &Relaxation{Knapsack: k}
		lp.Begin(demand, counts, fits)
		if got := lp.Solve(context.Background(), math.Inf(1)); got != Solved {
			t.Fatalf("seed %d: not solved", seed)
		}
		primal, dual := 0.0, 0.0
		for j := range lp.Basis {
			if !lp.Basis[j].Surplus {
				primal += lp.Amounts[j]
			}
		}
		for i, d := range demand {
			dual += d * lp.Prices[i]
		}
		if most := exhaustive(capacities, needs, counts, lp.Prices, 0); math.Abs(primal-dual) > 1e-6 || most > 1+1e-6 {
			t.Fatalf("seed %d: primal %v, dual %v, a pattern of %v", seed, primal, dual, most)
		}
	}
}

func worthOf(p Pattern, prices []float64) (sum float64) {
	for _, of := range p {
		sum += float64(of.Count) * prices[of.Item]
	}
	return sum
}

// exhaustive is the greatest value of items from one on.
func exhaustive(left []int, needs [][]int, counts []int, prices []float64, i int) float64 {
	if i == len(needs) {
		return 0
	}
	best := exhaustive(left, needs, counts, prices, i+1)
	rest := append([]int{}, left...)
	for n := 1; n <= counts[i]; n++ {
		for d := range rest {
			if rest[d] -= needs[i][d]; rest[d] < 0 {
				return best
			}
		}
		best = max(best, float64(n)*prices[i]+exhaustive(rest, needs, counts, prices, i+1))
	}
	return best
}
