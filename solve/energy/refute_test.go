package energy_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/energy"
)

var sets = flag.Int("sets", testkit.Sets(400, 2500), "number of random job sets per soundness test")

// refute is what most tests ask for.
func refute(js *model.JobSet, due []model.Time) *proof.Overload {
	return energy.Refute(js, due, window.ByJob(js, due))
}

// randomSet has 1 to 30 tasks, small ones more often, and every feature.
func randomSet(seed uint64) *model.JobSet {
	switch seed % 8 {
	case 0, 1, 2:
		return gen.Tiny(seed)
	case 3:
		return gen.TodayTiny(seed)
	case 4, 5:
		return gen.Small(seed, 8+int(seed/8%7))
	default:
		js, _ := gen.Random(knobs(12+int(seed/8%19)), seed)
		return js
	}
}

// Times that a valid schedule meets must never be refuted, nor any later ones.
func TestRefuteSparesWhatIsFeasible(t *testing.T) {
	for seed := range uint64(*sets) {
		js := randomSet(seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 2 {
			finishes := js.Finishes(witness(t, js, rng))
			due := make([]model.Time, len(finishes))
			slack := rng.IntN(4)
			for i, f := range finishes {
				due[i] = f + model.Time(rng.IntN(slack+1))
				if rng.IntN(10) == 0 {
					due[i] = model.Never
				}
			}
			for _, sh := range []*proof.Overload{refute(js, due), energy.Refute(js, due, window.TogetherUntil(t.Context(), js, due))} {
				if sh != nil {
					t.Fatalf("seed %d: a schedule finishes at %v, but with due times %v: %s (%+v)",
						seed, finishes, due, sh.Sentence(js, clock.Clock{}), sh)
				}
			}
		}
	}
}

// Whatever is refuted must be recomputed by the validator, and must name no
// job too many: with any one left out the need is no longer too much.
func TestOverloadsHold(t *testing.T) {
	found := map[proof.Resource]int{}
	for seed := range uint64(*sets) {
		js := randomSet(seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		due := cutDues(t, js, rng)
		sh := refute(js, due)
		if sh == nil {
			continue
		}
		found[sh.Resource]++
		if err := inference.Overload(js, due, sh); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, sh.Sentence(js, clock.Clock{}), err)
		}
		if sh.Resource != proof.CriticalPath {
			checkNeeds(t, js, due, sh)
		}
		for k := range sh.Jobs {
			if sh.Resource == proof.CriticalPath {
				break
			}
			if enough(js, due, sh, k) {
				t.Fatalf("seed %d: %s: also without job %d of the list", seed, sh.Sentence(js, clock.Clock{}), k+1)
			}
		}
	}
	t.Logf("arguments by resource: %v", found)
	for r := proof.CriticalPath; r <= proof.Ticks(model.FirstNamed); r++ {
		if found[r] == 0 {
			t.Errorf("no argument on %s was found: the test is too narrow", r)
		}
	}
}

