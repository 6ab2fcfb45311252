package energy_test

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/energy"
)

// Arguments of few jobs hold, need each of their jobs, are found where others are, and are mostly of fewer jobs.
func TestFewest(t *testing.T) {
	found, greatest, fewest, missed := 0, 0, 0, 0
	for seed := range uint64(*sets) {
		js := randomSet(seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		for i, d := range cutDues(t, js, rng) {
			if job := &js.Jobs[i]; d > job.Release {
				job.Kind, job.Deadline = model.Hard, d-job.Release
			}
		}
		due := query.HardDues(js)
		known, sh := energy.Infeasible(t.Context(), js), energy.Fewest(t.Context(), js)
		switch {
		case known == nil && sh == nil, known != nil && known.Resource == proof.CriticalPath:
			continue
		case sh == nil:
			missed++
			continue
		}
		if err := inference.Overload(js, due, sh); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, sh.Sentence(js, clock.Clock{}), err)
		}
		if js.JobsLinked() || known == nil { // jobs that press others are named, too
			continue
		}
		for k := range sh.Jobs {
			if enough(js, due, sh, k) {
				t.Fatalf("seed %d: %s: also without job %d of the list", seed, sh.Sentence(js, clock.Clock{}), k+1)
			}
		}
		found, greatest, fewest = found+1, greatest+len(known.Jobs), fewest+len(sh.Jobs)
		if len(sh.Jobs) > len(known.Jobs) {
			t.Errorf("seed %d: %d jobs, and %d of the greatest overload", seed, len(sh.Jobs), len(known.Jobs))
		}
	}
	t.Logf("%d arguments of %d jobs, %d of the greatest overloads, %d missed", found, fewest, greatest, missed)
	if found == 0 || missed > found/20 || fewest >= greatest {
		t.Error("few arguments, or of many jobs")
	}
}
