package follow_test

import (
	"errors"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
	"downbeat/online/follow"
	"downbeat/online/policies"
)

func play(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Play(t.Context(), js, p, opts)
	if err != nil {
		t.Fatalf("%s: %v", js.Name, err)
	}
	return out
}

// At declared times a plan in which slaves keep to the order of assignment is followed
// task by task, each on its slave and no later, and earlier where there is room.
func TestFollowsPlans(t *testing.T) {
	earlier := 0
	for seed := range testkit.Sets[uint64](300, 5000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		want := play(t, js, basic.EDF(basic.Options{}), online.Options{})
		if n := follow.Overtaking(js, want.Schedule); n != 0 && follow.Staggered(js, want.Schedule) == 0 {
			t.Fatalf("seed %d: %d tasks overtake where slaves keep the order", seed, n)
		}
		got := play(t, js, follow.New(js, want.Schedule, follow.Patient), online.Options{})
		for id := range want.Ends {
			if got.Schedule[id].Slave != want.Schedule[id].Slave || got.Ends[id] > want.Ends[id] {
				t.Fatalf("seed %d: %s followed as %v, planned %v", seed, js.TaskName(model.TaskID(id)), got.Schedule[id], want.Schedule[id])
			}
		}
		late := delayed(js, want)
		got = play(t, js, follow.New(js, late, follow.Patient), online.Options{})
		for id := range late {
			if got.Schedule[id].Slave != late[id].Slave || got.Ends[id] > js.Finish(model.TaskID(id), late[id]) {
				t.Fatalf("seed %d: %s followed as %v, planned %v", seed, js.TaskName(model.TaskID(id)), got.Schedule[id], late[id])
			}
			if got.Ends[id] < js.Finish(model.TaskID(id), late[id]) {
				earlier++
			}
		}
	}
	if earlier == 0 {
		t.Error("no plan had room to be followed earlier than planned")
	}
}

// delayed is a plan with each task later than in a run: what a longer run comes to.
func delayed(js *model.JobSet, out *online.Outcome) model.Schedule {
	shift := js.Heartbeat
	for i := range js.Slaves {
		for _, d := range js.Slaves[i].Down {
			shift = max(shift, d.End+js.Heartbeat)
		}
	}
	shift = (shift/js.Heartbeat + 1) * js.Heartbeat
	late := slices.Clone(out.Schedule)
	for t := range late {
		late[t].Beat += shift / js.Heartbeat
		late[t].Fetch += shift
		late[t].Start += shift
	}
	return late
}

// Whatever befalls a run, it ends, keeps the rules (online.Play asks the validator) and
// repeats; without losses and patiently each task stays on its slave.
func TestWhateverHappens(t *testing.T) {
	moved := 0
	for seed := range testkit.Sets[uint64](300, 5000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		plan := play(t, js, basic.EDF(basic.Options{}), online.Options{}).Schedule
		opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2}}
		if seed%3 == 0 {
			opts.Faults = &online.Faults{MTBF: 20, MTTR: 4}
		}
		for _, slip := range []model.Time{0, 5, follow.Patient} {
			out := play(t, js, follow.New(js, plan, slip), opts)
			again := play(t, js, follow.New(js, plan, slip), opts)
			if !slices.Equal(out.Ends, again.Ends) {
				t.Fatalf("seed %d, slip %d: two runs differ", seed, slip)
			}
			for id := range plan {
				if out.Schedule[id].Slave == plan[id].Slave {
					continue
				}
				moved++
				if slip == follow.Patient && len(out.Lost) == 0 {
					t.Fatalf("seed %d: %s moved, though nothing was lost", seed, js.TaskName(model.TaskID(id)))
				}
			}
		}
	}
	if moved == 0 {
		t.Error("no task ever moved")
	}
}

