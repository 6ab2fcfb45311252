package online_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// Two slots (s and t) from the first release at 2 to the last finish at 14,
// less t's absence in [10, 13): 2·12 − 3 = 21 ticks of slots.
//
//	a  s A2 F6, due 12: in time, 4 ticks held; local, as s has its input
//	b  t A2 (R2 S4) F7, due 4: late by 3, weight 2, 5 ticks held; remote
//	c  hard, due 13: s A6 F14, late by 1, 8 ticks held; the same everywhere
//	d  best-effort: t A7 F9, 2 ticks held; the same everywhere
//	e  hard, rejected
//
// Successful are a and d: (4 + 2)/21; all accepted: (4+5+8+2)/21, of which b fetched
// for 2. The penalty is 2·3/2 for b and 1·1/11 for c. Responses are 4, 5, 12 and 7.
func TestByHand(t *testing.T) {
	js, err := jobfile.Load("test", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t, down: [[10, 13]]}]}
jobs:
  - {name: a, release: 2, deadline: 10, map: {tasks: 1, wcet: 4, transfer: {local: 0, remote: 2}, data: [s]}}
  - {name: b, release: 2, deadline: 2, weight: 2, map: {tasks: 1, wcet: 3, transfer: {local: 0, remote: 2}, data: [s]}}
  - {name: c, release: 2, deadline: 11, hard: true, map: {tasks: 1, wcet: {s: 8}}}
  - {name: d, release: 2, map: {tasks: 1, wcet: {t: 2}}}
  - {name: e, release: 3, deadline: 9, hard: true, map: {tasks: 1, wcet: 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	at := func(slave model.SlaveID, beat, start model.Time) model.Placement {
		return model.Placement{Slave: slave, Beat: beat, Fetch: beat, Start: start}
	}
	ends := []model.Time{6, 7, 14, 9, model.Never}
	out := &online.Outcome{
		JobSet: js, Ends: ends, Finishes: ends, Rejected: []model.JobID{4},
		Schedule: model.Schedule{at(0, 2, 2), at(1, 2, 4), at(0, 6, 6), at(1, 7, 7), {Slave: model.NoSlave}},
	}
	want := online.Measures{
		Jobs: 5, Accepted: 4, Successful: 2, AcceptRatio: 0.8, SuccessRatio: 0.5,
		Utilization: 6. / 21, TotalUtilization: 19. / 21, CoreUtilization: 17. / 21, HardMisses: 1, RejectedHard: 1,
		Misses: 2, MaxTardiness: 3, WeightedTardiness: 6, Makespan: 14,
		Penalty: 3 + 1./11, Locality: 0.5, MeanResponse: 7,
	}
	if diff := cmp.Diff(want, online.Measure(out), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-by hand +got)\n%s", diff)
	}
}

// FIFO on one slave of three cores and 8 of memory: a has two tasks of two cores and 3 of
// memory, A0 R0 S2 F6 and, as one core is left, A0 R2 S6 F10; b needs 4 and gets it at
// 6, A6 S6 F7, on the core that is free. The span is [0, 10). Cores: 2·4 + 2·4 + 1 of
// 30. Memory: 3·6 + 3·10 + 4 of 80.
func TestContainersByHand(t *testing.T) {
	js, err := jobfile.Load("test", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 3, slots: 4, resources: {memory: 8, gpu: 2}}]}
jobs:
  - {name: a, stages: [{name: x, tasks: 2, wcet: 4, transfer: 2, cores: 2, resources: {memory: 3}}]}
  - {name: b, stages: [{name: y, tasks: 1, wcet: 1, resources: {memory: 4}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, basic.FIFO(), online.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := online.Measure(out)
	if math.Abs(m.CoreUtilization-17./30) > 1e-12 {
		t.Errorf("%g of the cores, want 17/30", m.CoreUtilization)
	}
	want := map[string]float64{"memory": 52. / 80, "gpu": 0}
	for i, name := range js.Named {
		if math.Abs(m.ResourceUtilization[i]-want[name]) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, m.ResourceUtilization[i], want[name])
		}
	}
	if len(js.Named) != 2 {
		t.Errorf("resources %v", js.Named)
	}
}

// picky is FIFO that turns away some jobs, or all.
type picky struct {
	online.Policy
	rejected model.JobID // -1 for all
}

func (p picky) Admit(_ *online.View, j *online.Job) (bool, string) {
	return p.rejected >= 0 && j.ID() != p.rejected, "full"
}

func performanceRun(t *testing.T, js *model.JobSet, rejected model.JobID, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, picky{basic.FIFO(), rejected}, opts)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", js.Name, opts.Seed, err)
	}
	return out
}

// A run that does nothing is a run.
func TestPerformanceAllRejected(t *testing.T) {
	js := gen.Tiny(1)
	want := online.Measures{Jobs: len(js.Jobs), SuccessRatio: 1, Locality: 1}
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			want.RejectedHard++
		}
	}
	if diff := cmp.Diff(want, online.Measure(performanceRun(t, js, -1, online.Options{}))); diff != "" {
		t.Error(diff)
	}
}

// Measures agree with the plan, which the validator recomputes.
func TestFitsThePlan(t *testing.T) {
	for seed := range uint64(300) {
		js := gen.Small(seed, 3+int(seed%12))
		if seed%2 == 1 {
			js = gen.TodaySmall(seed, 3+int(seed%12))
		}
		js.Objectives = []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}
		opts := online.Options{Seed: seed}
		if seed%3 == 1 {
			opts.Durations = durations.Uniform{Lo: 0.1, Hi: 1}
		}
		if seed%4 >= 2 {
			opts.Faults = &online.Faults{MTBF: 12, MTTR: 4}
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		out := performanceRun(t, js, model.JobID(rng.IntN(len(js.Jobs))), opts)
		p, m := out.Plan(), online.Measure(out)
		found := check.Plan(js, p)
		if err := found.Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		values := []int64{m.Misses, m.MaxTardiness, m.WeightedTardiness, m.Makespan}
		for i, o := range p.Objectives {
			if o.Value != values[i] {
				t.Errorf("seed %d: %s %d in the plan, %d measured", seed, o.Name, o.Value, values[i])
			}
		}
		late := 0
		for _, j := range p.Jobs {
			if j.Late > 0 {
				late++
			}
		}
		if m.HardMisses != int64(len(found.HardLate)) || m.Accepted-m.Successful != late || m.Accepted+len(out.Rejected) != m.Jobs {
			t.Errorf("seed %d: %+v, %d late hard jobs, %d late", seed, m, len(found.HardLate), late)
		}
		for _, u := range append(m.ResourceUtilization, m.CoreUtilization) {
			if u < 0 || u > 1 || math.IsNaN(u) {
				t.Errorf("seed %d: %+v", seed, m)
			}
		}
		if m.Utilization > m.TotalUtilization || m.TotalUtilization > 1 || math.IsNaN(m.MeanResponse) || m.Locality < 0 || m.Locality > 1 {
			t.Errorf("seed %d: %+v", seed, m)
		}
	}
}
