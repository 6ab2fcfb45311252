package solve

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/energy"
	"downbeat/solve/event"
)

// What validating a plan takes is kept back several times over, by the least time seen.
func TestTimeIsKeptBackForValidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 12 * time.Hour
		for _, c := range []struct {
			times int
			took  []time.Duration // by each validation
			ends  time.Duration
		}{
			{afterwards, []time.Duration{limit / (4 * afterwards), limit}, limit - limit/4},
			{afterwards, []time.Duration{limit}, 0},
			{4 * afterwards, []time.Duration{limit / (4 * afterwards)}, 0},
		} {
			began := time.Now()
			ctx, clock, cancel := withTimeLimit(t.Context(), limit, c.times)
			for _, took := range c.took {
				clock.validated(took)
			}
			if until, _ := ctx.Deadline(); until.Sub(began) != limit {
				t.Errorf("%+v: the limit itself was moved, to %v", c, until.Sub(began))
			}
			if <-ctx.Done(); time.Since(began) != c.ends {
				t.Errorf("%+v: it ends after %v", c, time.Since(began))
			}
			cancel()
		}
	})
	(*timeLimit)(nil).validated(time.Hour) // no limit
}

// TestWhyIsLimited: of the least bad plan and of why no plan has all in time, each has its part of the time or of the budget, but no
// more than so many seconds or units.
func TestWhyIsLimited(t *testing.T) {
	type limited = func(context.Context) (context.Context, context.CancelFunc)
	s := &solver{}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			what        string
			limit       limited
			given, ends time.Duration
		}{
			{"the least bad plan", s.beforeWhy, time.Hour, 3 * time.Second},
			{"the least bad plan", s.beforeWhy, 8 * time.Second, time.Second},
			{"why", besideWhy, time.Hour, 15 * time.Second},
			{"why", besideWhy, 8 * time.Second, 4 * time.Second},
		} {
			began := time.Now()
			whole, cancel := context.WithTimeout(t.Context(), c.given)
			ctx, stop := c.limit(whole)
			if <-ctx.Done(); time.Since(began) != c.ends {
				t.Errorf("%s: of %v it has %v, want %v", c.what, c.given, time.Since(began), c.ends)
			}
			stop()
			cancel()
		}
	})
	for _, c := range []struct {
		what        string
		limit       limited
		given, left int64
	}{
		{"the least bad plan", s.beforeWhy, 1_000_000, 500},
		{"why", besideWhy, 1_000_000, 40_000},
		{"why", besideWhy, 1_000, 500},
	} {
		whole, cancel := budget.With(t.Context(), c.given)
		ctx, stop := c.limit(whole)
		if left, _, _ := budget.Left(ctx); left != c.left {
			t.Errorf("%s: of %d units it has %d, want %d", c.what, c.given, left, c.left)
		}
		stop()
		cancel()
	}
}

// A single construction is enough for a plan that meets the hard deadlines of a large
// set, and for the answer that there is one.
func TestFirstPlanOfLargeSets(t *testing.T) {
	for seed := range uint64(3) {
		js := gen.Scale(leastHurried, 1+seed)
		if r := mustPlan(t, js, Options{Budget: 1, Seed: 1}); r.Status != model.Feasible {
			t.Errorf("seed %d: %s", 1+seed, r.Status)
		}
		v, err := Check(t.Context(), js, Options{Budget: 1, Seed: 1})
		if err != nil || v.Status != model.Feasible {
			t.Errorf("seed %d: check: %v, %v", 1+seed, v, err)
		}
	}
}

// A large set has no plan where the time is up before the first construction, relaxed or
// not.
func TestNoTimeForAnyPlan(t *testing.T) {
	js := gen.Scale(leastHurried, 1)
	for _, relax := range []bool{false, true} {
		r := mustPlan(t, js, Options{TimeLimit: time.Nanosecond, Relax: relax, Seed: 1})
		if r.Status != model.Unknown || r.Schedule != nil || !r.Interrupted {
			t.Errorf("relax %t: %s, interrupted %t", relax, r.Status, r.Interrupted)
		}
	}
}

// TestInterruptedRelaxHasAPlan: a large night that is overloaded has a plan wherever it is interrupted after the first construction, and
// on a budget of that alone; what energy says of how many jobs are late is there before why they clash.
func TestInterruptedRelaxHasAPlan(t *testing.T) {
	testkit.OneGoroutine(t)
	js := gen.Scale(leastHurried, 1)
	for i := range js.Jobs { // every other one is due, after the one before it
		job := &js.Jobs[i]
		if job.Release = 0; i%2 == 0 {
			job.Kind, job.Deadline = model.BestEffort, 0
		} else {
			job.Kind, job.Deadline, job.After = model.Hard, 250, []model.JobID{model.JobID(i - 1)}
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	relaxed := func(ctx context.Context, opt Options) *Result {
		opt.Seed, opt.Workers, opt.Relax = 1, 1, true
		r, err := Plan(ctx, js, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Schedule == nil || !r.Relaxed || r.Objectives[0].Value == 0 {
			t.Errorf("%s, relaxed %t, %v: no plan that misses hard deadlines", r.Status, r.Relaxed, r.Objectives)
		}
		return r
	}
	relaxed(t.Context(), Options{Budget: 1})
	bound, clash := int64(0), false
	for _, phase := range []string{"minimising hard-misses", "looking for the jobs that clash"} {
		ctx, cancel := context.WithCancel(t.Context())
		var heard, searched bool
		r := relaxed(ctx, Options{Events: func(e event.Event) {
			searched = searched || !heard && e.Phase == "minimising hard-misses" && e.HavePlan
			if heard = heard || e.Phase == phase; heard {
				cancel()
			}
		}})
		cancel()
		if !heard || !searched || r.Status != model.Infeasible {
			t.Errorf("%s: said %t, after a search for few late jobs %t, %s", phase, heard, searched, r.Status)
		}
		bound, clash = *r.Objectives[0].Bound, clash || r.Conflict != nil
	}
	if least, _ := energy.Misses(t.Context(), query.HardAsSoft(js)); least < 2 || bound < least {
		t.Errorf("at least %d late jobs, by energy %d", bound, least)
	}
	if !clash {
		t.Error("no clash is ever told")
	}
}

// However long pictures take, most of the time is left for the search, also beside a proof.
func TestPaintingLeavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 20 * time.Hour
		for _, c := range []struct {
			opt  Options
			ends time.Duration
		}{
			{Options{}, limit},
			{Options{Painting: time.Hour}, limit - time.Hour},
			{Options{Painting: 1000 * time.Hour}, limit - limit/paintingShare},
			{Options{Painting: 1000 * time.Hour, Proof: true}, limit - limit/paintingShare - limit/proofShare},
		} {
			began := time.Now()
			c.opt.TimeLimit = limit
			ctx, clock, cancel := c.opt.limit(t.Context())
			clock.keepBack(c.opt.keptBack())
			if <-ctx.Done(); time.Since(began) != c.ends {
				t.Errorf("%+v: the search ends after %v", c.opt, time.Since(began))
			}
			cancel()
		}
	})
}
