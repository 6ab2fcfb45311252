package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
)

// night has classes fast (two slaves, slots of two kinds) and mid (three), a slave
// slow, and the jobs etl, ads, crm, erp and log; etl has two stages.
func night(t *testing.T) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 10, Named: []string{"gpu", "memory"}}
	for _, name := range []string{"fast-1", "fast-2", "mid-1", "mid-2", "mid-3", "slow"} {
		s := model.Slave{Name: name, Class: name, Cores: 2, Slots: 3}
		if class, _, ok := strings.Cut(name, "-"); ok {
			s.Class = class
		}
		if s.Class == "fast" {
			s.SplitSlots, s.MapSlots, s.ReduceSlots = true, 2, 1
		}
		js.Slaves = append(js.Slaves, s)
	}
	tasks := []model.Group{{Count: 2, Profile: model.NewProfile(model.ConstRow(6, 10), model.ConstRow(6, 1))}}
	for _, name := range []string{"etl", "ads", "crm", "erp", "log"} {
		js.Jobs = append(js.Jobs, model.Job{
			Name: name, Deadline: 30, Kind: model.Hard, Stages: []model.Stage{{Name: "map", Groups: slices.Clone(tasks)}},
		})
	}
	js.Jobs[0].Stages = append(js.Jobs[0].Stages, model.Stage{Name: "reduce", Slot: model.ReduceSlot, Groups: tasks})
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func TestOverloadSentence(t *testing.T) {
	js := night(t)
	for _, c := range []struct {
		o    Overload
		want string
	}{
		{Overload{Jobs: []model.JobID{0}, Resource: CriticalPath, Need: 31, Have: 30},
			"job etl cannot finish before 31 even alone on an empty cluster; its deadline is 30"},
		{Overload{Jobs: []model.JobID{0}, Resource: CriticalPath, Need: 31, Have: 25},
			"job etl cannot finish before 31 even alone on an empty cluster; it is to end by 25"},
		{Overload{Jobs: []model.JobID{0, 1}, Slaves: []model.SlaveID{0, 1}, Resource: CoreTicks, Interval: model.Interval{Start: 0, End: 30}, Need: 130, Have: 120},
			"jobs etl and ads need 130 core-ticks on fast-* in [0, 30); there are 120"},
		{Overload{Jobs: []model.JobID{0}, Slaves: []model.SlaveID{0, 2, 3, 4, 5}, Resource: FetchTicks, Interval: model.Interval{Start: 1, End: 2}, Need: 9, Have: 5},
			"job etl needs 9 fetch-ticks on fast-1, mid-* and slow in [1, 2); there are 5"},
		{Overload{Jobs: []model.JobID{0, 1, 2}, Slaves: []model.SlaveID{5}, Resource: SlotTicks, Interval: model.Interval{Start: 0, End: 10}, Need: 40, Have: 30},
			"jobs etl, ads and crm need 40 slot-ticks on slow in [0, 10); there are 30"},
		{Overload{Jobs: []model.JobID{0, 1, 2, 3, 4}, Slaves: []model.SlaveID{0, 1, 2, 3, 4, 5}, Resource: ReduceSlotTicks, Interval: model.Interval{Start: 0, End: 10}, Need: 9, Have: 8},
			"jobs etl, ads, crm and 2 more need 9 reduce slot-ticks on all machines in [0, 10); there are 8"},
		{Overload{Jobs: []model.JobID{0, 1}, Slaves: []model.SlaveID{5}, Resource: Ticks(model.FirstNamed + 1), Interval: model.Interval{Start: 10, End: 40}, Need: 2890, Have: 1920},
			"jobs etl and ads need 2890 memory-ticks on slow in [10, 40); there are 1920 (on average 96.3 memory of 64)"},
		{Overload{Jobs: []model.JobID{0, 1}, Slaves: []model.SlaveID{5}, Resource: Ticks(model.FirstNamed), Interval: model.Interval{Start: 0, End: 1000}, Need: 2001, Have: 2000},
			"jobs etl and ads need 2001 gpu-ticks on slow in [0, 1000); there are 2000"},
		{Overload{Jobs: []model.JobID{0}, Resource: MapSlotTicks, Need: 1}, "job etl needs 1 map slot-ticks on nothing in [0, 0); there are 0"},
	} {
		if got := c.o.Sentence(js, clock.Clock{}); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

// Where people have a clock times are told by it alone.
func TestOverloadSentenceByTheClock(t *testing.T) {
	js := night(t)
	night := clock.Clock{Unit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}
	for _, c := range []struct {
		o    Overload
		want string
	}{
		{Overload{Jobs: []model.JobID{0}, Slaves: []model.SlaveID{5}, Resource: Ticks(model.FirstNamed + 1), Interval: model.Interval{Start: 5, End: 65}, Need: 540, Have: 480},
			"job etl needs 540 memory-minutes on slow from 22:05 to 23:05; there are 480 (on average 9 memory of 8)"},
		{Overload{Jobs: []model.JobID{0}, Slaves: []model.SlaveID{5}, Resource: CoreTicks, Interval: model.Interval{Start: 5, End: 65}, Need: 61, Have: 60},
			"job etl needs 61 core-minutes on slow from 22:05 to 23:05; there are 60"},
		{Overload{Jobs: []model.JobID{0}, Resource: CriticalPath, Need: 70, Have: 30},
			"job etl cannot finish before 23:10 even alone on an empty cluster; its deadline is 22:30"},
	} {
		if got := c.o.Sentence(js, night); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

// Of a pool or a cap people are told first what is short, in their words.
func TestSharedSentence(t *testing.T) {
	js := night(t)
	js.Pools = []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 4}}}}
	js.Jobs[0].AtMost, js.Jobs[0].Stages[0].AtMost = 3, 1
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	of := func(id model.SharedID, need, have int64, jobs ...model.JobID) Overload {
		return Overload{Jobs: jobs, Resource: SharedTicks, Shared: id, Interval: model.Interval{Start: 10, End: 20}, Need: need, Have: have}
	}
	night := clock.Clock{Unit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}
	for _, c := range []struct {
		o        Overload
		by       clock.Clock
		of, want string
	}{
		{of(0, 60, 40, 0, 1), night, "pool db", "pool db: 6 wanted, 4 there on average, from 22:10 to 22:20 (jobs etl and ads need 60 db-minutes, and there are 40)"},
		{of(0, 65, 25, 2), clock.Clock{}, "pool db", "pool db: 6.5 wanted, 2.5 there on average, in [10, 20) (job crm needs 65 db-ticks, and there are 25)"},
		{of(1, 40, 30, 0), clock.Clock{}, "cap of etl", "cap of etl: 4 wanted, 3 there on average, in [10, 20) (job etl needs 40 task-ticks, and there are 30)"},
		{of(2, 20, 10, 0), clock.Clock{}, "cap of etl/map", "cap of etl/map: 2 wanted, 1 there on average, in [10, 20) (job etl needs 20 task-ticks, and there are 10)"},
	} {
		if got := c.o.Sentence(js, c.by); got != c.want || c.o.Of(js) != c.of {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
	long := of(0, 4001, 4000, 0)
	long.Interval.End = 1010
	if got, want := long.Sentence(js, clock.Clock{}), "pool db: too little in [10, 1010) (job etl needs 4001 db-ticks, and there are 4000)"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	dual := DualBound{Multipliers: []Multiplier{
		{Slave: 5, Resource: model.Cores, Interval: model.Interval{Start: 0, End: 10}, Value: 1},
		{Slave: model.NoSlave, Shared: 0, Interval: model.Interval{Start: 0, End: 4}, Value: 3},
		{Slave: model.NoSlave, Shared: 2, Interval: model.Interval{Start: 2, End: 4}, Value: 1},
	}}
	if got, want := dual.Sentence(js, clock.Clock{}), "with 3 dual prices on cores, fetch lines, slots, gpu, memory, pool db and caps, "+
		"the dearest being pool db in [0, 4), the cores of slow in [0, 10), cap of etl/map in [2, 4)"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	part := js.Subset([]model.JobID{2, 0})
	o := Overload{Jobs: []model.JobID{0, 1}, Resource: SharedTicks, Shared: 2}
	if o.Renumber(js, part, []model.JobID{2, 0}); o.Shared != 2 || o.Jobs[0] != 2 || o.Jobs[1] != 0 {
		t.Errorf("in the whole set it is %+v", o)
	}
}

func TestBranchingSentences(t *testing.T) {
	js := night(t)
	on := func(s model.SlaveID, r model.ResourceID, from, to model.Time, value int64) Multiplier {
		return Multiplier{Slave: s, Resource: r, Interval: model.Interval{Start: from, End: to}, Value: value}
	}
	// Worth 2 × 10 × 1, 2 × 3 × 10 (in two parts), 1 × 9 × 9, 1 × 1 × 1 and 3 × 1 × 1.
	dual := &Branching{Bound: &DualBound{Multipliers: []Multiplier{
		on(0, model.Cores, 0, 10, 1), on(0, model.MapSlots, 0, 1, 10), on(0, model.MapSlots, 4, 6, 10), on(0, model.ReduceSlots, 0, 9, 9),
		on(1, model.FetchLine, 3, 4, 1), on(5, model.MapSlots, 7, 8, 1),
	}}}
	searched := &Branching{Searched: true}
	for _, c := range []struct {
		b      *Branching
		leaves int
		proof  model.Proof
		first  string
	}{
		{dual, 1, model.DualProof, "with 6 dual prices on cores, fetch lines, slots, gpu and memory, the dearest being the reduce slots of fast-1 in [0, 9), " +
			"the map slots of fast-1 in [0, 6), the cores of fast-1 in [0, 10), the slots of slow in [7, 8)"},
		{&Branching{Bound: &DualBound{}}, 1, model.DualProof, "without any dual prices: some jobs are late even alone"},
		{searched, 1, model.LCGProof, "every way to place these jobs was ruled out by search"},
		{&Branching{Holds: dual, Fails: &Branching{Holds: dual, Fails: dual}}, 3, model.BranchingProof,
			"in each of 3 leaves of a branching on when stages end and where tasks run, dual prices refute it"},
		{&Branching{Holds: dual, Fails: searched}, 2, model.LCGProof,
			"in each of 2 leaves of a branching on when stages end and where tasks run, dual prices refute it, or every way was ruled out by search"},
	} {
		if got := c.b.Sentences(js, clock.Clock{})[0]; got != c.first {
			t.Errorf("\n got %s\nwant %s", got, c.first)
		}
		if c.b.Leaves() != c.leaves || c.b.Proof() != c.proof {
			t.Errorf("%d leaves, proved by %s; want %d, %s", c.b.Leaves(), c.b.Proof(), c.leaves, c.proof)
		}
	}
	if none := (*Branching)(nil); none.Proof() != model.NoProof {
		t.Errorf("nothing is proved by %s", none.Proof())
	}
}

func TestSplitSentence(t *testing.T) {
	js := night(t)
	for want, s := range map[string]Split{
		"stage map of etl ends by 7":              {Kind: StageEndsBy, Task: 0, At: 7},
		"task etl/reduce/2 ends by 9":             {Kind: TaskEndsBy, Task: 3, At: 9},
		"the fetch of task ads/map/1 starts by 2": {Kind: FetchedBy, Task: 4, At: 2},
		"task etl/map/2 is on mid-3":              {Kind: OnSlave, Task: 1, Slave: 4},
	} {
		if got := s.Sentence(js, clock.Clock{}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
