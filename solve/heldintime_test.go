package solve

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
)

// TestAfterMissesAgreesWithExhaustiveSearch: objectives after the weight of late jobs, for which jobs that can only be in time are hard, have the
// values that exhaustive search finds, and certificates know of no such jobs.
func TestAfterMissesAgreesWithExhaustiveSearch(t *testing.T) {
	goals := [][]model.Objective{
		{model.Misses, model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness}, {model.Misses, model.Makespan, model.WeightedTardiness},
		{model.Tardiness, model.Misses, model.WeightedTardiness},
	}
	held, proofs := 0, map[model.Proof]int{}
	for seed := range testkit.Seeds(t, tinySets(t)) {
		workers := 1 + int(seed/4%2)
		if testkit.Race() && workers == 1 {
			continue
		}
		k := gen.TinyKnobs()
		k.Hard, k.BestEffort, k.Weight = 0.2, 0.1, gen.Range{Lo: 1, Hi: 4}
		k.Witness, k.Tightness = 0, gen.Range{Lo: 60, Hi: 180}
		js, _ := gen.Random(k, seed)
		goal := goals[seed%uint64(len(goals))]
		want, err := oracle.SolveFor(js, goal, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := Plan(context.Background(), js, Options{Seed: seed, Workers: workers, Objectives: goal, Proof: seed%16 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agree(js, got, want); err != nil {
			t.Errorf("seed %d, %v: %v", seed, goal, err)
		}
		for _, why := range got.Why {
			if !slices.ContainsFunc(why.Sentences, func(s string) bool { return strings.Contains(s, "in time in every plan") }) {
				continue
			}
			if held++; got.Certificate != nil {
				t.Errorf("seed %d: a certificate rests on what is not in it", seed)
			}
		}
		proofs[got.Proof]++
	}
	if t.Logf("%d bounds where jobs are in time in every plan, proofs %v", held, proofs); held == 0 {
		t.Error("no bound rests on jobs that are in time in every plan")
	}
}

// TestAfterMissesAgreesWithCertified: of sets that are too large for exhaustive search, in which jobs of a task each take turns, or have two stages, no bound for which
// jobs that can only be in time are hard is above the value of a plan made for a certificate, for which none is.
func TestAfterMissesAgreesWithCertified(t *testing.T) {
	goals := [][]model.Objective{
		{model.Misses, model.WeightedTardiness}, {model.Misses, model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness, model.Makespan},
		{model.Makespan, model.Misses, model.Tardiness},
	}
	closed := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 8, 100)) {
		workers := 1 + int(seed/4%2)
		if testkit.Race() && workers == 1 {
			continue
		}
		js, goal := turnsOf(seed), goals[seed%uint64(len(goals))]
		var both [2]*Result
		for k := range both {
			r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: workers, Objectives: goal, Budget: 2000, Proof: k == 1})
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, goal, err)
			}
			both[k] = r
		}
		for p, o := range both[0].Objectives {
			other := both[1].Objectives[p]
			if o.Bound == nil || other.Bound == nil {
				break
			}
			if *o.Bound > other.Value || *other.Bound > o.Value {
				t.Errorf("seed %d, %v: %+v, with a certificate %+v", seed, goal, both[0].Objectives, both[1].Objectives)
			}
			if o.Value != *o.Bound || other.Value != *other.Bound {
				break
			}
			closed += min(p, 1)
		}
	}
	if t.Logf("%d objectives after others closed in both", closed); closed == 0 {
		t.Error("no objective after others is closed in both")
	}
}

// TestAfterOpenObjectives: where a budget ends before an objective is closed those after it are bettered, without a bound.
func TestAfterOpenObjectives(t *testing.T) {
	testkit.OneGoroutine(t)
	js, _, err := gen.Family("misses-150", 2)
	if err != nil {
		t.Fatal(err)
	}
	goal, bettered, last := []model.Objective{model.Misses, model.Tardiness, model.Makespan}, 0, []model.ObjectiveValue(nil)
	r := mustPlan(t, js, Options{Seed: 1, Workers: 1, Objectives: goal, Budget: 4000, Events: func(e event.Event) {
		if e.Kind == event.Plan && e.Phase == "minimising tardiness" && e.Objectives[0].Value == last[0].Value && e.Objectives[1].Value < last[1].Value {
			bettered++
		}
		last = e.Objectives
	}})
	if o := r.Objectives; *o[0].Bound == o[0].Value || o[1].Bound != nil || o[2].Bound != nil || bettered == 0 {
		t.Errorf("%+v, after %d plans better in the second objective", o, bettered)
	}
}

// TestTakenUpAgain: an objective that is taken up again has all of the budget, and those after it are closed once it is; where it stays open it is
// not taken up once more.
func TestTakenUpAgain(t *testing.T) {
	testkit.OneGoroutine(t)
	goal, open, closed := []model.Objective{model.WeightedTardiness, model.Makespan}, 0, 0
	for seed := range uint64(40) {
		js := gen.Tiny(seed)
		for _, units := range []int64{8, 16, 32, 100_000} {
			s, _ := begun(js, Options{Seed: seed})
			s.goal = goal
			w := incumbent.New(js, goal, nil, nil, s.started)
			ctx, cancel := budget.With(t.Context(), units)
			s.construct(t.Context(), w)
			if w.Best() == nil {
				cancel()
				break
			}
			next := s.inOrder(ctx, w, 0, true)
			cancel()
			if w.Err() != nil || next == 0 {
				t.Errorf("seed %d, budget %d: %v, goes on with %d", seed, units, w.Err(), next)
			}
			switch o := resultOf(w).Objectives; {
			case units > 32 && (!w.Closed(0) || !w.Closed(1)):
				t.Errorf("seed %d: %+v", seed, o)
			case units > 32:
				closed++
			case !w.Closed(0) && o[1].Bound == nil:
				open++
			}
		}
	}
	if t.Logf("%d open, %d closed", open, closed); open == 0 || closed == 0 {
		t.Error("the test has lost its point")
	}
}

// turnsOf draws 10 to 17 jobs of one stage or two, of a task each, on one to three slaves with a slot, of which some are late.
func turnsOf(seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 1))
	slaves, stages, work := 1+rng.IntN(3), 1+rng.IntN(6)/5, 0
	js := &model.JobSet{Name: "turns", Heartbeat: 1}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: strconv.Itoa(i), Cores: 1, Slots: 1})
	}
	for i := range 10 + rng.IntN(8) {
		job := model.Job{Name: strconv.Itoa(i), Kind: model.Soft, Weight: 1 + rng.Int64N(4), Release: model.Time(rng.IntN(40) / 4)}
		for k := range stages {
			wcet := 1 + rng.IntN(12)
			work += wcet
			job.Deadline = max(job.Deadline, job.Release) + model.Time(wcet)
			profile := model.NewProfile(model.ConstRow(slaves, model.Time(wcet)), model.ConstRow(slaves, 0))
			job.Stages = append(job.Stages, model.Stage{Name: strconv.Itoa(k), Groups: []model.Group{{Count: 1, Profile: profile}}})
		}
		job.Deadline += model.Time(rng.IntN(max(1, 3*work/2/slaves)))
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}
