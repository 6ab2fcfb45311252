package strategy_test

import (
	"context"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// Choosing which jobs to let go ends at the optimum, from any plan.
func TestMasterAgainstOptima(t *testing.T) {
	ctx := context.Background()
	closed, helped := 0, 0
	for seed := range uint64(300) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.HardMisses} {
			r := optimumOf(t, js, o)
			if r == nil {
				continue
			}
			s := worktest.On(js, o)
			plan, _ := lns.Search(ctx, js, lns.Options{Seed: 1, Constructions: 1})
			s.Offer(plan)
			if s.Best() == nil {
				continue
			}
			before := worktest.Value(s)
			strategy.Multipliers.Begin(s, 1).Run(ctx, portfolio.Slice{Units: 1})
			strategy.Master.Begin(s, 1).Run(ctx, portfolio.Slice{})
			value, bound := s.Gap(0)
			best := r.Objectives[0].Value
			if s.Err() != nil || value < best || bound > best {
				t.Fatalf("seed %d, %s: %d over %d, the optimum is %d, %v", seed, o, value, bound, best, s.Err())
			}
			if value == bound {
				closed++
			}
			if value < before {
				helped++
			}
			if !js.FIFO && value > bound {
				t.Errorf("seed %d, %s: ends at %d over %d", seed, o, value, bound)
			}
		}
	}
	t.Logf("%d closed, %d of them with a better plan", closed, helped)
	if closed < 200 || helped < 3 {
		t.Error("too few to tell")
	}
}

// Several workers on one master problem end at the optimum, too, whoever is first.
func TestMasterTogether(t *testing.T) {
	closed := 0
	for seed := range testkit.Sets[uint64](300, 1000) {
		js := gen.Small(seed, 8)
		s := worktest.On(js, model.Misses)
		plan, _ := lns.Search(t.Context(), js, lns.Options{Seed: 1, Constructions: 1})
		if s.Offer(plan); js.FIFO || s.Best() == nil || s.Over(0) {
			continue
		}
		best, err := oracle.SolveFor(js, s.Goal, false)
		if err != nil {
			t.Fatal(err)
		}
		masterTogether(t, s, 2+int(seed%3), best.Values[0])
		closed++
	}
	t.Logf("%d closed", closed)
	if closed < testkit.Sets(10, 30) {
		t.Error("too few to tell")
	}
	for _, c := range []struct {
		seed   uint64
		misses int64
	}{{2, 4}, {3, 4}, {5, 5}, {1, 9}}[:testkit.Sets(1, 2)] {
		js, _, err := gen.Family("misses-40", c.seed)
		if err != nil {
			t.Fatal(err)
		}
		s := worktest.On(js, model.Misses)
		strategy.Construct(t.Context(), s.Incumbent, 1, 20)
		strategy.Multipliers.Begin(s, 1).Run(t.Context(), portfolio.Slice{Units: 1})
		masterTogether(t, s, 4, c.misses)
	}
}

// masterTogether has several workers go on with the master problem, and end at the optimum.
func masterTogether(t *testing.T, s *portfolio.Work, workers int, best int64) {
	t.Helper()
	list := portfolio.List{Entries: []portfolio.Entry{{Begun: portfolio.Begin(s, strategy.Master, 1), Units: []int{4}}}}
	portfolio.Run(t.Context(), s, list, workers)
	if value, bound := s.Gap(0); s.Err() != nil || value != best || bound != best {
		t.Errorf("%s: %d over %d, the optimum is %d, %v", s.JS.Name, value, bound, best, s.Err())
	}
	if err := check.Schedule(s.JS, s.Best(), false).Err(); err != nil {
		t.Errorf("%s: %v", s.JS.Name, err)
	}
}

// Turns in which candidates are to be refuted only drop some that are lighter than the
// optimum, and never one that has a plan.
func TestLightTurns(t *testing.T) {
	refuted, kept := 0, 0
	for seed := range uint64(1000) {
		js := gen.Small(seed, 8)
		r := optimumOf(t, js, model.Misses)
		if r == nil || r.Objectives[0].Value == 0 {
			continue
		}
		s := worktest.On(js, model.Misses)
		s.Offer(r.Schedule)
		c := strategy.PrepareMaster(s)
		var late []model.JobID
		for i, f := range js.Finishes(r.Schedule) {
			if js.Jobs[i].Kind == model.Soft && (f < 0 || f > js.Jobs[i].Due()) {
				late = append(late, model.JobID(i))
			}
		}
		best := r.Objectives[0].Value
		with := strategy.Candidate(late, best)
		without := strategy.Candidate(late[1:], best-js.Jobs[late[0]].Weight)
		c.Keep(t.Context(), with)
		c.Keep(t.Context(), without)
		open := c.Waits(without)
		c.Refute(t.Context(), with, 4)
		c.Refute(t.Context(), without, 4)
		if s.Err() != nil || !with.Alive() || !c.Waits(with) {
			t.Fatalf("seed %d: jobs other than %v have a plan and are refuted, %v", seed, late, s.Err())
		}
		if open {
			kept++
		}
		if open && !without.Alive() && !c.Waits(without) {
			refuted++
		}
	}
	t.Logf("%d of %d refuted", refuted, kept)
	if refuted < 50 {
		t.Error("too few to tell")
	}
}

// Sets whose bounds by multipliers fall short close by the master problem.
func TestMasterOfLargerSets(t *testing.T) {
	for _, c := range []struct {
		family string
		seed   uint64
		misses int64
	}{{"misses-80", 2, 8}, {"misses-100", 1, 2}, {"misses-60", 1, 2}}[:testkit.Sets(1, 3)] {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		r := mustPlan(t, js, solve.Options{Seed: 1, Workers: 1, Budget: 1_000_000})
		if r.Status != model.Optimal || r.Objectives[0].Value != c.misses {
			t.Errorf("%s: %s, %v", js.Name, r.Status, r.Objectives[0])
		}
	}
}

// In slices it goes on where it stopped, and comes to what it comes to in one.
func TestMasterInSlices(t *testing.T) {
	closed := 0
	for seed := range testkit.Sets[uint64](40, 200) {
		js := gen.Small(seed, 8)
		var ends [2][2]int64
		for k, units := range []int{0, 1} {
			s := worktest.On(js, model.Misses)
			plan, _ := lns.Search(t.Context(), js, lns.Options{Seed: 1, Constructions: 1})
			if s.Offer(plan); s.Best() == nil {
				continue
			}
			strategy.Multipliers.Begin(s, 1).Run(t.Context(), portfolio.Slice{Units: 1})
			master := strategy.Master.Begin(s, 1)
			for number := 0; master.Run(t.Context(), portfolio.Slice{Number: number, Units: units}) == portfolio.Open; number++ {
				if number > 10_000 {
					t.Fatalf("seed %d: no end", seed)
				}
			}
			if s.Err() != nil {
				t.Fatalf("seed %d: %v", seed, s.Err())
			}
			value, bound := s.Gap(0)
			if ends[k] = [2]int64{value, bound}; value == bound {
				closed++
			}
		}
		if ends[0] != ends[1] {
			t.Errorf("seed %d: %v at once, %v in slices", seed, ends[0], ends[1])
		}
	}
	if closed < 20 {
		t.Error("too few to tell")
	}
}
