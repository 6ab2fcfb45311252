package pooled

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/tight"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/memory"
)

// knobs mix every feature.
func knobs() gen.Knobs {
	return gen.Knobs{
		Tasks: gen.Range{Lo: 4, Hi: 24}, FirstStage: gen.Range{Lo: 1, Hi: 5}, LaterStage: gen.Range{Lo: 1, Hi: 3},
		Shapes: [4]int{3, 1, 4, 1},
		Slaves: gen.Range{Lo: 1, Hi: 6}, Cores: gen.Range{Lo: 1, Hi: 3}, SpareSlots: gen.Range{Lo: -1, Hi: 2}, EqualSlave: 0.7,
		Heartbeat: gen.Range{Lo: 1, Hi: 7}, Stagger: 0.6, SplitSlots: 0.25, Concurrent: 0.2, FIFO: 0.2,
		Down: 0.3, DownAt: gen.Range{Lo: 0, Hi: 30}, DownFor: gen.Range{Lo: 1, Hi: 8},
		WCET: gen.Range{Lo: 1, Hi: 9}, Transfer: gen.Range{Lo: 0, Hi: 4}, EqualTasks: 0.5,
		Uneven: 0.4, Local: 0.4, LocalTransfer: gen.Range{Lo: 0, Hi: 1}, Barred: 0.2,
		Release: gen.Range{Lo: 0, Hi: 20}, Hard: 0.5, BestEffort: 0.1, Weight: gen.Range{Lo: 1, Hi: 3},
		Tightness: gen.Range{Lo: 90, Hi: 250}, Objectives: [][]model.Objective{nil},
	}
}

// planned is a random set with the finishes of a valid plan, be jobs late or not.
func planned(t *testing.T, seed uint64) (*model.JobSet, []model.Time) {
	t.Helper()
	k := knobs()
	if seed%8 == 5 {
		k.WCET = gen.Range{Lo: 1, Hi: 150} // windows of several blocks
	}
	if seed%4 == 3 {
		k.Shapes[3], k.Today = 4, gen.TodayKnobs().Today
	}
	js, _ := gen.Random(k, seed)
	plan, _ := lns.Search(context.Background(), js, lns.Options{
		Objectives: []model.Objective{model.Tardiness, model.Makespan}, Seed: seed, Constructions: 8,
	})
	if seed%4 == 2 {
		js = tight.Share(t, js, plan, rand.New(rand.NewPCG(seed, 9)))
	}
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	return js, js.Finishes(plan)
}

// ask draws a question about due times close to a plan's finishes, and says what the
// jobs cost in that plan.
func ask(js *model.JobSet, finishes []model.Time, rng *rand.Rand) (q *proof.LateCosts, cost int64) {
	n := len(js.Jobs)
	q = &proof.LateCosts{Due: make([]model.Time, n), Weight: make([]int64, n), PerTick: make([]int64, n)}
	for i := range q.Due {
		job := &js.Jobs[i]
		q.Due[i] = max(job.Release, finishes[i]+model.Time(rng.IntN(3)))
		if rng.IntN(4) > 0 {
			q.Weight[i] = 1 + rng.Int64N(200)
		}
		if rng.IntN(5) == 0 {
			q.Due[i] = max(job.Release, finishes[i]-1-model.Time(rng.IntN(3)))
		}
		if job.Kind == model.Soft && rng.IntN(2) == 0 {
			q.PerTick[i] = rng.Int64N(30)
		}
		switch {
		case q.Weight[i] == 0:
		case finishes[i] > q.Due[i]:
			cost += q.Weight[i]
		default:
			cost += min(q.Weight[i], q.PerTick[i]*int64(job.Late(finishes[i])))
		}
	}
	return q, cost
}

// draw sets multipliers at random, most of them 0.
func (r *lagrangian) draw(rng *rand.Rand) {
	most := 2 + rng.IntN(12)
	for k := range r.Multipliers {
		r.Multipliers[k] = 0
		if rng.IntN(most) == 0 {
			r.Multipliers[k] = rng.Int64N(12)
		}
	}
}

// Whatever the multipliers, what jobs cost in a plan is no less than the value, worked
// out by either code, and both come to the same.
func TestAnyMultipliers(t *testing.T) {
	positive, coarse := 0, 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		q, cost := ask(js, finishes, rng)
		k := &grain{pools: newPools(js, rng.IntN(4)), apart: rng.IntN(2) == 0, shift: uint(max(0, rng.IntN(6)-2))}
		r := newLagrangian(t.Context(), query.Series(js), q, k)
		r.Unit = 1 // multipliers of the same order as weights
		r.rescale(q)
		for range 4 {
			r.draw(rng)
			value := r.Value()
			literal, err := inference.Pools(t.Context(), js, q, r.bound(r.Multipliers))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if value != literal {
				t.Errorf("seed %d: a value of %d, recomputed as %d", seed, value, literal)
			}
			if literal > cost {
				t.Errorf("seed %d: a value of %d, and a plan in which jobs cost %d", seed, literal, cost)
			}
			if literal > 0 {
				positive++
				coarse += int(min(1, k.shift))
			}
		}
	}
	if positive == coarse || coarse == 0 {
		t.Errorf("one-sided: %d values above 0, %d of them with longer steps", positive, coarse)
	}
}

