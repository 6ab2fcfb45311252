package online_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/basic"
)

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// lines shows an outcome, a line for each task: its slave, assignment A, begin
// of the fetch R, start S and end F; lost attempts up to their loss L.
func lines(out *online.Outcome) string {
	js := out.JobSet
	var b strings.Builder
	show := func(t model.TaskID, p model.Placement, mark string, end model.Time) {
		fmt.Fprintf(&b, "%s %s A%d R%d S%d %s%d\n", js.TaskName(t), js.Slaves[p.Slave].Name, js.Assigned(p), p.Fetch, p.Start, mark, end)
	}
	for t, p := range out.Schedule {
		if p.Slave != model.NoSlave {
			show(model.TaskID(t), p, "F", out.Ends[t])
		}
	}
	for _, a := range out.Lost {
		show(a.Task, a.Placement, "L", a.End)
	}
	return b.String()
}

// expect plays a set and compares with what was worked out by hand.
func expect(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options, want string) *online.Outcome {
	t.Helper()
	out := run(t, js, p, opts)
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), lines(out)); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Error(err)
	}
	return out
}

// platform has sets and what FIFO makes of them, worked by hand.
var platform = map[string]struct{ set, want string }{
	// a holds the only slot in [0, 4). At 4 it ends, b is released and the
	// slave beats: b has the slot at once.
	"a slot freed and a job released at a heartbeat count": {`
cluster: {heartbeat: 2, slaves: [{name: s}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 4}}
  - {name: b, release: 4, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S0 F4
b/map/1 s A4 R4 S4 F5
`},
	// The map task ends at 5; the next heartbeats are at 6 and, for t, at 7.
	"a stage waits for a heartbeat": {`
cluster: {heartbeat: 3, slaves: [{name: s}, {name: t, first_heartbeat: 1}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 5}, reduce: {tasks: 2, wcet: 2, transfer: 1}}`, `
a/map/1 s A0 R0 S0 F5
a/reduce/1 s A6 R6 S7 F9
a/reduce/2 t A7 R7 S8 F10
`},
	// Heartbeats: s at 5, 9, 13; t at 2, 6, 10.
	"first heartbeats": {`
cluster: {heartbeat: 4, slaves: [{name: s, first_heartbeat: 5}, {name: t, first_heartbeat: 2}]}
jobs:
  - {name: a, map: {tasks: 3, wcet: 4}}`, `
a/map/1 t A2 R2 S2 F6
a/map/2 s A5 R5 S5 F9
a/map/3 t A6 R6 S6 F10
`},
	// Both beat at 0: s is asked first.
	"slaves of a tick in the file's order": {`
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S0 F1
`},
	// Inputs one after the other: [0,3), [3,6), though both cores wait.
	"the fetch line": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 2, transfer: 3}}`, `
a/map/1 s A0 R0 S3 F5
a/map/2 s A0 R3 S6 F8
`},
	"fetching side by side": {`
cluster: {heartbeat: 1, fetch: concurrent, slaves: [{name: s, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 2, transfer: 3}}`, `
a/map/1 s A0 R0 S3 F5
a/map/2 s A0 R0 S3 F5
`},
	// The second input arrives at 2 while the core runs: it waits until 6.
	// The third task gets its slot at 6 and fetches while the second runs.
	"one core, two slots": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 2}]}
jobs:
  - {name: a, map: {tasks: 3, wcet: 5, transfer: 1}}`, `
a/map/1 s A0 R0 S1 F6
a/map/2 s A0 R1 S6 F11
a/map/3 s A6 R6 S11 F16
`},
	// x and y are open at once and z when both have ended; b waits for all of a, though
	// a core is free.
	"a graph of stages, and a job after it": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 4}]}
jobs:
  - {name: b, after: [a], stages: [{name: m, tasks: 1, wcet: 1}]}
  - {name: a, stages: [{name: z, tasks: 1, wcet: 1, after: [x, y]}, {name: x, tasks: 1, wcet: 2, after: []}, {name: y, tasks: 1, wcet: 3, after: []}]}`, `
