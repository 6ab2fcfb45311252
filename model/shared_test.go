package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/gen"
)

// pooled is a set of one slave and one pool with these amounts over time, of which others hold some.
func pooled(t *rapid.T, levels []model.Level, reserved []model.SharedHold) *model.JobSet {
	js := &model.JobSet{
		Heartbeat: 1, Pools: []model.Pool{{Name: "db", Levels: levels, Reserved: reserved}},
		Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}},
		Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "m", Groups: []model.Group{
			{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0))},
		}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestLevels: what a limit leaves is at every time the amount less what is reserved then.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var levels []model.Level
		for from := model.Time(0); len(levels) < rapid.IntRange(1, 5).Draw(t, "levels"); from += model.Time(rapid.IntRange(1, 6).Draw(t, "gap")) {
			levels = append(levels, model.Level{From: from, Amount: rapid.Int64Range(0, 5).Draw(t, "amount")})
		}
		var reserved []model.SharedHold
		for range rapid.IntRange(0, 4).Draw(t, "reserved") {
			from := model.Time(rapid.IntRange(0, 20).Draw(t, "from"))
			reserved = append(reserved, model.SharedHold{
				Interval: model.Interval{Start: from, End: from + model.Time(rapid.IntRange(0, 8).Draw(t, "for"))},
				Units:    rapid.Int64Range(0, 3).Draw(t, "units"),
			})
		}
		sh := &pooled(t, levels, reserved).Shared()[0]
		at := func(now model.Time) int64 {
			amount := int64(0)
			for _, l := range levels {
				if l.From <= now {
					amount = l.Amount
				}
			}
			for _, r := range reserved {
				if r.Start <= now && now < r.End {
					amount -= r.Units
				}
			}
			return amount
		}
		most := at(0)
		for now := model.Time(0); now < 60; now++ {
			if got := sh.At(now); got != at(now) {
				t.Fatalf("%d at %d, want %d of %v", got, now, at(now), sh.Levels)
			}
			most = max(most, at(now))
			least := at(now)
			for end := now + 1; end < now+10; end++ {
				if got := sh.Least(model.Interval{Start: now, End: end}); got != least {
					t.Fatalf("%d at least in [%d, %d), want %d of %v", got, now, end, least, sh.Levels)
				}
				least = min(least, at(end))
			}
		}
		if sh.Most() != most || sh.Last() != at(59) {
			t.Fatalf("most %d, last %d, want %d and %d", sh.Most(), sh.Last(), most, at(59))
		}
		for i, l := range sh.Levels[1:] {
			if l.Amount == sh.Levels[i].Amount || l.From <= sh.Levels[i].From {
				t.Fatalf("levels %v", sh.Levels)
			}
		}
	})
}

// TestTakes: a limit lists the tasks that take of it, and each task what it takes, by what the set
// says; of a subset too.
func TestTakes(t *testing.T) {
	capped := 0
	for seed := range uint64(300) {
		js := gen.Coupled(gen.TodayTiny(seed), seed, seed%2 == 0)
		if seed%3 == 0 {
			js = js.Subset([]model.JobID{model.JobID(len(js.Jobs) - 1)})
		}
		for i := range js.Tasks {
			id, task := model.TaskID(i), &js.Tasks[i]
			want := map[string]int64{}
			needs := task.Needs()
			for k, p := range js.Pools {
				if units := needs.Pooled(k); units > 0 {
					want["pool "+p.Name] = units
				}
			}
			job := &js.Jobs[task.Job]
			st := &job.Stages[task.Stage]
			if job.AtMost > 0 && job.AtMost < int64(job.End-job.First) {
				want["cap of "+job.Name] = 1
			}
			if st.AtMost > 0 && st.AtMost < int64(st.End-st.First) {
				want["cap of "+job.Name+"/"+st.Name] = 1
			}
			got := map[string]int64{}
			for _, take := range js.Takes(id) {
				got[js.SharedName(take.Shared)] += take.Units
				found := false
				for _, t := range js.Shared()[take.Shared].Tasks {
					found = found || t == id
				}
				if !found {
					t.Errorf("seed %d: %s is not listed at %s", seed, js.TaskName(id), js.SharedName(take.Shared))
				}
				if strings.HasPrefix(js.SharedName(take.Shared), "cap") {
					capped++
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: %s (-want +got):\n%s", seed, js.TaskName(id), diff)
			}
		}
	}
	if capped < 100 {
		t.Errorf("caps were met %d times", capped)
	}
}

// TestCoupledDigest: each of pools, caps, gang and apart makes another set of it, and none of
// them is in the canonical form of sets that have nothing of the kind.
func TestCoupledDigest(t *testing.T) {
	seen := map[string]string{}
	base := func() *model.JobSet {
		return &model.JobSet{
			Heartbeat: 1, Pools: []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 4}}}},
			Slaves: []model.Slave{{Name: "s", Cores: 3, Slots: 3}, {Name: "t", Cores: 3, Slots: 3}},
			Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "m", Groups: []model.Group{
				{Count: 2, Profile: model.NewProfile(model.ConstRow(2, 1), model.ConstRow(2, 0))},
			}}}}},
		}
	}
	for name, alter := range map[string]func(*model.JobSet){
		"nothing": func(*model.JobSet) {},
		"pool":    func(js *model.JobSet) { js.Pools[0].Levels[0].Amount = 5 },
		"level": func(js *model.JobSet) {
			js.Pools[0].Levels = append(js.Pools[0].Levels, model.Level{From: 3, Amount: 5})
		},
		"none": func(js *model.JobSet) { js.Pools = nil },
		"take": func(js *model.JobSet) {
			needs := model.Needs{}
			needs.TakePool(0, 1)
			g := &js.Jobs[0].Stages[0].Groups[0]
			g.Profile = g.Profile.Needing(needs)
		},
		"cap of job":   func(js *model.JobSet) { js.Jobs[0].AtMost = 1 },
		"cap of stage": func(js *model.JobSet) { js.Jobs[0].Stages[0].AtMost = 1 },
		"gang":         func(js *model.JobSet) { js.Jobs[0].Stages[0].Gang = true },
		"apart":        func(js *model.JobSet) { js.Jobs[0].Stages[0].Apart = true },
	} {
		js := base()
		alter(js)
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		d := js.Digest()
		if other := seen[d]; other != "" {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[d] = name
		if name == "none" {
			js.Canonical(func(line []byte) {
				for _, word := range []string{"pool", "at most", "gang", "apart"} {
					if strings.Contains(string(line), word) {
						t.Errorf("without any of it: %s", line)
					}
				}
			})
		}
	}
}

