package heuristics_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// TestToday: on sets with containers, stage graphs and jobs after jobs, list schedules
// by every rule are valid, tidied or repaired, and so is what completes a part of one.
func TestToday(t *testing.T) {
	for seed := range testkit.Sets[uint64](60, 3000) {
		js := gen.TodayTiny(seed)
		valid := func(what string, s model.Schedule) {
			t.Helper()
			if err := check.Schedule(js, s, true).Err(); err != nil || !s.Complete() {
				t.Fatalf("seed %d: %s: %v", seed, what, err)
			}
		}
		fig := heuristics.NewFigures(js)
		b := heuristics.NewBoard(fig, seed)
		d := heuristics.NewDeferral(js, js.Goal(), nil)
		for _, rule := range heuristics.Rules() {
			b.Clear()
			b.Construct(context.Background(), rule.Order(fig), d)
			valid(rule.Name, b.Place)
			valid(rule.Name+", tidied", heuristics.Tidy(context.Background(), js, b.Place))
			for i := range js.Jobs {
				if got, want := b.JobFinish(model.JobID(i)), js.Finishes(b.Place)[i]; got != want {
					t.Fatalf("seed %d: job %d finishes at %d, not %d", seed, i, want, got)
				}
			}
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		broken := append(model.Schedule(nil), b.Place...)
		for k := range broken {
			if rng.IntN(3) == 0 {
				broken[k].Beat = max(0, broken[k].Beat+model.Time(rng.IntN(7)-3))
			}
			if rng.IntN(4) == 0 {
				broken[k].Slave = model.NoSlave
			}
		}
		valid("repaired", heuristics.Repair(js, broken))
		valid("completed", heuristics.Complete(js, part(js, b.Place, model.JobID(rng.IntN(len(js.Jobs))))))
	}
}

// part is a schedule of a job and those that it comes after.
func part(js *model.JobSet, s model.Schedule, i model.JobID) model.Schedule {
	out := model.NewSchedule(len(s))
	for _, k := range js.WithBefore([]model.JobID{i}) {
		copy(out[js.Jobs[k].First:js.Jobs[k].End], s[js.Jobs[k].First:js.Jobs[k].End])
	}
	return out
}
