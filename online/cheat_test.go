package online_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// cheater serves like FIFO until it gets a chance.
type cheater struct {
	online.Policy
	asks      online.Asking
	start     func(v *online.View)
	heartbeat func(v *online.View, o *online.Offer)
	watch     func(v *online.View, e online.Event)
	admit     func(v *online.View, j *online.Job) bool
	control   func(v *online.View) model.Time
	kill      func(v *online.View) []model.TaskID
}

func (c *cheater) Name() string        { return "cheater" }
func (c *cheater) Asks() online.Asking { return c.asks }

func (c *cheater) Start(v *online.View) {
	if c.start != nil {
		c.start(v)
	}
}

func (c *cheater) Heartbeat(v *online.View, o *online.Offer) {
	if c.heartbeat == nil {
		c.Policy.Heartbeat(v, o)
		return
	}
	c.heartbeat(v, o)
}

func (c *cheater) Watch(v *online.View, e online.Event) {
	if c.watch != nil {
		c.watch(v, e)
	}
}

func (c *cheater) Admit(v *online.View, j *online.Job) (bool, string) {
	return c.admit == nil || c.admit(v, j), ""
}

func (c *cheater) Control(v *online.View) model.Time {
	if c.control == nil {
		return model.Never
	}
	return c.control(v)
}

func (c *cheater) Kill(v *online.View, _ *online.Job) []model.TaskID {
	if c.kill == nil {
		return nil
	}
	return c.kill(v)
}

const cheated = `
cluster: {heartbeat: 2, slaves: [{name: s, slots: 2, down: [[30, 40]]}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: {s: 3}}, reduce: {tasks: 1, wcet: 2}}
  - {name: b, map: {tasks: 3, wcet: 3}}
  - {name: later, release: 5, map: {tasks: 1, wcet: 3}}`

