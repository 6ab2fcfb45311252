package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

var goals = []model.Objective{model.Misses, model.HardMisses, model.WeightedTardiness, model.Tardiness, model.Makespan}

// contended is a set of all that is treated, with jobs of each kind, and deadlines that not all of them can meet.
func contended(seed uint64, tasks gen.Range) *model.JobSet {
	k := gen.TinyKnobs()
	k.Tasks, k.FirstStage = tasks, gen.Range{Lo: 1, Hi: 4}
	k.FIFO, k.Down, k.SplitSlots, k.Concurrent = 0.2, 0.3, 0.3, 0.2
	k.Hard, k.BestEffort, k.Weight = 0.2, 0.1, gen.Range{Lo: 1, Hi: 3}
	k.Witness, k.Tightness = 0, gen.Range{Lo: 100, Hi: 250}
	if seed%2 == 1 { // tasks of several cores, and of resources by name
		k.Cores = gen.Range{Lo: 1, Hi: 4}
		k.Today = gen.Today{Named: gen.Range{Lo: 0, Hi: 2}, Offer: gen.Range{Lo: 2, Hi: 6}, Needy: 0.6, Units: gen.Range{Lo: 0, Hi: 4}, Multicore: 0.5, Graph: 0.3}
	}
	js, _ := gen.Random(k, seed)
	if seed%3 > 0 {
		return tied(js, seed)
	}
	return js
}

// tied is a set of the same jobs with gangs, stages that are apart, and jobs that come after others, fewer and fewer until it is one that has a plan.
func tied(js *model.JobSet, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 0))
	for part := 2; part < 40; part++ {
		out := *js
		out.Tasks, out.Jobs = nil, slices.Clone(js.Jobs)
		for i := range out.Jobs {
			job := &out.Jobs[i]
			job.Stages = slices.Clone(job.Stages)
			for k := range job.Stages {
				job.Stages[k].Gang, job.Stages[k].Apart = rng.IntN(part) == 0, rng.IntN(part) == 0
			}
			if seed%3 == 1 && i > 0 && rng.IntN(2) == 0 {
				job.After = []model.JobID{model.JobID(rng.IntN(i))}
			}
			if seed%3 == 1 && job.Kind == model.Soft {
				job.Deadline = (job.Deadline + 1) / 2
			}
		}
		if out.Assemble() == nil {
			return &out
		}
	}
	return js
}

func first(js *model.JobSet) model.Schedule {
	return heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
}

// fatal is what tests and rapid have in common.
type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// offered checks plans that are offered: each is valid, and has as many late jobs as it is said to have, or fewer by luck.
func offered(t fatal, js *model.JobSet, o model.Objective, s *Search, plans *int) func(model.Schedule) {
	last := s.Best()
	hard := o == model.Misses && s.cost == 0 || s.ofLateness()
	return func(plan model.Schedule) {
		t.Helper()
		if err := check.Schedule(js, plan, true).Err(); err != nil || !plan.Complete() {
			t.Fatalf("%s, %v: %v", js.Name, o, err)
		}
		finishes := js.Finishes(plan)
		if value := js.Value(o, finishes); value > s.Best() || s.Best() >= last || hard && js.Value(model.HardMisses, finishes) > 0 {
			t.Fatalf("%s, %v: %d after %d, %d claimed", js.Name, o, value, last, s.Best())
		}
		last = s.Best()
		*plans++
	}
}

// TestRunIsValidAndHonest checks every plan that is offered.
func TestRunIsValidAndHonest(t *testing.T) {
	plans, treated := 0, 0
	for seed := range testkit.Sets[uint64](110, 2000) {
		js := contended(seed, gen.Range{Lo: 8, Hi: 40})
		for _, o := range goals {
			if !Treats(js, []model.Objective{o}) {
				continue
			}
			treated++
			s := New(js, o, seed)
			s.Consider(first(js))
			s.Run(context.Background(), 30_000, offered(t, js, o, s, &plans))
		}
	}
	if plans == 0 || treated < 20 {
		t.Errorf("%d plans of %d sets", plans, treated)
	}
}

