package online_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// shown is what became of all tasks: slave, assignment, start and end.
func shown(js *model.JobSet, out *online.Outcome) string {
	var lines []string
	for t, at := range out.Schedule {
		lines = append(lines, fmt.Sprintf("%s %s %d %d-%d", js.TaskName(model.TaskID(t)), js.Slaves[at.Slave].Name, js.Assigned(at), at.Start, out.Ends[t]))
	}
	for _, a := range out.Lost {
		lines = append(lines, fmt.Sprintf("lost %s %s %d %d-%d", js.TaskName(a.Task), js.Slaves[a.Slave].Name, js.Assigned(a.Placement), a.Start, a.End))
	}
	return strings.Join(lines, "\n")
}

func playShown(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) string {
	t.Helper()
	out, err := online.Play(t.Context(), js, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return shown(js, out)
}

// Heartbeats are at 0, 4, … on a and at 2, 6, … on b; both have one slot and one core.
//
// x keeps b until 5. At 4 the gang does not fit, and small, which does, goes past it on a at 4.
// At 6 b asks: the gang goes to b at once and to a at 8, its next heartbeat, whose slot is kept
// until then. It starts there with an input of 2 ticks: at 10. late would fit on a at 8, but finds no
// slot; it gets b at its next heartbeat after 13, at 14.
func TestGangByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 4, slaves: [{name: a}, {name: b, first_heartbeat: 2}]}
jobs:
  - {name: x, map: {tasks: [{wcet: {b: 3}}]}}
  - {name: g, release: 1, stages: [{name: fit, gang: true, tasks: 2, wcet: 3, transfer: 2}]}
  - {name: small, release: 1, map: {tasks: [{wcet: {a: 1}}]}}
  - {name: late, release: 7, map: {tasks: 1, wcet: 1}}
`)
	got := playShown(t, js, basic.FIFO(), online.Options{})
	want := strings.Join([]string{
		"x/map/1 b 2 2-5", "g/fit/1 b 6 10-13", "g/fit/2 a 8 10-13", "small/map/1 a 4 4-5", "late/map/1 b 14 14-15",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nby hand\n%s", got, want)
	}
}

// Both slaves have two slots and one core, and fetch as they like. At 0 long and wide get one each.
// The gang is handed out at 1: it waits on b with the core, which is free at 3, for a, which is free at 10.
// behind, handed out on b at 1 after it, does not overtake, though it could run from 3 to 4.
func TestNoneOvertakesAGang(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, fetch: concurrent, slaves: [{name: a, slots: 2}, {name: b, slots: 3}]}
jobs:
  - {name: long, map: {tasks: [{wcet: {a: 10}}]}}
  - {name: wide, map: {tasks: [{wcet: {b: 3}}]}}
  - {name: g, release: 1, stages: [{name: fit, gang: true, apart: true, tasks: 2, wcet: 2}]}
  - {name: behind, release: 1, map: {tasks: [{wcet: {b: 1}}]}}
`)
	got := playShown(t, js, basic.FIFO(), online.Options{})
	want := "long/map/1 a 0 0-10\nwide/map/1 b 0 0-3\ng/fit/1 a 1 10-12\ng/fit/2 b 1 10-12\nbehind/map/1 b 1 12-13"
	if got != want {
		t.Errorf("got\n%s\nby hand\n%s", got, want)
	}
}

// The slave of one task fails while the gang runs, after another task of it has ended: all three run again
// together once b is back, and what had ended counts as lost, too.
func TestAGangIsLostAsAWhole(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: a, cores: 2}, {name: b}]}
jobs:
  - {name: g, stages: [{name: fit, gang: true, tasks: [{wcet: {a: 4}}, {wcet: {a: 30}}, {wcet: {b: 30}}]}]}
