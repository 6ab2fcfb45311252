package online_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/online"
)

// The plan of a run in which b and c are late, c hard, and e, hard, was turned away.
func TestPlanByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t, down: [[10, 13]]}]}
jobs:
  - {name: a, release: 2, deadline: 10, map: {tasks: 1, wcet: 4, transfer: {local: 0, remote: 2}, data: [s]}}
  - {name: b, release: 2, deadline: 2, weight: 2, map: {tasks: 1, wcet: 3, transfer: {local: 0, remote: 2}, data: [s]}}
  - {name: c, release: 2, deadline: 11, hard: true, map: {tasks: 1, wcet: {s: 8}}}
  - {name: d, release: 2, map: {tasks: 1, wcet: {t: 2}}}
  - {name: e, release: 3, deadline: 9, hard: true, map: {tasks: 1, wcet: 1}}
objective: [misses, makespan]`)
	d := newDiary()
	d.rejected = "e"
	out := expect(t, js, d, online.Options{}, `
a/map/1 s A2 R2 S2 F6
b/map/1 t A2 R2 S4 F7
c/map/1 s A6 R6 S6 F14
d/map/1 t A7 R7 S7 F9
`)
	p := out.Plan()
	four, twelve, thirteen := model.Time(4), model.Time(12), model.Time(13)
	wantJobs := []model.JobResult{
		{Job: "a", Finish: 6, Deadline: &twelve}, {Job: "b", Finish: 7, Deadline: &four, Late: 3},
		{Job: "c", Finish: 14, Deadline: &thirteen, Late: 1}, {Job: "d", Finish: 9},
	}
	wantGoal := []model.ObjectiveValue{{Name: "misses", Value: 2}, {Name: "makespan", Value: 14}}
	if diff := cmp.Diff(wantJobs, p.Jobs) + cmp.Diff(wantGoal, p.Objectives); diff != "" || p.Status != "" || p.Kind != "executed" {
		t.Errorf("status %q, kind %q\n%s", p.Status, p.Kind, diff)
	}
	if !slices.Equal(p.Rejected, []string{"e"}) || out.HardMet() {
		t.Errorf("rejected %v, hard met %v", p.Rejected, out.HardMet())
	}
}

// With a go those after it: b, released before, at once and c at its release; d, which
// is released before a and comes after nothing, runs.
func TestRejectedAlong(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, release: 2, map: {tasks: 1, wcet: 4}}
  - {name: b, after: [a, d], map: {tasks: 1, wcet: 1}}
  - {name: c, release: 5, after: [b], map: {tasks: 1, wcet: 1}}
  - {name: d, map: {tasks: 1, wcet: 7}}`)
	d := newDiary()
	d.rejected = "a"
	out := expect(t, js, d, online.Options{Trace: true}, "d/map/1 s A0 R0 S0 F7\n")
	if !slices.Equal(out.Rejected, []model.JobID{0, 1, 2}) {
		t.Errorf("rejected %v", out.Rejected)
	}
	var got []string
	for _, d := range out.Trace {
		if d.Task < 0 && !d.Accepted {
			got = append(got, fmt.Sprint(d.At, " ", js.Jobs[d.Job].Name, ": ", d.Why))
		}
	}
	want := []string{"2 a: not a", "2 b: comes after job a, which was rejected", "5 c: comes after job b, which was rejected"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// everyone turns all jobs away.
type everyone struct{ *diary }

func (everyone) Admit(*online.View, *online.Job) (bool, string) { return false, "full" }

// A run that does nothing is a run.
func TestAllRejected(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 4}}
  - {name: b, deadline: 9, map: {tasks: 1, wcet: 4}}`)
	out := expect(t, js, everyone{newDiary()}, online.Options{Trace: true}, "")
	if p := out.Plan(); p.Status != "feasible" || len(p.Rejected) != 2 {
		t.Errorf("%+v", p)
	}
	if len(out.Trace) != 2 || out.Trace[0].Task != -1 || out.Trace[0].Accepted || out.Trace[0].Why != "full" {
		t.Errorf("trace %+v", out.Trace)
	}
}

// A trace tells of each task handed out what it was chosen from, best first.
func TestTraceByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, deadline: 9, map: {tasks: 1, wcet: 2}}
  - {name: b, deadline: 7, map: {tasks: 1, wcet: 4}, reduce: {tasks: 1, wcet: 1}}
  - {name: c, map: {tasks: 1, wcet: 1}}`)
	edf := basics[2]
	out := run(t, js, edf(), online.Options{Trace: true})
	c := func(job, stage, key string) online.Candidate {
		return online.Candidate{Job: job, Stage: stage, Key: key}
	}
	a, none := c("a", "map", "due 9"), c("c", "map", "due never")
	want := []online.Decision{
		{At: 0, Task: 1, Job: 1, Accepted: true, Candidates: []online.Candidate{c("b", "map", "due 7"), a, none}},
		{At: 4, Task: 2, Job: 1, Accepted: true, Candidates: []online.Candidate{c("b", "reduce", "due 7"), a, none}},
		{At: 5, Task: 0, Job: 0, Accepted: true, Candidates: []online.Candidate{a, none}},
		{At: 7, Task: 3, Job: 2, Accepted: true, Candidates: []online.Candidate{none}},
	}
	if diff := cmp.Diff(want, out.Trace); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
	if quiet := run(t, js, edf(), online.Options{}); quiet.Trace != nil || !slices.Equal(quiet.Ends, out.Ends) {
		t.Error("tracing is not off, or changes the run")
	}
}
