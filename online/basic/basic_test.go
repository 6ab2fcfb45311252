package basic_test

import (
	"context"
	"fmt"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/verify"
	"downbeat/online"
	"downbeat/online/basic"
)

var policies = []func() online.Policy{basic.FIFO, basic.Fair, basic.EDF, basic.LLF}

// Every run leaves a plan that the validator accepts, whatever happens to
// durations and slaves.
func TestRunsLeaveValidPlans(t *testing.T) {
	for seed := range uint64(1000) {
		js := gen.Tiny(seed)
		if seed%3 == 0 {
			js = gen.Small(seed, 20)
		}
		opts := online.Options{Seed: seed}
		if seed%2 == 0 {
			opts.Durations = online.Uniform{Lo: 0.2, Hi: 1}
		}
		if seed%5 == 0 {
			opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
		}
		for _, p := range policies {
			out, err := online.Run(context.Background(), js, p(), opts)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := verify.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
		}
	}
}

func farm(slaves, jobs, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "farm", Heartbeat: 3, Fetch: model.FetchConcurrent}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Cores: 4, Slots: 4, FirstBeat: model.Time(i % 3)})
	}
	p := model.NewProfile(model.ConstRow(slaves, 20), model.ConstRow(slaves, 0))
	for i := range jobs {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Release: model.Time(5 * i), Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: tasks, Profile: p}},
		}}})
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// BenchmarkFIFO runs a thousand slaves; tasks/s are completions.
func BenchmarkFIFO(b *testing.B) {
	js := farm(1000, 1000, 1000)
	b.ResetTimer()
	n := 0
	for b.Loop() {
		out, err := online.Run(context.Background(), js, basic.FIFO(), online.Options{})
		if err != nil {
			b.Fatal(err)
		}
		n += len(out.Ends)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tasks/s")
}
