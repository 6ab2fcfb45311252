package solve

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/lagrange"
)

// Hard jobs that prices refute clash: the conflict is shrunk by prices as well,
// says so, and what is left when any one of its jobs goes has a plan.
func TestConflictByPrices(t *testing.T) {
	js, _, err := gen.Family("squeezed-40", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(js, nil, Options{Seed: 1, Workers: 1}, time.Now())
	if s.priced = s.refutedByPrices(context.Background(), query.HardJobs(s.js), lagrange.Effort{}, nil); s.priced == nil {
		t.Fatal("not refuted")
	}
	c, err := s.explain(context.Background(), model.BoundProof)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Irreducible || c.Proof == model.BoundProof && len(c.Shortages) == 0 && c.Prices == nil {
		t.Errorf("conflict %+v", c)
	}
	if r := mustPlan(t, js.Subset(c.Jobs), Options{Seed: 2, NoConflict: true}); r.Status != model.Infeasible {
		t.Errorf("the conflict by itself is %s", r.Status)
	}
	t.Logf("%d of %d jobs, %s, prices %t", len(c.Jobs), len(js.Jobs), c.Proof, c.Prices != nil)
}

// optimumOf is the answer for one objective, nil if there is none.
func optimumOf(t *testing.T, js *model.JobSet, o model.Objective) *Result {
	t.Helper()
	opt := Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}, NoConflict: true}
	if o == model.HardMisses {
		opt.Objectives, opt.Relax = []model.Objective{}, true
	}
	r := mustPlan(t, js, opt)
	if len(r.Objectives) == 0 || r.Objectives[0].Name != o.String() {
		return nil
	}
	return r
}

// Bounds by prices agree with exhaustive and with SAT search: none exceeds a
// proved optimum, and none refutes what has a plan.
func TestPriceBoundsAgainstOptima(t *testing.T) {
	helped := map[model.Objective]int{}
	for seed := range uint64(400) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan, model.HardMisses} {
			r := optimumOf(t, js, o)
			if r == nil {
				continue
			}
			s := newSearch(js, []model.Objective{o}, Options{Workers: 1}, time.Now())
			s.offer(r.Schedule)
			s.priceBound(context.Background(), 0, lagrange.DefaultSteps)
			if s.err != nil {
				t.Fatalf("seed %d, %s: %v", seed, o, s.err)
			}
			if value, bound := s.gap(0); bound > r.Objectives[0].Value {
				t.Errorf("seed %d, %s: a bound of %d, the optimum is %d", seed, o, bound, value)
			} else if bound > 0 {
				helped[o]++
			}
		}
	}
	t.Log(helped)
	if len(helped) < 5 {
		t.Errorf("bounds above 0 only for %v", helped)
	}
}

// lateBy are the due times of a set whose soft jobs may be late by as much.
func lateBy(js *model.JobSet, late model.Time) []model.Time {
	due := query.AtMost(js, model.Misses, 0)
	for i := range due {
		if js.Jobs[i].Kind == model.Soft {
			due[i] += late
		}
	}
	return due
}

// 18 is the least tardiness of this set: cases refute 17, which prices of the
// whole do not. An argument of which a part is missing or mixed up is refused.
func TestCasesAreChecked(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 1)
	if err != nil {
		t.Fatal(err)
	}
	due := lateBy(js, 17)
	if c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{}, nil); c != nil {
		t.Error("prices of the whole refute 17")
	}
	c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{Work: 500_000_000}, nil)
	if c == nil || c.Leaves() == 1 {
		t.Fatal("no cases")
	}
	if err := verify.Branching(js, due, c); err != nil {
		t.Fatal(err)
	}
	if err := verify.Branching(js, lateBy(js, 18), c); err == nil {
		t.Error("the cases refute what has a plan")
	}
	kept := *c
	for what, harm := range map[string]func(){
		"a missing case":       func() { c.Fails = nil },
		"cases exchanged":      func() { c.Holds, c.Fails = c.Fails, c.Holds },
		"a case without end":   func() { c.Holds = &proof.Branching{} },
		"another task":         func() { c.Split.Task = js.Jobs[len(js.Jobs)-1].First },
		"no task":              func() { c.Split.Task = -1 },
		"no kind":              func() { c.Split.Kind = 9 },
		"the end of a job":     func() { c.Split.Task = js.Jobs[0].End - 1 },
		"a slave out of range": func() { c.Split.Kind, c.Split.Slave = proof.OnSlave, 99 },
	} {
		harm()
		if verify.Branching(js, due, c) == nil {
			t.Errorf("%s passes", what)
		}
		*c = kept
	}
}

// Choosing which jobs to let go ends at the optimum, from any plan.
func TestChoicesAgainstOptima(t *testing.T) {
	ctx := context.Background()
	closed, helped := 0, 0
	for seed := range uint64(300) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.HardMisses} {
			r := optimumOf(t, js, o)
			if r == nil {
				continue
			}
			s := newSearch(js, []model.Objective{o}, Options{Seed: 1, Workers: 1}, time.Now())
			plan, _ := lns.Search(ctx, js, lns.Options{Seed: 1, Constructions: 1})
			s.offer(plan)
			if !s.havePlan() {
				continue
			}
			before := s.values[0]
			s.priceBound(ctx, 0, lagrange.DefaultSteps)
			if c := newChoices(s, 0); c != nil {
				c.work(ctx)
			}
			value, bound := s.gap(0)
			best := r.Objectives[0].Value
			if s.err != nil || value < best || bound > best {
				t.Fatalf("seed %d, %s: %d over %d, the optimum is %d, %v", seed, o, value, bound, best, s.err)
			}
			if value == bound {
				closed++
			}
			if value < before {
				helped++
			}
			if !js.FIFO && value > bound {
				t.Errorf("seed %d, %s: ends at %d over %d", seed, o, value, bound)
			}
		}
	}
	t.Logf("%d closed, %d of them with a better plan", closed, helped)
	if closed < 200 || helped < 3 {
		t.Error("too few to tell")
	}
}

