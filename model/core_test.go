package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// oneJob is an assembled set of one job with one stage on the given slaves.
func oneJob(t testing.TB, slaves []Slave, slot SlotKind, groups ...Group) *JobSet {
	t.Helper()
	js := &JobSet{Heartbeat: 3, Slaves: slaves, Jobs: []Job{{Name: "j", Stages: []Stage{{Name: "s", Slot: slot, Groups: groups}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func plainSlaves(n int) []Slave {
	out := make([]Slave, n)
	for i := range out {
		out[i] = Slave{Name: fmt.Sprintf("s%d", i), Cores: 1, Slots: 1}
	}
	return out
}

func TestRowAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Int64Range(0, int64(MaxTime)), 1, 12).Draw(t, "base")
		times := make([]Time, len(want))
		for i, v := range want {
			times[i] = Time(v)
		}
		row := DenseRow(times)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			slaves := rapid.SliceOf(rapid.Int32Range(0, int32(len(want)-1))).Draw(t, "slaves")
			v := rapid.Int64Range(0, int64(MaxTime)).Draw(t, "value")
			ids := make([]SlaveID, len(slaves))
			before := row
			for i, s := range slaves {
				ids[i] = SlaveID(s)
				times[s] = Time(v)
			}
			old := before.At(0)
			row = row.With(ids, Time(v))
			if before.At(0) != old {
				t.Fatalf("With changed the row that it was called on")
			}
		}
		cursor := rowCursor{row: &row}
		for s, v := range times {
			if got, walked := row.At(SlaveID(s)), cursor.at(SlaveID(s)); got != v || walked != v {
				t.Fatalf("slave %d: At gives %d, the cursor %d, want %d", s, got, walked, v)
			}
		}
		if row.Len() != len(times) {
			t.Fatalf("length %d, want %d", row.Len(), len(times))
		}
	})
}

func TestEqualFiguresShareAProfile(t *testing.T) {
	slaves := plainSlaves(4)
	dense := NewProfile(DenseRow([]Time{5, 5, 7, 5}), DenseRow([]Time{1, 1, 1, 2}))
	sparse := NewProfile(ConstRow(4, 5).With([]SlaveID{2}, 7), ConstRow(4, 2).With([]SlaveID{2, 0, 1}, 1))
	other := NewProfile(ConstRow(4, 5).With([]SlaveID{1}, 7), ConstRow(4, 2).With([]SlaveID{2, 0, 1}, 1))
	js := oneJob(t, slaves, MapSlot, Group{Count: 2, Profile: dense}, Group{Count: 1, Profile: sparse}, Group{Count: 1, Profile: other})
	if js.Tasks[0].Profile != js.Tasks[2].Profile {
		t.Error("two ways to write the same figures make two profiles")
	}
	if js.Tasks[0].Profile == js.Tasks[3].Profile {
		t.Error("different figures make one profile")
	}
}

func TestTransferWhereBarredDoesNotCount(t *testing.T) {
	a := NewProfile(DenseRow([]Time{5, 0}), DenseRow([]Time{1, 2}))
	b := NewProfile(DenseRow([]Time{5, 0}), DenseRow([]Time{1, 9}))
	js := oneJob(t, plainSlaves(2), MapSlot, Group{Count: 1, Profile: a}, Group{Count: 1, Profile: b})
	if js.Tasks[0].Profile != js.Tasks[1].Profile {
		t.Error("profiles that differ only where the task cannot run are not one")
	}
}

func TestSlavesWithoutASlotAreBarred(t *testing.T) {
	slaves := plainSlaves(3)
	slaves[0] = Slave{Name: "m", Cores: 1, SplitSlots: true, MapSlots: 1}
	slaves[1] = Slave{Name: "r", Cores: 1, SplitSlots: true, ReduceSlots: 1}
	all := NewProfile(ConstRow(3, 5).With([]SlaveID{0}, 6), ConstRow(3, 0))
	for slot, want := range map[SlotKind][]Time{MapSlot: {6, 0, 5}, ReduceSlot: {0, 5, 5}} {
		js := oneJob(t, slices.Clone(slaves), slot, Group{Count: 1, Profile: all})
		for s, w := range want {
			if got := js.Tasks[0].WCET(SlaveID(s)); got != w || js.Tasks[0].Eligible(SlaveID(s)) != (w > 0) {
				t.Errorf("%s stage on slave %d: wcet %d, want %d", slot, s, got, w)
			}
		}
	}
	if all.WCET(0) != 6 || all.WCET(1) != 5 {
		t.Error("Assemble changed the caller's profile")
	}
}

