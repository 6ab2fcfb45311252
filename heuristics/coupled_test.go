package heuristics

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// valid fails unless a schedule is one of a set in which what ends for good is back at the horizon.
func valid(t *testing.T, seed uint64, what string, js *model.JobSet, s model.Schedule) {
	t.Helper()
	if !s.Complete() {
		t.Fatalf("seed %d: %s: tasks are missing", seed, what)
	}
	if err := fault(js.Returning(), s); err != nil {
		t.Fatalf("seed %d: %s: %v", seed, what, err)
	}
}

// TestCoupledSets: with pools, caps, gangs and tasks that are apart list schedules by every rule are
// valid, and so is what completes, repairs, hastens and tidies them.
func TestCoupledSets(t *testing.T) {
	gangs, kept, tasks := 0, 0, 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		rng := rand.New(rand.NewPCG(seed, 21))
		js := coupledSet(rng)
		fig := NewFigures(js)
		b := NewBoard(fig, seed)
		for i := range fig.Stages {
			if fig.Stages[i].Gang {
				gangs++
			}
		}
		d := NewDeferral(js, js.Goal(), nil)
		for _, rule := range Rules() {
			b.Clear()
			b.Construct(context.Background(), rule.Order(fig), d)
			valid(t, seed, rule.Name, js, b.Place)
			for i, finish := range js.Finishes(b.Place) {
				if got := b.JobFinish(model.JobID(i)); got != finish {
					t.Fatalf("seed %d: job %d finishes at %d, not %d", seed, i, finish, got)
				}
			}
		}
		whole := slices.Clone(b.Place)
		loose := loosen(js.Returning(), whole, rng)
		valid(t, seed, "tidied", js, Tidy(context.Background(), js, loose))
		valid(t, seed, "earlier", js, Earlier(context.Background(), js, js.Goal(), loose, seed))
		broken := slices.Clone(whole)
		damage(js, broken, rng)
		repaired := Repair(js, broken)
		valid(t, seed, "repaired", js, repaired)
		kept += unmoved(repaired, broken)
		tasks += len(broken)
		valid(t, seed, "completed", js, Complete(js, alone(js, whole, model.JobID(rng.IntN(len(js.Jobs))))))
		if got := Repair(js, whole); js.ListValue(model.HardMisses, js.Finishes(whole)) == 0 && !slices.Equal(got, whole) {
			t.Fatalf("seed %d: a valid schedule was changed", seed)
		}
	}
	t.Logf("%d gangs, %d of %d tasks of broken schedules kept", gangs, kept, tasks)
	if gangs < testkit.Sets(100, 1000) || kept < tasks/2 {
		t.Errorf("%d gangs, %d of %d tasks of broken schedules kept", gangs, kept, tasks)
	}
}

// alone is a schedule of one job.
func alone(js *model.JobSet, s model.Schedule, i model.JobID) model.Schedule {
	out := model.NewSchedule(len(s))
	copy(out[js.Jobs[i].First:js.Jobs[i].End], s[js.Jobs[i].First:js.Jobs[i].End])
	return out
}
