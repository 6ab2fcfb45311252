package replan_test

import (
	"os"
	"strconv"
	"testing"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/replan"
	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
	"downbeat/online/follow"
	"downbeat/solve"
)

// Whatever befalls a run of a tiny set, what has happened is a past that the validator
// accepts, at any of many times, and the run keeps the rules and repeats.
func TestWhateverHappens(t *testing.T) {
	plans, kept := 0, 0
	for seed := range testkit.Sets[uint64](6, 50) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		first := heuristics.Repair(js, model.NewSchedule(len(js.Tasks)))
		opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2.5}}
		if seed%3 == 0 {
			opts.Faults = &online.Faults{MTBF: 20, MTTR: 4}
		}
		how := replan.Options{Every: 1 + model.Time(seed%5), Slip: []model.Time{follow.Patient, 3}[seed%2], Margin: replan.Learn, Solve: solve.Options{Budget: 4}}
		var outs [2]*online.Outcome
		for i := range outs {
			p := replan.New(js, first, how)
			var err error
			if outs[i], err = online.Play(t.Context(), js, p, opts); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			plans, kept = plans+p.Plans, kept+p.Kept
		}
		for task := range js.Tasks {
			if outs[0].Schedule[task] != outs[1].Schedule[task] {
				t.Fatalf("seed %d: two runs differ", seed)
			}
		}
	}
	t.Logf("%d plans of the rest, %d of them without a schedule", plans, kept)
	if plans == 0 || kept*2 > plans {
		t.Errorf("%d plans of the rest, %d of them without a schedule", plans, kept)
	}
}

// At declared times a plan that meets every hard deadline still does when it is planned anew
// again and again, and is no worse.
func TestNothingHappens(t *testing.T) {
	planned := 0
	for seed := range testkit.Sets[uint64](20, 150) {
		js := gen.Tiny(seed)
		fifo := *js
		fifo.FIFO = true
		res, err := solve.Plan(t.Context(), &fifo, solve.Options{Budget: 200, NoConflict: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Schedule == nil {
			continue
		}
		planned++
		p := replan.New(js, res.Schedule, replan.Options{Every: 3, Slip: follow.Patient, Margin: replan.Learn, Solve: solve.Options{Budget: 20}})
		out, err := online.Play(t.Context(), js, p, online.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !out.HardMet() {
			t.Errorf("seed %d: the plan meets every hard deadline, the run does not", seed)
		}
		for i, o := range js.Goal() {
			if v := out.Value(o); v > res.Objectives[i].Value {
				t.Errorf("seed %d: %s is %d, planned %d", seed, o, v, res.Objectives[i].Value)
			}
			if out.Value(o) != res.Objectives[i].Value {
				break // then those after it may be anything
			}
		}
	}
	if planned == 0 {
		t.Error("no set has a plan")
	}
}

// The example night with tasks that take 15 % longer than declared on average, replanned every
// 30 minutes: with the same draws, neither late hard jobs nor misses are more than under EDF by more
// than 5 %. The figures of 200 draws, which DOWNBEAT_NIGHTS=200 plays, are in docs/night.md.
func TestSlowNight(t *testing.T) {
	src, err := os.ReadFile("../../../examples/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jobfile.Load("nightly.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	fifo := *js
	fifo.FIFO = true
	res, err := solve.Plan(t.Context(), &fifo, solve.Options{Budget: 100, NoConflict: true, Relax: true})
	if err != nil || res.Schedule == nil {
		t.Fatal(err, res.Status)
	}
	contenders := []ontime.Contender{
		{Name: "replan", New: func(uint64) (online.Policy, error) {
			return replan.New(js, res.Schedule, replan.Options{Every: 30, Slip: follow.Patient, Margin: replan.Learn, Solve: solve.Options{Budget: 20}}), nil
		}},
		{Name: "edf", New: func(uint64) (online.Policy, error) { return basic.EDF(basic.Options{}), nil }},
	}
	draws := testkit.Sets(2, 8)
	asked, err := strconv.Atoi(os.Getenv("DOWNBEAT_NIGHTS"))
	if err == nil {
		draws = asked
	}
	seeds := make([]uint64, draws)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	tallies, err := ontime.Play(t.Context(), js, contenders, online.Options{Durations: durations.Uniform{Lo: 0.8, Hi: 1.5}}, seeds, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, o := range tallies[0].Goal() {
		p := tallies[0].Against(&tallies[1], k)
		t.Logf("%s: %.2f, EDF %.2f, difference %.2f (%.2f to %.2f)", o, p.A.Mean, p.B.Mean, p.Difference.Mean, p.Difference.Low, p.Difference.High)
		worst := p.Difference.Mean
		if asked >= 100 {
			worst = p.Difference.High
		}
		if o != model.Tardiness && worst > 0.05*p.B.Mean {
			t.Errorf("%s is worse than under EDF: %+v", o, p)
		}
	}
}
