package inference

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/proof"
)

// drawCover draws ten jobs and three cuts, and gives the least weight of a choice that satisfies them.
func drawCover(rng *rand.Rand) (weight []int64, cuts []proof.Cut, least int64) {
	weight = make([]int64, 10)
	for i := range weight {
		weight[i] = 1 + rng.Int64N(50)
	}
	for range 3 {
		cut, sum := proof.Cut{}, int64(0)
		for i := range weight {
			if rng.IntN(2) == 0 || i == 9 && sum == 0 {
				cut.Jobs, cut.Coefficients = append(cut.Jobs, model.JobID(i)), append(cut.Coefficients, 1+rng.Int64N(9))
				sum += cut.Coefficients[len(cut.Coefficients)-1]
			}
		}
		cut.RHS = 1 + rng.Int64N(sum)
		cuts = append(cuts, cut)
	}
	least = math.MaxInt64
	for choice := range 1 << len(weight) {
		total := int64(0)
		for i, w := range weight {
			total += w * int64(choice>>i&1)
		}
		met := func(cut proof.Cut) bool {
			relief := int64(0)
			for n, i := range cut.Jobs {
				relief += cut.Coefficients[n] * int64(choice>>i&1)
			}
			return relief >= cut.RHS
		}
		if !slices.ContainsFunc(cuts, func(cut proof.Cut) bool { return !met(cut) }) {
			least = min(least, total)
		}
	}
	return weight, cuts, least
}

// Whatever multipliers are given, no more is proved than holds, by a search that gives up, too;
// one that does not proves all.
func TestCover(t *testing.T) {
	gaveUp := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		weight, cuts, want := drawCover(rng)
		multipliers := make([]int64, rng.IntN(5))
		for k := range multipliers {
			multipliers[k] = []int64{rng.Int64N(100 * CoverUnit), rng.Int64N(CoverUnit), -1, math.MaxInt64, 1 << 50}[rng.IntN(5)]
		}
		for claim := want - 1; claim <= want+1; claim++ {
			if least, exact := Cover(weight, cuts, multipliers, claim); !exact || least != min(want, claim) {
				t.Fatalf("seed %d: %d (exact %t) of %d, the optimum is %d: %v", seed, least, exact, claim, want, multipliers)
			}
		}
		c := newCoverer(weight, cuts, multipliers, want)
		c.tries = rng.IntN(6)
		if c.decide(0, 0, c.bound); c.least > want {
			t.Fatalf("seed %d: %d, the optimum is %d", seed, c.least, want)
		}
		if c.tries < 0 {
			gaveUp++
		}
	}
	if gaveUp < 500 {
		t.Errorf("gave up on %d of 1500 only", gaveUp)
	}
}

// Good multipliers save the search, so that what is given up on is bounded well.
func TestCoverByGoodMultipliers(t *testing.T) {
	weight := []int64{7, 7, 7, 7}
	pair := func(i, k model.JobID) proof.Cut {
		return proof.Cut{Jobs: []model.JobID{i, k}, Coefficients: []int64{1, 1}, RHS: 1}
	}
	cuts := []proof.Cut{pair(0, 1), pair(2, 3)}
	for _, c := range []struct{ multiplier, proved int64 }{{7 * CoverUnit, 14}, {7 * CoverUnit / 2, 7}, {0, 0}} {
		r := newCoverer(weight, cuts, []int64{c.multiplier, c.multiplier}, 100)
		r.tries = 0
		r.decide(0, 0, r.bound)
		if r.least != c.proved {
			t.Errorf("at multipliers of %d %d is proved at once, want %d", c.multiplier, r.least, c.proved)
		}
	}
}

// Cuts that are not well formed, or ask for nothing, prove nothing.
func TestCoverOfBrokenCuts(t *testing.T) {
	for name, cut := range map[string]proof.Cut{
		"nothing asked for":    {Jobs: []model.JobID{0}, Coefficients: []int64{1}},
		"no such job":          {Jobs: []model.JobID{1}, Coefficients: []int64{1}, RHS: 1},
		"a job below 0":        {Jobs: []model.JobID{-1}, Coefficients: []int64{1}, RHS: 1},
		"coefficients amiss":   {Jobs: []model.JobID{0}, RHS: 1},
		"more than is counted": {Jobs: []model.JobID{0}, Coefficients: []int64{1}, RHS: math.MaxInt64},
	} {
		if least, exact := Cover([]int64{5}, []proof.Cut{cut}, []int64{5 * CoverUnit}, 5); least != 0 || !exact {
			t.Errorf("%s: %d is proved (exact %t)", name, least, exact)
		}
	}
}