// TestMisfitsAreTold: an assembled set has none, and the error of one that has names each.
func TestMisfitsAreTold(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 3, Slots: 3}, {Name: "t", Cores: 2, Slots: 3}}}
	for _, cores := range []int64{3, 2} { // on s beside nothing; with 3 + 2 on both they fit
		js.Jobs = append(js.Jobs, model.Job{Name: "j", Stages: []model.Stage{{Name: "m", Gang: true, Groups: []model.Group{
			{Count: 1, Profile: model.NewProfile(model.ConstRow(2, 1), model.ConstRow(2, 0)).Needing(model.Needs{Cores: 2})},
			{Count: 1, Profile: model.NewProfile(model.DenseRow([]model.Time{1, 0}), model.ConstRow(2, 0)).Needing(model.Needs{Cores: cores})},
			{Count: 1, Profile: model.NewProfile(model.DenseRow([]model.Time{1, 0}), model.ConstRow(2, 0)).Needing(model.Needs{Cores: 3 - cores})},
		}}}})
	}
	err := js.Assemble()
	var found *model.Misfits
	if !errors.As(err, &found) || len(found.List) != 1 || found.List[0].Job != 0 || found.List[0].Of != model.MisfitSlaves {
		t.Fatalf("%v: the first gang needs 6 cores of 5, the second fits", err)
	}
}

// TestTicks: what there is over an interval is what there is at each tick, and nothing where more is
// reserved than there is.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := pooled(t, []model.Level{{Amount: 2}, {From: 4, Amount: 0}, {From: 9, Amount: 5}}, []model.SharedHold{
			{Interval: model.Interval{Start: 2, End: 7}, Units: rapid.Int64Range(0, 3).Draw(t, "units")},
		})
		sh := &js.Shared()[0]
		iv := model.Interval{Start: model.Time(rapid.IntRange(0, 12).Draw(t, "from"))}
		iv.End = iv.Start + model.Time(rapid.IntRange(0, 12).Draw(t, "for"))
		want := int64(0)
		for at := iv.Start; at < iv.End; at++ {
			want += max(0, sh.At(at))
		}
		if got := sh.Ticks(iv); got != want {
			t.Fatalf("%d in %v, not %d", got, iv, want)
		}
	})
}

// TestLimitsOfParts: a limit of a part of a set is found in the whole, and tasks that are alike take
// alike.
func TestLimitsOfParts(t *testing.T) {
	for seed := range uint64(200) {
		js := gen.Coupled(gen.TodayTiny(seed), seed, false)
		var jobs []model.JobID
		for i := len(js.Jobs) - 1; i >= 0; i -= 2 {
			jobs = append(jobs, model.JobID(i))
		}
		part := js.Subset(jobs)
		for k := range part.Shared() {
			id := js.SharedLike(&part.Shared()[k], jobs)
			if id < 0 || js.SharedName(id) != part.SharedName(model.SharedID(k)) {
				t.Fatalf("seed %d: %s is limit %d of the whole", seed, part.SharedName(model.SharedID(k)), id)
			}
		}
		for t1 := range js.Tasks {
			for t2 := range js.Tasks {
				a, b := model.TaskID(t1), model.TaskID(t2)
				if js.Alike(a, b) != (js.Tasks[a].Alike(&js.Tasks[b]) && cmp.Equal(js.Takes(a), js.Takes(b))) {
					t.Fatalf("seed %d: tasks %d and %d", seed, a, b)
				}
			}
		}
	}
}

// TestTaken: what a task holds of a limit is what is listed of it, and nothing where that is not.
func TestTaken(t *testing.T) {
	some := 0
	for seed := range uint64(40) {
		js := gen.Coupled(gen.TodayTiny(seed), seed, false)
		for id := range js.Shared() {
			of := model.SharedID(id)
			for k := range js.Tasks {
				listed := slices.Contains(js.Shared()[id].Tasks, model.TaskID(k))
				units := js.Taken(model.TaskID(k), of)
				if listed != slices.Contains(js.Takes(model.TaskID(k)), model.Take{Shared: of, Units: units}) || listed != (units > 0) {
					t.Errorf("seed %d: %s takes %d of %s", seed, js.TaskName(model.TaskID(k)), units, js.SharedName(of))
				}
				if listed {
					some++
				}
			}
		}
	}
	if some == 0 {
		t.Error("no task took of anything")
	}
}