b/m/1 s A4 R4 S4 F5
a/z/1 s A3 R3 S3 F4
a/x/1 s A0 R0 S0 F2
a/y/1 s A0 R0 S0 F3
`},
	// c/m/2 has to wait for memory until 3. d has its share at once and waits for two
	// cores until then; c/m/2, given after it, for one until 5.
	"containers": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 4, resources: {memory: 4}}]}
jobs:
  - {name: c, stages: [{name: m, tasks: 2, wcet: 3, resources: {memory: 3}}]}
  - {name: d, stages: [{name: m, tasks: 1, wcet: 2, cores: 2, resources: {memory: 1}}]}`, `
c/m/1 s A0 R0 S0 F3
c/m/2 s A3 R3 S5 F8
d/m/1 s A0 R0 S3 F5
`},
	// b has its input at once and a core is free, but a, which was given
	// earlier, starts at 5 only; nobody overtakes.
	"starts in the order of assignment": {`
cluster: {heartbeat: 1, fetch: concurrent, slaves: [{name: s, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 1, transfer: 5}}
  - {name: b, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S5 F6
b/map/1 s A0 R0 S5 F6
`},
	// An empty transfer queues too: b's begins and ends at 4.
	"empty transfers keep the order": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 1, transfer: 4}}
  - {name: b, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S4 F5
b/map/1 s A0 R4 S4 F5
`},
	// Two map tasks share one map slot; the reduce slot takes b's reduce at
	// 0, and the second map task of a at no time.
	"slots of either kind": {`
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, map_slots: 1, reduce_slots: 1}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 3}}
  - {name: b, reduce: {tasks: 2, wcet: 2}}`, `
a/map/1 s A0 R0 S0 F3
a/map/2 s A3 R3 S3 F6
b/reduce/1 s A0 R0 S0 F2
b/reduce/2 s A2 R2 S2 F4
`},
	// Absent in [5, 10): a task of 3 at 4 would end at 7, so it waits; there
	// is no heartbeat at 8. b takes 1 and fits before, at 4.
	"an absence that is known": {`
cluster: {heartbeat: 2, slaves: [{name: s, down: [[5, 10]]}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 3}}
  - {name: b, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S0 F3
a/map/2 s A10 R10 S10 F13
b/map/1 s A4 R4 S4 F5
`},
	// It ends at 5 sharp when it gets the core at 2: [2, 5) is not absent.
	"up to the absence": {`
cluster: {heartbeat: 2, slaves: [{name: s, slots: 2, down: [[5, 9]]}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 2}}
  - {name: b, map: {tasks: 1, wcet: 3}}
  - {name: c, map: {tasks: 1, wcet: 1}}`, `
a/map/1 s A0 R0 S0 F2
b/map/1 s A0 R0 S2 F5
c/map/1 s A10 R10 S10 F11
`},
}

// The slave's own behaviour and the rules of heartbeats.
func TestPlatform(t *testing.T) {
	for name, c := range platform {
		t.Run(name, func(t *testing.T) {
			expect(t, load(t, c.set), basic.FIFO(), online.Options{}, c.want)
		})
	}
}

// diary serves like FIFO and writes down all that it is called for.
type diary struct {
	online.Policy
	b        strings.Builder
	every    model.Time // control interval, 0 for none
	rejected string
}

func newDiary() *diary { return &diary{Policy: basic.FIFO()} }

func (d *diary) note(v *online.View, format string, args ...any) {
	fmt.Fprintf(&d.b, "%d "+format+"\n", append([]any{v.Now()}, args...)...)
}

func (d *diary) Heartbeat(v *online.View, o *online.Offer) {
	d.note(v, "asked by %s, %d ready", v.Slaves()[o.Slave()].Name, len(v.Ready()))
	d.Policy.Heartbeat(v, o)
}

func (d *diary) Watch(v *online.View, e online.Event) {
	name := e.Job.Spec().Name
	switch e.Kind {
	case online.Arrived:
		d.note(v, "%s arrived", name)
	case online.Assigned:
		d.note(v, "%s assigned to %s", name, v.Slaves()[e.Slave].Name)
	case online.Ended:
		d.note(v, "%s ended on %s, started %d", name, v.Slaves()[e.Slave].Name, e.Started)
	case online.Lost:
		d.note(v, "%s lost on %s, started %v", name, v.Slaves()[e.Slave].Name, e.Started != model.Never)
	case online.Finished:
		d.note(v, "%s finished", name)
	}
}

func (d *diary) Admit(v *online.View, j *online.Job) (bool, string) {
	up := 0
	for i := range v.Slaves() {
		if v.Up(model.SlaveID(i)) {
			up++
		}
	}
	d.note(v, "admit %s: %d ready, %d left, %d up", j.Spec().Name, j.ReadyTasks(), v.Remaining(j), up)
	return j.Spec().Name != d.rejected, "not " + d.rejected
}

func (d *diary) Control(v *online.View) model.Time {
	d.note(v, "control")
	if d.every == 0 {
		return model.Never
	}
	return v.Now() + d.every
}

// At tick 4 everything happens at once: x ends on both slaves and y's first
// stage with it, b and c are released, control runs, and both slaves beat.
//
//	ends by task, then releases by job, control, heartbeats by slave
func TestOrderWithinATick(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 4, slaves: [{name: s}, {name: t}]}
jobs:
  - {name: c, release: 4, map: {tasks: 1, wcet: 1}}
  - {name: x, map: {tasks: 1, wcet: 4}}
  - {name: y, map: {tasks: 1, wcet: 4}, reduce: {tasks: 1, wcet: 2}}
  - {name: b, release: 4, map: {tasks: 1, wcet: 1}}`)
	d := newDiary()
	d.every, d.rejected = 4, "b"
	out := expect(t, js, d, online.Options{}, `
c/map/1 t A4 R4 S4 F5
x/map/1 s A0 R0 S0 F4
y/map/1 t A0 R0 S0 F4
y/reduce/1 s A4 R4 S4 F6
`)
	want := `0 admit x: 0 ready, 4 left, 2 up
0 x arrived
0 admit y: 0 ready, 6 left, 2 up
0 y arrived
0 control
0 asked by s, 2 ready
0 x assigned to s
0 asked by t, 1 ready
0 y assigned to t
4 x ended on s, started 0
4 x finished
4 y ended on t, started 0
4 admit c: 0 ready, 1 left, 2 up
4 c arrived
4 admit b: 0 ready, 1 left, 2 up
4 control
4 asked by s, 2 ready
4 y assigned to s
4 asked by t, 1 ready
4 c assigned to t
5 c ended on t, started 4
5 c finished
6 y ended on s, started 4
6 y finished
`
	if diff := cmp.Diff(want, d.b.String()); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
	if len(out.Rejected) != 1 || out.Rejected[0] != 3 || out.Finishes[3] != model.Never {
		t.Errorf("rejected %v, finishes %v", out.Rejected, out.Finishes)
	}
}

