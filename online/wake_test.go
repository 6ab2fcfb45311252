package online_test

import (
	"context"
	"flag"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
)

var sets = flag.Uint64("sets", 3000, "number of random job sets for each comparison")

// basics are the policies that never leave a slot free that something fits.
var basics = []func() online.Policy{basic.FIFO, basic.Fair, basic.EDF, basic.LLF}

// drawn is a small job set with options that a third of the time have shorter
// durations, and a quarter of the time failures.
func drawn(seed uint64) (*model.JobSet, online.Options) {
	js := gen.Tiny(seed)
	if seed%4 == 3 {
		js = gen.Small(seed, 14)
	}
	opts := online.Options{Seed: seed}
	if seed%3 == 1 {
		opts.Durations = online.Uniform{Lo: 0.1, Hi: 1}
	}
	if seed%4 >= 2 {
		opts.Faults = &online.Faults{MTBF: 12, MTTR: 4}
	}
	return js, opts
}

func run(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", js.Name, opts.Seed, err)
	}
	return out
}

// The engine asks only at heartbeats where the answer may have changed. What
// comes of it is what asking at every heartbeat would bring.
func TestNoHeartbeatIsMissed(t *testing.T) {
	lost, early := 0, 0
	for seed := range *sets {
		js, opts := drawn(seed)
		for _, policy := range basics {
			out := run(t, js, policy(), opts)
			r := newReference(js, out.Policy, opts)
			if !r.run() {
				t.Fatalf("seed %d, %s: not done at %d", seed, out.Policy, longest)
			}
			if diff := r.differs(out); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, out.Policy, diff)
			}
			lost += len(out.Lost)
			for id := range out.Ends {
				if out.Ends[id] < js.Finish(model.TaskID(id), out.Schedule[id]) {
					early++
				}
			}
		}
	}
	if lost == 0 || early == 0 {
		t.Errorf("%d lost attempts and %d early ends: too few to tell", lost, early)
	}
}
