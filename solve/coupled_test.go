package solve

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// coupledTiny is a tiny set with pools, caps, gangs and stages that are apart, and with all else mixed in:
// containers and graphs in some, slaves that go for good in others, pools that end too low in others.
func coupledTiny(seed uint64) *model.JobSet {
	of := seed / 4
	switch seed % 4 {
	case 0:
		return gen.Coupled(gen.Tiny(of), seed, false)
	case 1:
		return gen.Coupled(gen.TodayTiny(of), seed, false)
	case 2:
		return gen.Coupled(gen.TodayTiny(of), seed, true)
	default:
		return gen.Coupled(gen.GoneTiny(of), seed, true)
	}
}

// TestCoupledAgreesWithExhaustiveSearch: plans of sets with pools, caps, gangs and tasks that are apart
// (C11, C12) are those of exhaustive search, values and what is left out.
func TestCoupledAgreesWithExhaustiveSearch(t *testing.T) {
	statuses, sets, coupled := map[model.Status]int{}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 400, 600)) {
		workers := 1 + int(seed/4%2)
		if testkit.Race() && (workers == 1 || seed%64 > 7) { // a sample
			continue
		}
		js := coupledTiny(seed)
		want := leastLeaving(t, js, false)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: workers, NoConflict: seed%8 > 0, Early: seed%3 > 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agreeLeaving(js, r, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		statuses[r.Status]++
		if sets++; js.Coupled() {
			coupled++
		}
	}
	t.Logf("%d sets are coupled, statuses %v", coupled, statuses)
	for _, s := range []model.Status{model.Optimal, model.Feasible, model.Infeasible} {
		if statuses[s] == 0 && (s != model.Feasible || sets >= 400) { // one of a hundred has no objective
			t.Errorf("no job set was %s", s)
		}
	}
}

// agreeLeaving holds an answer against the least that exhaustive search has found.
func agreeLeaving(js *model.JobSet, r *Result, want []int64) error {
	switch {
	case want == nil && r.Status == model.Infeasible:
		return nil
	case want == nil || r.Schedule == nil:
		return fmt.Errorf("%s, exhaustive search has %v", r.Status, want)
	case !slices.Equal(valuesLeaving(r), want):
		return fmt.Errorf("%s with %v, exhaustive search has %v", r.Status, valuesLeaving(r), want)
	case r.Status != model.Optimal && len(r.Objectives) > 0:
		return fmt.Errorf("%s with %v", r.Status, r.Objectives)
	}
	return check.Schedule(js, r.Schedule, false).Err()
}

// TestCoupledChecks: whether hard deadlines can be met is what exhaustive search says.
func TestCoupledChecks(t *testing.T) {
	testkit.OneGoroutine(t)
	found := map[model.Status]int{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 300)) {
		js := coupledTiny(1_000_000 + seed)
		want := model.Feasible
		if leastLeaving(t, js, false) == nil {
			want = model.Infeasible
		}
		v, err := Check(context.Background(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != want {
			t.Errorf("seed %d: %s, want %s", seed, v.Status, want)
		}
		found[v.Status]++
	}
	t.Log(found)
}

// TestCoupledRelaxes: the least bad plan is that of exhaustive search.
func TestCoupledRelaxes(t *testing.T) {
	testkit.OneGoroutine(t)
	open, sets := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 100)) {
		js := coupledTiny(2_000_000 + seed)
		want := leastLeaving(t, js, true)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, Relax: true, NoConflict: seed%2 == 0, Budget: 20000, Early: seed%3 > 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Schedule == nil {
			t.Errorf("seed %d: no plan, exhaustive search has %v", seed, want)
			continue
		}
		if err := check.Schedule(js, r.Schedule, true).Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		isOpen, err := oracle.HoldLeastBad(js, r.Objectives, want)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if isOpen {
			open++
		}
		sets++
	}
	if t.Logf("%d of %d are open", open, sets); !testkit.SeedGiven() && open*20 > sets {
		t.Errorf("%d of %d sets are open", open, sets)
	}
}

// TestCertificateWithUnusedPool: of a pool that no task takes of, the checker of proofs states changes in coarser ticks, too.
func TestCertificateWithUnusedPool(t *testing.T) {
	profile := model.NewProfile(model.ConstRow(2, 300), model.ConstRow(2, 0))
	stage := func() []model.Stage {
		return []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}
	}
	js := &model.JobSet{
		Name: "unused", Heartbeat: 120, Objectives: []model.Objective{model.WeightedTardiness, model.Makespan, model.Misses},
		Pools:  []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 1}, {From: 1200, Amount: 5}}}},
		Slaves: []model.Slave{{Name: "a", Cores: 2, Slots: 2}, {Name: "b", Cores: 2, Slots: 2}},
		Jobs: []model.Job{
			{Name: "first", Kind: model.BestEffort, Stages: stage()},
			{Name: "second", Kind: model.Soft, Deadline: 480, Weight: 1, After: []model.JobID{0}, Stages: stage()},
		},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r, err := Plan(context.Background(), js, Options{Workers: 1, Proof: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Certificate.Deliver(context.Background(), nil, true); err != nil || r.Certificate.Proof.Refused != nil {
		t.Fatalf("%v, %v", err, r.Certificate.Proof.Refused)
	}
	if n := len(r.Certificate.Proof.Checked.Claims); n < len(js.Objectives) {
		t.Errorf("%d claims are certified", n)
	}
}
