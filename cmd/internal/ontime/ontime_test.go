package ontime_test

import (
	"math"
	"testing"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/durations"
)

// One task of 10 that takes 8 to 12 is in time by 10 in about half of the runs and by 12
// in all, under every policy in the same ones; Wilson's interval of 20 in 20 runs
// reaches down to 20 / (20 + 1.96²).
func TestPlay(t *testing.T) {
	js, err := jobfile.Load("odds.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a}]}
jobs:
  - {name: tight, deadline: 10, hard: true, map: {tasks: 1, wcet: 10}}
  - {name: loose, deadline: 24, map: {tasks: 1, wcet: 10}}
  - {name: never, map: {tasks: 1, wcet: 1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	contender := func(name string) ontime.Contender {
		return ontime.Contender{Name: name, New: func(seed uint64) (online.Policy, error) { return schedulers.New(name, seed) }}
	}
	seeds := make([]uint64, 20)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	opts := online.Options{Durations: durations.Uniform{Lo: 0.8, Hi: 1.2}}
	all, err := ontime.Play(t.Context(), js, []ontime.Contender{contender("edf"), contender("fifo")}, opts, seeds, nil)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, tally := range all {
		if n := tally.InTime[0]; n != tally.HardMet || n != all[0].InTime[0] || n < 4 || n > 16 {
			t.Errorf("%s: tight is in time %d times", tally.Policy, n)
		}
		s := tally.Share(tally.InTime[1])
		if z := 1.959964; tally.Runs != 20 || s.Mean != 1 || s.High != 1 || math.Abs(s.Low-20/(20+z*z)) > 1e-6 {
			t.Errorf("%s: loose %+v", tally.Policy, s)
		}
		if tally.InTime[2] != 0 {
			t.Errorf("%s: a job without a deadline was in time", tally.Policy)
		}
	}
	if _, err := ontime.Play(t.Context(), js, []ontime.Contender{contender("nobody")}, opts, seeds, nil); err == nil {
		t.Error("an unknown policy played")
	}
}

// Quantiles over runs are times that were seen, by nearest rank.
func TestIntervalOf(t *testing.T) {
	times := []model.Time{50, 10, 40, 20, 30, 60, 90, 80, 70, model.Never}
	if got := ontime.IntervalOf(times); got != (ontime.Interval{Low: 10, Median: 50, High: 90}) {
		t.Errorf("%+v", got)
	}
	if got := ontime.IntervalOf([]model.Time{7}); got != (ontime.Interval{Low: 7, Median: 7, High: 7}) {
		t.Errorf("%+v", got)
	}
}