// outagesWhere looks for a seed with which the first slave fails as wanted, so
// that a test can say beforehand what happens.
func outagesWhere(t *testing.T, f online.Faults, wanted func([]model.Interval) bool) online.Options {
	t.Helper()
	for seed := range uint64(100_000) {
		opts := online.Options{Seed: seed, Faults: &f}
		if wanted(online.Outages(opts, 0, 100)) {
			return opts
		}
	}
	t.Fatal("no seed fails like that")
	return online.Options{}
}

// The slave fails at 6 and is back at 9, and not again before 40. Heartbeats
// are at 0, 3, 6, 9.
//
//   - a ends at 6, as it fails: done.
//   - b runs since 2, would end at 7: lost at 6, run again from 9.
//   - c waits for the core when it fails: lost, too, and behind b again.
//   - d is released at 6: the heartbeat at 6 does not happen.
//   - e is released at 9, when the slave is back already.
func TestFailureWorkedByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 3, fetch: concurrent, slaves: [{name: s, cores: 2, slots: 3}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 6}}
  - {name: b, map: {tasks: 1, wcet: 5, transfer: 2}}
  - {name: c, map: {tasks: 1, wcet: 4, transfer: 1}}
  - {name: d, release: 6, map: {tasks: 1, wcet: 2}}
  - {name: e, release: 9, map: {tasks: 1, wcet: 1}}`)
	opts := outagesWhere(t, online.Faults{MTBF: 30, MTTR: 3}, func(out []model.Interval) bool {
		return len(out) > 0 && out[0] == model.Interval{Start: 6, End: 9} && (len(out) == 1 || out[1].Start >= 40)
	})
	d := newDiary()
	expect(t, js, d, opts, `
a/map/1 s A0 R0 S0 F6
b/map/1 s A9 R9 S11 F16
c/map/1 s A9 R9 S11 F15
d/map/1 s A9 R9 S15 F17
e/map/1 s A15 R15 S16 F17
b/map/1 s A0 R0 S2 L6
c/map/1 s A0 R0 S6 L6
`)
	want := `6 a ended on s, started 0
6 a finished
6 b lost on s, started true
6 c lost on s, started false
6 admit d: 0 ready, 2 left, 0 up
6 d arrived
9 admit e: 0 ready, 1 left, 1 up
9 e arrived
9 asked by s, 4 ready
`
	if got := d.b.String(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwithout\n%s", got, want)
	}
}
