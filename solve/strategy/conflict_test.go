package strategy_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// Jobs of a conflict have no plan in which they are all in time, whatever comes first; among them are jobs that are alike, and
// may be late, but not left out.
func TestConflictsAgainstOptima(t *testing.T) {
	conflicts, fewer := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 300, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 77))
		js := gen.Kindred(rng, 3+rng.IntN(4))
		js.FIFO = false
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.BestEffort || rng.IntN(4) > 0 {
				job.Kind, job.Deadline = model.Soft, max(job.Deadline, 1+model.Time(rng.IntN(7)))
			}
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		goal := [][]model.Objective{{model.Makespan, model.Misses}, {model.Misses}, {model.Tardiness, model.Misses}}[rng.IntN(3)]
		best, err := oracle.SolveFor(js, goal, false)
		if err != nil || best.Status != model.Optimal {
			continue
		}
		w := &portfolio.Work{Incumbent: incumbent.New(js, goal, nil, nil, time.Now()), Seed: seed, P: len(goal) - 1}
		w.Offer(best.Schedule)
		var late []model.JobID
		for i := range model.JobID(len(js.Jobs)) {
			if js.Jobs[i].Kind == model.Soft && rng.IntN(3) == 0 {
				late = append(late, i)
			}
		}
		conflict := strategy.PrepareMaster(w).Conflict(t.Context(), strategy.Candidate(late, 0))
		if conflict == nil {
			continue
		}
		conflicts++
		if len(conflict)+len(late) < len(js.Jobs) {
			fewer++
		}
		for i := range js.Jobs {
			if slices.Contains(conflict, model.JobID(i)) {
				js.Jobs[i].Kind = model.Hard
			}
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		first := goal[:len(goal)-1]
		with, err := oracle.SolveFor(js, first, false)
		if err != nil {
			t.Fatal(err)
		}
		if with.Status != model.Infeasible && slices.Compare(with.Values, best.Values[:len(first)]) <= 0 {
			t.Fatalf("seed %d, %v: jobs %v are a conflict beside %v, and have a plan", seed, goal, conflict, late)
		}
	}
	t.Logf("%d conflicts, %d of fewer jobs", conflicts, fewer)
	if conflicts < 10 || fewer < 3 {
		t.Error("too few to tell")
	}
}
