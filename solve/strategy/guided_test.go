package strategy_test

import (
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// guidedPlans is the incumbent after some evaluations.
func guidedPlans(t *testing.T, js *model.JobSet, goal []model.Objective, evaluations int) *incumbent.Incumbent {
	t.Helper()
	w := incumbent.New(js, goal, nil, nil, time.Now())
	g := strategy.NewGuided(w, 1)
	if g == nil {
		t.Fatal("no guide")
	}
	if g.AnyPlan(t.Context()); w.Best() != nil && len(goal) > 0 {
		g.Run(t.Context(), portfolio.Slice{Round: 1, Units: evaluations})
	}
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestBeatsRules: with no more work it finds better guidedPlans than list scheduling by
// rules and local search, summed over some sets, and the same again.
func TestBeatsRules(t *testing.T) {
	for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness} {
		guidedSum, sum := int64(0), int64(0)
		for seed := uint64(1); seed <= testkit.Sets[uint64](1, 10); seed++ {
			js := gen.Scale(400, seed)
			goal := []model.Objective{o}
			lists := incumbent.New(js, goal, nil, nil, time.Now())
			strategy.Construct(t.Context(), lists, 1, 40)
			w := guidedPlans(t, js, goal, 12)
			if (seed == 1 || testkit.Asked()) && !slices.Equal(w.Best(), guidedPlans(t, js, goal, 12).Best()) {
				t.Errorf("seed %d: %s: another plan the second time", seed, o)
			}
			got, _ := w.Gap(0)
			than, _ := lists.Gap(0)
			guidedSum, sum = guidedSum+got, sum+than
		}
		if guidedSum >= sum {
			t.Errorf("%s: %d in all, %d by rules", o, guidedSum, sum)
		}
	}
}

// TestKinds: sets of hard jobs, with hard misses as objective, with best-effort
// jobs, absences, fifo, split slots and fetches side by side.
func TestKinds(t *testing.T) {
	for name, change := range map[string]func(js *model.JobSet){
		"hard": func(js *model.JobSet) {
			for i := range js.Jobs {
				js.Jobs[i].Kind, js.Jobs[i].Deadline = model.Hard, 4*js.Jobs[i].Deadline
			}
		},
		"best effort": func(js *model.JobSet) {
			for i := range js.Jobs {
				if js.Jobs[i].Kind == model.Soft && i%2 == 0 {
					js.Jobs[i].Kind, js.Jobs[i].Deadline = model.BestEffort, 0
				}
			}
		},
		"absences":     func(js *model.JobSet) { js.Slaves[0].Down = []model.Interval{{Start: 30, End: 60}} },
		"fifo":         func(js *model.JobSet) { js.FIFO = true },
		"side by side": func(js *model.JobSet) { js.Fetch = model.FetchConcurrent },
		"split slots": func(js *model.JobSet) {
			for i := range js.Slaves {
				s := &js.Slaves[i]
				s.SplitSlots, s.MapSlots, s.ReduceSlots = true, s.Slots-1, 2
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			js := gen.Scale(400, 3)
			change(js)
			if err := js.Assemble(); err != nil {
				t.Fatal(err)
			}
			if w := guidedPlans(t, js, js.Goal(), 4); w.Best() == nil {
				t.Error("no plan")
			}
			if w := guidedPlans(t, js, []model.Objective{model.HardMisses, model.Misses}, 2); w.Best() == nil {
				t.Error("no plan that may miss hard deadlines")
			}
		})
	}
}

// TestMakespan: a plan that meets the hard deadlines is found, and left to others to
// improve; without such jobs there is no guide.
func TestMakespan(t *testing.T) {
	js := gen.Scale(400, 2)
	goal := []model.Objective{model.Makespan}
	if w := guidedPlans(t, js, goal, 1); w.Best() == nil {
		t.Error("no plan")
	}
	for i := range js.Jobs {
		js.Jobs[i].Kind = model.Soft
	}
	if strategy.NewGuided(incumbent.New(js, goal, nil, nil, time.Now()), 1) != nil {
		t.Error("a guide for makespan")
	}
}

// TestStandsBack: small sets are left to rules.
func TestStandsBack(t *testing.T) {
	js := gen.Scale(200, 1)
	if strategy.NewGuided(incumbent.New(js, js.Goal(), nil, nil, time.Now()), 1) != nil {
		t.Error("a guide for a small set")
	}
}
