package relaxation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Steps move the multipliers as the formulas do, row by row, to the bit, though rows in which nothing moves are passed over.
func TestStepIsThatOfTheFormulas(t *testing.T) {
	moved := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := 1 + rng.IntN(30)
		r := &Relaxation{Largest: 1 + rng.Int64N(1000), Rows: &Rows{Capacity: make([]int64, rows)}, Multipliers: make([]int64, rows), Use: make([]int64, rows)}
		for k := range rows {
			r.Capacity[k] = rng.Int64N(20)
		}
		a := &Ascent{r: r, Factor: 1, direction: make([]float64, rows)}
		multipliers, direction := slices.Clone(r.Multipliers), slices.Clone(a.direction)
		for range 20 {
			for k := range rows {
				r.Use[k] = rng.Int64N(25) * rng.Int64N(2)
			}
			target := rng.Int64N(1000) - 100
			want := plainStep(multipliers, r.Use, r.Capacity, direction, target, r.Largest)
			if got := a.step(target); got != want || !slices.Equal(r.Multipliers, multipliers) || !slices.Equal(a.direction, direction) {
				t.Fatalf("seed %d: %t, multipliers %v, directions %v, by the formulas %t, %v, %v", seed, got, r.Multipliers, a.direction, want, multipliers, direction)
			} else if got {
				moved++
			}
		}
	}
	if moved < 1000 {
		t.Errorf("%d steps moved anything", moved)
	}
}

// plainStep is a step of factor 1 from a value of 0 on, without regard to what is 0.
func plainStep(multipliers, use, capacity []int64, direction []float64, target, largest int64) bool {
	norm := 0.0
	for k := range use {
		over, least := float64(use[k]-capacity[k]), math.Inf(-1)
		if multipliers[k] == 0 {
			over, least = max(0, over), 0
		}
		direction[k] = max(least, float64(memory*direction[k])+float64((1-memory)*over))
		norm += float64(direction[k] * direction[k])
	}
	if norm == 0 || target <= 0 {
		return false
	}
	length := float64(target) / norm
	for k, d := range direction {
		multipliers[k] = min(largest, max(0, multipliers[k]+int64(math.Round(length*d))))
	}
	return true
}