// In-trees of unit tasks on three cores, which Hu's levels solve: the bound is the makespan, where no job and no area tells of it.
func TestMakespanOfTrees(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 3, Slots: 3}}}
	p := model.NewProfile(model.DenseRow([]model.Time{1}), model.ConstRow(1, 0))
	// A chain of three jobs, eight jobs before its first: 3 ticks for these, and 3 for the chain.
	for i := range 11 {
		j := model.Job{Name: string(rune('a' + i)), Kind: model.BestEffort, Weight: 1,
			Stages: []model.Stage{{Name: "t", Groups: []model.Group{{Count: 1, Profile: p}}}}}
		switch {
		case i == 8:
			j.After = []model.JobID{0, 1, 2, 3, 4, 5, 6, 7}
		case i > 8:
			j.After = []model.JobID{model.JobID(i - 1)}
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	v, c := energy.Makespan(t.Context(), js)
	if v != 6 {
		t.Errorf("a makespan of at least %d, not 6", v)
	}
	if again, _, err := energy.Recheck(t.Context(), js, c); again != v || err != nil {
		t.Errorf("recomputed: %d, %v", again, err)
	}
	// The last of the chain alone is due: it presses all others, none of which has a due time.
	last := &js.Jobs[10]
	last.Kind = model.Hard
	for due := model.Time(5); due <= 6; due++ {
		last.Deadline = due
		sh := energy.Infeasible(t.Context(), js)
		if refuted := sh != nil; refuted != (due < 6) {
			t.Errorf("due at %d: refuted %t", due, refuted)
		}
		if sh == nil {
			continue
		}
		if err := inference.Overload(js, query.HardDues(js), sh); err != nil {
			t.Errorf("%s: %v", sh.Sentence(js, clock.Clock{}), err)
		}
	}
}

// checkNeeds compares the sum of the validator's figures per job with Need.
func checkNeeds(t *testing.T, js *model.JobSet, due []model.Time, sh *proof.Overload) {
	t.Helper()
	needs, err := inference.NewOverloads(js).Needs(due, sh)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range needs {
		if sum += n; n == 0 {
			t.Errorf("%s: a job that contributes nothing is named", sh.Sentence(js, clock.Clock{}))
		}
	}
	if sum != sh.Need {
		t.Errorf("%s: the jobs need %v", sh.Sentence(js, clock.Clock{}), needs)
	}
}

// cutDues are the finishes in a schedule cut to some percentage of the time
// since release. Mostly no job is left late alone.
func cutDues(t *testing.T, js *model.JobSet, rng *rand.Rand) []model.Time {
	finishes := js.Finishes(witness(t, js, rng))
	open := make([]model.Time, len(js.Jobs))
	for i := range open {
		open[i] = model.Never
	}
	alone := window.ByJob(js, open).CriticalPath
	percent := model.Time(40 + rng.IntN(60))
	due := make([]model.Time, len(js.Jobs))
	for i, job := range js.Jobs {
		due[i] = job.Release + (finishes[i]-job.Release)*percent/100
		if rng.IntN(50) > 0 {
			due[i] = max(due[i], alone[i])
		}
	}
	return due
}

// enough tells whether the argument stands, by the validator, without its k-th job.
func enough(js *model.JobSet, due []model.Time, sh *proof.Overload, k int) bool {
	fewer := *sh
	fewer.Jobs = slices.Delete(slices.Clone(sh.Jobs), k, k+1)
	fewer.Need = sh.Have + 1
	return len(fewer.Jobs) > 0 && inference.Overload(js, due, &fewer) == nil
}

// The sweep must not miss the most overloaded interval on the whole cluster:
// what some interval shows by the validator's sums, Refute must find.
func TestRefuteMissesNoInterval(t *testing.T) {
	overloaded := 0
	for seed := range uint64(*sets) / 20 {
		js := gen.Tiny(seed)
		due := cutDues(t, js, rand.New(rand.NewPCG(seed, 4)))
		var all []model.JobID
		for i := range js.Jobs {
			all = append(all, model.JobID(i))
		}
		w := window.ByJob(js, due)
		if len(w.Late) > 0 {
			continue
		}
		sh := energy.Refute(js, due, w)
		if r, iv, found := anyOverload(js, due, all); found {
			overloaded++
			if sh == nil {
				t.Fatalf("seed %d: %s are short in [%d, %d), not found", seed, r, iv.Start, iv.End)
			}
		}
	}
	if overloaded < *sets/250 {
		t.Errorf("only %d overloaded sets: the test is too narrow", overloaded)
	}
}

// anyOverload tries every interval on the whole cluster.
func anyOverload(js *model.JobSet, due []model.Time, jobs []model.JobID) (proof.Resource, model.Interval, bool) {
	sh := proof.Overload{Jobs: jobs}
	for s := range js.Slaves {
		sh.Slaves = append(sh.Slaves, model.SlaveID(s))
	}
	last := model.Time(0)
	for _, d := range due {
		if d < model.Never {
			last = max(last, d)
		}
	}
	for _, sh.Resource = range []proof.Resource{proof.CoreTicks, proof.SlotTicks, proof.FetchTicks} {
		for a := range last {
			for b := a + 1; b <= last; b++ {
				sh.Interval = model.Interval{Start: a, End: b}
				sh.Have = have(js, &sh)
				sh.Need = sh.Have + 1
				if inference.Overload(js, due, &sh) == nil {
					return sh.Resource, sh.Interval, true
				}
			}
		}
	}
	return 0, model.Interval{}, false
}

// have counts tick by tick what all machines have.
func have(js *model.JobSet, sh *proof.Overload) int64 {
	sum := int64(0)
	for s := range model.SlaveID(len(js.Slaves)) {
		slave := &js.Slaves[s]
		for now := sh.Interval.Start; now < sh.Interval.End; now++ {
			at, n := now, slave.Cores
			switch sh.Resource {
			case proof.FetchTicks:
				n = 1
			case proof.SlotTicks:
				gamma, beat := js.BeatAtOrBefore(s, now)
				if at, n = beat, slave.TotalSlots(); gamma < 0 {
					n = 0
				}
			}
			if slave.Up(model.Interval{Start: at, End: at + 1}) {
				sum += int64(n)
			}
		}
	}
	return sum
}
