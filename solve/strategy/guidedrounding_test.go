package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/fluid"
	"downbeat/solve/incumbent"
)

// TestRounded: roundings of shares by chance let go of soft jobs that are out in part,
// for no more than the limit, and of as many as fit; all others are to be in time.
func TestRounded(t *testing.T) {
	letGo := 0
	for seed := range testkit.Sets[uint64](40, 400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		js := gen.Scale(400, seed%4)
		for i := range js.Jobs {
			if js.Jobs[i].Kind == model.Soft {
				js.Jobs[i].Weight = 1 + rng.Int64N(4)
			}
			if i%9 == 0 {
				js.Jobs[i].Deadline = 1 // late in every plan
			}
		}
		w := incumbent.New(js, []model.Objective{model.Misses}, nil, nil, time.Now())
		by := newGuideTask(w, lns.NewSqueakyWheel(t.Context(), js, lns.Options{Objectives: w.Goal, Seed: seed}), model.Misses)
		if !by.rounds {
			t.Fatal("misses are what is let go")
		}
		guide := &fluid.Guide{Out: make([]float64, len(js.Jobs)), Start: make([]float64, len(by.squeaky.Figures().Stages))}
		hopeless := int64(0)
		for i := range guide.Out {
			if rng.IntN(2) == 0 {
				guide.Out[i] = rng.Float64()
			}
			if by.squeaky.Hopeless(model.JobID(i)) && js.Jobs[i].Kind == model.Soft {
				hopeless += js.Jobs[i].Weight
			}
		}
		limit := rng.Int64N(30)
		letGo += checkRounded(t, seed, by, guide, by.rounded(guide, limit, rng), limit-hopeless)
	}
	if letGo == 0 {
		t.Error("no job was let go")
	}
}

// checkRounded checks an aim that may cost so much beside what is late in any case, and
// counts the jobs that it lets go.
func checkRounded(t *testing.T, seed uint64, by *guideTask, guide *fluid.Guide, aim lns.Aim, left int64) (letGo int) {
	t.Helper()
	least := int64(0)
	for i := range aim.Last {
		job := &by.js.Jobs[i]
		able := job.Kind == model.Soft && !by.squeaky.Hopeless(model.JobID(i)) && guide.Out[i] > leastOut
		switch {
		case aim.Last[i] && (!able || aim.By[i] != model.Never):
			t.Fatalf("seed %d: job %d is let go, share %g, by %d", seed, i, guide.Out[i], aim.By[i])
		case aim.Last[i]:
			letGo++
			left -= job.Weight
		case able && (least == 0 || job.Weight < least):
			least = job.Weight
		}
		if !aim.Last[i] && aim.By[i] != by.due(model.JobID(i)) {
			t.Fatalf("seed %d: job %d is to finish by %d", seed, i, aim.By[i])
		}
	}
	if letGo > 0 && left < 0 || least > 0 && least <= left {
		t.Fatalf("seed %d: %d is left, another job costs %d", seed, left, least)
	}
	return letGo
}

// TestRoundsForMissesOnly: of other objectives, and of hard jobs that may be late, guides
// are not rounded.
func TestRoundsForMissesOnly(t *testing.T) {
	js := gen.Scale(400, 1)
	for _, goal := range [][]model.Objective{nil, {model.Tardiness, model.Misses}, {model.WeightedTardiness}, {model.HardMisses, model.Misses}} {
		w := incumbent.New(js, goal, nil, nil, time.Now())
		squeaky := lns.NewSqueakyWheel(t.Context(), js, lns.Options{Objectives: slices.DeleteFunc(slices.Clone(goal), func(o model.Objective) bool { return o == model.HardMisses })})
		if newGuideTask(w, squeaky, model.Misses).rounds {
			t.Errorf("%v: rounds", goal)
		}
	}
}

// A guide for a sum of lateness learns of hard jobs that were late: without it this set is left where it began, as
// every plan by the first guide has some.
func TestSumLearnsOfHardJobs(t *testing.T) {
	js := gen.Scale(2000, 5)
	goal := []model.Objective{model.WeightedTardiness}
	w := incumbent.New(js, goal, nil, nil, time.Now())
	g := NewGuided(w, 1)
	g.AnyPlan(t.Context())
	before, _ := w.Gap(0)
	g.prepare(t.Context())
	hard, at := false, 0
	for after := before; after == before && at < 12; at++ {
		g.evaluate(t.Context())
		hard = hard || g.lines[0].best[0] > 0
		after, _ = w.Gap(0)
	}
	after, _ := w.Gap(0)
	if w.Err() != nil || !hard || after >= before {
		t.Errorf("%d after %d evaluations, %d before; hard jobs late at first: %t; %v", after, at, before, hard, w.Err())
	}
}
