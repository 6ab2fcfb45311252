package energy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/tight"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/window"
	"downbeat/solve/energy"
)

// shared is a random set whose pools, caps and gangs leave room for a plan that is known.
func shared(t *testing.T, js *model.JobSet, rng *rand.Rand) (*model.JobSet, model.Schedule) {
	t.Helper()
	plan := witness(t, js, rng)
	js = tight.Share(t, js, plan, rng)
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatalf("the plan is not one of the set that was laid around it: %v", err)
	}
	return js, plan
}

// Times that a plan meets are not refuted where pools and caps leave room for it alone.
func TestRefuteSparesWhatIsShared(t *testing.T) {
	for seed := range uint64(*sets) {
		rng := rand.New(rand.NewPCG(seed, 11))
		js, plan := shared(t, randomSet(seed), rng)
		due := js.Finishes(plan)
		for i := range due {
			due[i] += model.Time(rng.IntN(2))
		}
		if sh := refute(js, due); sh != nil {
			t.Fatalf("seed %d: a schedule meets %v: %s (%+v)", seed, due, sh.Sentence(js, clock.Clock{}), sh)
		}
	}
}

// What is refuted by a pool or a cap is recomputed, and names no job too many.
func TestOverloadsOfLimitsHold(t *testing.T) {
	found := map[bool]int{} // by whether it is a pool
	for seed := range uint64(*sets) {
		rng := rand.New(rand.NewPCG(seed, 12))
		js, _ := shared(t, randomSet(seed), rng)
		due := cutAlone(js, rng)
		sh := refute(js, due)
		if sh == nil || sh.Resource != proof.SharedTicks {
			continue
		}
		found[js.Shared()[sh.Shared].Pool >= 0]++
		if err := inference.Overload(js, due, sh); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, sh.Sentence(js, clock.Clock{}), err)
		}
		checkNeeds(t, js, due, sh)
		for k := range sh.Jobs {
			if enough(js, due, sh, k) {
				t.Fatalf("seed %d: %s: also without job %d of the list", seed, sh.Sentence(js, clock.Clock{}), k+1)
			}
		}
	}
	t.Logf("arguments on pools and on caps: %d, %d", found[true], found[false])
	if found[true] == 0 || found[false] == 0 {
		t.Error("the test is too narrow")
	}
}

// cutAlone gives each job a little more time than it needs alone.
func cutAlone(js *model.JobSet, rng *rand.Rand) []model.Time {
	open := slices.Repeat([]model.Time{model.Never}, len(js.Jobs))
	due := window.ByJob(js, open).CriticalPath
	for i := range due {
		due[i] += model.Time(rng.IntN(8))
	}
	return due
}

// The sweep misses no interval in which a pool or a cap is overloaded by all jobs.
func TestRefuteMissesNoIntervalOfLimits(t *testing.T) {
	overloaded := 0
	for seed := range uint64(*sets) / 20 {
		rng := rand.New(rand.NewPCG(seed, 13))
		js, _ := shared(t, gen.Tiny(seed), rng)
		due := cutAlone(js, rng)
		w := window.ByJob(js, due)
		if len(w.Late) > 0 {
			continue
		}
		if id, iv, found := anyShort(js, due); found {
			overloaded++
			if energy.Refute(js, due, w) == nil {
				t.Fatalf("seed %d: %s is short in [%d, %d), not found", seed, js.SharedName(id), iv.Start, iv.End)
			}
		}
	}
	if overloaded < *sets/250 {
		t.Errorf("only %d overloaded sets: the test is too narrow", overloaded)
	}
}

// anyShort tries every interval of every limit.
func anyShort(js *model.JobSet, due []model.Time) (model.SharedID, model.Interval, bool) {
	sh := proof.Overload{Resource: proof.SharedTicks}
	for i := range js.Jobs {
		sh.Jobs = append(sh.Jobs, model.JobID(i))
	}
	for id := range js.Shared() {
		sh.Shared = model.SharedID(id)
		for a := range slices.Max(due) {
			sh.Have = 0
			for b := a; b < slices.Max(due); b++ {
				sh.Interval = model.Interval{Start: a, End: b + 1}
				sh.Have += js.Shared()[id].At(b)
				sh.Need = sh.Have + 1
				if inference.Overload(js, due, &sh) == nil {
					return sh.Shared, sh.Interval, true
				}
			}
		}
	}
	return 0, model.Interval{}, false
}

// Bounds on sets in which a pool or a cap is short are recomputed, and no higher than a plan.
func TestBoundsOfLimits(t *testing.T) {
	tighter := 0
	for seed := range testkit.Tiny(t, 150, 300) {
		rng := rand.New(rand.NewPCG(seed, 14))
		plain := randomSet(seed)
		js, plan := shared(t, plain, rng)
		if js.Value(model.HardMisses, js.Finishes(plan)) > 0 {
			continue
		}
		for o, lower := range lowers {
			v, c := lower(t.Context(), js)
			if proved, _, err := energy.Recheck(t.Context(), js, c); err != nil || proved > v {
				t.Fatalf("seed %d: %s of %d: %d proved, %v", seed, o, v, proved, err)
			}
			if value := js.Value(o, js.Finishes(plan)); v > value {
				t.Fatalf("seed %d: %s is %d at least, and %d in a plan\n%v", seed, o, v, value, energy.Sentences(js, c))
			}
			if before, _ := lower(t.Context(), plain); v > before {
				tighter++
			}
		}
	}
	t.Logf("%d bounds are higher than without what is shared", tighter)
	if tighter == 0 {
		t.Error("no bound is higher for what is shared")
	}
}

// Jobs that caps make late alone are found all at once.
func TestCapsMakeJobsLate(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1 << 20, Slots: 1 << 20}}}
	weight := int64(0)
	for i := range 600 {
		p := model.NewProfile(model.ConstRow(1, 10), model.ConstRow(1, 0))
		job := model.Job{
			Kind: model.Soft, Weight: 1 + int64(i%5), Deadline: 40,
			Stages: []model.Stage{{AtMost: 2, Groups: []model.Group{{Count: 5 + i%8, Profile: p}}}},
		}
		if 5+i%8 > 8 { // of which 8 fit
			weight += job.Weight
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	v, c := energy.Misses(t.Context(), js)
	if proved, _, err := energy.Recheck(t.Context(), js, c); v != weight || proved != weight || err != nil {
		t.Errorf("%d, %d proved, not %d: %v", v, proved, weight, err)
	}
}
