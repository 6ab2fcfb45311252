package conflict

import (
	"context"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
)

// exhaustively answers by exhaustive search.
func exhaustively(t *testing.T, js *model.JobSet) *incumbent.Incumbent {
	t.Helper()
	best, err := oracle.SolveFor(js, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	w := incumbent.New(js, nil, nil, nil, time.Now())
	if best.Status == model.Infeasible {
		w.Refute(incumbent.NoPlan{Proof: model.SATProof})
	} else {
		w.Offer(best.Schedule)
	}
	return w
}

// hurried is a tiny set, all jobs of which are hard, with some share of the time that they had.
func hurried(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	js := gen.Tiny(3_000_000 + seed)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind == model.BestEffort {
			job.Deadline = 20
		}
		job.Kind = model.Hard
		job.Deadline = max(1, job.Deadline*model.Time(1+seed%3)/3)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// lateIn are the hard jobs that a plan has late which heeds no deadline.
func lateIn(t *testing.T, js *model.JobSet) (late []model.JobID) {
	t.Helper()
	plan, err := oracle.SolveFor(js, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, finish := range js.Finishes(plan.Schedule) {
		if js.Jobs[i].Late(finish) > 0 {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// Where every question is answered, each conflict is minimal, jobs that are late alone are found
// with their earliest finishes, and as few jobs as can be are left out: of tiny sets, each choice of
// which is tried.
func TestAnalyse(t *testing.T) {
	conflicts, alone, out := 0, 0, 0
	for seed := range uint64(60) {
		js := hurried(t, seed)
		w := exhaustively(t, js)
		if w.Refuted() == nil {
			continue
		}
		first, err := Explain(t.Context(), w, &Options{Seed: seed})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		a, err := Analyse(t.Context(), js, first, &AnalysisOptions{
			Conflict: Options{Seed: seed}, Late: lateIn(t, js),
			Find: func(_ context.Context, js *model.JobSet) *incumbent.Incumbent { return exhaustively(t, js) },
			LeastLate: func(_ context.Context, js *model.JobSet) (late, bound int64, ok bool, err error) {
				best, err := oracle.SolveFor(js, []model.Objective{model.Tardiness}, false)
				if err != nil || best.Values == nil {
					return 0, 0, false, err
				}
				return best.Values[0], best.Values[0], true, nil
			},
		})
		if err != nil || !a.AllTried || !a.Out.Closed() {
			t.Fatalf("seed %d: %+v, %v", seed, a, err)
		}
		fits := func(jobs []model.JobID) bool {
			return len(jobs) == 0 || exhaustively(t, js.Subset(jobs)).Best() != nil
		}
		for _, c := range a.Conflicts {
			conflicts++
			if fits(c.Jobs) {
				t.Errorf("seed %d: %v fit", seed, c.Jobs)
			}
			for k := range c.Jobs {
				if rest := slices.Delete(slices.Clone(c.Jobs), k, k+1); c.Irreducible && !fits(rest) {
					t.Errorf("seed %d: %v do not fit, and so do not %v", seed, c.Jobs, rest)
				}
			}
		}
		for _, late := range a.Alone {
			alone++
			if !late.Exact || late.Earliest <= js.Jobs[late.Job].Due() {
				t.Errorf("seed %d: %+v", seed, late)
			}
		}
		out += a.Out.Least
		if hard := query.HardJobs(js); !fits(without(hard, a.Out.Jobs)) {
			t.Errorf("seed %d: without %v the others do not fit", seed, a.Out.Jobs)
		} else if least := len(hard) - most(hard, fits); least != a.Out.Least {
			t.Errorf("seed %d: %d have to be left out, not %d", seed, least, a.Out.Least)
		}
	}
	if conflicts < 20 || alone < 10 || out <= 20 {
		t.Errorf("%d conflicts, %d jobs late alone, %d left out", conflicts, alone, out)
	}
}

// most is how many of the jobs fit at the most.
func most(jobs []model.JobID, fits func([]model.JobID) bool) int {
	for n := len(jobs); n > 0; n-- {
		if slices.ContainsFunc(choices(jobs, n, 1<<20), fits) {
			return n
		}
	}
	return 0
}

// A job that is late alone is a clash by itself, though no work is left once it is known when it ends at the earliest.
func TestLateAloneClashes(t *testing.T) {
	tried := 0
	for seed := range uint64(60) {
		js := hurried(t, seed)
		w := exhaustively(t, js)
		if w.Refuted() == nil {
			continue
		}
		ctx, stop := budget.With(t.Context(), 1000)
		all := query.HardJobs(js)
		a, err := Analyse(ctx, js, &Conflict{Jobs: all, Proof: model.SATProof}, &AnalysisOptions{
			Late: all,
			Find: func(ctx context.Context, js *model.JobSet) *incumbent.Incumbent {
				if ctx.Err() != nil {
					return incumbent.New(js, nil, nil, nil, time.Now())
				}
				return exhaustively(t, js)
			},
			LeastLate: func(ctx context.Context, _ *model.JobSet) (late, bound int64, ok bool, err error) {
				left, _, _ := budget.Left(ctx)
				budget.Spend(ctx, int(left))
				return 0, 0, false, nil
			},
		})
		stop()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, late := range a.Alone {
			if late.After != nil {
				continue
			}
			tried++
			known := func(c *Conflict) bool { return c.Irreducible && slices.Equal(c.Jobs, []model.JobID{late.Job}) }
			if !slices.ContainsFunc(a.Conflicts, known) {
				t.Errorf("seed %d: job %d is late alone, and the clashes are others: %+v", seed, late.Job, a.Conflicts[0])
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d jobs were late alone", tried)
	}
}
