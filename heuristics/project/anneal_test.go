package project

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
)

var separateObjectives = []model.Objective{model.Makespan, model.Tardiness, model.Misses, model.WeightedTardiness}

// separateOf draws so many tasks of jobs of one each on one to three slaves, with absences, cores, slots and a resource that may be short.
func separateOf(draw func(n int) int, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "separate", Heartbeat: 1, Named: []string{"r"}, Objectives: []model.Objective{model.Misses}}
	for range 1 + draw(3) {
		js.Slaves = append(js.Slaves, model.Slave{
			Name: string(rune('a' + len(js.Slaves))), Cores: 2 + draw(3), Slots: 1 + draw(4), Units: []int64{int64(3 + draw(3))}, FirstBeat: model.Time(draw(3)),
			Down: absences(draw),
		})
	}
	for i := range tasks {
		job := model.Job{Name: string(rune('a' + i)), Release: model.Time(draw(4)), Kind: model.Soft, Deadline: model.Time(1 + draw(8)), Weight: int64(1 + draw(3))}
		if draw(5) == 0 {
			job.Kind, job.Deadline, job.Weight = model.BestEffort, 0, 0
		}
		wcet := make([]model.Time, len(js.Slaves))
		for s := range wcet {
			wcet[s] = model.Time(draw(6)) // 0: not there
		}
		wcet[draw(len(wcet))] = model.Time(1 + draw(6))
		needs := model.Needs{Cores: int64(1 + draw(2))}
		needs.Units[0] = int64(draw(4))
		profile := model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))
		job.Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile.Needing(needs)}}}}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// TestAnnealingFindsTheOptimum holds it against exhaustive search.
func TestAnnealingFindsTheOptimum(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 1000)) {
		js := separateOf(rand.New(rand.NewPCG(seed, 1)).IntN, 5)
		for _, o := range separateObjectives {
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			s := NewAnnealing(js, o, seed)
			for s.Work() < 10_000_000 && s.Best() != want.Values[0] {
				s.Run(context.Background(), 1000, func(plan model.Schedule) { mustBe(t, js, plan, o, s.Best()) })
			}
			if s.Best() != want.Values[0] {
				t.Errorf("seed %d: %v %d, %d is the optimum", seed, o, s.Best(), want.Values[0])
			}
		}
	}
}

// TestMovesAreWhatListsCost: after any number of moves lists are those that they would be if they were laid out anew, every task is
// on one of them, and plans have the values that are told.
func TestMovesAreWhatListsCost(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		js := separateOf(func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "choice") }, rapid.IntRange(2, 24).Draw(r, "tasks"))
		o := separateObjectives[rapid.IntRange(0, 3).Draw(r, "objective")]
		s := NewAnnealing(js, o, rapid.Uint64().Draw(r, "seed"))
		var last model.Schedule
		offer := func(plan model.Schedule) {
			if err := check.Schedule(js, plan, false).Err(); err != nil {
				r.Fatal(err)
			}
			if got := js.Value(o, js.Finishes(plan)); got != s.Best() {
				r.Fatalf("%v %d, said to be %d", o, got, s.Best())
			}
			last = plan
		}
		s.Run(context.Background(), rapid.Int64Range(1, 2000).Draw(r, "work"), offer)
		cost, seen := s.cost, 0
		var starts [][]int32
		for _, l := range s.lanes {
			starts = append(starts, slices.Clone(l.start[:len(l.list)]))
			for _, v := range l.list {
				if seen++; s.on[v] != l.slave {
					r.Fatalf("task %d is on %d, not %d", v, l.slave, s.on[v])
				}
			}
		}
		s.evaluate()
		for i, l := range s.lanes {
			if !slices.Equal(starts[i], l.start[:len(l.list)]) {
				r.Fatalf("slave %d: starts %v, anew %v", i, starts[i], l.start[:len(l.list)])
			}
		}
		if s.cost != cost || seen != len(js.Tasks) {
			r.Fatalf("cost %d, anew %d, of %d tasks", cost, s.cost, seen)
		}
		s.Consider(last)
		s.Run(context.Background(), 1, offer)
	})
}

// TestAnnealingInSlices: work in slices comes to the same as in one piece, and it heeds its context.
func TestAnnealingInSlices(t *testing.T) {
	js := separateOf(rand.New(rand.NewPCG(7, 1)).IntN, 40)
	whole, slice := NewAnnealing(js, model.WeightedTardiness, 5), NewAnnealing(js, model.WeightedTardiness, 5)
	whole.Run(context.Background(), 100_000, func(model.Schedule) {})
	for slice.Work() < whole.Work() {
		slice.Run(context.Background(), 1, func(model.Schedule) {})
	}
	if whole.Best() != slice.Best() || whole.Work() != slice.Work() {
		t.Errorf("%d in one piece, %d in slices", whole.Best(), slice.Best())
	}
	ctx := testkit.After(context.Background(), 3)
	whole.Run(ctx, 1<<60, func(model.Schedule) {})
	if ctx.Err() == nil {
		t.Error("it ended by itself")
	}
}
