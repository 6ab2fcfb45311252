package lagrange_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
)

// few is how much a test is to try: a part of it under the race detector, which slows multipliers down
// by much.
func few[N int | uint64](few, all N) N {
	if testkit.Race() {
		return max(1, few/10)
	}
	return testkit.Sets(few, all)
}

// searcher is a search that several workers can be at.
type searcher interface {
	Help(ask lagrange.Ask) (steps int)
}

// helped has some helpers be at a search while run is. helping says how many steps they took.
func helped(s searcher, helpers int, ask lagrange.Ask, run func()) (helping int) {
	var wg sync.WaitGroup
	var over atomic.Bool
	var steps atomic.Int64
	for range helpers {
		wg.Go(func() {
			for !over.Load() {
				steps.Add(int64(s.Help(ask)))
				runtime.Gosched()
			}
		})
	}
	run()
	over.Store(true)
	wg.Wait()
	return int(steps.Load())
}

// runBy is a run of a search by some workers.
func runBy(r *lagrange.Refutation, workers, work int, ask lagrange.Ask) (c *proof.Branching, helping int) {
	helping = helped(r, workers-1, ask, func() { c, _ = r.Run(work, ask) })
	return c, helping
}

// askExactly answers questions about parts by package lcg, for plans by due; planned is told
// of plans.
func askExactly(t *testing.T, js *model.JobSet, q query.Question, planned func(plan model.Schedule)) lagrange.Ask {
	return func(restrict []query.Restriction, last bool) (bool, bool) {
		q := q
		q.Restrict = restrict
		s, err := exact.New(t.Context(), q, &exact.Options{}, 1, nil)
		if err != nil {
			t.Error(err)
			return false, false
		}
		a, plan := s.Run(t.Context(), nil)
		if a == lcg.Satisfiable {
			planned(plan)
		}
		return a == lcg.Unsatisfiable, a == lcg.Satisfiable
	}
}

// TestWorkersAgainstOracle: several workers at a search refute what has no plan, by an argument that
// other code finds right, and find a plan of what has one, as exhaustive search has it.
func TestWorkersAgainstOracle(t *testing.T) {
	refuted, planned := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, few[uint64](150, 150), 250)) {
		js := gen.Tiny(seed)
		js.FIFO = false
		best, err := oracle.SolveFor(js, []model.Objective{model.Tardiness}, false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != model.Optimal {
			continue
		}
		for _, v := range []int64{best.Values[0] - 1, best.Values[0]} {
			if v < 0 {
				continue
			}
			var mu sync.Mutex
			var plan model.Schedule
			ask := askExactly(t, js, query.Within(js, false, query.Limits{model.Tardiness: v}), func(p model.Schedule) {
				mu.Lock()
				defer mu.Unlock()
				plan = p
			})
			due := query.AtMost(js, model.Tardiness, model.Time(v))
			r := lagrange.NewRefutation(t.Context(), js, due, seed%2 == 0)
			c, _ := runBy(r, 2+int(seed%3), 50_000_000, ask)
			switch {
			case c != nil && v == best.Values[0]:
				t.Errorf("seed %d: a tardiness of %d is refuted, and there is a plan", seed, v)
			case c != nil:
				refuted++
				if err := inference.Branching(t.Context(), js, due, c); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			case v < best.Values[0]:
				t.Errorf("seed %d: a tardiness of %d is not refuted, the least is %d", seed, v, best.Values[0])
			case plan == nil:
				t.Errorf("seed %d: no plan is found for a tardiness of %d", seed, v)
			default:
				planned++
			}
		}
	}
	if t.Logf("%d refuted, %d planned", refuted, planned); refuted == 0 || planned == 0 {
		t.Error("too few")
	}
}

// TestWorkersOnEnds: several workers who branch on ends refute the weighted tardiness below the least, by an
// argument that other code finds right, and find a plan that has the least, as exhaustive search has it.
func TestWorkersOnEnds(t *testing.T) {
	refuted, planned := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, few[uint64](150, 150), 250)) {
		js := gen.Tiny(seed)
		js.FIFO = false
		best, err := oracle.SolveFor(js, []model.Objective{model.WeightedTardiness}, false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != model.Optimal {
			continue
		}
		least := best.Values[0]
		e := lagrange.NewEnds(t.Context(), js, least, true)
		for _, v := range []int64{least - 1, least} {
			if v < 0 {
				continue
			}
			var found atomic.Bool
			ask := askExactly(t, js, query.Within(js, false, query.Limits{model.WeightedTardiness: v}), func(model.Schedule) { found.Store(true) })
			var c *proof.Branching
			helped(e, 1+int(seed%3), ask, func() { c, _ = e.Run(t.Context(), v, 50_000_000, ask) })
			switch {
			case c != nil && v == least:
				t.Errorf("seed %d: a weighted tardiness of %d is refuted, and there is a plan", seed, v)
			case c != nil:
				refuted++
				if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			case v < least:
				t.Errorf("seed %d: a weighted tardiness of %d is not refuted, the least is %d", seed, v, least)
			case found.Load():
				planned++
			default:
				t.Errorf("seed %d: no plan is found for a weighted tardiness of %d", seed, v)
			}
		}
	}
	if t.Logf("%d refuted, %d planned", refuted, planned); refuted == 0 || planned == 0 {
		t.Error("too few")
	}
}

