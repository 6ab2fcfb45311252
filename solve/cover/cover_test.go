package cover

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
)

// The search, the recheck's search and plain enumeration must agree on the
// lightest choice of jobs that satisfies every cut.
func TestCoverThreeWays(t *testing.T) {
	for seed := range testkit.Sets[uint64](500, 2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		weight := make([]int64, 1+rng.IntN(9))
		for i := range weight {
			weight[i] = 1 + rng.Int64N(5)
		}
		var cuts []proof.Cut
		for range rng.IntN(8) {
			cuts = append(cuts, randomCut(rng, len(weight)))
		}
		want := enumerate(weight, cuts)
		got, choice, exact := Solve(t.Context(), weight, cuts)
		if got != want || !exact || weigh(weight, choice) != want || !covers(cuts, choice) {
			t.Fatalf("seed %d: choice %v of weight %d (exact %t), want %d", seed, choice, got, exact, want)
		}
		for claim := want; claim <= want+1; claim++ {
			if proved, exact := inference.Cover(weight, cuts, Multipliers(weight, cuts, claim), claim); !exact || proved != want {
				t.Fatalf("seed %d: recheck of %d says %d (exact %t), want %d", seed, claim, proved, exact, want)
			}
		}
		if b := Bound(weight, cuts, want); b > want {
			t.Fatalf("seed %d: a relaxation says %d, the optimum is %d", seed, b, want)
		}
		if v := enumerate(weight, Needed(t.Context(), weight, cuts, want)); v != want {
			t.Fatalf("seed %d: the cuts kept prove %d, not %d", seed, v, want)
		}
	}
}

// randomCut has at least one job, and a right-hand side that all of them together reach.
func randomCut(rng *rand.Rand, jobs int) proof.Cut {
	var r proof.Cut
	sum := int64(0)
	for len(r.Jobs) == 0 {
		for i := range jobs {
			if rng.IntN(2) == 0 {
				r.Jobs = append(r.Jobs, model.JobID(i))
				r.Coefficients = append(r.Coefficients, 1+rng.Int64N(9))
				sum += r.Coefficients[len(r.Coefficients)-1]
			}
		}
	}
	r.RHS = 1 + rng.Int64N(sum)
	return r
}

func enumerate(weight []int64, cuts []proof.Cut) int64 {
	best := impossible
	for bits := range 1 << len(weight) {
		var choice []model.JobID
		for i := range weight {
			if bits>>i&1 == 1 {
				choice = append(choice, model.JobID(i))
			}
		}
		if covers(cuts, choice) {
			best = min(best, weigh(weight, choice))
		}
	}
	return best
}

func weigh(weight []int64, choice []model.JobID) int64 {
	sum := int64(0)
	for _, i := range choice {
		sum += weight[i]
	}
	return sum
}

func covers(cuts []proof.Cut, choice []model.JobID) bool {
	for _, r := range cuts {
		relief := int64(0)
		for n, i := range r.Jobs {
			if slices.Contains(choice, i) {
				relief += r.Coefficients[n]
			}
		}
		if relief < r.RHS {
			return false
		}
	}
	return true
}
