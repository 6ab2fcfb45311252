package underway_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"downbeat/cmd/internal/report"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/policies"
	"downbeat/solve"
	"downbeat/solve/night"
)

// Engines do not wait for heartbeats: what one did that hands out at any time can be planned on
// under the set's own, but where tasks are so short that machines of the set could not have done
// as many. Plans are valid, and none is more than some heartbeats off what was told.
func TestEngineRunsArePlannedOn(t *testing.T) {
	var refused, sets, moved, fresh int
	for seed := range testkit.Sets[uint64](300, 5000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		engine := *js
		engine.Heartbeat = 1
		if err := engine.Assemble(); err != nil {
			t.Fatal(err)
		}
		policy, err := policies.New("edf", seed)
		if err != nil {
			t.Fatal(err)
		}
		out, err := online.Play(t.Context(), &engine, policy, online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2}})
		if err != nil {
			t.Fatal(err)
		}
		run := out.Plan()
		now := model.Time(rand.New(rand.NewPCG(seed, 23)).Int64N(int64(night.TimeOf(run)) + 3))
		table := *run
		table.Tasks, table.Lost = unsaid(run.Tasks, now), unsaid(run.Lost, now)
		record, err := night.Read(js, &table, now)
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		sets++
		past, err := record.Past()
		if fault := (*night.LineError)(nil); errors.As(err, &fault) {
			refused++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		moved, fresh = moved+len(record.Moved), fresh+len(record.Fresh)
		res, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 40, Relax: true, NoConflict: true})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		plan := report.PlanFile(past.Set, res)
		if found := check.Plan(js, plan); !found.OK() {
			t.Fatalf("seed %d, now %d: %v", seed, now, found.Err())
		}
		told := linesOf(plan.Tasks)
		for _, line := range table.Tasks {
			got := told[nameOf(line)]
			if isIn(record.Fresh, append(append(past.Doomed, past.Parted...), past.Lost...), js, line) {
				continue
			}
			if off := got.Start - line.Start; got.Slave != line.Slave || off < 0 || off > 3*js.Heartbeat {
				t.Errorf("seed %d, now %d: %s is %+v, told was %+v", seed, now, nameOf(line), got, line)
			}
		}
	}
	t.Logf("%d of %d refused, %d begun between heartbeats, %d since the last", refused, sets, moved, fresh)
	if moved == 0 || fresh == 0 || refused*20 > sets {
		t.Error("not every case came up, or too many were refused")
	}
}
