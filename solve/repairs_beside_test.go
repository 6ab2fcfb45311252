package solve

import (
	"context"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/conflict"
	"downbeat/solve/incumbent"
	"downbeat/solve/whatif"
)

// Repairs, and the work that they are charged, are the same for any number of workers,
// wherever the budget ends the search.
func TestRepairsAreThoseOfOneWorker(t *testing.T) {
	sets, together, cut := 0, 0, 0
	var alone, all, asked int64 // what was spent by one worker, and by eight, and how many questions these asked ahead
	for seed := range testkit.Sets(uint64(24), 80) {
		js := gen.Tiny(2_000_000 + seed/2)
		if seed%2 == 1 {
			js = gen.TodayTiny(2_000_000 + seed/2)
		}
		if seed%8 >= 6 {
			crowd(t, js, 2+model.Time(seed/8%4))
		} else {
			squeeze(t, js, model.Time(seed%8))
		}
		v, err := Check(t.Context(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != model.Infeasible {
			continue
		}
		sets++
		s := &solver{restated: restate(js), opt: Options{Seed: seed}}
		for _, units := range []int64{repairUnits, 3000, 700, 150} {
			var want *whatif.Repairs
			var charged int64
			for _, n := range []int{1, 2, 3, 8} {
				opt := s.repairOptions(v.Analysis)
				spent, plan, ahead := atomic.Int64{}, opt.Plan, atomic.Int64{}
				here := goroutine()
				opt.Workers, opt.Plan = n, func(ctx context.Context, js *model.JobSet) (model.Status, model.Schedule, error) {
					if goroutine() != here {
						ahead.Add(1)
					}
					before, _, _ := budget.Left(ctx)
					status, schedule, err := plan(ctx, js)
					after, _, _ := budget.Left(ctx)
					spent.Add(before - after)
					return status, schedule, err
				}
				ctx, stop := budget.With(t.Context(), units)
				got, err := whatif.FindRepairs(ctx, js, opt)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				left, _, _ := budget.Left(ctx)
				stop()
				if n == 1 {
					want, charged = got, units-left
				}
				if diff := cmp.Diff(want, got); diff != "" || charged != units-left {
					t.Errorf("seed %d, %d units: %d workers are charged %d and one %d (-one +%d):\n%s", seed, units, n, units-left, charged, n, diff)
				}
				switch n {
				case 1:
					alone += spent.Load()
				case 8:
					all += spent.Load()
					asked += ahead.Load()
				}
			}
			if together += len(want.Together); charged >= units {
				cut++
			}
		}
	}
	t.Logf("%d sets, %d repairs of several changes, %d searches ended by their budgets; %d units of work, on eight workers %d, with %d questions asked ahead", sets, together, cut, alone, all, asked)
	if asked == 0 || sets == 0 || together == 0 || cut == 0 {
		t.Error("there were none")
	}
}

// What is wrong with a set, and the work that this is charged, is the same for any number of
// workers, wherever the budget ends the search.
func TestAnalysesAreThoseOfOneWorker(t *testing.T) {
	sets, alone, groups, cut := 0, 0, 0, 0
	var asked int64
	for seed := range testkit.Sets(uint64(32), 80) {
		js := gen.Tiny(2_000_000 + seed/2)
		if seed%2 == 1 {
			js = gen.TodayTiny(2_000_000 + seed/2)
		}
		if seed%8 >= 6 {
			crowd(t, js, 2+model.Time(seed/8%4))
		} else {
			squeeze(t, js, model.Time(seed%8))
		}
		v, err := Check(t.Context(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != model.Infeasible {
			continue
		}
		sets++
		s := &solver{restated: restate(js), opt: Options{Seed: seed}}
		first, err := conflict.Explain(t.Context(), s.counting().find(t.Context(), s.js), &conflict.Options{Seed: seed, Exact: s.opt.exact()})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, units := range []int64{analysisUnits, 3000, 700, 150} {
			var want *Analysis
			var charged int64
			for _, n := range []int{1, 2, 3, 8} {
				ctx, stop := budget.With(t.Context(), units)
				opt := s.analysisOptions(s.lateAtLeast(ctx))
				find, ahead, here := opt.Find, atomic.Int64{}, goroutine()
				opt.Workers, opt.Find = n, func(ctx context.Context, js *model.JobSet) *incumbent.Incumbent {
					if goroutine() != here {
						ahead.Add(1)
					}
					return find(ctx, js)
				}
				of := *first // its fits are taken over
				got, err := conflict.Analyse(ctx, s.js, &of, opt)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				left, _, _ := budget.Left(ctx)
				stop()
				if n == 1 {
					want, charged = got, units-left
				}
				if diff := cmp.Diff(want, got); diff != "" || charged != units-left {
					t.Errorf("seed %d, %d units: %d workers are charged %d and one %d (-one +%d):\n%s", seed, units, n, units-left, charged, n, diff)
				}
				asked += ahead.Load()
			}
			if alone, groups = alone+len(want.Alone), groups+len(want.Groups); charged >= units {
				cut++
			}
		}
	}
	t.Logf("%d sets, %d jobs late alone, %d groups, %d searches ended by their budgets, %d questions asked ahead", sets, alone, groups, cut, asked)
	if sets == 0 || alone == 0 || groups == 0 || cut == 0 || asked == 0 {
		t.Error("there were none")
	}
}

// goroutine names the goroutine that calls.
func goroutine() string {
	name, _, _ := strings.Cut(string(debug.Stack()), "[")
	return name
}
