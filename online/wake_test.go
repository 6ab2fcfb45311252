package online_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
	"downbeat/online/penn"
)

var sets = flag.Uint64("sets", testkit.Sets[uint64](100, 1500), "number of random job sets for each comparison")

// basics are the policies that never leave a slot free that something fits.
var basics = []func() online.Policy{basic.FIFO, basic.Fair, edf, llf}

func edf() online.Policy { return basic.EDF(basic.Options{}) }
func llf() online.Policy { return basic.LLF(basic.Options{}) }

// drawn is a small job set with options that a third of the time have shorter
// durations, and a quarter of the time failures.
func drawn(seed uint64) (*model.JobSet, online.Options) {
	js := gen.Tiny(seed)
	switch seed % 8 {
	case 3:
		js = gen.Small(seed, 14)
	case 5:
		js = gen.TodayTiny(seed)
	case 7:
		js = gen.TodaySmall(seed, 14)
	}
	opts := online.Options{Seed: seed}
	if seed%3 == 1 {
		opts.Durations = durations.Uniform{Lo: 0.1, Hi: 1}
	}
	if seed%4 >= 2 {
		opts.Faults = &online.Faults{MTBF: 12, MTTR: 4}
	}
	return js, opts
}

// overrunning is drawn, but one run in three may have tasks that overrun.
func overrunning(seed uint64) (*model.JobSet, online.Options) {
	js, opts := drawn(seed)
	if seed%3 == 2 {
		opts.Durations = durations.Uniform{Lo: 0.5, Hi: 2.5}
	}
	return js, opts
}

func run(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", js.Name, opts.Seed, err)
	}
	return out
}

// limited is drawn with pools, caps and tasks that are apart, but no gangs; tasks often overrun.
func limited(t *testing.T, seed uint64) (*model.JobSet, online.Options) {
	t.Helper()
	js, opts := drawn(seed)
	if seed%3 > 0 {
		opts.Durations = durations.Uniform{Lo: 0.5, Hi: 3}
	}
	js = gen.Coupled(js, seed, false)
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			js.Jobs[i].Stages[k].Gang = false
		}
	}
	js.Tasks = nil
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js, opts
}

// So it is where tasks on different slaves share pools and caps, or are apart.
func TestNoHeartbeatIsMissedWithLimits(t *testing.T) {
	lost, falls := 0, 0
	for seed := range *sets {
		js, opts := limited(t, seed)
		for _, policy := range basics {
			out := run(t, js, policy(), opts)
			r := newReference(js, out.Policy, opts)
			if !r.run() {
				t.Fatalf("seed %d, %s: not done at %d", seed, out.Policy, longest)
			}
			if diff := r.differs(out); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, out.Policy, diff)
			}
			if err := check.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
			lost += len(out.Lost)
			if opts.Faults == nil && !slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return len(s.Down) > 0 }) {
				falls += len(out.Lost)
			}
		}
	}
	if lost == 0 || falls == 0 {
		t.Errorf("%d lost attempts, %d of them for what pools had no more: too few to tell", lost, falls)
	}
}

// The engine asks only at heartbeats where the answer may have changed. What
// comes of it is what asking at every heartbeat would bring.
func TestNoHeartbeatIsMissed(t *testing.T) {
	lost, early, late, gone := 0, 0, 0, 0
	for seed := range *sets {
		js, opts := overrunning(seed)
		for _, policy := range basics {
			out := run(t, js, policy(), opts)
			r := newReference(js, out.Policy, opts)
			if !r.run() {
				t.Fatalf("seed %d, %s: not done at %d", seed, out.Policy, longest)
			}
			if diff := r.differs(out); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, out.Policy, diff)
			}
			lost += len(out.Lost)
			if opts.Faults == nil {
				gone += len(out.Lost)
			}
			for id := range out.Ends {
				switch finish := js.Finish(model.TaskID(id), out.Schedule[id]); {
				case out.Ends[id] < finish:
					early++
				case out.Ends[id] > finish:
					late++
				}
			}
			if err := check.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
		}
	}
	if lost == 0 || gone == 0 || early == 0 || late == 0 {
		t.Errorf("%d lost attempts, %d of them at absences, %d early and %d late ends: too few to tell", lost, gone, early, late)
	}
}

// choosy keeps a slot free for a task that some other slave could begin now and
// would be quicker with. It looks at what there is and never at the clock.
type choosy struct{ asks online.Asking }

func (c *choosy) Name() string        { return "choosy" }
func (c *choosy) Asks() online.Asking { return c.asks }

func (c *choosy) Heartbeat(v *online.View, o *online.Offer) {
	for _, j := range slices.Clone(v.Ready()) {
		for _, b := range j.Groups() {
			for o.Fits(b) && !betterElsewhere(v, o.Slave(), b) {
				o.Give(b)
			}
		}
	}
}

