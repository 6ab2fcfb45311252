package oracle_test

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

func solve(t *testing.T, seed uint64, js *model.JobSet, goal []model.Objective, relaxed bool) oracle.Answer {
	t.Helper()
	a, err := oracle.SolveFor(js, goal, relaxed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return a
}

// values of a schedule by the model's own arithmetic.
func values(js *model.JobSet, goal []model.Objective, s model.Schedule) []int64 {
	out := make([]int64, len(goal))
	for i, o := range goal {
		out[i] = js.Value(o, js.Finishes(s))
	}
	return out
}

// checkWitness fails unless the answer's schedule is valid and has the values
// that the answer claims.
func checkWitness(t *testing.T, seed uint64, js *model.JobSet, goal []model.Objective, relaxed bool, a oracle.Answer) {
	t.Helper()
	if err := check.Schedule(js, a.Schedule, relaxed).Err(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if got := values(js, goal, a.Schedule); !slices.Equal(got, a.Values) {
		t.Fatalf("seed %d: values %v claimed, the schedule has %v", seed, a.Values, got)
	}
}

func TestWitnessesAreValid(t *testing.T) { witnesses(t, gen.Tiny, testkit.Sets[uint64](600, 2000)) }

// TestWitnessesAreValidToday does so with containers, stage graphs and jobs after jobs.
func TestWitnessesAreValidToday(t *testing.T) {
	witnesses(t, gen.TodayTiny, testkit.Sets[uint64](300, 1000))
}

func witnesses(t *testing.T, draw func(seed uint64) *model.JobSet, sets uint64) {
	count := map[model.Status]int{}
	for seed := range sets {
		js := draw(seed)
		a := solve(t, seed, js, js.Goal(), false)
		count[a.Status]++
		if a.Status == model.Infeasible {
			goal := append([]model.Objective{model.HardMisses}, js.Goal()...)
			least := solve(t, seed, js, goal, true)
			checkWitness(t, seed, js, goal, true, least)
			if least.Values[0] == 0 {
				t.Fatalf("seed %d: infeasible, yet relaxed no hard job is late", seed)
			}
			continue
		}
		checkWitness(t, seed, js, js.Goal(), false, a)
	}
	for _, status := range []model.Status{model.Infeasible, model.Feasible, model.Optimal} {
		if count[status] < testkit.Sets(5, 20) {
			t.Errorf("only %d of %d sets are %v: the comparison shows little", count[status], sets, status)
		}
	}
}

// TestRulesOfTodayBind drops one rule at a time: no optimum gets worse, and several get
// better, so that the search heeds it and the sets that tests draw put it to work.
func TestRulesOfTodayBind(t *testing.T) {
	needing := func(js *model.JobSet, change func(*model.Needs)) {
		for i := range js.Jobs {
			for _, st := range js.Jobs[i].Stages {
				for k, g := range st.Groups {
					needs := g.Profile.Needs()
					change(&needs)
					st.Groups[k].Profile = g.Profile.Needing(needs)
				}
			}
		}
	}
	rules := map[string]func(js *model.JobSet){
		"C4 for cores": func(js *model.JobSet) { needing(js, func(n *model.Needs) { n.Cores = 1 }) },
		"C7": func(js *model.JobSet) {
			for i := range js.Jobs {
				for k := range js.Jobs[i].Stages {
					js.Jobs[i].Stages[k].After = []int32{}
				}
			}
		},
		"C9": func(js *model.JobSet) { needing(js, func(n *model.Needs) { n.Units = model.Needs{}.Units }) },
		"C10": func(js *model.JobSet) {
			for i := range js.Jobs {
				js.Jobs[i].After = nil
			}
		},
	}
	better := map[string]int{}
	for seed := range uint64(200) {
		goal := []model.Objective{model.HardMisses, model.WeightedTardiness, model.Makespan}
		with := solve(t, seed, gen.TodayTiny(seed), goal, true)
		for name, drop := range rules {
			js := gen.TodayTiny(seed)
			drop(js)
			if err := js.Assemble(); err != nil {
				t.Fatal(err)
			}
			without := solve(t, seed, js, goal, true)
			switch order := slices.Compare(without.Values, with.Values); {
			case order > 0:
				t.Fatalf("seed %d: %v, and %v without %s", seed, with.Values, without.Values, name)
			case order < 0:
				better[name]++
			}
		}
	}
	t.Logf("better without: %v", better)
	for name := range rules {
		if better[name] < 10 {
			t.Errorf("%d of 200 sets have a better optimum without %s", better[name], name)
		}
	}
}

// TestRefusals covers the limits that Solve states.
func TestRefusals(t *testing.T) {
	if _, err := oracle.Solve(gen.Small(1, oracle.MaxTasks+1)); err == nil {
		t.Error("a set of too many tasks was accepted")
	}
	js := gen.Tiny(1)
	if _, err := oracle.SolveFor(js, make([]model.Objective, oracle.MaxGoal+1), false); err == nil {
		t.Error("too many objectives were accepted")
	}
}

// one is a set on one slave, h = 2, with one core and two slots.
func one(jobs ...model.Job) *model.JobSet {
	js := &model.JobSet{
		Heartbeat: 2,
		Slaves:    []model.Slave{{Name: "s", Cores: 1, Slots: 2}},
		Jobs:      jobs,
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// job has one map task on the one slave.
func job(name string, kind model.JobKind, deadline, wcet, transfer model.Time) model.Job {
	profile := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, transfer))
	return model.Job{Name: name, Kind: kind, Deadline: deadline, Weight: 1,
		Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}}
}

// TestByHand has answers worked out on paper.
func TestByHand(t *testing.T) {
	mapReduce := job("mr", model.BestEffort, 0, 3, 0)
	reduce := job("r", model.BestEffort, 0, 1, 1).Stages[0]
	reduce.Slot = model.ReduceSlot
	mapReduce.Stages = append(mapReduce.Stages, reduce)
	late := one(job("a", model.BestEffort, 0, 2, 0))
	late.Slaves[0].FirstBeat = 1
	late.Slaves[0].Down = []model.Interval{{Start: 2, End: 4}}

	// The first job runs 0–3. If the second is handed out then, it is still held
	// when the slave goes away at 4; it must wait until 6. The third, with no
	// input to fetch, runs 6–9 while the second fetches, the second 9–12.
	gone := one(job("a", model.Hard, 12, 3, 0), job("b", model.Hard, 12, 3, 1), job("c", model.BestEffort, 0, 3, 0))
	gone.Slaves[0].Down = []model.Interval{{Start: 4, End: 6}}

	tests := map[string]struct {
		js   *model.JobSet
		goal model.Objective
		want int64 // -1: infeasible
	}{
		// Fetches 0–2 and 2–4, runs 2–5 and 5–8.
		"the second fetch hides behind the first run": {
			one(job("a", model.BestEffort, 0, 3, 2), job("b", model.BestEffort, 0, 3, 2)), model.Makespan, 8},
		// The map ends at 3, the reduce waits for the heartbeat at 4: fetch 4–5, run 5–6.
		"a stage waits for a heartbeat": {one(mapReduce), model.Makespan, 6},
		// a and b take both slots until 3 and 6; c is handed out at 4 at best, runs 6–9.
		"three tasks on two slots": {
			one(job("a", model.BestEffort, 0, 3, 0), job("b", model.BestEffort, 0, 3, 0), job("c", model.BestEffort, 0, 3, 0)),
			model.Makespan, 9},
		// One of the two must run second and ends at 6.
		"two hard jobs that clash": {
			one(job("a", model.Hard, 5, 3, 0), job("b", model.Hard, 5, 3, 0)), model.Misses, -1},
		"two soft jobs that clash": {
			one(job("a", model.Soft, 5, 3, 0), job("b", model.Soft, 5, 3, 0)), model.Tardiness, 1},
		// Heartbeats at 1, 3, 5; from 1 the task would hold its slot into the
		// absence [2, 4), at 3 the slave is away.
		"an absence":                       {late, model.Makespan, 7},
		"an absence in the way of a fetch": {gone, model.Makespan, 12},
	}
	for name, test := range tests {
		a := solve(t, 0, test.js, []model.Objective{test.goal}, false)
		switch {
		case test.want < 0 && a.Status != model.Infeasible:
			t.Errorf("%s: %v %v, want infeasible", name, a.Status, a.Values)
		case test.want >= 0 && (a.Status != model.Optimal || a.Values[0] != test.want):
			t.Errorf("%s: %v %v, want %d", name, a.Status, a.Values, test.want)
		}
	}
}
