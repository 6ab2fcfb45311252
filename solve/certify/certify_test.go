package certify

import (
	"context"
	"testing"
	"time"

	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// TestTrials: what ends a search leaves time for trials, to the deadline or for a moment, and
// any time where there is no deadline.
func TestTrials(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	early, cancel := context.WithTimeout(t.Context(), time.Hour)
	cancel()
	none, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		least time.Duration // 0 for no end
	}{{over, moment / 2}, {early, time.Hour / 2}, {none, 0}} {
		got, stop := trials(c.ctx, t.Context())
		end, limited := got.Deadline()
		if got.Err() != nil || limited != (c.least > 0) || limited && (time.Until(end) < c.least || time.Until(end) > 2*c.least) {
			t.Errorf("%v is followed by %v", c.ctx, got)
		}
		stop()
	}
}

// TestTrialsHeedTheCaller: who interrupts waits for a moment of trials only, with a deadline and
// without, while the end of a search ends none.
func TestTrialsHeedTheCaller(t *testing.T) {
	limited, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, limit := range []context.Context{t.Context(), limited} {
		caller, interrupt := context.WithCancel(limit)
		ctx, end := context.WithCancel(caller)
		got, stop := trials(ctx, caller)
		end()
		select {
		case <-got.Done():
			t.Error("trials end with the search")
		case <-time.After(2 * moment):
		}
		interrupt()
		select {
		case <-got.Done():
		case <-time.After(time.Minute):
			t.Error("trials go on after an interruption")
		}
		stop()
	}
}

// TestNoTimeForTrials: an argument that there is no time to try is not claimed to be proved.
func TestNoTimeForTrials(t *testing.T) {
	js := gen.Tiny(3)
	q := query.Within(js, false, query.Limits{model.Makespan: 0})
	by := &proof.Branching{Bound: &proof.DualBound{Penalty: make([]int64, len(js.Jobs))}}
	w := worktest.On(js, model.Makespan)
	m := &maker{Incumbent: w.Incumbent, Certificate: &Certificate{JS: js, Unit: 1}}
	claim := Claim{}
	claim.Objective, claim.Least = model.Makespan, 1
	var stop context.CancelFunc
	for _, want := range []bool{true, false} {
		m.trials, stop = context.WithCancel(t.Context())
		if !want {
			stop()
		}
		claim.By = byBranching(t.Context(), js, q, by, nil)
		if got := m.tried(m.trials, claim); (got != nil) != want {
			t.Errorf("tried in time (%t): %v", want, got)
		}
		if got := byBranching(m.trials, js, q, by, nil); (got != nil) != want {
			t.Errorf("said in time (%t): %v", want, got)
		}
		stop()
	}
}