`)
	for seed := range uint64(200) {
		opts := online.Options{Seed: seed, Faults: &online.Faults{MTBF: 60, MTTR: 3}}
		b := online.Outages(opts, 1, 100)
		if a := online.Outages(opts, 0, 100); len(a) > 0 || len(b) != 1 || b[0].Start <= 4 || b[0].Start >= 30 {
			continue
		}
		at, back := b[0].Start, b[0].End
		got := playShown(t, js, basic.FIFO(), opts)
		want := fmt.Sprintf("g/fit/1 a %d %[1]d-%d\ng/fit/2 a %[1]d %[1]d-%[3]d\ng/fit/3 b %[1]d %[1]d-%[3]d\n"+
			"lost g/fit/3 b 0 0-%[4]d\nlost g/fit/2 a 0 0-%[4]d\nlost g/fit/1 a 0 0-4", back, back+4, back+30, at)
		if got != want {
			t.Errorf("seed %d, away %v: got\n%s\nby hand\n%s", seed, b[0], got, want)
		}
		return
	}
	t.Fatal("no seed in which b alone fails")
}

// There are two licences until 10 and one from then on. Tasks take 6 ticks, declared as 3: at 6 both of the
// second pair are given, as they are to be done by 9. At 10 one has to go, the one given last, and runs again
// when the other has ended at 12.
func TestAPoolFalls(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, pools: {licence: [{from: 0, amount: 2}, {from: 10, amount: 1}]}, slaves: [{name: a}, {name: b}]}
jobs:
  - {name: x, map: {tasks: 4, wcet: 3, pools: {licence: 1}}}
`)
	got := playShown(t, js, basic.FIFO(), online.Options{Durations: durations.Uniform{Lo: 2, Hi: 2}})
	want := "x/map/1 a 0 0-6\nx/map/2 b 0 0-6\nx/map/3 a 6 6-12\nx/map/4 a 12 12-18\nlost x/map/4 b 6 6-10"
	if got != want {
		t.Errorf("got\n%s\nby hand\n%s", got, want)
	}
	// At declared times the second pair is given at 3 and 7 only as far as it ends before 10.
	got = playShown(t, js, basic.FIFO(), online.Options{Durations: durations.Uniform{Lo: 1, Hi: 1}})
	if want = "x/map/1 a 0 0-3\nx/map/2 b 0 0-3\nx/map/3 a 3 3-6\nx/map/4 b 3 3-6"; got != want {
		t.Errorf("got\n%s\nby hand\n%s", got, want)
	}
}

// apartTwice hands two tasks of a gang to one slave that has to be apart.
type apartTwice struct{ online.Policy }

func (p apartTwice) Heartbeat(v *online.View, o *online.Offer) {
	for _, j := range v.Ready() {
		for _, g := range j.Groups() {
			if g.Gang() && g.Len() == 2 {
				assignments := []online.Assignment{{Task: g.Tasks()[0], Slave: 0}, {Task: g.Tasks()[1], Slave: 0}}
				if o.FitsTogether(g, assignments) {
					panic("two of a gang that is apart fit on one slave")
				}
				o.GiveTogether(g, assignments)
				return
			}
		}
	}
}

// A gang that does not fit as a policy wants it ends the run with an error.
func TestGangsThatDoNotFit(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: a, cores: 2}, {name: b, cores: 2}]}
jobs:
  - {name: g, stages: [{name: fit, gang: true, apart: true, tasks: 2, wcet: 3}]}
