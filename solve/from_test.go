package solve

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

func mustPlan(t *testing.T, js *model.JobSet, opt Options) *Result {
	t.Helper()
	r, err := Plan(context.Background(), js, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkKept: all tasks are told of, and what is said to be as it was, is.
func checkKept(t *testing.T, js *model.JobSet, from model.Schedule, r *Result) {
	t.Helper()
	k := r.Kept
	if k.Kept+k.Moved+k.New != len(js.Tasks) || k.Kept < 0 || k.Moved < 0 {
		t.Errorf("%s: %d tasks, %+v", js.Name, len(js.Tasks), k)
	}
	unchanged, added := 0, 0
	for i := range from {
		if from[i].Slave == model.NoSlave {
			added++
		}
		if r.Schedule != nil && r.Schedule[i] == from[i] {
			unchanged++
		}
	}
	if k.New != added || k.Unchanged != unchanged {
		t.Errorf("%s: %d new and %d unchanged, told are %+v", js.Name, added, unchanged, k)
	}
}

// From the plan that a search ended with, nothing moves unless that gains.
func TestFromAPlanOfTheSameSet(t *testing.T) {
	testkit.OneGoroutine(t)
	compared := 0
	for seed := range testkit.Sets[uint64](60, 120) {
		js := gen.Tiny(seed)
		first := mustPlan(t, js, Options{Seed: 1, Workers: 1})
		if first.Schedule == nil {
			continue
		}
		r := mustPlan(t, js, Options{Seed: 2, Workers: 1, From: first.Schedule})
		checkKept(t, js, first.Schedule, r)
		if r.Kept.Kept != len(js.Tasks) || r.Kept.HardLate > 0 || !slices.Equal(r.Schedule, first.Schedule) {
			t.Errorf("seed %d: %+v, %s from %s", seed, r.Kept, r.Status, first.Status)
		}
		compared++
	}
	js, _, err := gen.Family("misses-medium", 0)
	if err != nil {
		t.Fatal(err)
	}
	rough := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	r := mustPlan(t, js, Options{From: heuristics.Tidy(t.Context(), js, rough), TimeLimit: time.Nanosecond, Relax: true})
	if r.Kept.Kept != len(js.Tasks) || r.Kept.Unchanged != len(js.Tasks) {
		t.Errorf("%s without time: %+v", js.Name, r.Kept)
	}
	if compared < testkit.Sets(25, 50) {
		t.Errorf("only %d sets were compared", compared)
	}
}

// worse makes a plan one of an earlier form of its job set, or of another
// cluster: tasks are missing, or elsewhere, or at other times.
func worse(js *model.JobSet, plan model.Schedule, rng *rand.Rand) model.Schedule {
	out := slices.Clone(plan)
	share := 1 + rng.IntN(4)
	for t := range out {
		if rng.IntN(6) >= share {
			continue
		}
		switch p := &out[t]; rng.IntN(5) {
		case 0:
			p.Slave = model.NoSlave
		case 1:
			p.Slave = model.SlaveID(rng.IntN(len(js.Slaves) + 1))
		case 2:
			p.Start += model.Time(rng.IntN(7) - 3)
		case 3:
			p.Beat += model.Time(rng.IntN(5) - 2)
		case 4:
			*p = out[rng.IntN(len(out))]
		}
	}
	return out
}

// From any damaged plan, whatever the time, the answer is valid and no worse
// than the repaired plan; with all the time there is, it is as good as any.
func TestFromADamagedPlan(t *testing.T) {
	testkit.OneGoroutine(t)
	repaired := 0
	for seed := range testkit.Sets[uint64](50, 150) {
		rng := rand.New(rand.NewPCG(seed, 8))
		js := gen.Tiny(seed)
		best := mustPlan(t, js, Options{Seed: 1, Workers: 1, Relax: true, NoConflict: true})
		from := worse(js, best.Schedule, rng)
		for _, opt := range []Options{
			{From: from, Workers: 1, TimeLimit: time.Nanosecond, Relax: true, NoConflict: true},
			{From: from, Workers: 1, TimeLimit: time.Nanosecond},
			{From: from, Workers: 1, Relax: true, NoConflict: true},
		} {
			r := mustPlan(t, js, opt)
			checkKept(t, js, from, r)
			if r.Schedule == nil {
				if opt.Relax || r.Kept.HardLate == 0 && r.Status != model.Infeasible {
					t.Fatalf("seed %d: no plan, %+v", seed, r.Kept)
				}
				continue
			}
			if err := check.Schedule(js, r.Schedule, r.Relaxed).Err(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if noWorse(js, r, r.Kept) {
				repaired++
			} else {
				t.Errorf("seed %d: %v from %d hard jobs late and %v", seed, r.Objectives, r.Kept.HardLate, r.Kept.Objectives)
			}
			if opt.TimeLimit == 0 && !slices.EqualFunc(r.Objectives, best.Objectives, func(a, b model.ObjectiveValue) bool { return a.Value == b.Value }) {
				t.Errorf("seed %d: %v, without a plan to start from %v", seed, r.Objectives, best.Objectives)
			}
		}
	}
	if repaired < testkit.Sets(100, 300) {
		t.Errorf("only %d answers were compared", repaired)
	}
}

// noWorse compares an answer with the repaired plan.
func noWorse(js *model.JobSet, r *Result, k *Kept) bool {
	finishes := js.Finishes(r.Schedule)
	values := []int64{js.Value(model.HardMisses, finishes)}
	start := []int64{int64(k.HardLate)}
	for p, o := range js.Goal() {
		values = append(values, js.Value(o, finishes))
		start = append(start, k.Objectives[p].Value)
	}
	return slices.Compare(values, start) <= 0
}

// A plan in fine ticks is rounded where the search works in coarse ones, and
// what was off a tick has then moved.
func TestFromInFineTicks(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range testkit.Sets[uint64](20, 40) {
		fine := gen.Tiny(seed)
		coarse := scaled(t, fine, 1000)
		first := mustPlan(t, coarse, Options{Workers: 1})
		if first.Schedule == nil {
			continue
		}
		r := mustPlan(t, coarse, Options{Workers: 1, From: first.Schedule})
		if checkKept(t, coarse, first.Schedule, r); r.Kept.Unchanged != len(coarse.Tasks) {
			t.Errorf("seed %d: %+v", seed, r.Kept)
		}
		off := slices.Clone(first.Schedule)
		for i := range off {
			off[i].Start++
		}
		r = mustPlan(t, coarse, Options{Workers: 1, From: off})
		if checkKept(t, coarse, off, r); r.Kept.Unchanged > 0 || r.Status != first.Status {
			t.Errorf("seed %d, off the ticks: %s, %+v", seed, r.Status, r.Kept)
		}
	}
}

// A schedule of another length is of another set altogether.
func TestFromOfAnotherLength(t *testing.T) {
	js := gen.Tiny(1)
	if _, err := Plan(context.Background(), js, Options{From: model.NewSchedule(len(js.Tasks) + 1)}); err == nil {
		t.Error("no error")
	}
}

// Where heartbeats come many to a common tick and a slave is gone for good, what a plan to start from has no place for is known to have none
// in coarse ticks too: it waits for the slave in either.
func TestFromOfWhatCanRunNowhere(t *testing.T) {
	js, err := jobfile.Load("apart.yaml", []byte(`version: 1
cluster:
  heartbeat: 1
  slaves: [{name: a, cores: 2, slots: 2}, {name: b, count: 2, cores: 2, slots: 1}]
jobs: [{name: j, stages: [{name: s, after: [], apart: true, tasks: [{count: 3, wcet: {default: 4}}]}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if js, err = change.Apply(js, []model.Change{{Kind: model.ChangeWithout, Name: "b-1"}}); err != nil {
		t.Fatal(err)
	}
	from := model.Schedule{{Slave: 0}, {Slave: 2}, {Slave: 1}}
	r, err := Plan(t.Context(), js, Options{Workers: 1, From: from, Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.LeftOut) != 1 {
		t.Errorf("%s, %v left out", r.Status, r.LeftOut)
	}
}
