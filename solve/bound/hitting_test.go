package bound

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
)

// The search, the recheck's table and plain enumeration must agree on the
// lightest choice of jobs that hits every core.
func TestHittingThreeWays(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		js := &model.JobSet{Jobs: make([]model.Job, 1+rng.IntN(10))}
		for i := range js.Jobs {
			js.Jobs[i].Kind = model.Soft
			js.Jobs[i].Weight = 1 + rng.Int64N(5)
		}
		var cores []core
		var c Certificate
		for range rng.IntN(12) {
			jobs := randomJobs(rng, len(js.Jobs))
			sh := &model.Shortage{Jobs: jobs}
			cores = append(cores, core{jobs, sh})
			c.add(sh, 0)
		}
		want := enumerate(js, cores)
		got, choice, exact := cheapest(js, cores)
		if got != want || !exact || weigh(js, choice) != want || !hitsAll(cores, choice) {
			t.Fatalf("seed %d: choice %v of weight %d (exact %t), want %d", seed, choice, got, exact, want)
		}
		c.Value = want
		if proved, err := c.leastHit(js); err != nil || proved != want {
			t.Fatalf("seed %d: recheck says %d, %v, want %d", seed, proved, err, want)
		}
		c.Value = want + 1
		if proved, err := c.leastHit(js); err != nil || proved != want {
			t.Fatalf("seed %d: recheck of one more says %d, %v, want %d", seed, proved, err, want)
		}
		if v := enumerate(js, needed(js, cores, want)); v != want {
			t.Fatalf("seed %d: the cores kept prove %d, not %d", seed, v, want)
		}
	}
}

func randomJobs(rng *rand.Rand, n int) []model.JobID {
	var out []model.JobID
	for len(out) == 0 {
		for i := range n {
			if rng.IntN(3) == 0 {
				out = append(out, model.JobID(i))
			}
		}
	}
	return out
}

func enumerate(js *model.JobSet, cores []core) int64 {
	best := int64(1 << 62)
	for bits := range 1 << len(js.Jobs) {
		var choice []model.JobID
		for i := range js.Jobs {
			if bits>>i&1 == 1 {
				choice = append(choice, model.JobID(i))
			}
		}
		if hitsAll(cores, choice) {
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

func hitsAll(cores []core, choice []model.JobID) bool {
	for _, c := range cores {
		if len(without(c.jobs, choice)) == len(c.jobs) {
			return false
		}
	}
	return true
}
