package inference

import (
	"math"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/proof"
)

// on is the execution time of a task on each slave, 0 where it is barred.
type on []model.Time

// soleTask is a hard job of one task that starts its life at release.
func soleTask(name string, release, deadline, transfer model.Time, wcet on) model.Job {
	return model.Job{Name: name, Release: release, Deadline: deadline, Kind: model.Hard, Stages: []model.Stage{mapStage(transfer, wcet)}}
}

func mapStage(transfer model.Time, wcet on) model.Stage {
	return model.Stage{Name: "map", Groups: []model.Group{
		{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), transfer))},
	}}
}

func assembled(t *testing.T, heartbeat model.Time, slaves []model.Slave, jobs ...model.Job) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: heartbeat, Slaves: slaves, Jobs: jobs}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func deadlines(js *model.JobSet) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	for i := range js.Jobs {
		due[i] = js.Jobs[i].Due()
	}
	return due
}

func during(from, to model.Time) model.Interval { return model.Interval{Start: from, End: to} }

// oneCore has a core for 8 ticks and two jobs of 5, which both need it in [3, 5);
// slave idle can run neither, and job later has no part in it.
func oneCore(t *testing.T) (*model.JobSet, []model.Time, *proof.DualBound) {
	js := assembled(t, 1, []model.Slave{{Name: "busy", Cores: 1, Slots: 2}, {Name: "idle", Cores: 1, Slots: 2}},
		soleTask("a", 0, 8, 0, on{5, 0}), soleTask("b", 0, 8, 0, on{5, 0}), soleTask("later", 20, 50, 0, on{5, 0}))
	due := deadlines(js)
	due[2] = model.Never
	return js, due, &proof.DualBound{
		Penalty:     []int64{20, 20, 0},
		Multipliers: []proof.Multiplier{{Slave: 0, Resource: model.Cores, Interval: during(3, 5), Value: 10}},
	}
}

func TestBoundByHand(t *testing.T) {
	js, due, d := oneCore(t)
	// Each pays 20 for its part of [3, 5), which is worth 20.
	if surplus, err := Surplus(t.Context(), js, due, d); err != nil || surplus != 20 {
		t.Fatalf("a surplus of %d, %v", surplus, err)
	}
	// Penalties that are higher than what jobs pay make no difference.
	d.Penalty[0] = 1000
	if surplus, err := Surplus(t.Context(), js, due, d); err != nil || surplus != 20 {
		t.Errorf("with a higher penalty: a surplus of %d, %v", surplus, err)
	}
	// One multiplier or a row of them is the same.
	d.Multipliers = []proof.Multiplier{
		{Resource: model.Cores, Interval: during(3, 4), Value: 10}, {Resource: model.Cores, Interval: during(4, 5), Value: 4},
		{Resource: model.Cores, Interval: during(4, 5), Value: 6},
	}
	if surplus, err := Surplus(t.Context(), js, due, d); err != nil || surplus != 20 {
		t.Errorf("in parts: a surplus of %d, %v", surplus, err)
	}
	// A job that is due before its release pays its penalty and needs no prices.
	if surplus, err := Surplus(t.Context(), js, []model.Time{8, 8, 10}, &proof.DualBound{Penalty: []int64{0, 0, 7}}); err != nil || surplus != 7 {
		t.Errorf("due before the release: a surplus of %d, %v", surplus, err)
	}
}

