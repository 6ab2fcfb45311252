package schedulers

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/horizon"
	"downbeat/online/policies"
)

// Names are those of package policies with horizon last, which comes with its defaults.
func TestNames(t *testing.T) {
	want := append(policies.Names(), "horizon")
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Error(diff)
	}
	if len(List()) != len(want) {
		t.Errorf("%d are listed, %d named", len(List()), len(want))
	}
	for _, spec := range []string{"horizon", "horizon:constructions=100,placements=20000"} {
		if p, err := New(spec, 1); err != nil || p.Name() != "horizon" {
			t.Errorf("New(%q): %v, %v", spec, p, err)
		}
	}
	if _, err := New("horizon:constructions=0", 1); err == nil {
		t.Error("no construction at all is none to plan with")
	}
}

// watched is a horizon of which every plan is validated, and what the first one comes to
// is kept.
type watched struct {
	t     rapid.TB
	first []int64
	plans int
}

func (w *watched) plan(js *model.JobSet, from model.Schedule, constructions int, seed uint64) model.Schedule {
	plan := Plan(js, from, constructions, seed)
	if slices.ContainsFunc(plan, func(at model.Placement) bool { return at.Slave == model.NoSlave }) || plan == nil && js.Coupled() {
		return nil // what is tied to tasks on other slaves need not find a place
	}
	stranded := js.Stranded(js.Finishes(plan)) > 0 // lists place beyond the horizon what can run nowhere any more
	if err := check.Schedule(js, plan, true).Err(); err != nil && !stranded {
		w.t.Fatalf("a plan of what is known: %v", err)
	}
	if w.plans++; w.first == nil {
		w.first = valuesOf(js, js.Finishes(plan), js.Objectives)
	}
	return plan
}

func valuesOf(js *model.JobSet, finishes []model.Time, goal []model.Objective) []int64 {
	values := []int64{js.Value(model.HardMisses, finishes)}
	for _, o := range goal {
		values = append(values, js.Value(o, finishes))
	}
	return values
}

func drawSet(t *rapid.T) *model.JobSet {
	seed, tasks := rapid.Uint64Range(0, 100_000).Draw(t, "seed"), rapid.IntRange(6, 20).Draw(t, "tasks")
	if rapid.Bool().Draw(t, "today") {
		return gen.TodaySmall(seed, tasks)
	}
	return gen.Small(seed, tasks)
}

func playHorizon(t *rapid.T, js *model.JobSet, opts online.Options, constructions, placements int) (*online.Outcome, *watched, *horizon.Policy) {
	w := &watched{t: t}
	p := horizon.New(horizon.Params{Plan: w.plan, Constructions: constructions, Placements: placements, Seed: opts.Seed})
	out, err := online.Play(t.Context(), js, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out, w, p
}

// Whatever befalls it, horizon plays every set to its end, does the same again, and says how
// often EDF had to do.
func TestHorizonRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := drawSet(t)
		if rapid.Bool().Draw(t, "coupled") {
			js = gen.Coupled(js, rapid.Uint64Range(0, 1000).Draw(t, "ties"), rapid.Bool().Draw(t, "ends"))
		}
		opts := online.Options{Seed: rapid.Uint64Range(0, 9).Draw(t, "run"), Trace: true}
		if rapid.Bool().Draw(t, "overrun") {
			opts.Durations = durations.Uniform{Lo: 0.5, Hi: 2}
		}
		if rapid.Bool().Draw(t, "faults") {
			opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
		}
		placements := rapid.SampledFrom([]int{0, 10, 1000}).Draw(t, "placements")
		out, w, p := playHorizon(t, js, opts, 2, placements)
		again, _, _ := playHorizon(t, js, opts, 2, placements)
		if diff := cmp.Diff(out.Plan(), again.Plan()); diff != "" {
			t.Fatalf("two runs differ\n%s", diff)
		}
		nothing := len(out.Plan().LeftOut) == len(js.Jobs) // a pool may end before any job is released
		if all, byEDF := p.Decisions(); all != w.plans+byEDF || all == 0 && !nothing {
			t.Errorf("%d decisions, %d planned and %d by EDF", all, w.plans, byEDF)
		}
	})
}