// TestFindsTheOptimum holds it against exhaustive search: queues in which each task waits for those in front of it are not all
// plans that there are, but most sets have a best plan of that kind, 44 of 58 of those with late jobs.
func TestFindsTheOptimum(t *testing.T) {
	for _, o := range []model.Objective{model.Misses, model.WeightedTardiness, model.Tardiness, model.Makespan} {
		found, sets := 0, 0
		for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
			js := contended(seed, gen.Range{Lo: 3, Hi: 6})
			if !Treats(js, []model.Objective{o}) {
				continue
			}
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil || want.Schedule == nil || want.Values[0] == 0 {
				continue
			}
			sets++
			s, plans := New(js, o, seed), 0
			s.Consider(first(js))
			for s.Work() < 200_000 && s.Best() > want.Values[0] {
				before := s.Work()
				if s.Run(context.Background(), 1000, offered(t, js, o, s, &plans)); s.Work() == before {
					break
				}
			}
			switch {
			case s.Best() < want.Values[0] && js.Value(model.HardMisses, js.Finishes(first(js))) == 0:
				t.Errorf("seed %d, %v: %d, %d is the optimum", seed, o, s.Best(), want.Values[0])
			case s.Best() <= want.Values[0]:
				found++
			}
		}
		if t.Logf("%v: %d of %d", o, found, sets); 10*found < 6*sets {
			t.Errorf("%v: %d of %d", o, found, sets)
		}
	}
}

// TestMovesAreWhatQueuesCost: after any number of moves queues are what they would be if they were laid out anew, and each task that
// is not out is on one of them.
func TestMovesAreWhatQueuesCost(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		js := contended(rapid.Uint64Range(0, 1<<20).Draw(r, "set"), gen.Range{Lo: 4, Hi: 40})
		o := goals[rapid.IntRange(0, len(goals)-1).Draw(r, "objective")]
		if !Treats(js, []model.Objective{o}) {
			return
		}
		s, plans := New(js, o, rapid.Uint64().Draw(r, "seed")), 0
		s.Consider(first(js))
		s.Run(context.Background(), rapid.Int64Range(1, 3000).Draw(r, "work"), offered(r, js, o, s, &plans))
		cost, on := s.cost, slices.Clone(s.on)
		var starts [][]int32
		for k := range s.queues {
			q := &s.queues[k]
			starts = append(starts, slices.Clone(q.start[:len(q.list)]))
		}
		s.evaluate()
		for k := range s.queues {
			if q := &s.queues[k]; !slices.Equal(starts[k], q.start[:len(q.list)]) {
				r.Fatalf("slave %d: starts %v, anew %v", k, starts[k], q.start[:len(q.list)])
			}
		}
		if s.cost != cost || !slices.Equal(s.on, on) {
			r.Fatalf("cost %d, anew %d", cost, s.cost)
		}
		for t := range js.Tasks {
			job := js.Tasks[t].Job
			out := s.out[job] && (!s.try.on || job != s.try.job) || s.try.on && slices.Contains(s.try.gone, job)
			if out != (s.on[t] < 0) {
				r.Fatalf("task %d of job %d on %d", t, job, s.on[t])
			}
		}
		for k := range s.p.stages {
			st := &s.p.stages[k]
			if st.last && st.due > st.most {
				r.Fatalf("stage %d, the last of a job, is due at %d, and is to be by %d", k, st.due, st.most)
			}
			ready := st.ready
			if s.p.wait(int32(k)); st.ready != ready {
				r.Fatalf("stage %d is ready at %d, all before it are due by %d", k, ready, st.ready)
			}
		}
		if s.goBack(); s.cost != s.base.cost && s.ofLateness() {
			r.Fatalf("back at what cost %d it costs %d", s.base.cost, s.cost)
		}
	})
}

// TestInSlices: work in slices comes to the same as in one piece, and it heeds its context.
func TestInSlices(t *testing.T) {
	js := gen.Scale(300, 1)
	whole, slice := New(js, model.Misses, 5), New(js, model.Misses, 5)
	whole.Consider(first(js))
	slice.Consider(first(js))
	whole.Run(context.Background(), 300_000, func(model.Schedule) {})
	for slice.Work() < whole.Work() {
		slice.Run(context.Background(), 1, func(model.Schedule) {})
	}
	if whole.Best() != slice.Best() || whole.Work() != slice.Work() || whole.cost != slice.cost {
		t.Errorf("%d in one piece, %d in slices", whole.Best(), slice.Best())
	}
	ctx := testkit.After(context.Background(), 3)
	whole.Run(ctx, 1<<60, func(model.Schedule) {})
	if ctx.Err() == nil {
		t.Error("it ended by itself")
	}
}