// TestWorkersOnEndsOfMany: sets of more tasks too, where the search ends at any moment and goes on.
func TestWorkersOnEndsOfMany(t *testing.T) {
	refuted, helping := 0, 0
	for seed := range few[uint64](12, 80) {
		js, value := lagrange.EndsPlanned(t, seed)
		if value == 0 {
			continue
		}
		e := lagrange.NewEnds(t.Context(), js, value, true)
		for k, v := range []int64{value / 2, value, value * 3 / 4, value - 1} {
			ctx, cancel := context.WithCancel(t.Context())
			if k == 0 {
				time.AfterFunc(time.Duration(seed)*time.Millisecond, cancel)
			}
			var c *proof.Branching
			helping += helped(e, 3, nil, func() { c, _ = e.Run(ctx, v, 1_000_000, nil) })
			cancel()
			if c == nil {
				continue
			}
			if v == value {
				t.Fatalf("seed %d: a weighted tardiness of %d is refuted, and a plan has it", seed, v)
			}
			refuted++
			if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
				t.Fatalf("seed %d, %d of %d: %v", seed, v, value, err)
			}
		}
	}
	if t.Logf("%d refuted, helpers took %d steps", refuted, helping); !testkit.Race() && (refuted == 0 || helping == 0) {
		t.Error("too few, or nobody helped")
	}
}

// TestWorkersTakeParts: sets that take branching are refuted by several workers too, of which each
// takes some of the steps; also where the search stops time and again, and where workers leave.
func TestWorkersTakeParts(t *testing.T) {
	for _, c := range []struct {
		family string
		seed   uint64
		late   model.Time
	}{{"tardiness-60", 1, 17}, {"tardiness-60", 2, 8}, {"tardiness-60", 3, 2}, {"tardiness-80", 2, 8}}[:few(2, 3)] {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		due := lateBy(js, c.late)
		for _, stretch := range []int{2_000_000_000, 3_000_000, 300_000} {
			r := lagrange.NewRefutation(t.Context(), js, due, true)
			var argument *proof.Branching
			helping, runs := 0, 0
			for ; argument == nil && runs < 50_000; runs++ {
				var more int
				argument, more = runBy(r, 1+(runs+3)%4, stretch, nil)
				helping += more
			}
			if argument == nil {
				t.Fatalf("%s: not refuted in %d runs", js.Name, runs)
			}
			t.Logf("%s, stretches of %d: %d leaves in %d runs, helpers took %d steps", js.Name, stretch, argument.Leaves(), runs, helping)
			if err := inference.Branching(t.Context(), js, due, argument); err != nil {
				t.Error(err)
			}
			if helping == 0 {
				t.Errorf("%s: nobody helped", js.Name)
			}
		}
	}
}

// TestWorkersStop: where a plan is found, or the caller is done, at any moment, all stop, and nothing
// is refuted that has a plan.
func TestWorkersStop(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range few(8, 20) {
		ctx, cancel := context.WithCancel(t.Context())
		r := lagrange.NewRefutation(ctx, js, lateBy(js, 2), n%2 == 0)
		ends := time.AfterFunc(time.Duration(rng.IntN(150))*time.Millisecond, cancel)
		asked := atomic.Int64{}
		c, _ := runBy(r, 4, 2_000_000_000, func([]query.Restriction, bool) (bool, bool) {
			return false, asked.Add(1) == int64(1+n%3)
		})
		if c != nil {
			t.Error("refuted in so little time, and a plan found")
		}
		if c, _ := r.Run(1_000_000, nil); c != nil {
			t.Error("it goes on after the end")
		}
		ends.Stop()
		cancel()
	}
	if steps := lagrange.NewRefutation(t.Context(), js, lateBy(js, 2), true).Help(nil); steps != 0 {
		t.Error("helps nobody")
	}
}

// TestWorkersAgainstPlans: no number of workers refutes due times that a plan keeps, without a question.
func TestWorkersAgainstPlans(t *testing.T) {
	found := 0
	for seed := range few[uint64](20, 150) {
		js, plan := lagrange.WithPlan(t, seed)
		due := js.Finishes(plan)
		for cut := range model.Time(4) {
			r := lagrange.NewRefutation(t.Context(), js, due, seed%2 == 1)
			c, _ := runBy(r, 3, 1_000_000, nil)
			if c != nil && cut == 0 {
				t.Fatalf("seed %d: refuted, and there is a plan", seed)
			}
			if c != nil {
				found++
				if err := inference.Branching(t.Context(), js, due, c); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
			due[int(seed)%len(due)]--
		}
	}
	if t.Logf("%d refuted", found); found == 0 {
		t.Error("nothing is refuted")
	}
}
