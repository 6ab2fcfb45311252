package strategy_test

import (
	"testing"
	"time"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// Where hard deadlines may be missed, arguments that take them as met bound none
// of the other objectives. They once did: of a set of 40 tasks with a job that is
// late in every plan a makespan of 70 was said to be the least, and there are
// plans with 67.
func TestNoBoundsThatTakeHardDeadlinesAsMet(t *testing.T) {
	missed, above := 0, 0
	for seed := range uint64(150) {
		js := gen.Tiny(seed)
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
			goal := []model.Objective{model.HardMisses, o}
			best, err := oracle.SolveFor(js, goal, true)
			if err != nil {
				t.Fatal(err)
			}
			if best.Values[0] == 0 {
				continue
			}
			missed++
			w := &portfolio.Work{Incumbent: incumbent.New(js, goal, nil, nil, time.Now()), P: 1, Seed: 1}
			strategy.Construct(t.Context(), w.Incumbent, 1, 20)
			if value, _ := w.Gap(0); value != best.Values[0] {
				continue
			}
			w.Raise(0, best.Values[0], model.SATProof)
			w.Begin(1)
			for _, s := range []*portfolio.Strategy{
				strategy.Multipliers, strategy.PoolMultipliers, strategy.Packing, strategy.Branching, strategy.BranchingOnEnds,
				strategy.Master, strategy.LateDives, strategy.Dives,
			} {
				if s.AppliesTo(w) {
					t.Errorf("seed %d, %s: %s applies", seed, o, s.Name)
				}
			}
			if value, _ := w.Gap(1); value > best.Values[1] {
				above++
			}
		}
	}
	if missed < 40 || above < 5 {
		t.Errorf("only %d sets with a miss, %d with a plan that can be bettered", missed, above)
	}
}

// TestRelaxationsLeaveNoBoards: there are as many relaxations as candidates of the master problem, each
// about a set of its own that nobody else asks about.
func TestRelaxationsLeaveNoBoards(t *testing.T) {
	w := &portfolio.Work{Incumbent: incumbent.New(gen.Tiny(1), nil, nil, nil, time.Now())}
	w.Exact.Exchange = exact.NewExchange(2, false)
	if strategy.RelaxationExchanges(w) {
		t.Error("its questions have boards that outlast it")
	}
}
