package solve

import (
	"context"
	"strings"
	"testing"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := model.Load("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// One core, two soft jobs of which one is late, by 2 at least; both alone are
// in time.
const oneLate = `version: 1
objective: misses
cluster: {heartbeat: 1, slaves: [{name: a, slots: 2}]}
jobs:
  - {name: x, deadline: 4, map: {tasks: 1, wcet: 3}}
  - {name: y, deadline: 4, map: {tasks: 1, wcet: 3}}
`

const allFit = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a, slots: 2}]}
jobs:
  - {name: x, deadline: 9, hard: true, map: {tasks: 1, wcet: 3}}
  - {name: y, deadline: 9, hard: true, map: {tasks: 1, wcet: 3}}
`

// Claims that contradict each other are internal errors, whichever comes first.
func TestContradictionsAreErrors(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		set  string
		do   func(*search)
		want string
	}{
		"a bound above the plan": {oneLate, func(s *search) {
			s.heuristic(ctx, 1, 10)
			s.raise(0, 2, model.SATProof)
		}, "a bound of 2 was proved, and a plan with 1 found"},
		"a plan below the bound": {oneLate, func(s *search) {
			s.raise(0, 2, model.SATProof)
			s.heuristic(ctx, 1, 10)
		}, "a plan with 1 was found, and a bound of 2 proved"},
		"a formula's plan above its limit": {oneLate, func(s *search) {
			s.receive(heuristics.Complete(s.js, model.NewSchedule(len(s.js.Tasks))), 0, 0)
		}, "a formula for at most 0 has a plan with 1"},
		"an infeasible set with a formula's plan": {allFit, func(s *search) {
			if _, err := s.explain(ctx, model.SATProof); err == nil {
				t.Error("explain says nothing of it")
			}
		}, "proved infeasible, and a formula has a plan"},
		"a fix of nothing": {allFit, func(s *search) {
			if f, ok := s.fix(ctx, 0); ok {
				t.Errorf("fix %+v", f)
			}
		}, "proved infeasible, and a plan for them found"},
		"a relaxed plan that misses nothing": {allFit, func(s *search) {
			if _, err := s.relax(ctx, &Result{Status: model.Infeasible, Proof: model.SATProof}); err != nil {
				s.fail(err)
			}
		}, "a plan with 0 was found, and a bound of 1 proved"},
	} {
		t.Run(name, func(t *testing.T) {
			js := load(t, test.set)
			s := newSearch(js, js.Goal(), Options{Workers: 1}, time.Now())
			test.do(s)
			if s.err == nil || !strings.Contains(s.err.Error(), test.want) {
				t.Errorf("error %v, want %q", s.err, test.want)
			}
		})
	}
}

// Where no formula can be made the search for a plan ends with the first one.
// It went on to the time limit for a better one, and without a limit for ever.
func TestDecideEndsWithAPlan(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		// Without a hard job the formula would be empty, and not refused.
		js := load(t, oneLate+"  - {name: z, deadline: 99, hard: true, map: {tasks: 2, wcet: 3}}\n")
		s := newSearch(js, js.Goal(), Options{Workers: workers, MaxClauses: 1}, time.Now())
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		status, _ := s.decide(ctx)
		if status != model.Feasible || ctx.Err() != nil {
			t.Errorf("%d workers: %s, %v", workers, status, ctx.Err())
		}
		cancel()
	}
}

// A set that is relaxed because no plan was found in time, and then turns out
// to have one, has the status of any feasible set; with no objective that is
// feasible.
func TestRelaxFindsAPlan(t *testing.T) {
	for set, want := range map[string]model.Status{allFit: model.Feasible, oneLate: model.Optimal} {
		js := load(t, set)
		r, err := newSearch(js, js.Goal(), Options{Workers: 1}, time.Now()).relax(context.Background(), &Result{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != want || r.Relaxed || len(r.Objectives) != len(js.Goal()) {
			t.Errorf("%s, relaxed %t, objectives %v", r.Status, r.Relaxed, r.Objectives)
		}
	}
}

// That a set is infeasible bounds the hard misses, whatever time is left.
func TestRelaxKnowsOfOneMiss(t *testing.T) {
	js := load(t, strings.ReplaceAll(allFit, "deadline: 9", "deadline: 5"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Plan(ctx, js, Options{Workers: 1, Relax: true})
	if err != nil {
		t.Fatal(err)
	}
	if hard := r.Objectives[0]; r.Status != model.Infeasible || hard.Value != 1 || *hard.Bound != 1 {
		t.Errorf("%s, hard misses %d, bound %d", r.Status, hard.Value, *hard.Bound)
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
		x := &explainer{s: newSearch(js, nil, Options{Workers: 1}, time.Now())}
		if x.plans(context.Background(), everyJob(js)) && !x.plans(done, everyJob(js)) {
			told++
		}
	}
	if told == 0 {
		t.Error("no set needs more than one construction")
	}
}

// Why formulas were left out is said once, whoever wanted them and how large
// they would have been.
func TestOneNote(t *testing.T) {
	js, _, err := gen.Family("tardiness", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(js, js.Goal(), Options{Workers: 1, MaxClauses: 1000}, time.Now())
	for _, late := range []int64{1, 50} {
		if _, err := s.build(s.question(query.Limits{model.Tardiness: late})); err == nil {
			t.Errorf("a formula for a tardiness of %d is not too large", late)
		}
	}
	if len(s.notes) != 1 {
		t.Errorf("notes %q", s.notes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := s.relax(ctx, s.result())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 1 {
		t.Errorf("relaxed: notes %q", r.Notes)
	}
}