// What a job in time costs is what its column uses, at the multipliers.
func TestUse(t *testing.T) {
	long, inTime := 0, 0
	for seed := range testkit.Sets[uint64](200, 2000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		q, _ := ask(js, finishes, rng)
		q.PerTick = nil
		r := newLagrangian(t.Context(), query.Series(js), q, &grain{pools: newPools(js, rng.IntN(4)), apart: rng.IntN(2) == 0})
		r.draw(rng)
		r.sum()
		r.fill()
		for i := range r.jobs {
			b := &r.jobs[i]
			b.penalty = impossible
			clear(r.Use)
			cost, paid := r.solve(b), int64(0)
			for row, units := range r.Use {
				paid += units * r.Multipliers[row]
			}
			if paid != cost {
				t.Fatalf("seed %d, job %d: a cost of %d, and what it uses is worth %d", seed, b.id, cost, paid)
			}
			inTime++
			if b.last-b.first >= mostSteps {
				long++
			}
		}
	}
	if long == 0 || long == inTime {
		t.Errorf("one-sided: %d jobs, %d of them with windows of several blocks", inTime, long)
	}
}

// rescale sets penalties anew after unit was changed.
func (r *lagrangian) rescale(q *proof.LateCosts) {
	r.Base = 0
	for i, w := range q.Weight {
		r.Base += w
		for k := range r.jobs {
			if b := &r.jobs[k]; b.id == model.JobID(i) {
				r.Base -= w
				b.penalty, b.perTick = w, q.PerTick[i]
			}
		}
	}
}

// What a search proves of sets with a plan stands its recheck and is no more than what
// the jobs cost in that plan, and where due times leave nothing it proves something.
func TestSearchAgainstPlans(t *testing.T) {
	proved := 0
	for seed := range testkit.Sets[uint64](12, 400) {
		js, finishes := planned(t, seed)
		q, cost := ask(js, finishes, rand.New(rand.NewPCG(seed, 2)))
		for s := NewSearch(js); !s.Done(); {
			b, least, _ := s.Next(t.Context(), q, cost+1)
			if b == nil {
				continue
			}
			literal, err := inference.Pools(t.Context(), js, q, b)
			if err != nil || literal != least {
				t.Fatalf("seed %d: %d is proved, recomputed as %d (%v)", seed, least, literal, err)
			}
			if least > cost {
				t.Errorf("seed %d: at least %d is proved, and a plan costs %d", seed, least, cost)
			}
			proved++
		}
	}
	if proved == 0 {
		t.Error("nothing is proved at all")
	}
}

// Under a ceiling steps get longer until the relaxation fits, and what it proves then
// holds; where that does not do either it is left out. Notes say which.
func TestMemory(t *testing.T) {
	js, _, err := gen.Family("large-contended", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := &proof.LateCosts{Due: query.AtMost(js, model.Tardiness, 0), Weight: make([]int64, len(js.Jobs))}
	for i := range js.Jobs {
		if js.Jobs[i].Kind != model.BestEffort {
			q.Weight[i] = 1
		}
	}
	for _, c := range []struct {
		ceiling int64
		least   uint // shift
		fits    bool
		notes   []string
	}{
		{3_200_000, 1, true, []string{"left out for want of memory: short steps of the prices of pools (the ceiling is 3.2 MB)"}},
		{1000, 1, false, []string{"left out for want of memory: prices of pools, short steps of the prices of pools (the ceiling is 1 kB)"}},
	} {
		ctx, free := memory.With(t.Context(), c.ceiling, false)
		s := NewSearch(js)
		bound, least, steps := s.Next(ctx, q, int64(len(js.Jobs)))
		if notes := memory.Notes(ctx); (steps > 0) != c.fits || (bound != nil) != c.fits || !slices.Equal(notes, c.notes) {
			t.Errorf("ceiling %d: %d steps, notes %q", c.ceiling, steps, notes)
		}
		if bound != nil {
			if s.last[0].shift < c.least {
				t.Errorf("ceiling %d: steps of 2^%d ticks", c.ceiling, s.last[0].shift)
			}
			if literal, err := inference.Pools(t.Context(), js, q, bound); err != nil || literal < least {
				t.Errorf("ceiling %d: %d late jobs, recomputed as %d, %v", c.ceiling, least, literal, err)
			}
		}
		free()
	}
}

// BenchmarkValue is a step without the multipliers' move, where tasks are told apart.
func BenchmarkValue(b *testing.B) {
	for _, tasks := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			js := query.Series(gen.Scale(tasks, 1))
			q := &proof.LateCosts{Due: query.AtMost(js, model.Tardiness, 0), Weight: slices.Repeat([]int64{1}, len(js.Jobs))}
			r := newLagrangian(b.Context(), js, q, &grain{pools: newPools(js, phases), apart: true})
			for k := range r.Multipliers {
				r.Multipliers[k] = r.Unit / 1000 * int64(k%7)
			}
			for b.Loop() {
				r.Value()
			}
		})
	}
}

// A search is done after its stages, and goes back where it is asked again; what nothing is
// asked of proves nothing.
func TestStages(t *testing.T) {
	js, _ := planned(t, 3)
	n := len(js.Jobs)
	q := &proof.LateCosts{Due: make([]model.Time, n), Weight: make([]int64, n)}
	s := NewSearch(js)
	for k := range Stages {
		if s.Done() {
			t.Fatalf("done after %d stages", k)
		}
		if b, least, _ := s.Next(t.Context(), q, 2); b != nil || least != 0 {
			t.Errorf("stage %d: %d is proved of no jobs", k, least)
		}
	}
	if !s.Done() {
		t.Error("not done after all stages")
	}
	if s.Again(1); s.Done() || s.next != Stages-2 {
		t.Errorf("asked again it goes on at stage %d", s.next)
	}
}