// A worker that refutes choices set aside drops some that are lighter than the
// optimum, and never one that has a plan.
func TestRefuteAside(t *testing.T) {
	refuted, kept := 0, 0
	for seed := range uint64(1000) {
		js := gen.Small(seed, 8)
		r := optimumOf(t, js, model.Misses)
		if r == nil || r.Objectives[0].Value == 0 {
			continue
		}
		s := newSearch(js, []model.Objective{model.Misses}, Options{Seed: 1, Workers: 2}, time.Now())
		c := newChoices(s, 0)
		if c == nil {
			continue
		}
		var late []model.JobID
		for i, f := range js.Finishes(r.Schedule) {
			if js.Jobs[i].Kind == model.Soft && (f < 0 || f > js.Jobs[i].Due()) {
				late = append(late, model.JobID(i))
			}
		}
		best := r.Objectives[0].Value
		with := &choice{late: late, weight: best}
		without := &choice{late: late[1:], weight: best - js.Jobs[late[0]].Weight}
		for _, at := range []*choice{with, without} {
			c.begin(t.Context(), at)
			c.keep(at)
		}
		open := slices.Contains(c.aside, without)
		for range 4 {
			c.refuteAside()
		}
		if s.err != nil || with.alive.Err() != nil || !slices.Contains(c.aside, with) {
			t.Fatalf("seed %d: jobs other than %v have a plan and are refuted, %v", seed, late, s.err)
		}
		if open {
			kept++
		}
		if open && without.alive.Err() != nil && !slices.Contains(c.aside, without) {
			refuted++
		}
	}
	t.Logf("%d of %d refuted", refuted, kept)
	if refuted < 50 {
		t.Error("too few to tell")
	}
}

// A search that stops and goes on comes to the same argument as one that does not,
// and so does one that begins anew.
func TestRefutationGoesOn(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 3)
	if err != nil {
		t.Fatal(err)
	}
	due := lateBy(js, 2)
	for _, thorough := range []bool{false, true} {
		atOnce, _ := lagrange.Refute(t.Context(), js, due, lagrange.Effort{Work: 2_000_000_000, Thorough: thorough}, nil)
		if atOnce == nil {
			t.Fatal("not refuted")
		}
		r := lagrange.NewRefutation(t.Context(), js, due, thorough)
		runs := func() (c *proof.Branching, n int) {
			for ; c == nil && n < 10_000; n++ {
				c, _ = r.Run(5_000_000, nil)
			}
			return c, n
		}
		c, n := runs()
		if n < 4 || !reflect.DeepEqual(c, atOnce) {
			t.Errorf("thorough %t: another argument in %d runs", thorough, n)
		}
		if r.Size() < c.Leaves() {
			t.Errorf("%d ends held in %d tolls", c.Leaves(), r.Size())
		}
		r.Forget()
		if r.Size() != 0 {
			t.Error("it still holds what it was to forget")
		}
		if again, m := runs(); m != n || !reflect.DeepEqual(again, atOnce) {
			t.Errorf("thorough %t: another argument after %d runs, begun anew", thorough, m)
		}
	}
}

// Sets whose bounds by prices of the whole fall short close by choices.
func TestChoicesOfLargerSets(t *testing.T) {
	for _, c := range []struct {
		family string
		seed   uint64
		misses int64
	}{{"misses-60", 1, 2}, {"misses-80", 2, 8}, {"misses-100", 1, 2}} {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		r := mustPlan(t, js, Options{Seed: 1, TimeLimit: 2 * time.Minute})
		if r.Status != model.Optimal || r.Objectives[0].Value != c.misses {
			t.Errorf("%s: %s, %v", js.Name, r.Status, r.Objectives[0])
		}
	}
}

// BenchmarkCases refutes what prices of the whole do not.
func BenchmarkCases(b *testing.B) {
	for _, c := range []struct {
		family string
		seed   uint64
		late   model.Time
	}{{"tardiness-60", 1, 17}, {"tardiness-60", 3, 2}, {"tardiness-80", 2, 8}} {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			b.Fatal(err)
		}
		for _, thorough := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/thorough=%t", js.Name, thorough), func(b *testing.B) {
				for b.Loop() {
					e := lagrange.Effort{Work: 2_000_000_000, Thorough: thorough}
					proof, _ := lagrange.Refute(context.Background(), js, lateBy(js, c.late), e, nil)
					if proof == nil {
						b.Fatal("not refuted")
					}
					b.ReportMetric(float64(proof.Leaves()), "cases")
				}
			})
		}
	}
}

func BenchmarkPriceBound(b *testing.B) {
	for _, name := range []string{"tardiness-40", "tardiness-80", "misses-40", "misses-medium"} {
		js, _, err := gen.Family(name, 1)
		if err != nil {
			b.Fatal(err)
		}
		goal := js.Goal()
		r, err := Plan(context.Background(), js, Options{Objectives: goal, TimeLimit: 2 * time.Second, Seed: 1})
		if err != nil || r.Schedule == nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				s := newSearch(js, goal, Options{Workers: 1}, time.Now())
				s.offer(r.Schedule)
				s.countingBound(context.Background(), 0)
				_, before := s.gap(0)
				s.priceBound(context.Background(), 0, lagrange.DefaultSteps)
				value, bound := s.gap(0)
				b.ReportMetric(float64(before), "counting")
				b.ReportMetric(float64(bound), "prices")
				b.ReportMetric(float64(value), "value")
			}
		})
	}
}
