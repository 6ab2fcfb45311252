package rtmr

import (
	"testing"

	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// Every run leaves a plan that the validator accepts, whatever the platform,
// the durations and the failures. Nothing is promised about deadlines there.
func TestRunsLeaveValidPlans(t *testing.T) {
	policies := []func() online.Policy{
		func() online.Policy { return New(Default()) },
		func() online.Policy {
			return New(Options{Order: LLF, Feedback: true, Learning: Learning{Learn: true}, Reserve: Printed})
		},
		func() online.Policy { return New(Options{Order: FIFO, NoBeat: true}) },
		func() online.Policy { return DeadlineConstraint(DeadlineOptions{}) },
		func() online.Policy { return DeadlineConstraint(DeadlineOptions{NoBeat: true, RunningOnly: true}) },
	}
	accepted := make([]int, len(policies))
	for seed := range uint64(1500) {
		js := gen.Tiny(seed)
		if seed%3 == 0 {
			js = gen.Small(seed, 24)
		}
		opts := online.Options{Seed: seed, Trace: seed%7 == 0}
		if seed%2 == 0 {
			opts.Durations = durations.Uniform{Lo: 0.2, Hi: 1}
		}
		if seed%5 == 0 {
			opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
		}
		for i, p := range policies {
			accepted[i] += online.Measure(run(t, js, p(), opts)).Accepted
		}
	}
	for i, n := range accepted {
		if n == 0 {
			t.Errorf("policy %d never accepted a job", i)
		}
	}
}
