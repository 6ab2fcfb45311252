package night_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/night"
)

// coupled is a set of slaves with two cores and slots each, and one best-effort job of a stage with so many
// tasks of four ticks, changed by the caller.
func coupled(t *testing.T, slaves, tasks int, with func(*model.JobSet, *model.Stage)) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1}
	for _, name := range []string{"a", "b", "c", "d"}[:slaves] {
		js.Slaves = append(js.Slaves, model.Slave{Name: name, Cores: 2, Slots: 2})
	}
	p := model.NewProfile(model.ConstRow(slaves, 4), model.ConstRow(slaves, 0))
	js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: tasks, Profile: p}}}}}}
	with(js, &js.Jobs[0].Stages[0])
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// planned is the plan of the rest of a night, checked, and its last finish.
func planned(t *testing.T, past *night.Past) (*solve.Result, model.Time) {
	t.Helper()
	if err := past.Check(); err != nil {
		t.Fatal(err)
	}
	res, err := night.Plan(context.Background(), past, solve.Options{Seed: 1, Budget: 4000, NoConflict: true})
	if err != nil {
		t.Fatal(err)
	}
	if res.Schedule == nil {
		return res, 0
	}
	if err := check.Schedule(past.Set, res.Schedule, false).Err(); err != nil {
		t.Fatal(err)
	}
	return res, slices.Max(past.Set.Finishes(res.Schedule))
}

// TestGangGoesOn: the others of a gang start with those that were handed out before, which wait for
// them at 5, and take of a cap and a pool what these leave.
func TestGangGoesOn(t *testing.T) {
	js := coupled(t, 2, 3, func(js *model.JobSet, st *model.Stage) {
		st.Gang, st.AtMost = true, 3
		js.Pools = []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 3}}}}
		needs := model.Needs{Cores: 1}
		needs.TakePool(0, 1)
		st.Groups[0].Profile = st.Groups[0].Profile.Needing(needs)
	})
	plan := model.Schedule{{Slave: 0, Beat: 1, Fetch: 1, Start: 5}, {Slave: 0, Beat: 2, Fetch: 2, Start: 5}, {Slave: 1, Beat: 5, Fetch: 5, Start: 5}}
	past := night.Cut(js, plan, 4)
	if past.Tasks() != 2 {
		t.Fatalf("%d tasks of the past", past.Tasks())
	}
	if res, end := planned(t, past); res.Status != model.Optimal || end != 9 || res.Schedule[2].Start != 5 {
		t.Errorf("%s, ends at %d: %v", res.Status, end, res.Schedule)
	}
}

// TestGangIsLost: with the slave of one task a gang is lost as a whole, and so is one for whose last task there
// is no room at its start.
func TestGangIsLost(t *testing.T) {
	for _, away := range []model.SlaveID{0, 1} {
		js := coupled(t, 2, 3, func(js *model.JobSet, st *model.Stage) {
			st.Gang = true
			js.Slaves[1].Slots, js.Slaves[1].Cores = 3, 3
			js.Slaves[away].Down = []model.Interval{{Start: 4, End: 20}}
		})
		plan := model.Schedule{{Slave: 0, Beat: 1, Fetch: 1, Start: 5}, {Slave: 0, Beat: 2, Fetch: 2, Start: 5}, {Slave: 1, Beat: 5, Fetch: 5, Start: 5}}
		past := night.Cut(js, plan, 4)
		if lost := 2 - 2*int(away); past.Tasks() != 0 || len(past.Lost) != lost || len(past.Parted) != 2-lost {
			t.Errorf("away %d: %d tasks of the past, %v lost, %v parted", away, past.Tasks(), past.Lost, past.Parted)
		}
		if _, end := planned(t, past); end != map[model.SlaveID]model.Time{0: 8, 1: 24}[away] {
			t.Errorf("away %d: ends at %d", away, end)
		}
	}
}

// TestApartFromThePast: a task goes to the slave that none of those is on from which it is apart, however
// long these are over; where that one has gone its job is left out.
func TestApartFromThePast(t *testing.T) {
	for _, gone := range []bool{false, true} {
		js := coupled(t, 3, 3, func(js *model.JobSet, st *model.Stage) {
			st.Apart = true
			if gone {
				js.Slaves[2].Down = []model.Interval{{Start: 3, End: model.Never}}
			}
		})
		plan := model.Schedule{{Slave: 0}, {Slave: 1}, {Slave: model.NoSlave}}
		past := night.Cut(js, plan, 10)
		res, end := planned(t, past)
		switch {
		case gone && len(res.LeftOut) != 1:
			t.Errorf("gone: %s, left out %v", res.Status, res.LeftOut)
		case !gone && (end != 14 || res.Schedule[2].Slave != 2):
			t.Errorf("ends at %d: %v", end, res.Schedule)
		}
	}
}

