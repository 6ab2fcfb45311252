package solve

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// manyWorkers are from 3 to 8, by seed.
func manyWorkers(seed uint64) int { return 3 + int(seed%6) }

// manyBudget is that of every other seed: enough for most tiny sets.
func manyBudget(seed uint64) int64 { return []int64{0, 20_000}[seed%2] }

// anyTiny is a tiny set with any feature of the model.
func anyTiny(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	of := seed / 6
	switch seed % 6 {
	case 0:
		return gen.Tiny(3_000_000 + of)
	case 1:
		return gen.TodayTiny(3_000_000 + of)
	case 2:
		return gen.KindredTiny(3_000_000 + of)
	case 3:
		return gen.GoneTiny(3_000_000 + of)
	case 4:
		return coupledTiny(3_000_000 + of)
	default:
		return wideTiny(t, 3_000_000+of)
	}
}

// TestManyWorkersAndExhaustiveSearch: the answers of three to eight workers, with a budget and without, are
// those of exhaustive search.
func TestManyWorkersAndExhaustiveSearch(t *testing.T) {
	statuses, open := map[model.Status]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 120, 240)) {
		if testkit.Race() && seed%12 > 2 { // a sample
			continue
		}
		js := anyTiny(t, seed/2)
		want := leastLeaving(t, js, false)
		opt := Options{Seed: seed, Workers: manyWorkers(seed / 2), Budget: manyBudget(seed), NoConflict: seed%8 > 1, Early: seed%3 > 0}
		r, err := Plan(context.Background(), js, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		statuses[r.Status]++
		if opt.Budget > 0 && !settled(r) {
			open++
			if err := opposes(js, r, want); err != nil {
				t.Errorf("seed %d, %d workers, budget %d: %v", seed, opt.Workers, opt.Budget, err)
			}
			continue
		}
		if err := agreeLeaving(js, r, want); err != nil {
			t.Errorf("seed %d, %d workers, budget %d: %v", seed, opt.Workers, opt.Budget, err)
		}
	}
	if t.Logf("statuses %v, %d left open by the budget", statuses, open); open > 3 && !testkit.SeedGiven() {
		t.Errorf("%d left open", open)
	}
	for _, s := range []model.Status{model.Optimal, model.Infeasible} {
		if statuses[s] == 0 && !testkit.SeedGiven() {
			t.Errorf("no job set was %s", s)
		}
	}
}

// opposes says what of an answer that was left open cannot be, given the least values.
func opposes(js *model.JobSet, r *Result, want []int64) error {
	if want == nil {
		if r.Status == model.Feasible || r.Status == model.Optimal {
			return fmt.Errorf("%s, exhaustive search has no plan", r.Status)
		}
		return nil
	}
	if r.Status == model.Infeasible {
		return fmt.Errorf("infeasible, exhaustive search has %v", want)
	}
	if r.Schedule == nil {
		return nil
	}
	if slices.Compare(valuesLeaving(r), want) < 0 {
		return fmt.Errorf("a plan with %v, exhaustive search has %v", valuesLeaving(r), want)
	}
	if len(r.LeftOut) == 0 {
		for p, o := range r.Objectives {
			if o.Bound != nil && *o.Bound > want[2+p] {
				return fmt.Errorf("%s is at least %d, exhaustive search has %v", o.Name, *o.Bound, want)
			}
			if o.Bound == nil || *o.Bound < o.Value {
				break // later bounds hold for plans in which this one is at its bound
			}
		}
	}
	return check.Schedule(js, r.Schedule, false).Err()
}

// anySmall is a set that enumeration is not asked about, and that one worker closes in no time.
func anySmall(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	names := []string{"misses-20", "tardiness-14", "weighted-tardiness-12", "squeezed-20", "jobshop-4x4", "project-12", "misses-30", "squeezed-15"}
	name := names[seed%uint64(len(names))]
	js, _, err := gen.Family(name, 1000+seed)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestManyWorkersAgreeWithOne: what workers share does not change the answer about sets that take them a
// while.
func TestManyWorkersAgreeWithOne(t *testing.T) {
	proved, sets := 0, testkit.Tiny(t, 8, 12)
	if testkit.Race() {
		sets = min(sets, 8) // a sample, of every kind
	}
	for seed := range testkit.Seeds(t, sets) {
		js := anySmall(t, seed)
		one := mustPlan(t, js, Options{Seed: seed, Workers: 1, Budget: 20_000, NoConflict: true})
		for _, budget := range []int64{0, 20_000} {
			opt := Options{Seed: seed, Workers: manyWorkers(seed / 8), Budget: budget, NoConflict: true}
			if budget == 0 {
				opt.TimeLimit = time.Minute // where it can tell no more
			}
			many := mustPlan(t, js, opt)
			if err := contradict(one, many); err != nil {
				t.Errorf("seed %d, %s, %d workers, budget %d: %v", seed, js.Name, opt.Workers, budget, err)
			}
			if settled(many) {
				proved++
			}
		}
	}
	t.Logf("%d settled", proved)
	if proved == 0 {
		t.Error("none was settled")
	}
}

// settled reports whether an answer leaves nothing open.
func settled(r *Result) bool {
	return r.Status == model.Optimal || r.Status == model.Infeasible || r.Status == model.Feasible && len(r.Objectives) == 0
}

// contradict says what in two answers cannot both be right.
func contradict(a, b *Result) error {
	for _, pair := range [][2]*Result{{a, b}, {b, a}} {
		x, y := pair[0], pair[1]
		if x.Status == model.Infeasible && y.Schedule != nil {
			return fmt.Errorf("infeasible, and there is a plan with %v", y.Objectives)
		}
		if x.Schedule == nil || y.Schedule == nil {
			continue
		}
		for p := range x.Objectives {
			if bound := x.Objectives[p].Bound; bound != nil && y.Objectives[p].Value < *bound {
				return fmt.Errorf("%s is at least %d, and there is a plan with %d", x.Objectives[p].Name, *bound, y.Objectives[p].Value)
			}
			if x.Objectives[p].Value != y.Objectives[p].Value {
				break
			}
		}
	}
	return nil
}
