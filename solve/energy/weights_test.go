package energy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/energy"
)

// rigidSet draws a few tasks that need much of what one or two slaves have, most of them single, with releases, deadlines, heartbeats,
// transfers, absences and slots of kinds now and then.
func rigidSet(seed uint64) *model.JobSet {
	r := rand.New(rand.NewPCG(seed, 11))
	js := &model.JobSet{Name: "rigid", Heartbeat: model.Time(1 + r.IntN(5)/4), Named: []string{"r"}, Objectives: []model.Objective{model.Makespan}}
	cores := 3 + r.IntN(6)
	for s := range 1 + r.IntN(2) {
		slave := model.Slave{Name: string(rune('a' + s)), Cores: cores + r.IntN(4)/3, Slots: 1 + r.IntN(5), Units: []int64{int64(4 + r.IntN(4))}}
		if r.IntN(4) == 0 {
			at := model.Time(1 + r.IntN(6))
			slave.Down = []model.Interval{{Start: at, End: at + 1 + model.Time(r.IntN(3))}}
		}
		js.Slaves = append(js.Slaves, slave)
	}
	fetches := r.IntN(4) == 0
	for i := range 4 + r.IntN(2) {
		job := model.Job{Name: fmt.Sprint("j", i), Kind: model.BestEffort, Release: model.Time(r.IntN(2) * r.IntN(4))}
		if r.IntN(2) == 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+r.IntN(8)), 1
		}
		wcet, transfer := make([]model.Time, len(js.Slaves)), make([]model.Time, len(js.Slaves))
		for s := range wcet {
			if wcet[s] = model.Time(1 + r.IntN(5)); s > 0 && r.IntN(4) > 0 {
				wcet[s] = wcet[0]
			}
			if fetches {
				transfer[s] = model.Time(r.IntN(3))
			}
		}
		needs := model.Needs{Cores: int64(1 + r.IntN(cores))}
		needs.Units[0] = int64(r.IntN(2) * r.IntN(5))
		profile := model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer)).Needing(needs)
		job.Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}
		if i == 0 && r.IntN(3) == 0 {
			job.Stages = append(job.Stages, model.Stage{Name: "then", Groups: job.Stages[0].Groups})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// Bounds by weighed tasks are never above the optimum, often above what energy has, and overloads that are altered are found out.
func TestWeightedAgainstExhaustiveSearch(t *testing.T) {
	higher, met := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 5000)) {
		js := rigidSet(seed)
		for _, o := range []model.Objective{model.Makespan, model.Tardiness} {
			best, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			known, _ := lower(t, js, o)
			if v, c := beyond(t, energy.Weighted, js, o, 0); v > best.Values[0] {
				t.Fatalf("seed %d: %v %d, not at least %d: %v", seed, o, best.Values[0], v, energy.Sentences(js, c))
			}
			v, c := beyond(t, energy.Weighted, js, o, known)
			if v > best.Values[0] {
				t.Fatalf("seed %d: %v %d, not at least %d: %v", seed, o, best.Values[0], v, energy.Sentences(js, c))
			}
			if v == 0 {
				continue
			}
			higher++
			if v == best.Values[0] {
				met++
			}
			for _, alter := range []func(){
				func() { c.Overloads[0].Have-- },
				func() { c.Overloads[0].Have += 2; c.Overloads[0].Need += 1 << 20 },
				func() { c.Overloads[0].Weights[0].Task += model.TaskID(len(js.Tasks)) },
				func() { c.Overloads[0].Weights[0].Weight = -1 },
			} {
				if alter(); true {
					if _, _, err := energy.Recheck(t.Context(), js, c); err == nil {
						t.Fatalf("seed %d: an overload is altered, and nobody notices", seed)
					}
				}
			}
		}
	}
	t.Logf("%d bounds are higher by weights, %d of them the optimum", higher, met)
	if higher == 0 {
		t.Error("no bound is higher: the test is too narrow")
	}
}

