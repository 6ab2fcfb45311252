package policies

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// coupled is a set with pools, caps, gangs and tasks that are apart, and options under which it
// is played.
func coupled(seed uint64) (*model.JobSet, online.Options) {
	js := gen.Tiny(seed)
	switch seed % 6 {
	case 1:
		js = gen.Small(seed, 12)
	case 2:
		js = gen.TodayTiny(seed)
	case 3:
		js = gen.TodaySmall(seed, 8+int(seed%30))
	case 4:
		js = gen.GoneTiny(seed)
	case 5:
		js = gen.KindredTiny(seed)
	}
	opts := online.Options{Seed: seed, Trace: true, Surprise: seed%7 == 0}
	switch seed % 5 {
	case 1:
		opts.Durations = durations.Uniform{Lo: 0.3, Hi: 1}
	case 2:
		opts.Durations = durations.Uniform{Lo: 0.5, Hi: 3}
	}
	if seed%3 == 0 {
		opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
	}
	return gen.Coupled(js, seed, seed%2 == 1), opts
}

// With pools, caps, gangs and tasks that are apart every policy runs every set to its end, whatever
// befalls, leaves a valid plan, and does the same again.
func TestEveryPolicyRunsCoupled(t *testing.T) {
	gangs, lost, left := 0, 0, 0
	for seed := range testkit.Tiny(t, 200, 300) {
		js, opts := coupled(seed)
		for _, name := range append(Names(), "atc:choice=best,feasible=yes") {
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
			left += len(outs[0].LeftOut)
			for _, a := range outs[0].Lost {
				if _, gang := js.GangOf(a.Task); gang {
					lost++
				}
			}
			for id := range js.Tasks {
				if _, gang := js.GangOf(model.TaskID(id)); gang && outs[0].Schedule[id].Slave != model.NoSlave {
					gangs++
				}
			}
		}
	}
	if gangs == 0 || lost == 0 || left == 0 {
		t.Errorf("%d tasks of gangs ran, %d were lost, %d jobs left out: too few to tell", gangs, lost, left)
	}
}

// At declared times no policy does better than the optimum, and none meets all deadlines where that cannot be.
func TestNoPolicyBeatsTheOptimumOfCoupledSets(t *testing.T) {
	met, reached := 0, 0
	for seed := range testkit.Tiny(t, 150, 250) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		js = gen.Coupled(js, seed, seed%3 == 1)
		best, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range Names() {
			p, err := New(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Play(context.Background(), js, p, online.Options{Seed: seed})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !out.HardMet() || len(out.Rejected) > 0 || len(out.LeftOut) > 0 {
				continue
			}
			met++
			if best.Status == model.Infeasible {
				t.Fatalf("seed %d: %s meets all hard deadlines of a set without a plan", seed, name)
			}
			var values []int64
			for _, o := range js.Goal() {
				values = append(values, out.Value(o))
			}
			if slices.Compare(values, best.Values) < 0 {
				t.Fatalf("seed %d: %s reaches %v, the optimum is %v", seed, name, values, best.Values)
			}
			if slices.Equal(best.Values, values) {
				reached++
			}
		}
	}
	if reached == 0 || reached == met {
		t.Errorf("%d of %d runs are optimal: too few to tell", reached, met)
	}
}
