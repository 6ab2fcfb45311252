package energy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/energy"
)

// linkedSet has four to seven jobs of which most come after others, of a task or two each, on one or two slaves.
func linkedSet(t *testing.T, rng *rand.Rand) *model.JobSet {
	js := &model.JobSet{Heartbeat: model.Time(1 + rng.IntN(2))}
	slaves := 1 + rng.IntN(2)
	for s := range slaves {
		slave := model.Slave{Name: string(rune('p' + s)), Cores: 1 + rng.IntN(2), FirstBeat: model.Time(rng.IntN(2))}
		if slave.Slots = slave.Cores + rng.IntN(2); rng.IntN(4) == 0 {
			from := model.Time(rng.IntN(5))
			slave.Down = []model.Interval{{Start: from, End: from + 2}}
		}
		js.Slaves = append(js.Slaves, slave)
	}
	profile := func() *model.Profile {
		wcet := model.Time(1 + rng.IntN(3))
		return model.NewProfile(model.ConstRow(slaves, wcet), model.ConstRow(slaves, model.Time(rng.IntN(3)/2)))
	}
	jobs := 4 + rng.IntN(3)
	if slaves == 2 {
		jobs = min(jobs, 5)
	}
	for i := range jobs {
		j := model.Job{Name: string(rune('a' + i)), Kind: model.JobKind(rng.IntN(3)), Weight: 1 + rng.Int64N(3)}
		if j.Kind != model.BestEffort {
			j.Deadline = model.Time(4 + rng.IntN(12))
		}
		for before := range model.JobID(i) {
			if rng.IntN(3) == 0 {
				j.After = append(j.After, before)
			}
		}
		j.Stages = []model.Stage{{Name: "m", Groups: []model.Group{{Count: 1, Profile: profile()}}}}
		if i == 0 && rng.IntN(2) == 0 {
			j.Stages = append(j.Stages, model.Stage{Name: "r", After: []int32{0}, Groups: []model.Group{{Count: 1, Profile: profile()}}})
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// Bounds and refutations by jobs that press those that they come after, against exhaustive search.
func TestLinkedJobsAgainstSearch(t *testing.T) {
	var infeasible, refuted, higher, charged, met int
	for seed := range uint64(*sets) / 4 {
		rng := rand.New(rand.NewPCG(seed, 31))
		js := linkedSet(t, rng)
		if sh := energy.Infeasible(t.Context(), js); sh != nil {
			if err := inference.Overload(js, query.HardDues(js), sh); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, sh.Sentence(js, clock.Clock{}), err)
			}
			refuted++
		}
		for _, o := range []model.Objective{model.Makespan, model.Tardiness, model.WeightedTardiness, model.Misses} {
			best, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if best.Status == model.Infeasible {
				infeasible++
				break
			}
			if energy.Infeasible(t.Context(), js) != nil {
				t.Fatalf("seed %d: refuted, and has a plan", seed)
			}
			v, c := lower(t, js, o)
			if v > best.Values[0] {
				t.Fatalf("seed %d: %s of at least %d, and %d can be had", seed, o, v, best.Values[0])
			}
			if slices.ContainsFunc(c.Overloads, func(sh proof.Overload) bool { return len(sh.Charges) > 0 }) {
				if charged++; v == best.Values[0] {
					met++
				}
			}
			if o != model.Makespan {
				continue
			}
			if due := query.AtMost(js, o, model.Time(v-1)); energy.Refute(js, due, window.ByJob(js, due)) == nil {
				higher++
			}
			// What a plan meets is not refuted by the checker either, whatever jobs and interval it is told of.
			due := js.Finishes(best.Schedule)
			last := slices.Max(due)
			var jobs []model.JobID
			for i := range due {
				switch rng.IntN(6) {
				case 0, 1, 2:
					due[i] = last
				case 3:
					due[i] = model.Never
				}
				if rng.IntN(4) > 0 {
					jobs = append(jobs, model.JobID(i))
				}
			}
			if r, iv, found := anyOverload(js, due, jobs); found {
				t.Fatalf("seed %d: a plan meets %v, and %s are short in [%d, %d) for jobs %v", seed, due, r, iv.Start, iv.End, jobs)
			}
		}
	}
	t.Logf("%d infeasible, %d refuted, %d makespans bounded higher, misses bounded by closures %d, %d of them met", infeasible, refuted, higher, charged, met)
	if refuted == 0 || higher == 0 || charged == 0 || 10*met < 9*charged {
		t.Error("the test is too narrow")
	}
}

// Bounds on the weight of late jobs where ends of chains and trees are due, which share what they come after or not, against exhaustive search.
func TestClosuresAgainstSearch(t *testing.T) {
	var solved, counted, met, shared int
	for seed := range uint64(*sets) / 4 {
		rng := rand.New(rand.NewPCG(seed, 41))
		js := linkedSet(t, rng)
		followers := make([]int, len(js.Jobs))
		for i := range js.Jobs {
			for _, before := range js.Jobs[i].After {
				followers[before]++
			}
		}
		for i := range js.Jobs {
			job := &js.Jobs[i]
			if followers[i] > 0 && rng.IntN(4) > 0 {
				job.Kind, job.Deadline = model.BestEffort, 0
				continue
			}
			job.Kind, job.Deadline, job.Release = model.Soft, model.Time(2+rng.IntN(9)), model.Time(rng.IntN(3))
			if rng.IntN(5) == 0 {
				job.Kind = model.Hard
			}
		}
		best, err := oracle.SolveFor(js, []model.Objective{model.Misses}, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if best.Status == model.Infeasible {
			continue
		}
		v, c := lower(t, js, model.Misses)
		if v > best.Values[0] {
			t.Fatalf("seed %d: misses of at least %d, and %d can be had", seed, v, best.Values[0])
		}
		if solved++; best.Values[0] > 0 {
			counted++
			if v == best.Values[0] {
				met++
			}
		}
		for _, sh := range c.Overloads {
			for k, of := range sh.Charges {
				if k > 0 && sh.Charges[k-1].Job == of.Job {
					shared++
				}
			}
		}
	}
	t.Logf("%d with a plan, in %d some are late, of which the bound meets %d; %d jobs charged to more than one", solved, counted, met, shared)
	if counted == 0 || 10*met < 7*counted || shared == 0 {
		t.Error("the test is too narrow, or bounds are weak")
	}
}