// A policy that breaks the rules gets an error that says so, and the run ends.
func TestCheats(t *testing.T) {
	var kept *online.Offer
	var group *online.Group
	keep := func(v *online.View, o *online.Offer) {
		if kept == nil {
			kept, group = o, o.Pick(v.Ready()[1])
		}
		basic.FIFO().Heartbeat(v, o)
	}
	for name, c := range map[string]struct {
		cheater
		want string
	}{
		"looks at a job at the start":  {cheater{start: func(v *online.View) { v.Job(0) }}, "looks at job 0, which has not arrived"},
		"looks at a job to come":       {cheater{heartbeat: func(v *online.View, _ *online.Offer) { v.Job(2) }}, "at 0, policy cheater looks at job 2"},
		"looks at a task to come":      {cheater{admit: func(v *online.View, _ *online.Job) bool { return v.Task(5) != nil }}, "looks at task 5"},
		"looks whether there is a job": {cheater{control: func(v *online.View) model.Time { v.Job(3); return 1 }}, "looks at job 3"},
		"looks whether there is a task": {cheater{watch: func(v *online.View, _ online.Event) { v.Task(-1) }},
			"looks at task -1"},
		"looks, and breaks another rule after it": {cheater{start: func(v *online.View) { v.Job(1) },
			control: func(v *online.View) model.Time { return v.Now() }}, "looks at job 1"},
		"gives to a slave that is barred": {cheater{heartbeat: func(v *online.View, o *online.Offer) {
			if a := v.Job(0); o.Slave() == 1 && a.ReadyTasks() > 0 {
				o.Give(a.Groups()[0])
			}
		}}, `gives slave t a task of job "a" that does not fit`},
		"gives more than there are slots": {cheater{heartbeat: func(v *online.View, o *online.Offer) {
			for _, b := range v.Job(1).Groups() {
				for b.Len() > 0 {
					o.Give(b)
				}
			}
		}}, `gives slave s a task of job "b" that does not fit`},
		"gives while there is a slot": {cheater{heartbeat: func(v *online.View, o *online.Offer) {
			b := v.Job(0).Groups()[0]
			for !o.Full() || o.Free(model.MapSlot) > 0 {
				o.Give(b)
			}
		}}, `gives slave s a task of job "a" that does not fit`},
		"gives while there is a task": {cheater{heartbeat: func(v *online.View, o *online.Offer) {
			for b := v.Job(1); b.ReadyTasks() > 0; {
				o.Give(b.Groups()[0])
			}
		}}, `gives slave s a task of job "b" that does not fit`},
		"gives a task twice": {cheater{heartbeat: func(v *online.View, o *online.Offer) {
			b := v.Job(0).Groups()[0]
			o.Give(b)
			o.Give(b)
		}}, `gives slave s a task of job "a" that does not fit`},
		"gives after the heartbeat": {cheater{heartbeat: keep, watch: func(_ *online.View, e online.Event) {
			if e.Kind == online.Ended {
				kept.Give(group)
			}
		}}, `at 3, policy cheater hands out a task of job "b" when no slave asks`},
		"wants control at once":     {cheater{control: func(v *online.View) model.Time { return v.Now() }}, "wants control again at 0, which is not later"},
		"wants control in the past": {cheater{control: func(v *online.View) model.Time { return 4 - v.Now() }}, "at 4, policy cheater wants control again at 0"},
		"kills what nobody holds":   {cheater{kill: func(*online.View) []model.TaskID { return []model.TaskID{0} }}, "policy cheater kills a/map/1, which no machine holds"},
		"kills a task twice": {cheater{kill: func(v *online.View) (all []model.TaskID) {
			for _, h := range v.Held(0) {
				all = append(all, h.Task, h.Task)
			}
			return all
		}}, "which no machine holds"},
		"never gives anything":         {cheater{heartbeat: func(*online.View, *online.Offer) {}}, "policy cheater never hands out a/map/1"},
		"never gives, asked each beat": {cheater{asks: online.EveryBeat, heartbeat: func(*online.View, *online.Offer) {}}, "policy cheater never hands out a/map/1"},
		"never gives, with control": {cheater{heartbeat: func(*online.View, *online.Offer) {},
			control: func(v *online.View) model.Time { return v.Now() + 1 }}, "policy cheater never hands out a/map/1"},
		"never gives the last one": {cheater{asks: online.OnChange, heartbeat: func(v *online.View, o *online.Offer) {
			for _, j := range v.Ready() {
				if b := o.Pick(j); b != nil && j.ID() < 2 {
					o.Give(b)
					return
				}
			}
		}}, "policy cheater never hands out later/map/1"},
	} {
		for _, faults := range []*online.Faults{nil, {MTBF: 200, MTTR: 1}} {
			t.Run(fmt.Sprint(name, ", faults ", faults != nil), func(t *testing.T) {
				kept = nil
				p := c.cheater
				p.Policy = basic.FIFO()
				out, err := online.Run(context.Background(), load(t, cheated), &p, online.Options{Faults: faults})
				if out != nil || err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("outcome %v, error %v, not %q", out, err, c.want)
				}
			})
		}
	}
}

// A policy that never hands out what could run ends its run where a slave is gone for good, too: one
// that is never asked again does not count among those that were asked often enough.
func TestStarvationWhereSlavesGo(t *testing.T) {
	for _, gone := range []int{0, 2, 15_000} {
		js := load(t, fmt.Sprintf(`
cluster: {heartbeat: 1, slaves: [{name: s}, {name: u, map_slots: 0, reduce_slots: 1}, {name: t, down: [[%d, never]]}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 3}}`, gone))
		for k := range 6 {
			asks, faults := []online.Asking{online.OnReady, online.OnChange, online.EveryBeat}[k%3], []*online.Faults{nil, {MTBF: 200, MTTR: 1}}[k/3]
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			p := &cheater{Policy: basic.FIFO(), asks: asks, heartbeat: func(*online.View, *online.Offer) {}}
			_, err := online.Run(ctx, js, p, online.Options{Faults: faults})
			if starved := (*online.StarvedError)(nil); !errors.As(err, &starved) {
				t.Errorf("gone at %d, asks %d, faults %t: %v", gone, asks, faults != nil, err)
			}
			stop()
		}
	}
}