// TestBoundSeesThrough: whatever is changed about a dual bound is refused, or
// leaves less than the surplus that the bound itself has.
func TestBoundSeesThrough(t *testing.T) {
	first := func(d *proof.DualBound) *proof.Multiplier { return &d.Multipliers[0] }
	for what, change := range map[string]func(d *proof.DualBound, due []model.Time, js *model.JobSet){
		"a multiplier too high":          func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Value++ },
		"a multiplier too low":           func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Value-- },
		"a multiplier on another slave":  func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Slave = 1 },
		"a multiplier on slots":          func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Resource = model.MapSlots },
		"a multiplier on the fetch line": func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Resource = model.FetchLine },
		"an earlier interval":            func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval = during(2, 4) },
		"a later interval":               func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval = during(4, 6) },
		"a longer interval":              func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval = during(3, 6) },
		"an interval twice": func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) {
			d.Multipliers = append(d.Multipliers, d.Multipliers[0])
		},
		"an interval that overlaps": func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) {
			d.Multipliers = append(d.Multipliers, proof.Multiplier{Resource: model.Cores, Interval: during(4, 6), Value: 10})
		},
		"no multipliers":    func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Multipliers = nil },
		"a penalty missing": func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty[1] = 0 },
		"a penalty too low": func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty[1] = 19 },
		"a later due time":  func(_ *proof.DualBound, due []model.Time, _ *model.JobSet) { due[1] = 9 },
		"a core more":       func(_ *proof.DualBound, _ []model.Time, js *model.JobSet) { js.Slaves[0].Cores = 2 },
		"a job that may leave": func(_ *proof.DualBound, _ []model.Time, js *model.JobSet) {
			js.Tasks[1].Profile = model.NewProfile(model.DenseRow(on{5, 5}), model.ConstRow(2, 0))
		},
	} {
		js, due, d := oneCore(t)
		change(d, due, js)
		if surplus, err := Surplus(t.Context(), js, due, d); err != nil || surplus >= 20 {
			t.Errorf("%s: a surplus of %d, %v", what, surplus, err)
		}
	}
}

func TestBoundRefuses(t *testing.T) {
	first := func(d *proof.DualBound) *proof.Multiplier { return &d.Multipliers[0] }
	for _, c := range []struct {
		what, want string
		change     func(d *proof.DualBound, due []model.Time, js *model.JobSet)
	}{
		{"a multiplier of 0", "a multiplier of 0", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Value = 0 }},
		{"a multiplier below 0", "a multiplier of -10", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Value = -10 }},
		{"a multiplier beyond measure", "a multiplier of", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Value = math.MaxInt64 }},
		{"no such slave", "a multiplier on slave 2", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Slave = 2 }},
		{"a slave below 0", "a multiplier on slave -2", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Slave = -2 }},
		{"no such pool", "a multiplier on pool or cap 0", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Slave = model.NoSlave }},
		{"before time 0", "in [-1, 5)", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval.Start = -1 }},
		{"after all is due", "in [3, 9)", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval.End = 9 }},
		{"an interval that ends before it begins", "in [3, 2)", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval.End = 2 }},
		{"an empty interval", "in [3, 3)", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Interval.End = 3 }},
		{"slots that it does not have", "slave busy has no reduce slot", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Resource = model.ReduceSlots }},
		{"a resource that there is not", "slave busy has no resource 99", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { first(d).Resource = 99 }},
		{"fetches that do not wait", "slave busy has no fetch", func(d *proof.DualBound, _ []model.Time, js *model.JobSet) {
			first(d).Resource, js.Fetch = model.FetchLine, model.FetchConcurrent
		}},
		{"a penalty below 0", "a penalty of -1", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty[2] = -1 }},
		{"a penalty beyond measure", "a penalty of", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty[0] = math.MaxInt64 }},
		{"a penalty too few", "3 due times and 2 penalties", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty = d.Penalty[:2] }},
		{"a job that is never due", "job later is due at", func(d *proof.DualBound, _ []model.Time, _ *model.JobSet) { d.Penalty[2] = 20 }},
		{"a job due before time 0", "job a is due at -1", func(_ *proof.DualBound, due []model.Time, _ *model.JobSet) { due[0] = -1 }},
		{"too much to add up", "too high to add up", func(d *proof.DualBound, _ []model.Time, js *model.JobSet) {
			first(d).Value, js.Slaves[0].Cores = 1<<36, 1<<30
		}},
		{"too many to add up", "too high to add up", func(d *proof.DualBound, _ []model.Time, js *model.JobSet) {
			first(d).Value, js.Slaves[0].Cores = 1<<36, 1<<22
			d.Multipliers = slices.Repeat(d.Multipliers, 3)
		}},
	} {
		js, due, d := oneCore(t)
		c.change(d, due, js)
		if surplus, err := Surplus(t.Context(), js, due, d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: a surplus of %d, error %v, want %q", c.what, surplus, err, c.want)
		}
	}
}

// Penalties that no sum of 64 bits could hold are refused, before any of so many jobs, gigabytes of them, is looked at.
func TestPenaltiesTooHighToAddUp(t *testing.T) {
	const few = mostAdded / mostPrice // add up
	due, penalties := make([]model.Time, few+1), slices.Repeat([]int64{mostPrice}, few+1)
	if _, err := lastDue(nil, due[:few], penalties[:few]); err != nil {
		t.Error(err)
	}
	if _, err := lastDue(nil, due, penalties); err == nil {
		t.Error("one more adds up")
	}
}