// A job that is given up while slaves hold tasks of it has none to plan.
func TestHorizonWithoutWhatIsGivenUp(t *testing.T) {
	js := gen.Coupled(gen.TodaySmall(2, 14), 2, true)
	horizon, err := New("horizon", 1)
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(t.Context(), js, horizon, online.Options{Durations: durations.Uniform{Lo: 0.5, Hi: 2}, Trace: true})
	if err != nil || len(out.LeftOut) == 0 {
		t.Errorf("%d left out, error %v; want a job that is given up as a pool falls", len(out.LeftOut), err)
	}
}

// Where nothing is known of histories all times are declared ones.
func TestTimesWithoutHistory(t *testing.T) {
	for seed := range uint64(10) {
		js := gen.Small(seed, 12)
		var plans []*model.Plan
		for _, spec := range []string{"horizon:constructions=2", "horizon:constructions=2,times=median", "horizon:constructions=2,times=distribution,scenarios=3"} {
			p, err := New(spec, seed)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Play(t.Context(), js, p, online.Options{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, out.Plan())
		}
		if diff := cmp.Diff(plans[0], plans[1]) + cmp.Diff(plans[0], plans[2]); diff != "" {
			t.Fatalf("seed %d: runs differ\n%s", seed, diff)
		}
	}
}

// Where all jobs are known from the start and tasks take what they declare, what comes of
// it is no worse than the first plan: what is known is the cluster as it is, and each plan
// starts from the one before.
func TestNoWorseThanTheFirstPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := drawSet(t)
		whole := *js
		whole.Jobs = slices.Clone(js.Jobs)
		for i := range whole.Jobs {
			whole.Jobs[i].Release = 0
		}
		if err := whole.Assemble(); err != nil {
			t.Fatal(err)
		}
		out, w, _ := playHorizon(t, &whole, online.Options{}, 2, 1000)
		goal := slices.Clone(whole.Goal())
		for _, o := range []model.Objective{model.WeightedTardiness, model.Makespan} {
			if !slices.Contains(goal, o) {
				goal = append(goal, o)
			}
		}
		if got := valuesOf(&whole, out.Finishes, goal); slices.Compare(got, w.first) > 0 {
			t.Errorf("came to %v, planned %v", got, w.first)
		}
	})
}

// With histories, ties, failures and all else horizon plays sets to their end at median times and by
// scenarios, and does the same again.
func TestTimesOfHistoryRun(t *testing.T) {
	for seed := range uint64(12) {
		js := gen.Small(seed, 12)
		if seed%2 == 1 {
			js = gen.Coupled(gen.TodaySmall(seed, 12), seed, seed%4 == 1)
		}
		for i := range js.Jobs {
			for k := range js.Jobs[i].Stages {
				for g := range js.Jobs[i].Stages[k].Groups {
					group := &js.Jobs[i].Stages[k].Groups[g]
					group.Durations = model.Quantiles{{Percent: 50, Value: max(1, group.Declared().Longest()/3)}}
				}
			}
		}
		opts := online.Options{Seed: seed, Durations: online.History{ByTask: true}, Trace: true}
		if seed%3 == 0 {
			opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
		}
		for _, spec := range []string{"horizon:constructions=2,times=median", "horizon:constructions=2,times=distribution,scenarios=3"} {
			var plans []*model.Plan
			for range 2 {
				p, err := New(spec, seed)
				if err != nil {
					t.Fatal(err)
				}
				out, err := online.Play(t.Context(), js, p, opts)
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, spec, err)
				}
				plans = append(plans, out.Plan())
			}
			if diff := cmp.Diff(plans[0], plans[1]); diff != "" {
				t.Fatalf("seed %d, %s: two runs differ\n%s", seed, spec, diff)
			}
			if err := check.Plan(js, plans[0]).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, spec, err)
			}
		}
	}
}