// What is killed is lost, with what it has done, and runs again; what waits behind it on its slave
// moves up. Slave s has one core and two slots: at 5 b's first task, which runs from 3 to 6, is killed, so that the
// second begins at once; the first and c come after it.
func TestKilled(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s, slots: 2}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 3}}
  - {name: b, map: {tasks: 2, wcet: 3}}
  - {name: c, release: 5, map: {tasks: 1, wcet: 3}}`)
	p := &cheater{Policy: basic.FIFO(), kill: func(v *online.View) (all []model.TaskID) {
		for _, h := range v.Held(0) {
			if v.Now() == 5 && h.Started < v.Now() {
				all = append(all, h.Task)
			}
		}
		return all
	}}
	out := run(t, js, p, online.Options{})
	if len(out.Lost) != 1 || out.Lost[0].Task != 1 || out.Lost[0].End != 5 {
		t.Errorf("lost: %+v", out.Lost)
	}
	if got := []model.Time{out.Schedule[0].Start, out.Schedule[1].Start, out.Schedule[2].Start, out.Schedule[3].Start}; !slices.Equal(got, []model.Time{0, 8, 5, 11}) {
		t.Errorf("starts at %v", got)
	}
}

// A fault of the policy itself is not taken for a cheat.
func TestPanicsPass(t *testing.T) {
	defer func() {
		if got := recover(); got != "a slip" {
			t.Errorf("recovered %v", got)
		}
	}()
	p := &cheater{Policy: basic.FIFO(), start: func(*online.View) { panic("a slip") }}
	_, err := online.Run(context.Background(), load(t, cheated), p, online.Options{})
	t.Errorf("came back with %v", err)
}

// A wait is no starvation, however long, if something is still to come: here
// the only slave that may run b is away for 10^6 ticks while the other one is
// asked at every heartbeat.
func TestPatience(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t, down: [[0, 1000000]]}]}
jobs:
  - {name: b, map: {tasks: 1, wcet: {t: 3}}}`)
	p := &cheater{Policy: basic.FIFO(), asks: online.EveryBeat}
	if out := run(t, js, p, online.Options{}); out.Ends[0] != 1_000_003 {
		t.Errorf("ends at %d", out.Ends[0])
	}
}

// Slaves that fail too often for a task end the run, with the reason.
func TestHopelessFailures(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 10000}}`)
	_, err := online.Run(context.Background(), js, basic.FIFO(), online.Options{Faults: &online.Faults{MTBF: 10, MTTR: 1}})
	if !errors.Is(err, online.ErrHopeless) || !strings.Contains(err.Error(), "a/map/1 has been lost 1000 times") {
		t.Error(err)
	}
}

// A run ends with its context.
func TestContextEndsARun(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s, first_heartbeat: 1000000000}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: {s: 1}}}`)
	if _, err := online.Run(ctx, js, &cheater{Policy: basic.FIFO(), asks: online.EveryBeat}, online.Options{}); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

// spy writes down all that a policy can find out, whenever it can.
type spy struct {
	online.Policy
	seen []sight
}

type sight struct {
	at    model.Time
	event bool
	text  string
}

func (s *spy) Asks() online.Asking { return online.EveryBeat }

func (s *spy) note(v *online.View, event bool, format string, args ...any) {
	s.seen = append(s.seen, sight{v.Now(), event, fmt.Sprintf(format, args...)})
}