func betterElsewhere(v *online.View, s model.SlaveID, b *online.Group) bool {
	p := b.Profile()
	for other := range model.SlaveID(len(v.Slaves())) {
		if p.Eligible(other) && v.Up(other) && v.Free(other, b.Slot()) > 0 &&
			p.WCET(other)+p.Transfer(other) < p.WCET(s)+p.Transfer(s) {
			return true
		}
	}
	return false
}

// humble lets slaves hold no more tasks in all than there are slaves up.
type humble struct{ asks online.Asking }

func (h *humble) Name() string        { return "humble" }
func (h *humble) Asks() online.Asking { return h.asks }

func (h *humble) Heartbeat(v *online.View, o *online.Offer) {
	room := 0
	for id := range model.SlaveID(len(v.Slaves())) {
		if v.Up(id) {
			room++
		}
		room -= len(v.Held(id))
	}
	for _, j := range slices.Clone(v.Ready()) {
		for b := o.Pick(j); b != nil && room > 0; b = o.Pick(j) {
			o.Give(b)
			room--
		}
	}
}

// For a policy that keeps slots free, but not for a span of time, being asked
// when something has changed is as good as being asked at every heartbeat.
func TestOnChangeMissesNothing(t *testing.T) {
	for _, policy := range []func(online.Asking) online.Policy{
		func(a online.Asking) online.Policy { return &choosy{a} },
		func(a online.Asking) online.Policy { return &humble{a} },
	} {
		slow := 0
		for seed := range *sets {
			js, opts := overrunning(seed)
			every, change := run(t, js, policy(online.EveryBeat), opts), run(t, js, policy(online.OnChange), opts)
			diff := cmp.Diff(every.Schedule, change.Schedule) + cmp.Diff(every.Ends, change.Ends)
			if diff != "" {
				t.Fatalf("%s, seed %d: (-every beat +on change)\n%s", every.Policy, seed, diff)
			}
			if ready := run(t, js, basics[0](), opts); !slices.Equal(ready.Ends, change.Ends) {
				slow++
			}
		}
		if slow == 0 {
			t.Errorf("%s never kept a slot free", policy(0).Name())
		}
	}
}

// A run costs as much as happens in it, however long that takes.
func TestCostIsThatOfEvents(t *testing.T) {
	const tasks = 60
	events := func(length int, p online.Policy) int64 {
		js := load(t, fmt.Sprintf(`
cluster: {heartbeat: 1, slaves: [{name: s, count: 3, cores: 2, slots: 3}, {name: t, down: [[0, %d]]}]}
jobs:
  - {name: a, map: {tasks: %d, wcet: {s: %d, t: %d}, transfer: 1}}`, length, tasks, length, 2*length))
		return run(t, js, p, online.Options{Faults: &online.Faults{MTBF: float64(20 * length), MTTR: float64(length)}}).Events
	}
	for _, policy := range []online.Policy{basics[0](), &choosy{online.OnChange}} {
		short, long := events(10, policy), events(10_000_000, policy)
		// A task is handed out and ends; four slaves are asked when it does.
		if long > short+short/2 || long > 10*tasks {
			t.Errorf("%s: %d events, and %d if all takes a million times as long", policy.Name(), short, long)
		}
	}
}

// Absences between which nothing fits, or no heartbeat is, are waited for to the last,
// and are not walked over one by one at each event.
func TestManyAbsences(t *testing.T) {
	down := func(n, from, length, every int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("[%d, %d]", from+i*every, from+i*every+length)
		}
		return strings.Join(all, ", ")
	}
	for _, c := range []struct {
		heartbeat int
		down      string
		end       model.Time
		events    int64
	}{
		{1, down(11_000, 3, 17, 20), 220_000 + 6, 12_000}, // three ticks between them
		{7, down(2_000, 6, 2, 7), 14_007 + 6, 10},         // at each heartbeat but 0, up to that of 14,000
	} {
		js := load(t, fmt.Sprintf(`
cluster: {heartbeat: %d, slaves: [{name: s, down: [%s]}]}
jobs:
  - {name: a, release: 1, map: {tasks: 1, wcet: 5, transfer: 1}}`, c.heartbeat, c.down))
		for _, policy := range []online.Policy{basic.EDF(basic.Options{}), penn.New(penn.EDF, penn.Best, penn.Params{})} {
			if out := run(t, js, policy, online.Options{}); out.Ends[0] != c.end || policy.Asks() == online.OnReady && out.Events > c.events {
				t.Errorf("%s: ends at %d after %d events, not at %d after at most %d", policy.Name(), out.Ends[0], out.Events, c.end, c.events)
			}
		}
	}
}
