package solve

import (
	"context"
	"strings"
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test", []byte(text))
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

// begun is a solve of a set on one worker that knows of nothing yet.
func begun(js *model.JobSet, opt Options) (*solver, *incumbent.Incumbent) {
	opt.Workers = max(1, opt.Workers)
	s := &solver{restated: restate(js), goal: js.Goal(), opt: opt, started: time.Now()}
	return s, incumbent.New(js, s.goal, nil, nil, s.started)
}

// Claims that contradict each other are internal errors, whichever comes first.
func TestContradictionsAreErrors(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		set  string
		do   func(*solver, *incumbent.Incumbent)
		want string
	}{
		"a bound above the plan": {oneLate, func(_ *solver, w *incumbent.Incumbent) {
			strategy.Construct(ctx, w, 1, 10)
			w.Raise(0, 2, model.SATProof)
		}, "a bound of 2 was proved, and a plan with 1 found"},
		"a plan below the bound": {oneLate, func(_ *solver, w *incumbent.Incumbent) {
			w.Raise(0, 2, model.SATProof)
			strategy.Construct(ctx, w, 1, 10)
		}, "a plan with 1 was found, and a bound of 2 proved"},
		"a question's plan above its limit": {oneLate, func(_ *solver, w *incumbent.Incumbent) {
			first, _ := lns.Search(ctx, w.JS, lns.Options{Objectives: w.Goal, Seed: 1, Constructions: 1})
			w.Receive(first, 0, 0)
		}, "a question for at most 0 was answered by a plan with 1"},
		"an infeasible set with a plan": {allFit, func(_ *solver, w *incumbent.Incumbent) {
			w.Refute(incumbent.NoPlan{Proof: model.SATProof})
			strategy.Construct(ctx, w, 1, 10)
		}, "proved infeasible, and a plan found"},
		"a plan of an infeasible set": {allFit, func(_ *solver, w *incumbent.Incumbent) {
			strategy.Construct(ctx, w, 1, 10)
			w.Refute(incumbent.NoPlan{Proof: model.SATProof})
		}, "proved infeasible, and a plan found"},
		"an infeasible set with a formula's plan": {allFit, func(s *solver, w *incumbent.Incumbent) {
			w.Refute(incumbent.NoPlan{Proof: model.SATProof})
			if err := s.explain(ctx, w, &Result{}); err == nil {
				t.Error("explain says nothing of it")
			}
		}, "proved infeasible, and a formula has a plan"},
		"a relaxed plan that misses nothing": {allFit, func(s *solver, w *incumbent.Incumbent) {
			if _, err := relaxed(ctx, s, &Result{Status: model.Infeasible, Proof: model.SATProof}); err != nil {
				w.Fail(err)
			}
		}, "a plan with 0 was found, and a bound of 1 proved"},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := begun(load(t, test.set), Options{})
			test.do(s, w)
			if err := w.Err(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
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
		s, w := begun(js, Options{Workers: workers, Exact: exact.Options{MaxClauses: 1}})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		work := s.work(w, incumbent.AnyPlan)
		s.run(ctx, work)
		if w.Best() == nil || ctx.Err() != nil {
			t.Errorf("%d workers: plan %v, %v", workers, w.Best(), ctx.Err())
		}
		cancel()
	}
}

// relaxed is the least bad plan where r is known of the set.
func relaxed(ctx context.Context, s *solver, r *Result) (*Result, error) {
	least, late := s.relaxed(ctx, nil, r)
	return s.relax(ctx, least, late, r)
}

// A set that is relaxed because no plan was found in time, and then turns out
// to have one, has the status of any feasible set; with no objective that is
// feasible.
func TestRelaxFindsAPlan(t *testing.T) {
	for set, want := range map[string]model.Status{allFit: model.Feasible, oneLate: model.Optimal} {
		s, _ := begun(load(t, set), Options{})
		r, err := relaxed(t.Context(), s, &Result{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != want || r.Relaxed || len(r.Objectives) != len(s.goal) {
			t.Errorf("%s, relaxed %t, objectives %v", r.Status, r.Relaxed, r.Objectives)
		}
	}
}

// A plan that comes from relaxing is improved with a guide of its own: that of the search which found none knows of no
// plan, and ended the program.
func TestRelaxFindsALargePlan(t *testing.T) {
	js, plan, err := gen.Family("misses-400", 1)
	if err != nil {
		t.Fatal(err)
	}
	s, w := begun(js, Options{})
	s.byGuide = strategy.NewGuided(w, 1)
	ctx, cancel := budget.With(context.Background(), 100)
	defer cancel()
	r, err := s.improve(ctx, plan)
	if err != nil {
		t.Fatal(err)
	}
	if s.byGuide == nil || r.Status != model.Feasible {
		t.Errorf("%s, with a guide %t: the test is none of guides", r.Status, s.byGuide != nil)
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

// Why formulas were left out is said once, whoever wanted them and how large
// they would have been.
func TestOneNote(t *testing.T) {
	js, _, err := gen.Family("tardiness", 1)
	if err != nil {
		t.Fatal(err)
	}
	s, w := begun(js, Options{Exact: exact.Options{MaxClauses: 1000}})
	s.findPlan(t.Context(), w)
	for range 2 {
		if o := strategy.FromBound.Begin(s.work(w, 0), 1).Run(t.Context(), portfolio.Slice{}); o != portfolio.Refused {
			t.Errorf("outcome %d, a formula is not too large", o)
		}
	}
	if r := resultOf(w); len(r.Notes) != 1 {
		t.Errorf("notes %q", r.Notes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := relaxed(ctx, s, resultOf(w))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 1 {
		t.Errorf("relaxed: notes %q", r.Notes)
	}
}