// TestBeginsAnew: where lateness is summed of few tasks a search that has come to nothing for long is back at the first plan, keeps the value of
// the best one, and goes on from plans alone; one of more tasks, or of other goals, stays where it is.
func TestBeginsAnew(t *testing.T) {
	for _, c := range []struct {
		tasks int
		goal  model.Objective
		anew  bool
	}{{60, model.WeightedTardiness, true}, {60, model.Tardiness, false}, {120, model.WeightedTardiness, false}} {
		js, _, err := gen.Family(fmt.Sprintf("weighted-tardiness-%d", c.tasks), 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range js.Jobs { // the first plan is to be one
			js.Jobs[i].Kind = model.Soft
		}
		s := New(js, c.goal, 1)
		s.Consider(first(js))
		begun := s.base.cost
		s.Run(context.Background(), 1_000_000, func(model.Schedule) {})
		best := s.best
		if best == 0 || s.base.cost >= begun {
			t.Fatalf("%d tasks, %v: %d left, %d after %d: nothing to be told", c.tasks, c.goal, best, s.base.cost, begun)
		}
		s.try.on, s.reached = false, min(s.reached, s.base.cost)
		s.since = s.work - patience
		s.beginLate()
		if anew := s.base.cost == begun && s.plansAlone; anew != c.anew || s.best != best {
			t.Errorf("%d tasks, %v: begun anew %v, best %d after %d", c.tasks, c.goal, anew, s.best, best)
		}
		changes := 0
		for n := 0; c.anew && n < 200; n++ {
			before := s.base.cost
			s.beginLate()
			s.cool(hottest, 300)
			for s.try.on {
				s.Run(context.Background(), 1, func(model.Schedule) {})
			}
			if s.base.cost == before {
				continue
			}
			changes++
			s.goBack()
			if s.adapt(false); s.cost != s.paid() {
				t.Fatalf("goes on from what costs %d, where jobs pay %d", s.cost, s.paid())
			}
			s.goBack()
		}
		if c.anew && changes < 5 {
			t.Errorf("%d changes", changes)
		}
	}
}

// TestTreats: what ties tasks to each other in other ways, and what slaves are short of otherwise, is left to others.
func TestTreats(t *testing.T) {
	js := gen.Scale(100, 1)
	load := func(job string) *model.JobSet {
		js, err := jobfile.Load("a.yaml", []byte("{version: 1, cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 1}]}, jobs: [{name: a, deadline: 9, "+job+"}]}"))
		if err != nil {
			t.Fatal(err)
		}
		return js
	}
	together, linked := load("map: {tasks: 2, wcet: 1, gang: true, apart: true}"), load("map: {tasks: 1, wcet: 1}}, {name: b, after: a, deadline: 9, map: {tasks: 1, wcet: 1}")
	unlike := load("map: {tasks: [{count: 1, wcet: 1}, {count: 1, wcet: {s-1: 1}}], apart: true}")
	for _, c := range []struct {
		js   *model.JobSet
		goal []model.Objective
		want bool
	}{
		{js, []model.Objective{model.Misses}, true},
		{js, []model.Objective{model.HardMisses}, true},
		{js, []model.Objective{model.HardMisses, model.Misses}, false},
		{js, []model.Objective{model.Tardiness}, true},
		{js, []model.Objective{model.WeightedTardiness}, true},
		{js, []model.Objective{model.HardTardiness}, false},
		{js, []model.Objective{model.Makespan}, true},
		{gen.ScaleToday(100, 1), []model.Objective{model.Misses}, true},
		{gen.ScaleShared(400, 1, false), []model.Objective{model.Misses}, false},
		{together, []model.Objective{model.Misses}, true},
		{linked, []model.Objective{model.Misses}, false},
		{linked, []model.Objective{model.Tardiness}, true},
		{unlike, []model.Objective{model.Misses}, false},
	} {
		if got := Treats(c.js, c.goal); got != c.want {
			t.Errorf("%s, %v: %v", c.js.Name, c.goal, got)
		}
	}
}

// TestJobsBeforeOthers: what has no due time of its own, and a job after it that has, go in front of one that can wait.
func TestJobsBeforeOthers(t *testing.T) {
	js, err := jobfile.Load("linked.yaml", []byte(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1}]}
jobs:
  - {name: before, map: {tasks: 1, wcet: 2}}
  - {name: next, after: before, deadline: 4, map: {tasks: 1, wcet: 2}}
  - {name: last, after: next, deadline: 30, map: {tasks: 1, wcet: 2}}
  - {name: other, deadline: 30, map: {tasks: 1, wcet: 6}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan := model.Schedule{}
	for _, start := range []model.Time{6, 8, 10, 0} {
		plan = append(plan, model.Placement{Beat: start, Fetch: start, Start: start})
	}
	for _, o := range []model.Objective{model.Tardiness, model.WeightedTardiness} {
		s, plans := New(js, o, 1), 0
		s.Consider(plan)
		if s.Run(context.Background(), 10_000, offered(t, js, o, s, &plans)); s.Best() > 0 {
			t.Errorf("%v: %d", o, s.Best())
		}
	}
}

// TestFineTicks: moves and temperatures are in ticks where tasks run for a few of them, and in what a 16th of such a run is where ticks are as fine as milliseconds.
func TestFineTicks(t *testing.T) {
	for _, c := range []struct {
		run   model.Time
		grain int32
	}{{1, 1}, {5, 1}, {31, 1}, {32, 2}, {8000, 500}} {
		js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
		for range 3 {
			p := model.NewProfile(model.ConstRow(1, c.run), model.ConstRow(1, 0))
			js.Jobs = append(js.Jobs, model.Job{Kind: model.Soft, Weight: 1, Deadline: c.run, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		s := New(js, model.WeightedTardiness, 1)
		s.Consider(first(js))
		if s.beginLate(); s.p.grain != c.grain || s.try.heat != hottest*float64(c.grain) {
			t.Errorf("tasks of %d: a grain of %d, not %d, and a temperature of %v", c.run, s.p.grain, c.grain, s.try.heat)
		}
	}
}

// TestPacksClosely: sets whose last late jobs fit in only where hardly a core is idle, from plans of lists, and a fixed number of tasks laid out.
func TestPacksClosely(t *testing.T) {
	sum := int64(0)
	for seed := uint64(1); seed <= 3; seed++ {
		js := gen.Scale(400, seed)
		s := New(js, model.Misses, seed)
		s.Consider(first(js))
		s.Run(context.Background(), 6_000_000, func(model.Schedule) {})
		sum += s.Best()
	}
	if sum > 9 { // 10 with the settings of few tasks
		t.Errorf("%d late jobs together", sum)
	}
}

// TestUnderWay: plans leave to what runs already what it holds.
func TestUnderWay(t *testing.T) {
	plans, treated := 0, 0
	for seed := range testkit.Sets[uint64](40, 2000) {
		js, whole, places := testkit.UnderWay(contended(seed, gen.Range{Lo: 8, Hi: 30}), rand.New(rand.NewPCG(seed, 1)).IntN)
		for _, o := range goals {
			if len(places) == 0 || !Treats(js, []model.Objective{o}) {
				continue
			}
			treated++
			s := New(js, o, seed)
			s.Consider(first(js))
			honest := offered(t, js, o, s, &plans)
			s.Run(context.Background(), 10_000, func(plan model.Schedule) {
				honest(plan)
				if err := check.Schedule(whole, append(slices.Clone(plan), places...), true).Err(); err != nil {
					t.Fatalf("%s, %v: %v", js.Name, o, err)
				}
			})
		}
	}
	if plans == 0 || treated < 20 {
		t.Errorf("%d plans of %d sets", plans, treated)
	}
}

// TestUnits: amounts count in units of which all tasks take whole ones, and a slave with too many of these is left to others.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		needs  []int64
		treats bool
		// unit is of memory.
		unit, makespan int64
	}{{[]int64{16_000, 24_000}, true, 8_000, 8}, {[]int64{16_000, 24_001}, false, 1, 0}, {[]int64{0, 0}, true, unwanted, 4}} {
		js := &model.JobSet{Heartbeat: 1, Named: []string{"memory"}, Slaves: []model.Slave{{Name: "s", Cores: 2, Slots: 2, Units: []int64{36_000}}}}
		for _, memory := range c.needs {
			needs := model.Needs{Cores: 1}
			needs.Units[0] = memory
			p := model.NewProfile(model.ConstRow(1, 4), model.ConstRow(1, 0)).Needing(needs)
			js.Jobs = append(js.Jobs, model.Job{Kind: model.BestEffort, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if got := Treats(js, []model.Objective{model.Makespan}); got != c.treats {
			t.Errorf("%v: treated %v", c.needs, got)
		}
		if got := unitsOf(js)[model.FirstNamed]; got != c.unit {
			t.Errorf("%v: units of %d, not %d", c.needs, got, c.unit)
		}
		if !c.treats {
			continue
		}
		s := New(js, model.Makespan, 1)
		s.Consider(first(js))
		if s.Run(context.Background(), 1000, func(model.Schedule) {}); s.queues[0].width() != 2+1+2+int(36_000/c.unit) || s.Best() != c.makespan {
			t.Errorf("%d free times, a makespan of %d", s.queues[0].width(), s.Best())
		}
	}
}
