package incumbent_test

import (
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
)

// While the late jobs of a plan are kept, those in time are to be so, bounds on what comes after count, and a plan with fewer of them waits, also one of a fork;
// then bounds are forgotten, and it is the best.
func TestKeep(t *testing.T) {
	js, _, err := gen.Family("misses", 1)
	if err != nil {
		t.Fatal(err)
	}
	goal := []model.Objective{model.Misses, model.Makespan}
	good, _ := lns.Search(t.Context(), js, lns.Options{Objectives: goal, Constructions: 200})
	bad := good
	for seed := uint64(1); js.Value(model.Misses, js.Finishes(bad)) <= js.Value(model.Misses, js.Finishes(good)); seed++ {
		if seed > 100 {
			t.Fatal("all plans are as good")
		}
		bad, _ = lns.Search(t.Context(), js, lns.Options{Objectives: []model.Objective{model.Makespan}, Constructions: 1, Seed: seed})
	}
	w := incumbent.New(js, goal, nil, nil, time.Now())
	w.Offer(bad)
	w.Begin(0)
	w.Keep(0)
	w.Begin(1)
	hard, late := 0, js.Finishes(bad)
	for i := range w.JS.Jobs {
		if w.JS.Jobs[i].Kind != js.Jobs[i].Kind {
			hard++
			if js.Jobs[i].Kind != model.Soft || js.Jobs[i].Late(late[i]) > 0 {
				t.Errorf("job %d is to be in time", i)
			}
		}
	}
	value, _ := w.Gap(1)
	f := w.Fork()
	w.Raise(1, value, model.DualProof)
	if !w.AfterOpen() || hard == 0 || !w.Over(1) {
		t.Errorf("after an open objective %t, %d jobs to be in time, over %t", w.AfterOpen(), hard, w.Over(1))
	}
	f.JS = js // in which no job is to be in time
	f.Offer(good)
	w.Join([]*incumbent.Incumbent{f})
	if now, _ := w.Gap(0); now != js.Value(model.Misses, late) {
		t.Errorf("a plan with fewer late jobs does not wait: %d", now)
	}
	w.Release()
	misses, _ := w.Gap(0)
	_, bound := w.Gap(1)
	if w.Err() != nil || w.AfterOpen() || w.JS != js || bound != 0 || misses != js.Value(model.Misses, js.Finishes(good)) {
		t.Errorf("%v: after an open objective %t, %d late jobs, then at least %d", w.Err(), w.AfterOpen(), misses, bound)
	}
}

// TestReleaseForgets: of three objectives, the second or the first two kept, what is proved after the first that is open is
// forgotten, and what was proved before is not.
func TestReleaseForgets(t *testing.T) {
	js, _, err := gen.Family("misses", 1)
	if err != nil {
		t.Fatal(err)
	}
	goal := []model.Objective{model.Misses, model.Tardiness, model.Makespan}
	plan, _ := lns.Search(t.Context(), js, lns.Options{Objectives: goal, Constructions: 1})
	for _, open := range []int{0, 1} {
		w := incumbent.New(js, goal, nil, nil, time.Now())
		w.Offer(plan)
		want := make([]int64, len(goal))
		for p := range goal {
			w.Begin(p)
			value, _ := w.Gap(p)
			if p <= open {
				want[p] = value
			}
			if p == open {
				want[p]--
			}
			w.Raise(p, max(value-1, want[p]), model.DualProof)
			if open <= p && p < len(goal)-1 {
				w.Keep(p)
			}
		}
		hard := w.JS != js
		w.Release()
		for p := range goal {
			if _, bound := w.Gap(p); bound != want[p] {
				t.Errorf("objective %d open: objective %d is at least %d after it, want %d", open, p, bound, want[p])
			}
		}
		if w.Err() != nil || w.AfterOpen() || w.JS != js || hard != (open == 0) {
			t.Errorf("objective %d open: %v, after an open objective %t, jobs to be in time before %t", open, w.Err(), w.AfterOpen(), hard)
		}
	}
}
