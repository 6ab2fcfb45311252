package encode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/encode"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// within asks for all jobs by end, or if end is 0 for the hard ones in time.
func within(js *model.JobSet, end model.Time) *query.Layout {
	limits := query.Limits{}
	if end > 0 {
		limits[model.Makespan] = int64(end)
	}
	l := query.NewLayout(query.Within(js, false, limits))
	l.PlaceTasks()
	return l
}

// oneCore assembles hard jobs of one task of 4 ticks, due at the times given, on
// one slave with one core.
func oneCore(t *testing.T, dues ...model.Time) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 3}}}
	for i, due := range dues {
		p := model.NewProfile(model.ConstRow(1, 4), model.ConstRow(1, 0))
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprint("j", i+1), Kind: model.Hard, Deadline: due,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestByHand: three tasks of 4 ticks on one slave in [0, 13), two of which end
// by 8: the third comes after them.
func TestByHand(t *testing.T) {
	l := within(oneCore(t, 8, 13, 8), 0)
	if !encode.TightenDisjunctive(l) {
		t.Fatal("refuted")
	}
	for id, want := range [][2]model.Time{{0, 4}, {8, 9}, {0, 4}} {
		p := &l.Places[id][0]
		if got := [2]model.Time{p.FirstStart(), p.LastStart}; got != want {
			t.Errorf("task %d starts in %v, want %v", id, got, want)
		}
	}
	if encode.TightenDisjunctive(within(oneCore(t, 8, 11, 8), 0)) {
		t.Error("12 ticks of work by 11 are not refuted")
	}
}

// TestCrowded: a slave with more than a hundred tasks is left alone, even if they
// do not fit.
func TestCrowded(t *testing.T) {
	dues := slices.Repeat([]model.Time{8}, 100)
	if encode.TightenDisjunctive(within(oneCore(t, dues...), 0)) {
		t.Error("100 tasks where two fit are not refuted")
	}
	if !encode.TightenDisjunctive(within(oneCore(t, append(dues, 8)...), 0)) {
		t.Error("101 tasks were looked at")
	}
}

// TestKeepsPlans: what is refuted has no plan, by a search that shares no code,
// and the plan that it finds keeps to the windows. Sets of hard jobs on slaves of
// one core to which many tasks are bound.
func TestKeepsPlans(t *testing.T) {
	refuted, narrowed := 0, 0
	for seed := range uint64(400) {
		k := gen.TinyKnobs()
		k.Slaves, k.Cores, k.SpareSlots = gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 0, Hi: 5}
		k.Barred, k.FIFO, k.Hard, k.Witness, k.Slack = 0.5, 0.1, 1, 1, gen.Range{Lo: -3, Hi: 0}
		k.Heartbeat = gen.Range{Lo: 1, Hi: 3}
		js, _ := gen.Random(k, seed)
		want, err := oracle.SolveFor(js, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		l, plain := within(js, 0), within(js, 0)
		if !encode.TightenDisjunctive(l) {
			refuted++
			if want.Status != model.Infeasible {
				t.Errorf("seed %d: refuted, exhaustive search says %s", seed, want.Status)
			}
			continue
		}
		for _, id := range l.Included {
			if l.Places[id][0] != plain.Places[id][0] {
				narrowed++
			}
		}
		if want.Status != model.Infeasible {
			checkInside(t, l, want.Schedule, seed)
		}
	}
	if refuted == 0 || narrowed < 100 {
		t.Errorf("%d refuted, %d windows narrower", refuted, narrowed)
	}
}

// checkInside holds the starts of a plan against the places. Where R = S − C loses
// nothing, a plan may still fetch earlier.
func checkInside(t *testing.T, l *query.Layout, plan model.Schedule, seed uint64) {
	t.Helper()
	for _, id := range l.Included {
		for k := range l.Places[id] {
			p := &l.Places[id][k]
			at := plan[id]
			early := at.Start < p.FirstStart() || !p.Tied && at.Fetch < p.FirstFetch
			if at.Slave == p.Slave && (early || at.Start > p.LastStart) {
				t.Errorf("seed %d: %s is outside its window", seed, l.JS.TaskName(id))
			}
		}
	}
}

// BenchmarkTighten narrows the windows of a job shop of 10 jobs on 10 slaves.
func BenchmarkTighten(b *testing.B) {
	js := jobShop(b, 10, 99)
	for b.Loop() {
		encode.TightenDisjunctive(within(js, 900))
	}
}

// jobShop is a random job shop: n jobs of n stages, one task on each of n slaves
// in an order of its own; WCETs are 1 to most.
func jobShop(b *testing.B, n int, most int64) *model.JobSet {
	rng := rand.New(rand.NewPCG(1, 0))
	js := &model.JobSet{Heartbeat: 1}
	for i := range n {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i+1), Cores: 1, Slots: n})
	}
	for i := range n {
		job := model.Job{Name: fmt.Sprint("j", i+1), Kind: model.BestEffort}
		for k, s := range rng.Perm(n) {
			wcet := make([]model.Time, n)
			wcet[s] = 1 + model.Time(rng.Int64N(most))
			p := model.NewProfile(model.DenseRow(wcet), model.ConstRow(n, 0))
			job.Stages = append(job.Stages, model.Stage{Name: fmt.Sprint("op", k+1), Groups: []model.Group{{Count: 1, Profile: p}}})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		b.Fatal(err)
	}
	return js
}
