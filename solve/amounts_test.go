package solve

import (
	"context"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
)

// largeAmounts is a tiny set with amounts and times as large as files can have them.
func largeAmounts(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	const units, ticks = model.MaxTime / 4, 1_000_003
	js := gen.TodayTiny(seed)
	times := model.NewMapper(func(t model.Time) model.Time { return t * ticks }, func(t model.Time) model.Time { return t * ticks })
	js.Heartbeat *= ticks
	for i := range js.Slaves {
		s := &js.Slaves[i]
		s.FirstBeat *= ticks
		s.Down = slices.Clone(s.Down)
		for k := range s.Down {
			s.Down[k] = model.Interval{Start: s.Down[k].Start * ticks, End: s.Down[k].End * ticks}
		}
		s.Units = slices.Clone(s.Units) // which a class shares
		for k := range s.Units {
			s.Units[k] *= int64(units)
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.Release, job.Deadline = job.Release*ticks+1, job.Deadline*ticks // no tick divides all times
		for k := range job.Stages {
			for g := range job.Stages[k].Groups {
				p := times.Profile(job.Stages[k].Groups[g].Profile)
				needs := p.Needs()
				for u := range needs.Units {
					needs.Units[u] *= int64(units)
				}
				job.Stages[k].Groups[g].Profile = p.Needing(needs)
			}
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestLargeAmounts: sums of units over ticks overflow nowhere: what is proved is what
// exhaustive search says, and what is found is no better.
func TestLargeAmounts(t *testing.T) {
	settled := 0
	for seed := range testkit.Sets[uint64](20, 400) {
		js := largeAmounts(t, seed)
		want, err := oracle.Solve(js)
		if err != nil {
			continue // too many states
		}
		got, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, Budget: 200, TimeLimit: time.Minute})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Status == model.Infeasible != (want.Status == model.Infeasible) && got.Status != model.Unknown {
			t.Fatalf("seed %d: %s, exhaustive search says %s", seed, got.Status, want.Status)
		}
		for p, o := range got.Objectives {
			if o.Bound != nil && *o.Bound > want.Values[p] || o.Value < want.Values[p] {
				t.Errorf("seed %d: %s %d over %v, exhaustive search says %d", seed, o.Name, o.Value, o.Bound, want.Values[p])
			}
			if o.Bound == nil || *o.Bound < o.Value {
				break
			}
		}
		settled++
	}
	if settled < 10 {
		t.Errorf("only %d sets were settled", settled)
	}
}