// Hard jobs that weighed tasks are an overload of have no plan, and some of which nothing else is known have such an overload.
func TestInfeasibleByWeightsAgainstExhaustiveSearch(t *testing.T) {
	found := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 300, 10000)) {
		js := rigidSet(seed)
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.Soft {
				job.Kind, job.Deadline = model.Hard, job.Deadline+4
			}
		}
		sh := energy.InfeasibleByWeights(t.Context(), js)
		if sh == nil {
			continue
		}
		if err := inference.Overload(js, query.HardDues(js), sh); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if best, err := oracle.SolveFor(js, nil, false); err != nil || best.Status != model.Infeasible {
			t.Fatalf("seed %d: %v, %v", seed, best.Status, err)
		}
		if energy.Infeasible(t.Context(), js) == nil {
			found++
		}
	}
	t.Logf("%d sets are infeasible by weights alone", found)
	if found == 0 {
		t.Error("no set is infeasible by weights alone: the test is too narrow")
	}
}

// Two of three tasks of 2 of 5 cores run at once, so that cores for half a task more stand idle.
func TestWeightedSaysWhy(t *testing.T) {
	js := mustLoad(t, `
version: 1
cluster: {heartbeat: 1, slaves: [{name: one, cores: 5, slots: 9}]}
jobs:
  - {name: a, stages: [{name: all, tasks: 6, cores: 2, wcet: 10}]}
  - {name: b, stages: [{name: all, tasks: 2, cores: 3, wcet: 10}]}
objective: [makespan]
`)
	known, _ := lower(t, js, model.Makespan)
	v, c := beyond(t, energy.Weighted, js, model.Makespan, known)
	want := "with weights of 8 tasks, what one can run at once in [0, 39) weighs less, tick by tick, than all that jobs a and b have to run"
	if known != 36 || v != 40 || !strings.Contains(strings.Join(energy.Sentences(js, c), "\n"), want) {
		t.Errorf("%d, by weights %d: %v", known, v, energy.Sentences(js, c))
	}
}

// Large sets of vectors take no more than what is given for a bound.
func BenchmarkWeighted(b *testing.B) {
	js, _, err := gen.Family("project-60", 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		energy.Weighted(b.Context(), js, model.Makespan, 0)
	}
}

// Of a slave that has less of everything than another its own amounts may be too many to be looked at, however long tasks are: nothing is
// said of it then.
func TestWeightedWhereASlaveHasTooManyAmounts(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Sets[uint64](10, 200)) {
		r := rand.New(rand.NewPCG(seed, 12))
		js := &model.JobSet{Heartbeat: 1, Named: []string{"memory"}, Objectives: []model.Objective{model.Makespan}, Slaves: []model.Slave{
			{Name: "a", Cores: 100, Slots: 100, Units: []int64{60_000}}, {Name: "b", Cores: 50, Slots: 100, Units: []int64{30_000}},
		}}
		length := model.Time(1) << (20 + r.IntN(10))
		for i := range 16 {
			needs := model.Needs{Cores: int64(3 + r.IntN(43))}
			needs.Units[0] = int64(1500 + r.IntN(2200))
			profile := model.NewProfile(model.ConstRow(2, length/2+model.Time(r.IntN(int(length/2)))), model.ConstRow(2, 0)).Needing(needs)
			js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		known, _ := lower(t, js, model.Makespan)
		beyond(t, energy.Weighted, js, model.Makespan, known) // is checked
	}
}

// What slaves can run at once is worked out anew by the checker, which takes longer than there may be time for: then it says nothing.
func TestRecheckOfWeightsHeedsTheContext(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 13))
	js := &model.JobSet{Heartbeat: 1, Objectives: []model.Objective{model.Makespan}, Slaves: []model.Slave{{Name: "a", Cores: 10_007, Slots: 10_007}}}
	var kinds []int64
	for range 40 {
		kinds = append(kinds, int64(2600+r.IntN(3400)))
	}
	for i := range 300 {
		profile := model.NewProfile(model.ConstRow(1, model.Time(1+r.IntN(100))), model.ConstRow(1, 0)).Needing(model.Needs{Cores: kinds[r.IntN(40)]})
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	known, _ := lower(t, js, model.Makespan)
	v, c := beyond(t, energy.Weighted, js, model.Makespan, known)
	ended, end := context.WithCancel(t.Context())
	end()
	if again, _, err := energy.Recheck(ended, js, c); v == 0 || again != 0 || err != nil {
		t.Errorf("a bound of %d, over %d, is one of %d when there is no time for it: %v", v, known, again, err)
	}
}