`)
	_, err := online.Run(t.Context(), js, apartTwice{basic.FIFO()}, online.Options{})
	if want := `at 0, policy fifo hands out a gang of job "g" that does not fit`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// letter plays on, tick by tick and by the letter, what a run without losses has handed out: inputs and starts in
// the order of each slave's line, gangs when all have their input and cores.
type letter struct {
	reference
	out *online.Outcome
	// reserved are the tasks of gangs that wait with their cores.
	reserved map[model.TaskID]bool
}

func (l *letter) run() {
	for last := slices.Max(l.out.Ends); l.now <= last; l.now++ {
		l.endTasks()
		for _, d := range l.out.Trace {
			if d.Task < 0 || l.js.Assigned(l.out.Schedule[d.Task]) != l.now {
				continue
			}
			t := &l.tasks[d.Task]
			t.place, t.fetched = model.Placement{Slave: d.Slave, Beat: l.out.Schedule[d.Task].Beat}, model.Never
			t.length = online.Length(l.opts, d.Task, 0, l.js.Tasks[d.Task].WCET(d.Slave))
			l.held[d.Slave] = append(l.held[d.Slave], d.Task)
		}
		for s := range l.held {
			l.fetch(model.SlaveID(s))
		}
		for l.start() {
		}
	}
}

func (l *letter) fetch(s model.SlaveID) {
	for _, id := range l.held[s] {
		t := &l.tasks[id]
		if t.fetched == model.Never {
			t.place.Fetch = l.now
			t.fetched = l.now + l.js.Tasks[id].Transfer(s)
		}
		if t.fetched > l.now && l.js.Fetch == model.FetchExclusive {
			return
		}
	}
}

// start starts what can, and reports whether anything did.
func (l *letter) start() (any bool) {
	for s := range l.held {
		var gang *model.Stage // waits on this slave
		cores := int64(l.js.Slaves[s].Cores)
		for _, id := range l.held[s] {
			if t := &l.tasks[id]; t.started || l.reserved[id] {
				cores -= l.js.Tasks[id].Cores()
			}
		}
		for _, id := range l.held[s] {
			t := &l.tasks[id]
			stage, isGang := l.js.GangOf(id)
			switch {
			case t.started:
				continue
			case l.reserved[id]:
				gang = stage
				continue
			}
			if gang != nil && gang != stage || t.fetched == model.Never || t.fetched > l.now || l.js.Tasks[id].Cores() > cores {
				break
			}
			cores -= l.js.Tasks[id].Cores()
			any = true
			if isGang {
				l.reserved[id], gang = true, stage
			} else {
				t.place.Start, t.started = l.now, true
			}
		}
	}
	for id := range l.js.Tasks {
		stage, isGang := l.js.GangOf(model.TaskID(id))
		if !isGang || model.TaskID(id) != stage.First {
			continue
		}
		all := true
		for t := stage.First; t < stage.End; t++ {
			all = all && l.reserved[t]
		}
		for t := stage.First; all && t < stage.End; t++ {
			l.tasks[t].place.Start, l.tasks[t].started, any = l.now, true, true
			delete(l.reserved, t)
		}
	}
	return any
}

// Slaves do with gangs what the package says, to the tick, whatever runs beside them.
func TestGangsByTheLetter(t *testing.T) {
	gangs, waited := 0, 0
	for seed := range *sets {
		js, opts := drawn(seed)
		js = gen.Coupled(js, seed, false)
		opts.Faults, opts.Trace = nil, true
		for _, policy := range basics {
			out := run(t, js, policy(), opts)
			if err := check.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
			l := &letter{*newReference(js, out.Policy, opts), out, map[model.TaskID]bool{}}
			l.run()
			for id := range l.tasks {
				if got, want := out.Schedule[id], l.tasks[id].place; got != want || out.Ends[id] != l.tasks[id].end {
					t.Fatalf("seed %d, %s: %s is %+v, by the letter %+v", seed, out.Policy, js.TaskName(model.TaskID(id)), got, want)
				}
				if _, gang := js.GangOf(model.TaskID(id)); gang {
					gangs++
					if at := out.Schedule[id]; at.Start > at.Fetch+js.Tasks[id].Transfer(at.Slave) {
						waited++
					}
				}
			}
		}
	}
	if gangs == 0 || waited == 0 {
		t.Errorf("%d tasks of gangs, %d waited for others: too few to tell", gangs, waited)
	}
}

// A gang that has no slaves it could be on together ends the run with an error, not never.
func TestGangThatFitsNowhere(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: a, down: [[5, never]]}, {name: b, down: [[0, 5]]}]}
jobs:
  - {name: g, stages: [{name: fit, gang: true, apart: true, tasks: 2, wcet: 3}]}
  - {name: x, map: {tasks: 1, wcet: 1}}
`)
	out, err := online.Play(t.Context(), js, basic.FIFO(), online.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out.LeftOut, []model.JobID{0}) || out.Finishes[1] == model.Never {
		t.Errorf("left out %v, ends %v", out.LeftOut, out.Ends)
	}
	if starved := (*online.StarvedError)(nil); errors.As(err, &starved) {
		t.Error(err)
	}
}
