package energy_test

import (
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/energy"
)

// Machines with one set-up server: no bound is above the optimum, and half of those that machines bound are it.
func TestIdleOfSetupServer(t *testing.T) {
	higher, met := 0, 0
	for seed := range testkit.Tiny(t, 12, 100) {
		js, _, err := gen.Family([]string{"setups-5x2", "setups-5x3", "setups-long-4x2"}[seed%3], seed)
		if err != nil {
			t.Fatal(err)
		}
		best, err := oracle.SolveFor(js, []model.Objective{model.Makespan}, false)
		if err != nil {
			t.Fatal(err)
		}
		known, _ := lower(t, js, model.Makespan)
		v, c := idleBound(t, js, model.Makespan, known)
		if v > best.Values[0] {
			t.Fatalf("seed %d: %d, not at least %d: %v", seed, best.Values[0], v, energy.Sentences(js, c))
		}
		if v == 0 {
			continue
		}
		higher++
		if v == best.Values[0] {
			met++
		}
		c.Overloads[0].Idle++
		if _, _, err := energy.Recheck(t.Context(), js, c); err == nil || !strings.Contains(err.Error(), "idle") {
			t.Fatalf("seed %d: a tick more is idle, and nobody notices: %v", seed, err)
		}
	}
	t.Logf("%d bounds higher for what is idle, %d of them met", higher, met)
	if higher == 0 {
		t.Error("no bound is higher: the test is too narrow")
	}
}

// Hard jobs of a set-up server that what is idle is an overload of have no plan, be there a job beside them, and of some of them nothing else is known.
func TestInfeasibleByIdleAgainstExhaustiveSearch(t *testing.T) {
	found := 0
	for seed := range testkit.Tiny(t, 120, 2000) {
		js, _, err := gen.Family([]string{"setups-5x2", "setups-5x3", "setups-long-4x2"}[seed%3], seed)
		if err != nil {
			t.Fatal(err)
		}
		hard := js.Jobs[seed%2:]
		best, err := oracle.SolveFor(js.Subset(hardOnes(len(js.Jobs), int(seed%2))), []model.Objective{model.Makespan}, false)
		if err != nil {
			t.Fatal(err)
		}
		for by := best.Values[0] - 2; by <= best.Values[0]; by++ {
			for i := range hard {
				hard[i].Kind, hard[i].Deadline = model.Hard, model.Time(by)
			}
			if err := js.Assemble(); err != nil {
				t.Fatal(err)
			}
			sh := energy.InfeasibleByIdle(t.Context(), js)
			if sh == nil {
				continue
			}
			if err := inference.Overload(js, query.HardDues(js), sh); err != nil || by == best.Values[0] {
				t.Fatalf("seed %d, all done by %d, due at %d: %v", seed, best.Values[0], by, err)
			}
			if energy.Infeasible(t.Context(), js) == nil {
				found++
			}
		}
	}
	t.Logf("%d sets are infeasible by what is idle alone", found)
	if found == 0 {
		t.Error("no set is infeasible by what is idle alone: the test is too narrow")
	}
}

// hardOnes are all n jobs from one on.
func hardOnes(n, from int) (jobs []model.JobID) {
	for i := from; i < n; i++ {
		jobs = append(jobs, model.JobID(i))
	}
	return jobs
}

// The sum of the shortest set-ups is idle: 1 before the second of three machines begins, 1 + 2 before the third. With
// them three jobs of 10 need 10 + 10 + 3 + 4 on 3 machines.
func TestIdleSaysWhy(t *testing.T) {
	js := mustLoad(t, `
version: 1
cluster: {heartbeat: 1, slaves: [{name: one, cores: 3, slots: 3}]}
jobs:
  - {name: a, stages: [{name: all, tasks: 3, wcet: 10, transfer: 2}]}
  - {name: b, stages: [{name: all, tasks: 3, wcet: 10, transfer: 2}]}
objective: [makespan]
`)
	known, _ := lower(t, js, model.Makespan)
	v, c := idleBound(t, js, model.Makespan, known)
	want := "jobs a and b need 72 slot-ticks on one in [0, 25); there are 75, of which 6 slot-ticks are idle until the first inputs are there"
	if got := c.Overloads[0].Sentence(js, clock.Clock{}); known != 24 || v != 26 || got != want {
		t.Errorf("%d, then %d:\n got %s\nwant %s", known, v, got, want)
	}
}
