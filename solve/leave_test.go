package solve

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/longtest"
	"downbeat/model/oracle"
	"downbeat/model/verify"
)

// goneTiny is a tiny set in which some slaves go for good.
func goneTiny(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	js := gen.Tiny(seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range js.Slaves {
		if s := &js.Slaves[i]; rng.IntN(3) > 0 {
			s.Down = append(slices.Clone(s.Down), model.Interval{Start: model.Time(rng.IntN(14)), End: model.Never})
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// allChoices yields every set of jobs that can be left out.
func allChoices(js *model.JobSet, yield func(out []bool)) {
	confined := js.Confined()
	for set := range 1 << len(js.Jobs) {
		out, fine := make([]bool, len(js.Jobs)), true
		for i := range out {
			out[i] = set>>i&1 == 1
		}
		for i := range out {
			behind := slices.ContainsFunc(js.Jobs[i].After, func(k model.JobID) bool { return out[k] })
			fine = fine && (!behind || out[i]) && (!out[i] || behind || confined != nil && confined[i])
		}
		if fine {
			yield(out)
		}
	}
}

// leastLeaving is the least of what is minimised, by exhaustive search: hard misses where
// hard deadlines may be missed, the weight and the number of jobs left out, the objectives.
func leastLeaving(t *testing.T, js *model.JobSet, relaxed bool) (best []int64) {
	t.Helper()
	goal := js.Goal()
	if relaxed {
		goal = append([]model.Objective{model.HardMisses}, goal...)
	}
	allChoices(js, func(out []bool) {
		var in []model.JobID
		hard, weight, count := int64(0), int64(0), int64(0)
		for i := range out {
			switch job := &js.Jobs[i]; {
			case !out[i]:
				in = append(in, model.JobID(i))
				continue
			case job.Kind == model.Hard:
				hard++
			case job.Kind == model.Soft:
				weight += job.Weight
			}
			count++
		}
		if hard > 0 && !relaxed {
			return
		}
		values := make([]int64, len(goal))
		if len(in) > 0 {
			answer, err := oracle.SolveFor(js.Subset(in), goal, relaxed)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Status == model.Infeasible {
				return
			}
			values = slices.Clone(answer.Values)
		}
		var all []int64
		if relaxed {
			all, values = append(all, values[0]+hard), values[1:]
		}
		all = append(all, weight, count)
		for k, o := range js.Goal() {
			if o == model.Misses {
				values[k] += weight
			}
			all = append(all, values[k])
		}
		if best == nil || slices.Compare(all, best) < 0 {
			best = all
		}
	})
	return best
}

// valuesLeaving are those of an answer, in the same order.
func valuesLeaving(js *model.JobSet, r *Result, relaxed bool) []int64 {
	of := r.Objectives
	var all []int64
	if relaxed {
		hard := int64(0)
		if r.Relaxed {
			hard, of = of[0].Value, of[1:]
		}
		all = append(all, hard)
	}
	if len(r.LeftOut) == 0 {
		all = append(all, 0, 0)
	}
	for _, o := range of {
		all = append(all, o.Value)
	}
	return all
}

// TestLeftOutAgreesWithExhaustiveSearch: where slaves go for good, what is left out and the
// values of the rest are those of exhaustive search over all choices.
func TestLeftOutAgreesWithExhaustiveSearch(t *testing.T) {
	left := 0
	for seed := range longtest.Sets[uint64](300, 1500) {
		js := goneTiny(t, seed)
		want := leastLeaving(t, js, false)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1 + int(seed%2), NoConflict: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case want == nil && r.Status == model.Infeasible:
		case want == nil || r.Schedule == nil:
			t.Errorf("seed %d: %s, exhaustive search has %v", seed, r.Status, want)
		case !slices.Equal(valuesLeaving(js, r, false), want):
			t.Errorf("seed %d: %s with %v, exhaustive search has %v", seed, r.Status, valuesLeaving(js, r, false), want)
		case r.Status != model.Optimal && len(r.Objectives) > 0:
			t.Errorf("seed %d: %s", seed, r.Status)
		default:
			if err := verify.Schedule(js, r.Schedule, false).Err(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		left += len(r.LeftOut)
	}
	if left == 0 {
		t.Error("no job was left out")
	}
}

// TestCheckLeavesOut: soft jobs that can run nowhere do not break hard deadlines.
func TestCheckLeavesOut(t *testing.T) {
	for seed := range longtest.Sets[uint64](200, 800) {
		js := goneTiny(t, seed)
		want := model.Feasible
		if leastLeaving(t, js, false) == nil {
			want = model.Infeasible
		}
		v, err := Check(context.Background(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != want {
			t.Errorf("seed %d: %s, want %s", seed, v.Status, want)
		}
	}
}

// TestRelaxLeavesOut: the least bad plan leaves out as exhaustive search does.
func TestRelaxLeavesOut(t *testing.T) {
	for seed := range longtest.Sets[uint64](150, 600) {
		js := goneTiny(t, seed)
		want := leastLeaving(t, js, true)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, Relax: true, NoConflict: true, Budget: 20000})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Schedule == nil {
			t.Errorf("seed %d: no plan, exhaustive search has %v", seed, want)
			continue
		}
		got, closed := valuesLeaving(js, r, true), r.Status == model.Optimal
		if r.Relaxed { // what hard jobs are late by comes before the objectives
			got, want = got[:3], want[:3]
			closed = r.Objectives[0].Bound != nil && *r.Objectives[0].Bound == r.Objectives[0].Value && (len(r.LeftOut) == 0 || r.Objectives[2].Bound != nil && *r.Objectives[2].Bound == r.Objectives[2].Value)
		}
		if d := slices.Compare(got, want); d < 0 || d > 0 && closed {
			t.Errorf("seed %d: %s, closed %t, %v, exhaustive search has %v", seed, r.Status, closed, got, want)
		}
	}
}
