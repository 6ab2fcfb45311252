package inference

import (
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/naive"
	"downbeat/internal/testkit/tight"
	"downbeat/model"
	"downbeat/model/proof"
)

// licensed is two slaves with beats 0, 5, 10, …, and three hard jobs of one task each that take two of
// a pool of 5, which has 3 from 8 on: transfer 1, execution 8, due at 14. Alone each is held in
// [0..5, 9..14), so in [5, 9) it holds 2 for 4 ticks; there are 5 for 3 ticks and 3 for one.
func licensed(t *testing.T) (*model.JobSet, []model.Time) {
	js := &model.JobSet{
		Heartbeat: 5,
		Slaves:    []model.Slave{{Name: "s", Cores: 3, Slots: 3}, {Name: "far", Cores: 3, Slots: 3}},
		Pools:     []model.Pool{{Name: "other", Levels: []model.Level{{Amount: 9}}}, {Name: "db", Levels: []model.Level{{Amount: 5}, {From: 8, Amount: 3}}}},
	}
	var needs model.Needs
	needs.TakePool(1, 2)
	for _, name := range []string{"a", "b", "c"} {
		p := model.NewProfile(model.ConstRow(2, 8), model.ConstRow(2, 1)).Needing(needs)
		js.Jobs = append(js.Jobs, model.Job{Name: name, Kind: model.Hard, Deadline: 14,
			Stages: []model.Stage{{Name: "m", Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js, []model.Time{14, 14, 14}
}

func TestOverloadTwinsOfLimits(t *testing.T) {
	good := func() *proof.Overload {
		return &proof.Overload{
			Jobs: []model.JobID{0, 1, 2}, Resource: proof.SharedTicks, Shared: 1,
			Interval: model.Interval{Start: 5, End: 9}, Need: 24, Have: 18,
		}
	}
	js, due := licensed(t)
	if err := Overload(js, due, good()); err != nil {
		t.Fatalf("the good twin: %v", err)
	}
	for _, c := range []struct {
		what, want string
		change     func(*proof.Overload)
	}{
		{"need too high", "need 24", func(s *proof.Overload) { s.Need++ }},
		{"have too high", "have 18", func(s *proof.Overload) { s.Have++ }},
		{"have too low", "have 18", func(s *proof.Overload) { s.Have-- }},
		{"no overload", "no more than", func(s *proof.Overload) { s.Need = 18 }},
		{"a job left out", "need 16", func(s *proof.Overload) { s.Jobs = s.Jobs[:2] }},
		{"another pool", "need 0", func(s *proof.Overload) { s.Shared = 0 }},
		{"no such pool", "no pool or cap 2", func(s *proof.Overload) { s.Shared = 2 }},
		{"below the first pool", "no pool or cap -1", func(s *proof.Overload) { s.Shared = -1 }},
		{"slaves", "not that of some slaves", func(s *proof.Overload) { s.Slaves = []model.SlaveID{0} }},
		{"a wider interval", "have 21", func(s *proof.Overload) { s.Interval.End++ }},
		{"a resource", "need 0 core-ticks", func(s *proof.Overload) { s.Resource = proof.CoreTicks }},
	} {
		sh := good()
		c.change(sh)
		if err := Overload(js, due, sh); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
	for _, late := range []model.Time{19, model.Never} {
		if err := Overload(js, []model.Time{late, 14, 14}, good()); err == nil {
			t.Errorf("the argument stands where jobs are due at %d", late)
		}
	}
	js.Pools[1].Reserved = []model.SharedHold{{Interval: model.Interval{Start: 0, End: 6}, Units: 2}}
	if err := js.Link(); err != nil {
		t.Fatal(err)
	}
	less := good()
	less.Have = 16
	if err := Overload(js, due, less); err != nil {
		t.Errorf("where others hold 2 until 6: %v", err)
	}
}

// TestNoOverloadOfLimitsWhereThereIsAPlan: no need is above what a plan holds that meets the due times,
// nor that above what there is; and it is the least over all placements, one by one.
func TestNoOverloadOfLimitsWhereThereIsAPlan(t *testing.T) {
	exact := 0
	for seed := range testkit.Tiny(t, 400, 500) {
		r := rand.New(rand.NewPCG(seed, 21))
		js, p := naive.Random(t, r, false)
		plan := naive.Schedule(js, p)
		js = tight.Share(t, js, plan, r)
		due := js.Finishes(plan)
		for i := range 20 {
			sh := randomShortage(r, js)
			need, used := needOf(t, js, due, sh), literalHeld(js, plan, sh)
			if i == 0 && seed%10 == 0 { // it is slow
				if literally := literalNeed(js, due, sh); need != literally {
					t.Fatalf("seed %d: need %d, literally %d, %+v due %v", seed, need, literally, sh, due)
				}
			}
			if need > used || used > sh.Have {
				t.Fatalf("seed %d: need %d, used %d, %+v\nplan %+v meets %v", seed, need, used, sh, p.Tasks, due)
			}
			sh.Need = sh.Have + 1
			if err := Overload(js, due, sh); err == nil || !strings.Contains(err.Error(), "need") {
				t.Fatalf("seed %d: %+v, and %+v meets %v: %v", seed, sh, p.Tasks, due, err)
			}
			if need > 0 && need == sh.Have {
				exact++
			}
		}
	}
	t.Logf("%d needs are just what there is", exact)
	if exact == 0 {
		t.Error("no need is just what there is")
	}
}

// randomShortage has the right Have.
func randomShortage(r *rand.Rand, js *model.JobSet) *proof.Overload {
	sh := &proof.Overload{Resource: proof.SharedTicks, Shared: model.SharedID(r.IntN(len(js.Shared())))}
	for i := range js.Jobs {
		if len(sh.Jobs) == 0 || r.IntN(4) > 0 {
			sh.Jobs = append(sh.Jobs, model.JobID(i))
		}
	}
	sh.Interval.Start = model.Time(r.IntN(30))
	sh.Interval.End = sh.Interval.Start + 1 + model.Time(r.IntN(15))
	for at := sh.Interval.Start; at < sh.Interval.End; at++ {
		sh.Have += js.Shared()[sh.Shared].At(at)
	}
	return sh
}

// literalHeld counts what tasks of the jobs of an argument hold, tick by tick.
func literalHeld(js *model.JobSet, plan model.Schedule, sh *proof.Overload) int64 {
	sum := int64(0)
	for t, p := range plan {
		for _, id := range sh.Jobs {
			if js.Tasks[t].Job == id {
				sum += literalUseOf(js, model.TaskID(t), p, sh)
			}
		}
	}
	return sum
}