func (s *spy) look(v *online.View) {
	s.note(v, false, "%d active, %d ready", len(v.Active()), len(v.Ready()))
	for i := range v.Slaves() {
		id := model.SlaveID(i)
		s.note(v, false, "%d up %v, free %d %d, holds %+v", i, v.Up(id), v.Free(id, model.MapSlot), v.Free(id, model.ReduceSlot), v.Held(id))
		for _, j := range v.Ready() {
			for _, b := range j.Groups() {
				_, finish := v.Estimate(id, b)
				s.note(v, false, "%v on %d by %d", b.Tasks(), i, finish)
			}
		}
	}
	for _, j := range v.Active() {
		s.note(v, false, "%d: %d %d %d %d %d %d", j.ID(), j.ReadyTasks(), j.Running(), j.Started(), j.Finish(), v.Remaining(j), v.Wait(j))
		for k := range j.Spec().Stages {
			s.note(v, false, "%d/%d: %v %d %d", j.ID(), k, j.Open(k), j.Ready(k), j.Left(k))
		}
	}
}

func (s *spy) Heartbeat(v *online.View, o *online.Offer) {
	s.note(v, false, "asked by %d", o.Slave())
	s.look(v)
	for _, j := range v.Ready() {
		for _, b := range j.Groups() {
			s.note(v, false, "%v fits %v by %d", b.Tasks(), o.Fits(b), o.Finish(b))
		}
	}
	s.Policy.Heartbeat(v, o)
}

func (s *spy) Watch(v *online.View, e online.Event) {
	s.note(v, e.Kind != online.Assigned, "event %d of job %d, task %d on %d, started %d", e.Kind, e.Job.ID(), e.Task, e.Slave, e.Started)
	s.look(v)
}

func (s *spy) Control(v *online.View) model.Time {
	s.look(v)
	return v.Now() + 1
}

// firstDifference is where two runs part, -1 if they do not.
func firstDifference(a, b []sight) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

// Two runs that differ in nothing but how long tasks take look the same until
// the first task ends: what is seen tells nothing of what is to come.
func TestDurationsAreNotSeenBeforehand(t *testing.T) {
	parted := 0
	for seed := range uint64(300) {
		js := gen.Tiny(seed)
		look := func(draw uint64) []sight {
			s := &spy{Policy: basic.FIFO()}
			run(t, js, s, online.Options{Seed: draw, Durations: durations.Uniform{Lo: 0.1, Hi: 1}})
			return s.seen
		}
		a, b := look(2*seed), look(2*seed+1)
		i := firstDifference(a, b)
		if i < 0 {
			continue
		}
		parted++
		// What sets them apart comes first, or first of its tick, and is an end.
		told := a[i].event && a[i].at <= b[i].at || b[i].event && b[i].at <= a[i].at
		if !told {
			t.Fatalf("seed %d: told apart by %+v and %+v", seed, a[i], b[i])
		}
	}
	if parted < 200 {
		t.Errorf("only %d pairs of runs differ", parted)
	}
}

// Two sets that differ only in jobs that come later look the same until then.
func TestJobsAreNotSeenBeforehand(t *testing.T) {
	for seed := range uint64(300) {
		js := gen.Small(seed, 10)
		last := slices.MaxFunc(js.Jobs, func(a, b model.Job) int { return int(a.Release - b.Release) }).Release
		other := *js
		other.Jobs = slices.Clone(js.Jobs)
		for i := range other.Jobs {
			if j := &other.Jobs[i]; j.Release == last {
				j.Name, j.Release, j.Kind, j.Deadline = "other", last+3, model.Hard, 77
			}
		}
		look := func(js *model.JobSet) (seen []sight) {
			s := &spy{Policy: basic.FIFO()}
			run(t, js, s, online.Options{})
			return s.seen
		}
		a, b := look(js), look(&other)
		i := firstDifference(a, b)
		if i < 0 || a[i].at < last {
			t.Fatalf("seed %d: parted at %d (%d and %d lines), before %d", seed, i, len(a), len(b), last)
		}
	}
}
