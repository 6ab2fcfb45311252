package strategy_test

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/event"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestJobShops: of a job shop the value below the plan's is asked for until it is refuted, in the first round only within reach; what is
// brief raises the bound, and other sets are no job shops.
func TestJobShops(t *testing.T) {
	js, _, err := gen.Family("jobshop-8x6", 3)
	if err != nil {
		t.Fatal(err)
	}
	w := worktest.On(js, model.Makespan)
	if !strategy.JobShop(w) {
		t.Fatal("it is a job shop")
	}
	strategy.FirstPlan(t.Context(), w.Incumbent, 1)
	value, before := w.Gap(0)
	below := strategy.BelowPlan.Begin(w, 1)
	ctx, counter := event.Counting(t.Context())
	below.Run(ctx, portfolio.Slice{Units: 1})
	if after, _ := w.Gap(0); 32*(value-before) <= value || after != value || counter.Counts().Calls > 0 {
		t.Errorf("%d over %d, out of reach, in the first round: %d, %+v", value, before, after, counter.Counts())
	}
	strategy.FromBoundBriefly.Begin(w, 1).Run(t.Context(), portfolio.Slice{Units: 1})
	if _, after := w.Gap(0); after <= before {
		t.Errorf("the bound stays at %d", before)
	}
	for units := 1; units < 100 && !w.Over(0); units *= 4 {
		if out := below.Run(t.Context(), portfolio.Slice{Round: 1, Units: units}); out != portfolio.Open {
			t.Fatalf("outcome %v", out)
		}
	}
	if value, bound := w.Gap(0); value != bound || w.Err() != nil {
		t.Errorf("%d over %d: %v", value, bound, w.Err())
	}

	if strategy.JobShop(worktest.On(flexible(t, js), model.Makespan)) || !strategy.FlexibleJobShop(worktest.On(flexible(t, js), model.Makespan)) {
		t.Error("it is flexible where tasks have a choice")
	}
	for _, name := range []string{"project-12", "setups-10x3"} {
		other, _, err := gen.Family(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if strategy.JobShop(worktest.On(other, model.Makespan)) {
			t.Errorf("%s is no job shop", name)
		}
	}
}

// TestFlexibleJobShopsByCores: a slave of several cores, as stands for slaves that are alike, is a choice among these.
func TestFlexibleJobShopsByCores(t *testing.T) {
	for _, c := range []struct {
		several int
		cores   int
		want    bool
	}{{1, 2, true}, {3, 4, true}, {3, 5, false}, {4, 2, false}} {
		js, _, err := gen.Family("jobshop-8x6", 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.several {
			js.Slaves[i].Cores, js.Slaves[i].Slots = c.cores, 8
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if w := worktest.On(js, model.Makespan); strategy.FlexibleJobShop(w) != c.want || strategy.JobShop(w) {
			t.Errorf("%d of 6 slaves with %d cores: a flexible job shop should be %t, a job shop none", c.several, c.cores, c.want)
		}
	}
}

// TestHybridFlowShops: where most slaves do several tasks at once plans are lists of tasks, else orders of machines, as they
// are of jobs of one task.
func TestHybridFlowShops(t *testing.T) {
	for name, several := range map[string]int{"jobshop-8x6": 4, "jobshop-8x2": 1, "jobshop-8x1": 1} {
		js, _, err := gen.Family(name, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range several {
			js.Slaves[i].Cores, js.Slaves[i].Slots = 2, 8
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		w := worktest.On(js, model.Makespan)
		if hybrid := several == 4; strategy.Justification.AppliesTo(w) != hybrid || strategy.TabuSearch.AppliesTo(w) == hybrid {
			t.Errorf("%s with %d slaves of two cores: hybrid should be %t", name, several, hybrid)
		}
	}
}

// TestSequencesAreNoJobShops: jobs of a task each that take turns on a slave are left to what treats sequences.
func TestSequencesAreNoJobShops(t *testing.T) {
	js, _, err := gen.Family("jobshop-8x1", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range js.Jobs {
		js.Jobs[i].Kind, js.Jobs[i].Deadline, js.Jobs[i].Weight = model.Soft, 5, 1
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for o, want := range map[model.Objective]bool{model.Makespan: true, model.Tardiness: false, model.WeightedTardiness: false} {
		w := worktest.On(js, o)
		strategy.FirstPlan(t.Context(), w.Incumbent, 1)
		if strategy.JobShop(w) != want || o == model.WeightedTardiness && !strategy.Sequencing.AppliesTo(w) {
			t.Errorf("%v: a job shop is %v", o, !want)
		}
	}
}

// flexible is a job shop in which every third task has a choice of two slaves.
func flexible(t *testing.T, js *model.JobSet) *model.JobSet {
	t.Helper()
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		job.Stages = slices.Clone(job.Stages)
		for k := range job.Stages {
			if (i+k)%3 > 0 {
				continue
			}
			wcet := make([]model.Time, len(js.Slaves))
			for s := range wcet {
				if w := js.Tasks[js.Jobs[i].Stages[k].First].WCET(model.SlaveID(s)); w > 0 {
					wcet[s], wcet[(s+1)%len(wcet)] = w, w
					break
				}
			}
			job.Stages[k].Groups = []model.Group{{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))}}
		}
	}
	if err := out.Assemble(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestWeightedJobShops: the weighted tardiness of job shops comes to what exhaustive search finds, by tabu search and the value
// below the plan's.
func TestWeightedJobShops(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 100)) {
		js, _, err := gen.Family("jobshop-3x2", seed)
		if err != nil {
			t.Fatal(err)
		}
		for i := range js.Jobs {
			js.Jobs[i].Kind, js.Jobs[i].Deadline, js.Jobs[i].Weight = model.Soft, model.Time(4+(seed+3*uint64(i))%9), int64(1+(seed+uint64(i))%4)
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		want, err := oracle.SolveFor(js, []model.Objective{model.WeightedTardiness}, false)
		if err != nil {
			t.Fatal(err)
		}
		w := worktest.On(js, model.WeightedTardiness)
		if !strategy.JobShop(w) {
			t.Fatal("it is a job shop")
		}
		strategy.FirstPlan(t.Context(), w.Incumbent, 1)
		strategy.TabuSearch.Begin(w, 1).Run(t.Context(), portfolio.Slice{Units: 1})
		found := worktest.Value(w)
		strategy.BelowPlan.Begin(w, 1).Run(t.Context(), portfolio.Slice{Round: 1, Units: 100})
		if value, bound := w.Gap(0); found != want.Values[0] || value != found || bound != value || w.Err() != nil {
			t.Errorf("seed %d: found %d, %d over %d, %d is the least: %v", seed, found, value, bound, want.Values[0], w.Err())
		}
	}
}
