package policies

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// Every policy as it comes runs every set to its end, leaves a valid plan with
// a reason for each decision, and does the same again; where tasks overrun too.
func TestEveryPolicyRuns(t *testing.T) {
	for seed := range uint64(60) {
		everyPolicyRuns(t, gen.Small(seed, 12), seed)
	}
}

// So it does with containers, stage graphs and jobs after jobs; and what comes after a
// job that was rejected is rejected with a reason.
func TestEveryPolicyRunsToday(t *testing.T) {
	along := 0
	for seed := range testkit.Sets[uint64](60, 250) {
		along += everyPolicyRuns(t, gen.TodaySmall(seed, 8+int(seed%30)), seed)
	}
	if along == 0 {
		t.Error("no job was rejected with another")
	}
}

// everyPolicyRuns counts jobs that were rejected with another.
func everyPolicyRuns(t *testing.T, js *model.JobSet, seed uint64) (along int) {
	t.Helper()
	opts := online.Options{Seed: seed, Trace: true}
	if seed%2 == 0 {
		opts.Durations = durations.Uniform{Lo: 0.3, Hi: 1}
	}
	if seed%4 == 1 {
		opts.Durations = durations.Uniform{Lo: 0.5, Hi: 2}
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
		if err := check.Plan(js, outs[0].Plan()).Err(); err != nil {
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
		along += rejectedAlong(t, outs[0])
	}
	return along
}

// rejectedAlong counts the jobs that come after a rejected one: all are rejected, none
// before its release, and the trace says why.
func rejectedAlong(t *testing.T, out *online.Outcome) int {
	t.Helper()
	js, along := out.JobSet, 0
	for i := range js.Jobs {
		gone := slices.IndexFunc(js.Jobs[i].After, func(k model.JobID) bool { return out.Finishes[k] == model.Never })
		if gone < 0 {
			continue
		}
		along++
		if out.Finishes[i] != model.Never {
			t.Errorf("%s, %s: job %s ran after one that was rejected", js.Name, out.Policy, js.Jobs[i].Name)
		}
		said := slices.IndexFunc(out.Trace, func(d online.Decision) bool {
			return d.Task < 0 && d.Job == model.JobID(i) && !d.Accepted && strings.Contains(d.Why, "which was rejected")
		})
		if said < 0 || out.Trace[said].At < js.Jobs[i].Release {
			t.Errorf("%s, %s: no reason for job %s", js.Name, out.Policy, js.Jobs[i].Name)
		}
	}
	return along
}

// Where slaves go for good, every policy runs every set to its end: jobs that are left out have a
// task that did not run while one of its slaves was there, or come after such a job, and all
// others finish.
func TestEveryPolicyRunsWhereSlavesGo(t *testing.T) {
	left := 0
	for seed := range testkit.Sets[uint64](60, 250) {
		js := gen.Small(seed, 12)
		if seed%2 == 1 {
			js = gen.TodaySmall(seed, 8+int(seed%30))
		}
		rng := rand.New(rand.NewPCG(seed, 7))
		for i := range js.Slaves {
			if s := &js.Slaves[i]; rng.IntN(2) == 0 {
				s.Down = append(slices.Clone(s.Down), model.Interval{Start: model.Time(rng.IntN(80)), End: model.Never})
			}
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		confined := js.Confined()
		opts := online.Options{Seed: seed, Trace: true, Surprise: seed%5 == 0}
		if seed%3 == 0 {
			opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
		}
		for _, name := range Names() {
			p, err := New(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Play(context.Background(), js, p, opts)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			left += len(out.LeftOut)
			for i := range js.Jobs {
				id := model.JobID(i)
				gone, refused := slices.Contains(out.LeftOut, id), slices.Contains(out.Rejected, id)
				after := slices.ContainsFunc(js.Jobs[i].After, func(k model.JobID) bool { return slices.Contains(out.LeftOut, k) })
				if (out.Finishes[i] == model.Never) != (gone || refused) || gone && !after && (confined == nil || !confined[i]) || after && !gone && !refused {
					t.Errorf("seed %d, %s: job %s: finish %d, left out %t, rejected %t", seed, name, js.Jobs[i].Name, out.Finishes[i], gone, refused)
				}
			}
		}
	}
	if left == 0 {
		t.Error("no job was left out")
	}
}
