package online_test

import (
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// Of a group all tasks take the same share in a run, over runs as its quantiles say, and never more than
// the worst case; with a draw for each task they do not. What has no history takes its worst case.
func TestHistory(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: fast, cores: 2}, {name: slow, cores: 2}]}
jobs:
  - name: j
    stages:
      - {name: a, tasks: 4, wcet: {fast: 500, slow: 1000}, durations: {p0: 100, p50: 400, p90: 900}}
      - {name: b, tasks: 2, wcet: 7}
`)
	const runs = 400
	low, middle, apart := 0, 0, 0
	for seed := range uint64(runs) {
		out, err := online.Run(t.Context(), js, basic.FIFO(), online.Options{Seed: seed, Durations: online.History{}})
		if err != nil {
			t.Fatal(err)
		}
		shares := sharesOf(js, out)
		if shares[0] < 0.1 || shares[0] > 1 || shares[4] != 1 {
			t.Fatalf("seed %d: shares %v", seed, shares)
		}
		for _, s := range shares[1:4] {
			if s < shares[0]-0.003 || s > shares[0]+0.003 {
				t.Fatalf("seed %d: tasks of a group take shares %v", seed, shares)
			}
		}
		if shares[0] <= 0.4 {
			middle++
		}
		if shares[0] <= 0.9 {
			low++
		}
		if out, err = online.Run(t.Context(), js, basic.FIFO(), online.Options{Seed: seed, Durations: online.History{ByTask: true}}); err != nil {
			t.Fatal(err)
		}
		if s := sharesOf(js, out); s[0] != s[1] && s[1] != s[2] {
			apart++
		}
	}
	if middle < 170 || middle > 230 || low < 340 || low > 380 || apart < runs*9/10 {
		t.Errorf("of %d runs %d take up to p50, %d up to p90; tasks differ in %d", runs, middle, low, apart)
	}
}

// A realised set declares what tasks took in the run of which it was made.
func TestRealised(t *testing.T) {
	for seed := range uint64(40) {
		js, opts := gen.TodaySmall(seed, 14), online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.3, Hi: 2}}
		if seed%2 == 0 {
			js.Jobs[0].Stages[0].Groups[0].Durations = model.Quantiles{{Percent: 10, Value: 1}}
			opts.Durations = online.History{ByTask: seed%4 == 0}
		}
		realised, err := opts.Realised(js)
		if err != nil {
			t.Fatal(err)
		}
		out, err := online.Run(t.Context(), js, basic.FIFO(), opts)
		if err != nil {
			t.Fatal(err)
		}
		lost := map[model.TaskID]bool{}
		for _, a := range out.Lost { // an overrun met an absence
			lost[a.Task] = true
		}
		for i, at := range out.Schedule {
			took := out.Ends[i] - at.Start
			if id := model.TaskID(i); !lost[id] && took != realised.Tasks[i].WCET(at.Slave) {
				t.Fatalf("seed %d: %s took %d, realised are %d", seed, js.TaskName(id), took, realised.Tasks[i].WCET(at.Slave))
			}
		}
	}
}

// sharesOf are the shares of their worst cases that tasks took.
func sharesOf(js *model.JobSet, out *online.Outcome) (shares []float64) {
	for i, at := range out.Schedule {
		shares = append(shares, float64(out.Ends[i]-at.Start)/float64(js.Tasks[i].WCET(at.Slave)))
	}
	return shares
}
