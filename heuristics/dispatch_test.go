package heuristics

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// byRule is the priority by latest starts.
func byRule(fig *Figures) Priority {
	p := Priority{Idle: 0.3}
	for i := range fig.Stages {
		p.Key = append(p.Key, float64(StageLatestStart(fig, fig.Stages[i].Ref)))
		p.Due = append(p.Due, fig.Stages[i].Due)
	}
	return p
}

// dispatched is a schedule by time in one call.
func dispatched(js *model.JobSet, p Priority, d Deferral) *Board {
	b := NewBoard(NewFigures(js), 1)
	b.Dispatch(context.Background(), p, d)
	return b
}

// TestDispatch: schedules by time keep all rules, whatever features a set has and whatever keys and due times
// are, have all tasks, and are the same again.
func TestDispatch(t *testing.T) {
	kinds := map[string]func(*rand.Rand, uint64) *model.JobSet{
		"random":  func(rng *rand.Rand, _ uint64) *model.JobSet { return randomSet(t, rng) },
		"coupled": func(rng *rand.Rand, _ uint64) *model.JobSet { return coupledSet(rng) },
		"today":   func(_ *rand.Rand, seed uint64) *model.JobSet { return gen.TodayTiny(seed) },
	}
	for name, draw := range kinds {
		for seed := range testkit.Tiny(t, 100, 1000) {
			rng := rand.New(rand.NewPCG(seed, 8))
			js := draw(rng, seed)
			fig := NewFigures(js)
			p := byRule(fig)
			for i := range p.Key {
				switch rng.IntN(4) {
				case 0:
					p.Key[i] += 20 * rng.NormFloat64()
				case 1:
					p.Due[i] = model.Never
				}
			}
			d := NewDeferral(js, js.Goal(), nil)
			d.Late = rng.IntN(2) == 0
			d.Last[rng.IntN(len(d.Last))] = true
			b := dispatched(js, p, d)
			if err := check.Schedule(js.Returning(), b.Place, true).Err(); err != nil || !b.Place.Complete() {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			for i, finish := range js.Finishes(b.Place) {
				if got := b.JobFinish(model.JobID(i)); got != finish {
					t.Fatalf("%s, seed %d: job %d finishes at %d, not %d", name, seed, i, finish, got)
				}
			}
			if !slices.Equal(b.Place, dispatched(js, p, d).Place) {
				t.Fatalf("%s, seed %d: another schedule the second time", name, seed)
			}
		}
	}
}

// TestDispatchLeavesLessIdle: where slaves are full and input lies on few of them, fewer jobs are late than
// where stages are placed one after the other.
func TestDispatchLeavesLessIdle(t *testing.T) {
	byTime, inTurn := int64(0), int64(0)
	for seed := uint64(1); seed <= 3; seed++ {
		js := gen.Scale(3000, seed)
		late := func(s model.Schedule) int64 {
			finishes := js.Finishes(s)
			return js.Value(model.HardMisses, finishes) + js.Value(model.Misses, finishes)
		}
		byTime += late(dispatched(js, byRule(NewFigures(js)), NewDeferral(js, js.Goal(), nil)).Place)
		inTurn += late(construct(js, Rules()[0], js.Goal(), 1))
	}
	if 2*byTime > inTurn {
		t.Errorf("%d jobs late by time, %d stage by stage", byTime, inTurn)
	}
}

// TestDispatchEnds: it ends with its context.
func TestDispatchEnds(t *testing.T) {
	js := gen.Scale(400, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := NewBoard(NewFigures(js), 1)
	if b.Dispatch(ctx, byRule(NewFigures(js)), NewDeferral(js, js.Goal(), nil)) || b.Placed > 0 {
		t.Error("goes on")
	}
}