// TestCapHasAPast: tasks of the past count for the caps of their stage and job until they end, and
// those that stand in for them do not besides.
func TestCapHasAPast(t *testing.T) {
	js := coupled(t, 2, 4, func(js *model.JobSet, st *model.Stage) {
		st.AtMost, js.Jobs[0].AtMost = 2, 2
	})
	plan := model.Schedule{{Slave: 0}, {Slave: 0, Beat: 2, Fetch: 2, Start: 2}, {Slave: model.NoSlave}, {Slave: model.NoSlave}}
	res, end := planned(t, night.Cut(js, plan, 3))
	if res.Status != model.Optimal || end != 10 {
		t.Errorf("%s, ends at %d: %v", res.Status, end, res.Schedule)
	}
}

// TestRunningGang: of a gang of which one task still waits for its input the others wait, too; of one with a
// task that is still to be handed out they wait for that; and what is behind them in the line of
// their slave does not overtake.
func TestRunningGang(t *testing.T) {
	js := coupled(t, 2, 2, func(js *model.JobSet, st *model.Stage) {
		st.Gang = true
		p := model.NewProfile(model.ConstRow(2, 4), model.DenseRow([]model.Time{1, 7}))
		st.Groups[0].Profile = p
		js.Jobs = append(js.Jobs, model.Job{Name: "k", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{
			Count: 1, Profile: model.NewProfile(model.ConstRow(2, 2), model.ConstRow(2, 0))}}}}})
	})
	waits := func(s model.SlaveID, beat, fetch model.Time) night.Attempt {
		return night.Attempt{Placement: model.Placement{Slave: s, Beat: beat, Fetch: fetch, Start: model.Never}, Finish: model.Never}
	}
	none := night.Attempt{Placement: model.Placement{Slave: model.NoSlave}}
	past, err := night.Happened(js, []night.Attempt{waits(0, 0, 0), waits(1, 1, 1), waits(0, 2, model.Never)}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []model.Time{8, 8, 8} {
		if got := past.Place[k].Start; got != want {
			t.Errorf("task %d starts at %d, not %d", k, got, want)
		}
	}
	planned(t, past)
	past, err = night.Happened(js, []night.Attempt{waits(0, 0, 0), none, none}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if got := past.Place[0].Start; got < 5 || past.Of(1) {
		t.Errorf("starts at %d, others %v", got, past.Place)
	}
	if res, _ := planned(t, past); res.Schedule[0].Start != res.Schedule[1].Start {
		t.Errorf("%v", res.Schedule)
	}
}

// TestPartsOfGangs: cuts of plans come with gangs of which some tasks were handed out and some not, with
// caps that have a past, and with tasks that are apart from some of it, and are planned on.
func TestPartsOfGangs(t *testing.T) {
	gangs, apart, caps := 0, 0, 0
	for seed := range testkit.Tiny(t, 120, 200) {
		js, rng := gen.Coupled(gen.TodayTiny(seed), seed, false), rand.New(rand.NewPCG(seed, 31))
		plan := somePlan(js, rng)
		past := night.Cut(js, plan, cutAt(js, plan, rng))
		for id := range model.StageID(js.Stages()) {
			st, _ := js.Stage(id)
			begun, left := 0, 0
			for k := st.First; k < st.End; k++ {
				if past.Of(k) {
					begun++
				} else {
					left++
				}
			}
			if begun == 0 || left == 0 {
				continue
			}
			if st.IsGang() {
				gangs++
			}
			if st.IsApart() {
				apart++
			}
			if st.AtMost > 0 {
				caps++
			}
		}
		res, err := night.Plan(context.Background(), past, solve.Options{Seed: seed, Budget: 100, Relax: true, NoConflict: true, From: plan})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if res.Schedule == nil {
			t.Errorf("seed %d: no plan", seed)
			continue
		}
		if err := check.Schedule(js, res.Schedule, res.Relaxed).Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := past.Kept(res.Schedule); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("partly begun: %d gangs, %d stages that are apart, %d with a cap", gangs, apart, caps)
	if gangs == 0 || apart == 0 || caps == 0 {
		t.Error("not every case came up")
	}
}