// A schedule made during the night begins with what has happened: with the same times that
// comes out again to the tick.
func TestThePastComesAgain(t *testing.T) {
	past, held := 0, 0
	for seed := range testkit.Sets[uint64](300, 5000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2}}
		keepsSlotsFree, err := policies.New([]string{"penn-edf-best", "dc"}[seed%2], seed)
		if err != nil {
			t.Fatal(err)
		}
		want := play(t, js, keepsSlotsFree, opts)
		if len(want.Lost)+len(want.Rejected) > 0 {
			continue
		}
		now := model.Time(seed*7) % (slices.Max(want.Ends) + 2)
		p := follow.New(js, want.Schedule, follow.Patient)
		p.Made(now)
		got := play(t, js, p, opts)
		free := play(t, js, follow.New(js, want.Schedule, follow.Patient), opts)
		for id, at := range want.Schedule {
			if js.Assigned(at) >= now {
				continue
			}
			past++
			if got.Schedule[id] != at || got.Ends[id] != want.Ends[id] {
				t.Fatalf("seed %d, made at %d: %s comes as %v until %d, it was %v until %d", seed, now, js.TaskName(model.TaskID(id)), got.Schedule[id], got.Ends[id], at, want.Ends[id])
			}
			if js.Assigned(free.Schedule[id]) < js.Assigned(at) {
				held++
			}
		}
	}
	if past == 0 || held == 0 {
		t.Errorf("%d tasks of the past, %d of them that would have come earlier", past, held)
	}
}

// A plan for other slaves, other jobs, or none at all leaves nothing undone.
func TestPlansOfAnotherKind(t *testing.T) {
	for seed := range testkit.Sets[uint64](200, 2000) {
		js := gen.TodayTiny(seed)
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		s := model.NewSchedule(len(js.Tasks))
		for id := range s {
			h := (seed*31 + uint64(id)*7) % 11
			s[id] = model.Placement{Slave: model.SlaveID(int(h)%(len(js.Slaves)+2)) - 1, Beat: model.Time(h * 5 % 13)}
		}
		play(t, js, follow.New(js, s, follow.Patient), online.Options{})
		play(t, js, follow.New(js, s, 3), online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2}})
	}
}

