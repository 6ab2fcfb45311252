package cover

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/proof"
)

// The search, the recheck's search and plain enumeration must agree on the
// lightest choice of jobs that satisfies every cut.
func TestCoverThreeWays(t *testing.T) {
	for seed := range testkit.Sets[uint64](500, 2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		js := &model.JobSet{Jobs: make([]model.Job, 1+rng.IntN(9))}
		for i := range js.Jobs {
			js.Jobs[i].Kind = model.Soft
			js.Jobs[i].Weight = 1 + rng.Int64N(5)
		}
		var cuts []proof.Cut
		for range rng.IntN(8) {
			cuts = append(cuts, randomCut(rng, len(js.Jobs)))
		}
		want := enumerate(js, cuts)
		got, choice, exact := Solve(t.Context(), js, cuts)
		if got != want || !exact || weigh(js, choice) != want || !covers(cuts, choice) {
			t.Fatalf("seed %d: choice %v of weight %d (exact %t), want %d", seed, choice, got, exact, want)
		}
		for claim := want; claim <= want+1; claim++ {
			if proved, exact := Recheck(js, cuts, claim); !exact || proved != want {
				t.Fatalf("seed %d: recheck of %d says %d (exact %t), want %d", seed, claim, proved, exact, want)
			}
		}
		if b := Bound(js, cuts, want); b > want {
			t.Fatalf("seed %d: a relaxation says %d, the optimum is %d", seed, b, want)
		}
		if v := enumerate(js, Needed(t.Context(), js, cuts, want)); v != want {
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

func enumerate(js *model.JobSet, cuts []proof.Cut) int64 {
	best := impossible
	for bits := range 1 << len(js.Jobs) {
		var choice []model.JobID
		for i := range js.Jobs {
			if bits>>i&1 == 1 {
				choice = append(choice, model.JobID(i))
			}
		}
		if covers(cuts, choice) {
			best = min(best, weigh(js, choice))
		}
	}
	return best
}

func weigh(js *model.JobSet, choice []model.JobID) int64 {
	sum := int64(0)
	for _, i := range choice {
		sum += js.Jobs[i].Weight
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

// A search that gives up still proves something, and nothing that is wrong.
func TestCoverGivesUp(t *testing.T) {
	gaveUp, proved := 0, int64(0)
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		js := &model.JobSet{Jobs: make([]model.Job, 10)}
		for i := range js.Jobs {
			js.Jobs[i].Kind = model.Soft
			js.Jobs[i].Weight = 1 + rng.Int64N(50)
		}
		cuts := []proof.Cut{randomCut(rng, 10), randomCut(rng, 10), randomCut(rng, 10)}
		want := enumerate(js, cuts)
		c := newChecker(js, cuts, want)
		c.tries = rng.IntN(6)
		if c.decide(0, 0, c.bound); c.least > want {
			t.Fatalf("seed %d: %d, the optimum is %d", seed, c.least, want)
		}
		if c.tries < 0 {
			gaveUp++
			proved += 100 * c.least / want
		}
	}
	t.Logf("gave up on %d, having proved %d %% on average", gaveUp, proved/int64(max(1, gaveUp)))
	if gaveUp == 0 || proved < 80*int64(gaveUp) {
		t.Error("too little is proved")
	}
}
