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
	"downbeat/model/gen"
)

var objectives = []model.Objective{model.Makespan, model.Tardiness}

// projectOf draws a project of so many tasks on one or two slaves, with absences, cores, slots, a resource, a pool of which there is more
// or less over time, and caps that may be short, releases, due times, stages of several tasks and jobs after jobs.
func projectOf(draw func(n int) int, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "project", Heartbeat: 1, Named: []string{"r"}, Objectives: []model.Objective{model.Tardiness}}
	for range 1 + draw(2) {
		js.Slaves = append(js.Slaves, model.Slave{
			Name: string(rune('a' + len(js.Slaves))), Cores: 2 + draw(3), Slots: 1 + draw(4), Units: []int64{int64(3 + draw(3))}, FirstBeat: model.Time(draw(3)),
			Down: absences(draw),
		})
	}
	if draw(2) == 0 {
		db := model.Pool{Name: "db", Levels: []model.Level{{Amount: int64(2 + draw(3))}}}
		if draw(2) == 0 {
			db.Levels = []model.Level{{Amount: int64(draw(4))}, {From: model.Time(1 + draw(4)), Amount: int64(draw(3))}, {From: model.Time(6 + draw(4)), Amount: int64(2 + draw(2))}}
		}
		js.Pools = []model.Pool{db}
	}
	for tasks > 0 {
		job := model.Job{Name: string(rune('a' + len(js.Jobs))), Release: model.Time(draw(4)), Kind: model.BestEffort}
		if draw(4) > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+draw(8)), 1
		}
		if len(js.Jobs) > 0 && draw(2) == 0 {
			job.After = []model.JobID{model.JobID(draw(len(js.Jobs)))}
		}
		count := min(tasks, 1+draw(2))
		tasks -= count
		wcet := make([]model.Time, len(js.Slaves))
		wcet[draw(len(wcet))] = model.Time(1 + draw(6))
		profile := model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))
		needs := model.Needs{Cores: int64(1 + draw(2))}
		needs.Units[0] = int64(draw(4))
		if len(js.Pools) > 0 && draw(2) == 0 {
			needs.TakePool(0, int64(1+draw(2)))
		}
		job.AtMost = int64(draw(2))
		job.Stages = []model.Stage{{Name: "all", Groups: []model.Group{{Count: count, Profile: profile.Needing(needs)}}}}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// absences draws none, or one or two.
func absences(draw func(n int) int) (down []model.Interval) {
	at := 0
	for range max(0, draw(4)-1) {
		from := at + draw(6)
		at = from + 1 + draw(4)
		down = append(down, model.Interval{Start: model.Time(from), End: model.Time(at)})
	}
	return down
}

// TestFindsTheOptimum holds the search against exhaustive search.
func TestFindsTheOptimum(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
		js := projectOf(rand.New(rand.NewPCG(seed, 1)).IntN, 6)
		for _, o := range objectives {
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			s := New(js, o, seed)
			for s.Work() < 100_000 && s.Best() != want.Values[0] {
				s.Run(context.Background(), 1000, func(plan model.Schedule) { mustBe(t, js, plan, o, s.Best()) })
			}
			if s.Best() != want.Values[0] {
				t.Errorf("seed %d: %v %d, %d is the optimum", seed, o, s.Best(), want.Values[0])
			}
		}
	}
}

// mustBe checks that a plan is valid and has the value that it is said to have.
func mustBe(t *testing.T, js *model.JobSet, plan model.Schedule, o model.Objective, value int64) {
	t.Helper()
	if err := check.Schedule(js, plan, false).Err(); err != nil {
		t.Fatal(err)
	}
	if got := js.Value(o, js.Finishes(plan)); got != value {
		t.Fatalf("%v %d, said to be %d", o, got, value)
	}
}

// TestListsAreLists: each list that is made, by chance, of two others, by justification or from a plan, has every task
// behind those that it waits for, its schedule is valid, and justification makes none longer.
func TestListsAreLists(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		js := projectOf(func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "choice") }, rapid.IntRange(2, 24).Draw(r, "tasks"))
		s := New(js, objectives[rapid.IntRange(0, 1).Draw(r, "objective")], rapid.Uint64().Draw(r, "seed"))
		s.kept = []*schedule{blank(len(js.Tasks)), blank(len(js.Tasks))}
		for _, k := range s.kept {
			s.random()
			s.forward(s.child)
			first := s.child.length
			s.justify(s.child)
			k.set(s.child)
			if k.length > first {
				r.Fatalf("%d, justified %d", first, k.length)
			}
		}
		s.cross(s.kept[0], s.kept[1])
		s.mutate()
		s.justify(s.child)
		plan := s.p.plan(s.child.start)
		s.Consider(plan)
		for _, a := range []*schedule{s.kept[0], s.kept[1], s.child, s.wanted[0]} {
			seen := make([]bool, len(js.Tasks))
			for _, v := range a.list {
				if slices.ContainsFunc(s.p.Before[v], func(u int32) bool { return !seen[u] }) || seen[v] {
					r.Fatalf("%v is no list", a.list)
				}
				seen[v] = true
			}
		}
		if err := check.Schedule(js, plan, false).Err(); err != nil {
			r.Fatal(err)
		}
	})
}

