package conflict

import (
	"context"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/strategy"
)

// Of the parts of large sets that fit few are kept.
func TestFitsOfLargeSets(t *testing.T) {
	small, large := Fit{Plan: make(model.Schedule, 10)}, Fit{Plan: make(model.Schedule, mostFitted/3)}
	for _, c := range []struct {
		of   Fit
		kept int
	}{{small, 30}, {large, 3}} {
		var fits []Fit
		for range 10 {
			fits = withFits(fits, c.of, c.of, c.of)
		}
		if len(fits) != c.kept {
			t.Errorf("%d fits of %d tasks are kept", len(fits), len(c.of.Plan))
		}
	}
}

// The search for a subset's plan ends with its context.
func TestSubsetSearchHonoursContext(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	told := 0
	for seed := range uint64(20) {
		js, _, err := gen.Family("tight", seed)
		if err != nil {
			t.Fatal(err)
		}
		var every []model.JobID
		for i := range js.Jobs {
			every = append(every, model.JobID(i))
		}
		x := &explainer{w: incumbent.New(js, nil, nil, nil, time.Now()), opt: &Options{}}
		if x.plans(context.Background(), every) && !x.plans(done, every) {
			told++
		}
	}
	if told == 0 {
		t.Error("no set needs more than one construction")
	}
}

// Hard jobs that multipliers refute clash: the conflict is shrunk by multipliers
// as well, says so, and what is left when any one of its jobs goes has a plan.
func TestConflictByMultipliers(t *testing.T) {
	js, _, err := gen.Family("squeezed-40", 1)
	if err != nil {
		t.Fatal(err)
	}
	w := incumbent.New(js, nil, nil, nil, time.Now())
	by := strategy.Refute(t.Context(), w, query.HardDues(js), lagrange.Effort{}, nil)
	if by == nil {
		t.Fatal("not refuted")
	}
	w.Refute(incumbent.NoPlan{Proof: by.Proof(), Branching: by})
	c, err := Explain(t.Context(), w, &Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Irreducible || c.Proof < model.LCGProof && len(c.Overloads) == 0 && c.Branching == nil {
		t.Errorf("conflict %+v", c)
	}
	rest := incumbent.New(js.Subset(c.Jobs), nil, nil, nil, time.Now())
	if strategy.Refute(t.Context(), rest, query.HardDues(rest.JS), strategy.BranchingEffort(2), nil) == nil && c.Proof == model.DualProof {
		t.Error("the conflict by itself is not refuted")
	}
	t.Logf("%d of %d jobs, %s, branching %t", len(c.Jobs), len(js.Jobs), c.Proof, c.Branching != nil)
}
