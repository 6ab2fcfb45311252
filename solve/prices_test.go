package solve

import (
	"context"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/verify"
	"downbeat/solve/price"
)

// Hard jobs that prices refute clash: the conflict is shrunk by prices as well,
// says so, and what is left when any one of its jobs goes has a plan.
func TestConflictByPrices(t *testing.T) {
	js, _, err := gen.Family("squeezed-40", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(js, nil, Options{Seed: 1, Workers: 1}, time.Now())
	if s.priced = s.refutedByPrices(context.Background(), s.hardJobs(), 0); s.priced == nil {
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

// Bounds by prices agree with exhaustive and with SAT search: none exceeds a
// proved optimum, and none refutes what has a plan.
func TestPriceBoundsAgainstOptima(t *testing.T) {
	helped := map[model.Objective]int{}
	for seed := range uint64(400) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan, model.HardMisses} {
			opt := Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}, NoConflict: true}
			if o == model.HardMisses {
				opt.Objectives, opt.Relax = []model.Objective{}, true
			}
			r := mustPlan(t, js, opt)
			if len(r.Objectives) == 0 || r.Objectives[0].Name != o.String() {
				continue
			}
			s := newSearch(js, []model.Objective{o}, Options{Workers: 1}, time.Now())
			s.offer(r.Schedule)
			s.priceBound(context.Background(), 0, price.DefaultSteps)
			if o == model.Misses || o == model.HardMisses {
				s.casesBound(context.Background(), 0)
			}
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

// Cases of jobs being late or in time prove more than prices alone, and never
// more than an optimum that was proved without them.
func TestCasesBound(t *testing.T) {
	gained := int64(0)
	for _, seed := range []uint64{1, 2, 3} {
		js, _, err := gen.Family("misses-40", seed)
		if err != nil {
			t.Fatal(err)
		}
		best := mustPlan(t, js, Options{Seed: 1})
		s := newSearch(js, js.Goal(), Options{}, time.Now())
		s.offer(best.Schedule)
		s.priceBound(context.Background(), 0, price.DefaultSteps)
		_, before := s.gap(0)
		s.casesBound(context.Background(), 0)
		_, after := s.gap(0)
		if s.err != nil || after > best.Objectives[0].Value {
			t.Errorf("seed %d: a bound of %d and a plan with %d, %v", seed, after, best.Objectives[0].Value, s.err)
		}
		gained += after - before
		t.Logf("seed %d: %d by prices, %d by cases, %d found; %q", seed, before, after, best.Objectives[0].Value, s.why[0])
	}
	if gained == 0 {
		t.Error("nothing was gained")
	}
}

// An argument by cases from which one is missing, or whose end is not what the
// choices say, is refused.
func TestCasesAreChecked(t *testing.T) {
	js, _, err := gen.Family("misses-40", 3)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(js, js.Goal(), Options{}, time.Now())
	due, weight, must := s.duesFor(model.Misses, 0), s.weightsOf(model.Misses), make([]bool, len(js.Jobs))
	for i := range must {
		must[i] = js.Jobs[i].Kind == model.Hard
	}
	b := price.LateByCases(context.Background(), js, due, weight, must, 4)
	if b == nil || b.Late == nil {
		t.Fatal("no cases")
	}
	check := func() error {
		return verify.Branch(js, due, price.Refusals(weight), must, price.Total(4), b)
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	if err := verify.Branch(js, due, price.Refusals(weight), must, price.Total(5), b); err == nil {
		t.Error("the cases show more than they were made for")
	}
	kept := *b
	for what, harm := range map[string]func(){
		"a missing case":   func() { b.Late = nil },
		"cases exchanged":  func() { b.Late, b.InTime = b.InTime, b.Late },
		"another job":      func() { b.Job = (b.Job + 1) % model.JobID(len(js.Jobs)) },
		"a case that ends": func() { b.InTime = &model.Branch{} },
	} {
		harm()
		if check() == nil {
			t.Errorf("%s passes", what)
		}
		*b = kept
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
				s.priceBound(context.Background(), 0, price.DefaultSteps)
				value, bound := s.gap(0)
				b.ReportMetric(float64(before), "counting")
				b.ReportMetric(float64(bound), "prices")
				b.ReportMetric(float64(value), "value")
			}
		})
	}
}