// TestSlicesMakeNoDifference: work in slices comes to the same as in one piece, from another plan on, too, and a search
// heeds its context.
func TestSlicesMakeNoDifference(t *testing.T) {
	js, start, err := gen.Family("project-60", 3)
	if err != nil {
		t.Fatal(err)
	}
	whole, slice := New(js, model.Makespan, 5), New(js, model.Makespan, 5)
	whole.Consider(start)
	slice.Consider(start)
	var plans [2]model.Schedule
	whole.Run(context.Background(), 300_000, func(plan model.Schedule) { plans[0] = plan })
	for slice.Work() < whole.Work() {
		slice.Run(context.Background(), 1, func(plan model.Schedule) { plans[1] = plan })
	}
	if !slices.Equal(plans[0], plans[1]) || whole.Work() != slice.Work() {
		t.Errorf("%d in one piece, %d in slices", whole.Best(), slice.Best())
	}
	mustBe(t, js, plans[0], model.Makespan, whole.Best())
	ctx := testkit.After(context.Background(), 3)
	whole.Run(ctx, 1<<60, func(model.Schedule) {})
	if ctx.Err() == nil {
		t.Error("it ended by itself")
	}
}

// BenchmarkPlacement measures what a placement takes, justification included.
func BenchmarkPlacement(b *testing.B) {
	js, _, err := gen.Family("project-60", 1)
	if err != nil {
		b.Fatal(err)
	}
	s := New(js, model.Makespan, 1)
	for b.Loop() {
		s.Run(context.Background(), 100_000, func(model.Schedule) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(s.work), "ns/placement")
}

// TestWordsTellOfAllResources: resources as fields of words, of few units and of many, are enough or not as each is by itself.
func TestWordsTellOfAllResources(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var all together
		capacity := make([]int64, rapid.IntRange(1, 12).Draw(r, "resources"))
		word, shift := make([]int, len(capacity)), make([]int, len(capacity))
		for k := range capacity {
			capacity[k] = rapid.Int64Range(1, 1<<rapid.IntRange(1, 62).Draw(r, "bits")).Draw(r, "capacity")
			word[k], shift[k] = all.add([]model.Level{{Amount: capacity[k]}})
		}
		all.overTime()
		f := profile{together: &all}
		f.clear()
		free := slices.Clone(capacity)
		for range 10 {
			var needs []uint64
			enough, units := true, make([]int64, len(free))
			for k := range free {
				units[k] = min(capacity[k], rapid.Int64Range(0, free[k]+1).Draw(r, "units"))
				enough = enough && units[k] <= free[k]
				needs = with(needs, word[k], uint64(units[k])<<shift[k])
			}
			if got := f.fits(0, needs); got != enough {
				r.Fatalf("%v of %v: %t", units, free, got)
			}
			if !enough {
				continue
			}
			if start, _ := f.earliest(0, 1, needs); start != 0 {
				r.Fatalf("%v of %v from %d on", units, free, start)
			}
			for k, n := range needs {
				f.free[k] -= n
			}
			for k, n := range units {
				free[k] -= n
			}
		}
	})
}

// TestUnderWay: plans of both searches leave to what runs already what it holds.
func TestUnderWay(t *testing.T) {
	plans := 0
	for seed := range testkit.Sets[uint64](40, 2000) {
		draw := rand.New(rand.NewPCG(seed, 2)).IntN
		for _, of := range []*model.JobSet{projectOf(draw, 10), separateOf(draw, 10)} {
			js, whole, places := testkit.UnderWay(of, draw)
			offer := func(plan model.Schedule) {
				if err := check.Schedule(whole, append(slices.Clone(plan), places...), false).Err(); err != nil {
					t.Fatal(seed, err)
				}
				plans++
			}
			if Treats(js, model.Makespan) {
				New(js, model.Makespan, seed).Run(context.Background(), 2000, offer)
			}
			if TreatsSeparate(js, model.Tardiness) {
				NewAnnealing(js, model.Tardiness, seed).Run(context.Background(), 2000, offer)
			}
		}
	}
	if plans == 0 {
		t.Error("no plans")
	}
}
