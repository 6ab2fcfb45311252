package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// valid fails unless a schedule is one of a set in which what ends for good is back at the horizon.
func valid(t *testing.T, seed uint64, what string, js *model.JobSet, s model.Schedule) {
	t.Helper()
	if !s.Complete() {
		t.Fatalf("seed %d: %s: tasks are missing", seed, what)
	}
	if err := fault(js.Returning(), s); err != nil {
		t.Fatalf("seed %d: %s: %v", seed, what, err)
	}
}

// TestCoupledSets: with pools, caps, gangs and tasks that are apart list schedules by every rule are
// valid, and so is what completes, repairs, hastens and tidies them.
func TestCoupledSets(t *testing.T) {
	gangs, kept, tasks := 0, 0, 0
	for seed := range testkit.Tiny(t, 160, 400) {
		rng := rand.New(rand.NewPCG(seed, 21))
		js := coupledSet(rng)
		fig := NewFigures(js)
		b := NewBoard(fig, seed)
		for i := range fig.Stages {
			if fig.Stages[i].Gang {
				gangs++
			}
		}
		d := NewDeferral(js, js.Goal(), nil)
		for _, rule := range Rules() {
			b.Clear()
			b.Construct(context.Background(), rule.Order(fig), d)
			valid(t, seed, rule.Name, js, b.Place)
			for i, finish := range js.Finishes(b.Place) {
				if got := b.JobFinish(model.JobID(i)); got != finish {
					t.Fatalf("seed %d: job %d finishes at %d, not %d", seed, i, finish, got)
				}
			}
		}
		whole := slices.Clone(b.Place)
		loose := loosenGangs(js.Returning(), loosen(js.Returning(), slices.Clone(whole), rng), rng)
		tidied := Tidy(context.Background(), js, loose)
		valid(t, seed, "tidied", js, tidied)
		for id := range tidied {
			if id := model.TaskID(id); js.Finish(id, tidied[id]) > js.Finish(id, loose[id]) || tidied[id].Slave != loose[id].Slave {
				t.Fatalf("seed %d: %s is at %v, was at %v", seed, js.TaskName(id), tidied[id], loose[id])
			}
		}
		if seed%8 == 0 {
			if err := isTidy(js.Returning(), tidied); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := gangsAreTidy(js.Returning(), tidied); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		valid(t, seed, "earlier", js, Earlier(context.Background(), js, js.Goal(), loose, seed))
		broken := slices.Clone(whole)
		damage(js, broken, rng)
		repaired := Repair(js, broken)
		valid(t, seed, "repaired", js, repaired)
		kept += unmoved(repaired, broken)
		tasks += len(broken)
		valid(t, seed, "completed", js, Complete(js, alone(js, whole, model.JobID(rng.IntN(len(js.Jobs))))))
		if got := Repair(js, whole); js.ListValue(model.HardMisses, js.Finishes(whole)) == 0 && !slices.Equal(got, whole) {
			t.Fatalf("seed %d: a valid schedule was changed", seed)
		}
	}
	t.Logf("%d gangs, %d of %d tasks of broken schedules kept", gangs, kept, tasks)
	if gangs < testkit.Sets(50, 120) || kept < tasks/2 {
		t.Errorf("%d gangs, %d of %d tasks of broken schedules kept", gangs, kept, tasks)
	}
}

// alone is a schedule of one job.
func alone(js *model.JobSet, s model.Schedule, i model.JobID) model.Schedule {
	out := model.NewSchedule(len(s))
	copy(out[js.Jobs[i].First:js.Jobs[i].End], s[js.Jobs[i].First:js.Jobs[i].End])
	return out
}

// loosenGangs delays gangs at random where the schedule stays valid.
func loosenGangs(js *model.JobSet, s model.Schedule, rng *rand.Rand) model.Schedule {
	for id := range model.StageID(js.Stages()) {
		st, _ := js.Stage(id)
		later := slices.Clone(s)
		for t, by := st.First, 1+model.Time(rng.IntN(9)); t < st.End && st.IsGang(); t++ {
			later[t].Start += by
		}
		if fault(js, later) == nil {
			s = later
		}
	}
	return s
}

// gangsAreTidy tries every earlier start of each gang, on the slaves on which its tasks are.
func gangsAreTidy(js *model.JobSet, s model.Schedule) error {
	for id := range model.StageID(js.Stages()) {
		st, job := js.Stage(id)
		if !st.IsGang() || js.FIFO || !st.Apart && waits(js, st.First) {
			continue
		}
		ready := js.Jobs[job].Release
		for _, before := range js.Before(id) {
			other, _ := js.Stage(before)
			for t := other.First; t < other.End; t++ {
				ready = max(ready, js.Finish(t, s[t]))
			}
		}
		for start := ready; start < s[st.First].Start; start++ {
			try := slices.Clone(s)
			for t := st.First; t < st.End; t++ {
				try[t].Slave = model.NoSlave
			}
			if startsAt(js, try, s, st.First, st.End, start) {
				return fmt.Errorf("%s can start with its gang at %d and not at %d", js.TaskName(st.First), start, s[st.First].Start)
			}
		}
	}
	return nil
}

// startsAt tries all places of some tasks on their slaves with a given start.
func startsAt(js *model.JobSet, try, s model.Schedule, t, end model.TaskID, start model.Time) bool {
	if t == end {
		return true
	}
	for fetch := start; fetch >= max(0, start-16); fetch-- {
		beat, _ := js.BeatAtOrBefore(s[t].Slave, fetch)
		try[t] = model.Placement{Slave: s[t].Slave, Beat: beat, Fetch: fetch, Start: start}
		if beat >= 0 && taskFault(js, try, t) == nil && startsAt(js, try, s, t+1, end, start) {
			return true
		}
	}
	try[t].Slave = model.NoSlave
	return false
}

// TestCappedOnOneSlave: tasks of a stage with a cap that may run on one of several slaves only, so that
// they have no slave in common that all figures are the same on.
func TestCappedOnOneSlave(t *testing.T) {
	wcet := model.ConstRow(2, 0).With([]model.SlaveID{0}, 11)
	js := &model.JobSet{
		Heartbeat: 1,
		Slaves:    []model.Slave{{Name: "a", Cores: 7, Slots: 7}, {Name: "b", Cores: 4, Slots: 4}},
		Jobs: []model.Job{{Name: "etl", Stages: []model.Stage{{Name: "run", AtMost: 2,
			Groups: []model.Group{{Count: 3, Profile: model.NewProfile(wcet, model.ConstRow(2, 0))}}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := Complete(js, model.NewSchedule(len(js.Tasks)))
	valid(t, 0, "completed", js, s)
	if got := js.Finishes(s)[0]; got != 22 {
		t.Errorf("the job ends at %d, not 22", got)
	}
}
