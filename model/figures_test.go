package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// twoSlaves is a set with slots of two kinds on slave a, which is away for a while,
// and common ones on b, where the input of the map task lies. All times are even.
func twoSlaves(t *testing.T) *JobSet {
	t.Helper()
	js := &JobSet{
		Heartbeat: 4,
		Slaves: []Slave{
			{Name: "a", Cores: 3, SplitSlots: true, MapSlots: 2, ReduceSlots: 1, FirstBeat: 2, Down: []Interval{{20, 30}}},
			{Name: "b", Cores: 1, Slots: 4},
		},
		Jobs: []Job{
			{Name: "etl", Release: 6, Deadline: 40, Kind: Hard, Stages: []Stage{
				{Name: "map", Groups: []Group{{Count: 1, Profile: NewProfile(ConstRow(2, 10), ConstRow(2, 8).With([]SlaveID{1}, 0))}}},
				{Name: "reduce", Slot: ReduceSlot, Groups: []Group{{Count: 1, Profile: NewProfile(ConstRow(2, 6), ConstRow(2, 2))}}},
			}},
			{Name: "log", Stages: []Stage{{Name: "map", Groups: []Group{{Count: 1, Profile: NewProfile(DenseRow([]Time{12, 0}), ConstRow(2, 4))}}}}},
		},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func TestSuppliesNeedsAndHolds(t *testing.T) {
	js := twoSlaves(t)
	if got, want := js.Supplies(0), []Supply{{Cores, HoldRun, 3}, {MapSlots, HoldStay, 2}, {ReduceSlots, HoldStay, 1}, {FetchLine, HoldFetch, 1}}; !slices.Equal(got, want) {
		t.Errorf("slave a has %v, not %v", got, want)
	}
	js.Fetch = FetchConcurrent
	if got, want := js.Supplies(1), []Supply{{Cores, HoldRun, 1}, {MapSlots, HoldStay, 4}}; !slices.Equal(got, want) {
		t.Errorf("slave b has %v, not %v", got, want)
	}
	for _, c := range []struct {
		task  int
		slave SlaveID
		needs []int64 // of cores, fetch line, map slots, reduce slots
	}{
		{0, 0, []int64{1, 1, 1, 0}}, {0, 1, []int64{1, 0, 1, 0}}, {1, 0, []int64{1, 1, 0, 1}}, {1, 1, []int64{1, 1, 1, 0}},
	} {
		for r, want := range c.needs {
			if got := js.Need(&js.Tasks[c.task], c.slave, ResourceID(r)); got != want {
				t.Errorf("task %d on slave %d needs %d of %s, want %d", c.task, c.slave, got, ResourceID(r), want)
			}
		}
	}
	p := Placement{Slave: 0, Beat: 1, Fetch: 7, Start: 16}
	for h, want := range []Interval{HoldRun: {16, 26}, HoldFetch: {7, 15}, HoldStay: {6, 26}} {
		if got := js.Held(&js.Tasks[0], p, Hold(h)); got != want {
			t.Errorf("hold %d lasts %v, want %v", h, got, want)
		}
	}
	if got := ResourceID(99).String(); got != "resource 99" || js.Slaves[0].TotalSlots() != 3 || js.Slaves[1].TotalSlots() != 4 {
		t.Errorf("%s, %d and %d slots", got, js.Slaves[0].TotalSlots(), js.Slaves[1].TotalSlots())
	}
}

// TestEachRun: runs are those of the figures slave by slave, as long as they can be, of rows
// with steps and exceptions, for other slaves too.
func TestEachRun(t *testing.T) {
	type run struct {
		wcet, transfer Time
		count          SlaveID
	}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(12)
		row := func(least int) Row {
			figures := make([]Time, n)
			for s := range figures {
				if figures[s] = Time(least + rng.IntN(2)); s > 0 && rng.IntN(3) > 0 {
					figures[s] = figures[s-1]
				}
			}
			r := DenseRow(figures)
			for range rng.IntN(4) {
				r = r.With([]SlaveID{SlaveID(rng.IntN(n))}, Time(least+rng.IntN(3)))
			}
			return r
		}
		p := NewProfile(row(0), row(5))
		if seed%2 == 1 {
			from := make([]SlaveID, 1+rng.IntN(9))
			for i := range from {
				from[i] = SlaveID(rng.IntN(n+1)) - 1
			}
			p, n = NewSelector(from).Profile(p), len(from)
		}
		var got, want []run
		p.EachRun(func(wcet, transfer Time, count SlaveID) { got = append(got, run{wcet, transfer, count}) })
		for s := range SlaveID(n) {
			at := run{p.WCET(s), p.Transfer(s), 1}
			if at.wcet == 0 {
				at.transfer = 0
			}
			if last := len(want) - 1; last >= 0 && want[last].wcet == at.wcet && want[last].transfer == at.transfer {
				want[last].count++
			} else {
				want = append(want, at)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: runs %v, slave by slave %v", seed, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	js := twoSlaves(t)
	for i, want := range [][]SlaveID{{1}, nil, nil} { // the last has but one slave
		if got := js.Tasks[i].Nearest(); !slices.Equal(got, want) {
			t.Errorf("task %d is nearest on %v, want %v", i, got, want)
		}
	}
}

func TestFillTasks(t *testing.T) {
	js := twoSlaves(t)
	var p Plan
	p.FillTasks(js, Schedule{{1, 2, 8, 8}, {0, 10, 42, 44}, {0, 0, 2, 6}})
	want := []TaskResult{
		{"etl", "map", 1, "b", 2, 8, 8, 8, 18, 0}, {"etl", "reduce", 1, "a", 10, 42, 42, 44, 50, 0}, {"log", "map", 1, "a", 0, 2, 2, 6, 18, 0},
	}
	if !slices.Equal(p.Tasks, want) {
		t.Errorf("tasks %+v\nwant %+v", p.Tasks, want)
	}
	if j := p.Jobs[0]; j.Job != "etl" || j.Finish != 50 || *j.Deadline != 46 || j.Late != 4 {
		t.Errorf("%+v", j)
	}
	if j := p.Jobs[1]; j.Job != "log" || j.Finish != 18 || j.Deadline != nil || j.Late != 0 {
		t.Errorf("%+v", j)
	}
	if js.Slaves[0].BackAt(25) != 30 || js.Slaves[0].BackAt(30) != 30 || js.Slaves[0].UpUntil(5) != 20 {
		t.Errorf("slave a is back at %d and there until %d", js.Slaves[0].BackAt(25), js.Slaves[0].UpUntil(5))
	}
}

// Weighted delays of a plan that runs one task after the other must add up.
func TestDelaysFit(t *testing.T) {
	js := twoSlaves(t)
	js.Jobs[0].Kind, js.Jobs[0].Weight = Soft, 1<<50
	if !js.DelaysFit() {
		t.Error("about 2^7 ticks times 2^50 do not fit")
	}
	js.Jobs[0].Weight = 1 << 57
	if js.DelaysFit() {
		t.Error("about 2^7 ticks times 2^57 fit")
	}
	js.Jobs[0].Weight, js.Slaves[1].FirstBeat = 1, 1<<62
	if js.DelaysFit() {
		t.Error("a heartbeat at 2^62 fits")
	}
}

// However many slaves are new, a row has no exception for each: these are looked at one by one.
func TestNewSlavesAreNoExceptions(t *testing.T) {
	const slaves = 1000
	from, fresh := make([]SlaveID, slaves), slices.Repeat([]bool{true}, slaves)
	fresh[0] = false
	for _, lone := range []bool{true, false} {
		row := ConstRow(1, 4).With([]SlaveID{0}, 3)
		of := NewSelector(from).Fresh(fresh, []SlaveID{0}, lone).Profile(NewProfile(row, ConstRow(1, 0)))
		own := Time(4)
		if lone {
			own = 3 // what its class has by itself
		}
		if of.WCET(0) != 3 || of.WCET(1) != own || of.WCET(slaves-1) != own {
			t.Errorf("lone %t: %d, and %d of new ones", lone, of.WCET(0), of.WCET(1))
		}
		if n := len(of.wcet.except); n > 1 {
			t.Errorf("lone %t: %d exceptions", lone, n)
		}
	}
}
