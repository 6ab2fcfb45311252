package solve

import (
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
)

// What validating a plan takes is kept back several times over, by the least time seen.
func TestTimeIsKeptBackForValidation(t *testing.T) {
	ctx, clock, cancel := withTimeLimit(t.Context(), time.Hour, afterwards)
	defer cancel()
	ended := func(within time.Duration) bool {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(within):
			return false
		}
	}
	clock.validated(time.Hour / (4 * afterwards))
	if clock.validated(time.Hour); ended(20 * time.Millisecond) {
		t.Error("ended although a quarter of the time is enough for what follows")
	}
	if until, _ := ctx.Deadline(); time.Until(until) < 59*time.Minute {
		t.Error("the limit itself was moved")
	}
	short, clock, cancel := withTimeLimit(t.Context(), time.Hour, afterwards)
	defer cancel()
	ctx = short
	if clock.validated(time.Hour); !ended(10 * time.Second) {
		t.Error("goes on although there is no time left for what follows")
	}
	(*timeLimit)(nil).validated(time.Hour) // no limit
	ctx, clock, cancel = withTimeLimit(t.Context(), time.Hour, 4*afterwards)
	defer cancel()
	if clock.validated(time.Hour / (4 * afterwards)); !ended(10 * time.Second) {
		t.Error("goes on although there is no time left for files")
	}
}

// A single construction is enough for a plan that meets the hard deadlines of a large
// set, and for the answer that there is one.
func TestFirstPlanOfLargeSets(t *testing.T) {
	for seed := range uint64(3) {
		js := gen.Scale(leastHurried, 1+seed)
		if r := mustPlan(t, js, Options{Budget: 1, Seed: 1}); r.Status != model.Feasible {
			t.Errorf("seed %d: %s", 1+seed, r.Status)
		}
		v, err := Check(t.Context(), js, Options{Budget: 1, Seed: 1})
		if err != nil || v.Status != model.Feasible {
			t.Errorf("seed %d: check: %v, %v", 1+seed, v, err)
		}
	}
}

// A large set has no plan where the time is up before the first construction, relaxed or
// not.
func TestNoTimeForAnyPlan(t *testing.T) {
	js := gen.Scale(leastHurried, 1)
	for _, relax := range []bool{false, true} {
		r := mustPlan(t, js, Options{TimeLimit: time.Nanosecond, Relax: relax, Seed: 1})
		if r.Status != model.Unknown || r.Schedule != nil || !r.Interrupted {
			t.Errorf("relax %t: %s, interrupted %t", relax, r.Status, r.Interrupted)
		}
	}
}

// TestPaintingLeavesTime: however long pictures take, there is a plan for them.
func TestPaintingLeavesTime(t *testing.T) {
	js := gen.Scale(400, 1)
	r, err := Plan(t.Context(), js, Options{TimeLimit: time.Second, Painting: time.Hour, Objectives: []model.Objective{model.Misses}})
	if err != nil || r.Schedule == nil {
		t.Fatalf("%v: %v", r, err)
	}
}
