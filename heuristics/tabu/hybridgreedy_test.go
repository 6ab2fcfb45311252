package tabu

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
)

// hybridOf draws a hybrid flow shop of at most so many tasks: stages of one or two machines, on which tasks may take unlike times, or
// of a slave of two cores, and jobs that pass over some, with releases, due times and heartbeats.
func hybridOf(draw func(n int) int, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "flow", Heartbeat: model.Time(1 + draw(3)/2), Objectives: []model.Objective{model.Tardiness}}
	stages := 2 + draw(2)
	var of []int
	for k := range stages {
		cores := 1 + draw(2)
		for range 1 + draw(2) {
			js.Slaves = append(js.Slaves, model.Slave{
				Name: string(rune('a' + len(of))), Cores: cores, Slots: cores, FirstBeat: js.Heartbeat * model.Time(draw(2)),
			})
			of = append(of, k)
		}
	}
	for tasks > 0 {
		job := model.Job{Name: string(rune('a' + len(js.Jobs))), Release: model.Time(draw(4)), Kind: model.BestEffort}
		if draw(4) > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+draw(8)), int64(1+draw(3))
		}
		for k := range stages {
			if tasks == 0 || draw(4) == 0 {
				continue
			}
			wcet, alike, length := make([]model.Time, len(of)), draw(2) == 0, model.Time(1+draw(6))
			for s := range wcet {
				if of[s] != k {
					continue
				}
				if wcet[s] = length; !alike {
					wcet[s] += model.Time(draw(4))
				}
			}
			tasks--
			job.Stages = append(job.Stages, model.Stage{Name: string(rune('a' + k)), Groups: []model.Group{{
				Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0)),
			}}})
		}
		if len(job.Stages) > 0 {
			js.Jobs = append(js.Jobs, job)
		}
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// TestHybridGreedy holds iterated greedy against exhaustive search: plans are valid and have the values that they are said to have, none is
// better than the best, and most sets have no better one than is found.
func TestHybridGreedy(t *testing.T) {
	sets, best := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		js := hybridOf(rng.IntN, 6)
		for _, o := range []model.Objective{model.Makespan, model.Tardiness} {
			if !TreatsHybridGreedy(js, o) {
				continue
			}
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			s := NewHybridGreedy(js, o, seed)
			s.Run(context.Background(), 5_000, func(plan model.Schedule) { mustBe(t, js, plan, o, s.Best()) })
			if s.Best() < want.Values[0] {
				t.Fatalf("seed %d: %v %d, %d is the optimum", seed, o, s.Best(), want.Values[0])
			}
			sets++
			if s.Best() == want.Values[0] {
				best++
			}
		}
	}
	if 10*best < 9*sets || sets == 0 {
		t.Errorf("the best plan of %d of %d sets", best, sets)
	}
}

// TestDecode holds what a list comes to against the constraints as they are written, machine by machine: jobs come to each stage in
// the order in which they are through with those before, and have the machine where they end first, or that is free first.
func TestDecode(t *testing.T) {
	for seed := range testkit.Seeds(t, 300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		js := hybridOf(rng.IntN, 12)
		js.Heartbeat = 1
		for s := range js.Slaves {
			js.Slaves[s].FirstBeat = 0
		}
		if !TreatsHybridGreedy(js, model.Makespan) {
			continue
		}
		s := NewHybridGreedy(js, model.Makespan, seed)
		a := s.lists[0]
		var list []int32
		for _, i := range rng.Perm(len(a.entry)) {
			list = append(list, int32(i))
		}
		value := a.decode(list, never, s.found)
		s.g.load(s.found)
		if length := s.g.longest(); length > value || allEnter(a) && length != value || allEnter(a) && value != naive(js, a, list) {
			t.Fatalf("seed %d: a list comes to %d, %d by its graph, %d", seed, value, length, naive(js, a, list))
		}
		if again := a.decode(list, value-1, nil); again < value {
			t.Fatalf("seed %d: %d beyond %d", seed, again, value-1)
		}
	}
}

// allEnter reports whether every chain begins at the first stage.
func allEnter(a *entryOrder) bool { return slices.Max(a.entry) == 0 }

// naive is by when the jobs of a list have ended.
func naive(js *model.JobSet, a *entryOrder, list []int32) (end int32) {
	through, free := map[int32]int32{}, map[int32]int32{}
	order := slices.Clone(list)
	for k := range a.stages {
		slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(through[i], through[j]) })
		for _, i := range order {
			v := a.stages[k].task[i]
			if v < 0 {
				continue
			}
			ready := max(through[i], int32(js.Jobs[js.Tasks[v].Job].Release))
			first := slices.MinFunc(a.options[v], func(p, q option) int {
				if a.stages[k].length[i] > 0 {
					return cmp.Compare(free[p.machine], free[q.machine])
				}
				return cmp.Or(cmp.Compare(max(ready, free[p.machine])+p.length, max(ready, free[q.machine])+q.length), cmp.Compare(free[q.machine], free[p.machine]))
			})
			through[i] = max(ready, free[first.machine]) + first.length
			free[first.machine] = through[i]
			end = max(end, through[i])
		}
	}
	return end
}

// TestNoHybridFlowShops has shops that are no flow shops left to others.
func TestNoHybridFlowShops(t *testing.T) {
	js, _, err := gen.Family("hybrid-flowshop-4x3", 1)
	if err != nil {
		t.Fatal(err)
	}
	if !TreatsHybridGreedy(js, model.Makespan) || TreatsHybridGreedy(js, model.WeightedTardiness) {
		t.Error("a hybrid flow shop is one by its makespan, not by a sum")
	}
	if js, _, err = gen.Family("jobshop-4x3", 1); err != nil {
		t.Fatal(err)
	}
	if TreatsHybridGreedy(js, model.Makespan) {
		t.Error("jobs go through stages in unlike orders")
	}
}