// Three tasks that stay 4 ticks, two heartbeats to hand them out at in time, a slot.
func TestMultipliersOfSlotsCountAtHeartbeats(t *testing.T) {
	slaves := []model.Slave{{Name: "s", Cores: 4, Slots: 1, FirstBeat: 1}}
	js := assembled(t, 5, slaves, soleTask("a", 0, 10, 0, on{4}), soleTask("b", 0, 10, 0, on{4}), soleTask("c", 0, 10, 0, on{4}))
	d := &proof.DualBound{
		Penalty:     []int64{10, 10, 10},
		Multipliers: []proof.Multiplier{{Resource: model.MapSlots, Interval: during(0, 10), Value: 10}},
	}
	if surplus, err := Surplus(t.Context(), js, deadlines(js), d); err != nil || surplus != 10 {
		t.Errorf("a surplus of %d, %v", surplus, err)
	}
	js.Slaves[0].Down = []model.Interval{during(9, 12)} // the second heartbeat is of no use now
	if surplus, err := Surplus(t.Context(), js, deadlines(js), d); err != nil || surplus != 10 {
		t.Errorf("away at the end: a surplus of %d, %v", surplus, err)
	}
	js.Slaves[0].Down, js.Slaves[0].Slots = nil, 2
	if surplus, err := Surplus(t.Context(), js, deadlines(js), d); err != nil || surplus != -10 {
		t.Errorf("with two slots: a surplus of %d, %v", surplus, err)
	}
}

// Three fetches of 4 in 10 ticks: each takes the line at 3 or at 6.
func TestMultipliersOfTheFetchLine(t *testing.T) {
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 3, Slots: 3}},
		soleTask("a", 0, 11, 4, on{1}), soleTask("b", 0, 11, 4, on{1}), soleTask("c", 0, 11, 4, on{1}))
	d := &proof.DualBound{Penalty: []int64{10, 10, 10}, Multipliers: []proof.Multiplier{
		{Resource: model.FetchLine, Interval: during(3, 4), Value: 10}, {Resource: model.FetchLine, Interval: during(6, 7), Value: 10},
	}}
	if surplus, err := Surplus(t.Context(), js, deadlines(js), d); err != nil || surplus != 10 {
		t.Errorf("a surplus of %d, %v", surplus, err)
	}
	d.Multipliers[1].Interval = during(7, 8) // a fetch in [3, 7) is cheaper, but one in [2, 6) as well
	d.Multipliers[0].Interval = during(2, 3)
	if surplus, err := Surplus(t.Context(), js, deadlines(js), d); err != nil || surplus != -20 {
		t.Errorf("with a way between: a surplus of %d, %v", surplus, err)
	}
}

func TestLeastCosts(t *testing.T) {
	js, due, d := oneCore(t)
	costs, worth, err := LeastCosts(t.Context(), js, due, d.Multipliers)
	if err != nil || worth != 20 || !slices.Equal(costs, []int64{20, 20, 0}) {
		t.Errorf("costs %v, worth %d, %v", costs, worth, err)
	}
	// A job that cannot be in time is late whatever others do.
	due[0], due[2] = 4, 10
	costs, worth, err = LeastCosts(t.Context(), js, due, d.Multipliers)
	if err != nil || worth != 20 || !slices.Equal(costs, []int64{21, 20, 21}) {
		t.Errorf("late alone: costs %v, worth %d, %v", costs, worth, err)
	}
	for what, c := range map[string]struct {
		due         []model.Time
		multipliers []proof.Multiplier
	}{
		"due times missing":       {[]model.Time{8, 8}, d.Multipliers},
		"due before time 0":       {[]model.Time{8, -8, 8}, d.Multipliers},
		"due beyond measure":      {[]model.Time{8, mostDue + 1, 8}, d.Multipliers},
		"a multiplier after that": {[]model.Time{4, 4, 4}, d.Multipliers},
	} {
		if costs, worth, err := LeastCosts(t.Context(), js, c.due, c.multipliers); err == nil {
			t.Errorf("%s: costs %v, worth %d", what, costs, worth)
		}
	}
}