// The plan: a gets task 1 at 0 and task 3 at 4, b task 2 at 0.
var byHand = model.Schedule{{Slave: 0, Beat: 0, Fetch: 0, Start: 0}, {Slave: 1, Beat: 0, Fetch: 0, Start: 0}, {Slave: 0, Beat: 2, Fetch: 4, Start: 4}}

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("hand.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// The plan: a fetches for its task of the gang while b runs x until 3, and both start at 3. Here b
// has no slot for its task before that, so that a begins to fetch at 3, too: both start at 6.
func TestGangByHand(t *testing.T) {
	js := load(t, `version: 1
cluster: {heartbeat: 1, slaves: [{name: a}, {name: b}]}
jobs:
  - {name: x, map: {tasks: [{wcet: {b: 3}}]}}
  - {name: g, stages: [{name: fit, gang: true, tasks: [{wcet: {a: 2}, transfer: 3}, {wcet: {b: 2}}]}]}
`)
	plan := model.Schedule{{Slave: 1}, {Slave: 0, Start: 3}, {Slave: 1, Beat: 3, Fetch: 3, Start: 3}}
	if n := follow.Staggered(js, plan); n != 1 {
		t.Errorf("%d tasks after others of their gang, by hand 1", n)
	}
	out := play(t, js, follow.New(js, plan, follow.Patient), online.Options{})
	want := model.Schedule{{Slave: 1}, {Slave: 0, Beat: 3, Fetch: 3, Start: 6}, {Slave: 1, Beat: 3, Fetch: 3, Start: 6}}
	if !slices.Equal(out.Schedule, want) {
		t.Errorf("followed as %v, by hand %v", out.Schedule, want)
	}
}

// Tasks take three times as long: 12 on a, 6 on b. Patiently task 3 waits for a until 12.
// With a slip it is free that many ticks after 4, and goes to b once that is free at 6.
func TestSlipByHand(t *testing.T) {
	js := load(t, `version: 1
cluster: {heartbeat: 2, slaves: [{name: a, slots: 1}, {name: b, slots: 1}]}
jobs:
  - {name: x, map: {tasks: [{wcet: {a: 4, b: 2}}, {wcet: {a: 4, b: 2}}, {wcet: {a: 4, b: 2}}]}}
`)
	long := online.Options{Durations: durations.Uniform{Lo: 3, Hi: 3}} // a: 12, b: 6
	for _, c := range []struct {
		slip     model.Time
		slave    model.SlaveID
		assigned model.Time
	}{{follow.Patient, 0, 12}, {0, 1, 6}, {1, 1, 6}, {3, 1, 8}, {7, 0, 12}, {8, 0, 12}} {
		out := play(t, js, follow.New(js, byHand, c.slip), long)
		if got := out.Schedule[2]; got.Slave != c.slave || js.Assigned(got) != c.assigned {
			t.Errorf("slip %d: task 3 goes to %d at %d, not to %d at %d", c.slip, got.Slave, js.Assigned(got), c.slave, c.assigned)
		}
	}
}

// What a slave holds when it goes, and what it was to get after that, goes to others.
func TestSlaveGoesForGood(t *testing.T) {
	js := load(t, `version: 1
cluster: {heartbeat: 2, slaves: [{name: a, slots: 1, down: [[6, 1000000000]]}, {name: b, slots: 1}]}
jobs:
  - {name: x, map: {tasks: 3, wcet: 4}}
`)
	out := play(t, js, follow.New(js, byHand, follow.Patient), online.Options{Durations: durations.Uniform{Lo: 2, Hi: 2}})
	// a loses task 1 at 6; b has task 2 until 8, then task 1, which was to come first, and task 3.
	if len(out.Lost) != 1 || out.Lost[0].Task != 0 || out.Lost[0].End != 6 {
		t.Errorf("lost %+v", out.Lost)
	}
	want := []model.Time{16, 8, 24}
	if !slices.Equal(out.Ends, want) || out.Schedule[0].Slave != 1 || out.Schedule[2].Slave != 1 {
		t.Errorf("ends %v, not %v: %v", out.Ends, want, out.Schedule)
	}
}

// A slave goes for good, which nobody knows before: until then all is as if it stayed, and what
// it had and was to get goes to others.
func TestSlaveGoesAsASurprise(t *testing.T) {
	lost, before := 0, 0
	for seed := range testkit.Sets[uint64](200, 5000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		stays := play(t, js, basic.EDF(basic.Options{}), online.Options{})
		at := 1 + model.Time(seed*5)%slices.Max(stays.Ends)
		truth, err := change.Apply(js, []change.Change{{Kind: change.Without, Name: js.Slaves[seed%uint64(len(js.Slaves))].Name, At: at}})
		if err != nil {
			continue
		}
		at = truth.Slaves[seed%uint64(len(js.Slaves))].GoneFrom() // earlier where it was away already, which is seen then
		for _, p := range []online.Policy{basic.EDF(basic.Options{}), follow.New(js, stays.Schedule, follow.Patient)} {
			out, err := online.Play(t.Context(), truth, p, online.Options{Known: js})
			if starved := (*online.StarvedError)(nil); errors.As(err, &starved) {
				continue // some task can run nowhere else
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, p.Name(), err)
			}
			lost += len(out.Lost)
			early := map[model.TaskID]model.Placement{}
			for id, place := range out.Schedule {
				early[model.TaskID(id)] = place
			}
			for _, a := range out.Lost {
				early[a.Task] = a.Placement
			}
			for id, place := range stays.Schedule {
				if js.Assigned(place) >= at || p.Name() != "edf" || js.Gangs() { // which slaves tasks can have that are apart depends on what goes
					continue
				}
				before++
				if early[model.TaskID(id)] != place {
					t.Fatalf("seed %d, gone at %d: %s comes as %v, not as %v", seed, at, js.TaskName(model.TaskID(id)), early[model.TaskID(id)], place)
				}
			}
		}
	}
	if lost == 0 || before == 0 {
		t.Errorf("%d attempts lost, %d handed out before", lost, before)
	}
}
