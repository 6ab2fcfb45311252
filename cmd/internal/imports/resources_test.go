package imports

import (
	"bytes"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/trace"
)

// shares is a trace with all that tasks can have in common: resources of machines, pools, caps, a gang.
func shares() *trace.Trace {
	t := trace.New(trace.Everything)
	t.AddMachine(trace.Machine{Name: "a", Cores: 4, Memory: 8 << 30, Resources: []trace.Amount{{Name: "gpu", Units: 2}, {Name: "scratch", Units: 5<<20 - 1, Bytes: true}}})
	t.AddMachine(trace.Machine{Name: "b", Cores: 4, Memory: 8 << 30})
	t.Pools = []trace.Pool{{Name: "licence", Amount: 3}, {Name: "quota", Amount: 6<<20 + 5, Bytes: true}, {Name: "unused", Amount: 1}}
	job := func(name string, change func(*trace.Job, *trace.Stage)) {
		j := trace.NewJob(name, trace.Place{File: "f", Line: len(t.Jobs) + 1, Column: 1})
		j.Submit = 0
		st := trace.NewStage("run")
		tk := trace.NewTask(60_000)
		tk.Count = 4
		st.Tasks = []trace.Task{tk}
		change(&j, &st)
		j.Stages = []trace.Stage{st}
		t.Add(j, false)
	}
	job("gpu", func(j *trace.Job, st *trace.Stage) {
		st.Memory, st.Resources = 1<<30, []trace.Amount{{Name: "gpu", Units: 1}, {Name: "scratch", Units: 1<<20 + 1, Bytes: true}, {Name: "fpga", Units: 1}}
		j.AtMost = 2
	})
	job("gang", func(_ *trace.Job, st *trace.Stage) { st.Gang, st.AtMost = true, 4 })
	job("pool", func(_ *trace.Job, st *trace.Stage) {
		st.Takes = []trace.Take{{Pool: "licence", Units: 1}, {Pool: "quota", Units: 1}}
	})
	return t
}

// What a trace tells of resources, pools, caps and gangs is in the job set; needs are rounded up,
// what there is down, and what can never run is left out and counted.
func TestSharesOfTraces(t *testing.T) {
	kind, _ := Named("csv")
	rules := DefaultRules()
	rules.Deadline.name = "column"
	result, err := Make(t.Context(), shares(), kind, 1, rules)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jobfile.Write(&text, result.Set); err != nil {
		t.Fatal(err)
	}
	if _, err := jobfile.Load("x.yaml", text.Bytes()); err != nil {
		t.Fatal(err)
	}
	const want = `  pools:
    licence: 3
    quota: 6
  slaves:
    - {name: a, cores: 4, slots: 4, resources: {gpu: 2, memory: 8192, scratch: 4}}
    - {name: b, cores: 4, slots: 4, resources: {memory: 8192}}
jobs:
  - name: gpu
    at_most: 2
    stages:
      - name: run
        tasks: 4
        wcet: 60
        resources: {gpu: 1, memory: 1024, scratch: 2}
  - name: gang
    stages:
      - name: run
        at_most: 4
        gang: true
        tasks: 4
        wcet: 60
  - name: pool
    stages:
      - name: run
        tasks: 4
        wcet: 60
        pools: {licence: 1, quota: 1}
`
	_, got, _ := strings.Cut(text.String(), "fetch: concurrent\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	notes := strings.Join(result.Notes, "\n")
	for _, want := range []string{
		"resources of which the cluster does not say what it has, which are left out (1); the first: f:1:1: tasks need fpga",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
}

// Where memory is left out so are pools of bytes.
func TestSharesWithoutMemory(t *testing.T) {
	kind, _ := Named("csv")
	rules := DefaultRules()
	rules.Memory = 0
	result, err := Make(t.Context(), shares(), kind, 1, rules)
	if err != nil {
		t.Fatal(err)
	}
	if named, pools := result.Set.Named, result.Set.Pools; len(named) != 1 || named[0] != "gpu" || len(pools) != 1 || pools[0].Name != "licence" {
		t.Errorf("resources %v, pools %v", named, pools)
	}
}

// Of more resources than a job set has room for the others are told, and memory is never among them.
func TestTooManyResources(t *testing.T) {
	tr := trace.New(trace.Everything)
	machine := trace.Machine{Name: "a", Cores: 1, Memory: 1 << 30}
	j, st := trace.NewJob("j", trace.Place{File: "f", Line: 1, Column: 1}), trace.NewStage("run")
	st.Memory, st.Tasks = 1<<20, []trace.Task{trace.NewTask(60_000)}
	for i := range model.MaxNamed + 2 {
		name := string(rune('a' + i))
		machine.Resources = append(machine.Resources, trace.Amount{Name: name, Units: 1})
		st.Resources = append(st.Resources, trace.Amount{Name: name, Units: 1})
	}
	j.Submit, j.Stages = 0, []trace.Stage{st}
	tr.AddMachine(machine)
	tr.Add(j, false)
	kind, _ := Named("csv")
	result, err := Make(t.Context(), tr, kind, 1, DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	const want = "resources beyond 8, which are left out (3); the first: f:1:1: tasks need h"
	if got := strings.Join(result.Set.Named, " "); got != "a b c d e f g memory" || !strings.Contains(strings.Join(result.Notes, "\n"), want) {
		t.Errorf("resources %s, notes %v", got, result.Notes)
	}
}
