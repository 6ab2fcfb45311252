package policies

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model/gen"
	"downbeat/model/verify"
	"downbeat/online"
	"downbeat/online/durations"
)

// Every policy as it comes runs every set to its end, leaves a valid plan with
// a reason for each decision, and does the same again.
func TestEveryPolicyRuns(t *testing.T) {
	for seed := range uint64(60) {
		js, opts := gen.Small(seed, 12), online.Options{Seed: seed, Trace: true}
		if seed%2 == 0 {
			opts.Durations = durations.Uniform{Lo: 0.3, Hi: 1}
		}
		if seed%3 == 0 {
			opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
		}
		for _, name := range Names() {
			var outs [2]*online.Outcome
			for i := range outs {
				p, err := New(name, seed)
				if err != nil {
					t.Fatal(err)
				}
				if outs[i], err = online.Run(context.Background(), js, p, opts); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if err := verify.Plan(js, outs[0].Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			if diff := cmp.Diff(outs[0].Plan(), outs[1].Plan()); diff != "" {
				t.Fatalf("seed %d, %s: two runs differ\n%s", seed, name, diff)
			}
			for _, d := range outs[0].Trace {
				if d.Task >= 0 && len(d.Candidates) == 0 {
					t.Fatalf("seed %d, %s: no reason for %s", seed, name, js.TaskName(d.Task))
				}
			}
		}
	}
}