func TestAssembleErrors(t *testing.T) {
	fine := func() *JobSet {
		return &JobSet{Heartbeat: 1, Slaves: plainSlaves(1), Jobs: []Job{{
			Name: "j", Stages: []Stage{{Name: "s", Groups: []Group{{Count: 1, Profile: NewProfile(ConstRow(1, 1), ConstRow(1, 0))}}}},
		}}}
	}
	if err := fine().Assemble(); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(js *JobSet){
		"heartbeat interval": func(js *JobSet) { js.Heartbeat = 0 },
		"no slaves":          func(js *JobSet) { js.Slaves = nil },
		"no core":            func(js *JobSet) { js.Slaves[0].Cores = 0 },
		"number of slots":    func(js *JobSet) { js.Slaves[0].Slots = 0 },
		"before time 0":      func(js *JobSet) { js.Slaves[0].FirstBeat = -1 },
		"no stages":          func(js *JobSet) { js.Jobs[0].Stages = nil },
		"released before":    func(js *JobSet) { js.Jobs[0].Release = -1 },
		"at least 1":         func(js *JobSet) { js.Jobs[0].Kind = Hard },
		"has no deadline":    func(js *JobSet) { js.Jobs[0].Deadline = 5 },
		"no tasks":           func(js *JobSet) { js.Jobs[0].Stages[0].Groups = nil },
		"barred":             func(js *JobSet) { js.Jobs[0].Stages[0].Groups[0].Profile = NewProfile(ConstRow(1, 0), ConstRow(1, 0)) },
		"makes no sense":     func(js *JobSet) { js.Slaves[0].SplitSlots, js.Slaves[0].MapSlots = true, -1 },
	}
	for want, spoil := range cases {
		js := fine()
		spoil(js)
		if err := js.Assemble(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestBeatsAgainstCounting(t *testing.T) {
	for h := Time(1); h <= 5; h++ {
		for first := range Time(8) {
			js := &JobSet{Heartbeat: h, Slaves: []Slave{{FirstBeat: first}}}
			for at := Time(-3); at < 40; at++ {
				wantAfter, wantBefore := Time(-1), Time(-1)
				for g := range Time(60) {
					beat := first + g*h
					if beat <= at {
						wantBefore = g
					}
					if beat >= at && wantAfter < 0 {
						wantAfter = g
					}
				}
				if g, time := js.BeatAtOrAfter(0, at); g != wantAfter || time != js.BeatTime(0, g) || time != first+g*h {
					t.Fatalf("h %d, H %d: first beat from %d is %d at %d, want %d", h, first, at, g, time, wantAfter)
				}
				g, time := js.BeatAtOrBefore(0, at)
				if g != wantBefore || g >= 0 && time != first+g*h {
					t.Fatalf("h %d, H %d: last beat until %d is %d at %d, want %d", h, first, at, g, time, wantBefore)
				}
			}
		}
	}
}

func TestAbsencesAgainstAClock(t *testing.T) {
	const horizon = 40
	rapid.Check(t, func(t *rapid.T) {
		s := Slave{Name: "s", Cores: 1, Slots: 1}
		var away [horizon]bool
		for range rapid.IntRange(0, 5).Draw(t, "absences") {
			a := rapid.IntRange(0, 30).Draw(t, "from")
			b := rapid.IntRange(a, 35).Draw(t, "to") // empty ones too
			s.Down = append(s.Down, Interval{Time(a), Time(b)})
			for i := a; i < b; i++ {
				away[i] = true
			}
		}
		given := slices.Clone(s.Down)
		if err := s.assemble(); err != nil {
			t.Fatal(err)
		}
		for i, d := range s.Down {
			if d.Start >= d.End || i > 0 && d.Start <= s.Down[i-1].End {
				t.Fatalf("%v became %v: not sorted, disjoint and apart", given, s.Down)
			}
		}
		for a := range horizon {
			next := Never // start of the absence that holds a or comes next
			for i := a; i < horizon && next == Never; i++ {
				if away[i] {
					next = Time(i)
				}
			}
			got := s.UpUntil(Time(a))
			if away[a] && got > Time(a) || !away[a] && got != next {
				t.Fatalf("%v: up at %d until %d, want %d", given, a, got, next)
			}
			for b := a + 1; b < horizon; b++ {
				if got, want := s.Up(Interval{Time(a), Time(b)}), !slices.Contains(away[a:b], true); got != want {
					t.Fatalf("%v: up during [%d, %d) is %v, want %v", given, a, b, got, want)
				}
			}
		}
	})
}

func TestIntervals(t *testing.T) {
	const n = 6
	for bits := range n * n * n * n {
		a := Interval{Time(bits % n), Time(bits / n % n)}
		b := Interval{Time(bits / n / n % n), Time(bits / n / n / n)}
		common := Time(0)
		for tick := range Time(n) {
			if a.Start <= tick && tick < a.End && b.Start <= tick && tick < b.End {
				common++
			}
		}
		if a.Overlaps(b) != (common > 0) || a.Intersect(b).Len() != common {
			t.Errorf("%v and %v share %d ticks; Overlaps says %v, Intersect %v", a, b, common, a.Overlaps(b), a.Intersect(b))
		}
	}
}

func TestGoal(t *testing.T) {
	job := func(k JobKind) Job { return Job{Kind: k} }
	for _, c := range []struct {
		js   JobSet
		want []Objective
	}{
		{JobSet{Jobs: []Job{job(Hard), job(Soft), job(BestEffort)}}, []Objective{Misses}},
		{JobSet{Jobs: []Job{job(BestEffort), job(BestEffort)}}, []Objective{Makespan}},
		{JobSet{Jobs: []Job{job(Hard), job(BestEffort)}}, nil},
		{JobSet{Jobs: []Job{job(Hard)}, Objectives: []Objective{Tardiness, Makespan}}, []Objective{Tardiness, Makespan}},
	} {
		if got := c.js.Goal(); !slices.Equal(got, c.want) {
			t.Errorf("goal %v, want %v", got, c.want)
		}
	}
}

// TestValues works an example out by hand: two soft jobs, 3 and 0 late, a hard
// job 1 late, a best-effort job that ends last.
func TestValues(t *testing.T) {
	stage := func() []Stage {
		return []Stage{{Name: "s", Groups: []Group{{Count: 1, Profile: NewProfile(ConstRow(1, 4), ConstRow(1, 0))}}}}
	}
	js := &JobSet{Heartbeat: 1, Slaves: plainSlaves(1), Jobs: []Job{
		{Name: "late", Release: 2, Deadline: 5, Kind: Soft, Weight: 3, Stages: stage()},
		{Name: "in time", Deadline: 14, Kind: Soft, Weight: 5, Stages: stage()},
		{Name: "hard", Deadline: 17, Kind: Hard, Stages: stage()},
		{Name: "best effort", Stages: stage()},
	}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := NewSchedule(4)
	if s.Complete() {
		t.Error("an empty schedule is complete")
	}
	for i, start := range []Time{6, 10, 14, 18} {
		s[i] = Placement{Slave: 0, Beat: start, Fetch: start, Start: start}
	}
	finishes := js.Finishes(s)
	if !s.Complete() || !slices.Equal(finishes, []Time{10, 14, 18, 22}) {
		t.Fatalf("finishes %v", finishes)
	}
	for o, want := range map[Objective]int64{Misses: 3, Tardiness: 3, WeightedTardiness: 9, Makespan: 22, HardMisses: 1} {
		if got := js.Value(o, finishes); got != want {
			t.Errorf("%s is %d, want %d", o, got, want)
		}
	}
	if js.Jobs[3].Due() != Never || js.Jobs[3].Late(1<<40) != 0 || js.Jobs[0].Due() != 7 {
		t.Error("due times are wrong")
	}
	if got := js.TaskName(1); got != "in time/s/1" {
		t.Errorf("task name %q", got)
	}
}
