package minizinc

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
)

// TestHorizon: two jobs of one task each, fetched in 1 tick and run in 4, on a
// slave that is away from 20 to 25. One after the other they take 10, each
// alone 5, and by the general count 6 each, for it has a heartbeat every tick.
func TestHorizon(t *testing.T) {
	misses, tardiness, makespan := model.Misses, model.Tardiness, model.Makespan
	for name, test := range map[string]struct {
		kinds      [2]model.JobKind
		deadlines  [2]model.Time
		relaxed    bool
		objectives []model.Objective
		want       model.Time
	}{
		"hard jobs end by their last deadline": {kinds: [2]model.JobKind{model.Hard, model.Hard}, deadlines: [2]model.Time{10, 12}, want: 12},
		"unless they may be late":              {kinds: [2]model.JobKind{model.Hard, model.Hard}, deadlines: [2]model.Time{10, 12}, relaxed: true, want: 25 + 2*6},
		"a soft job after the hard one":        {kinds: [2]model.JobKind{model.Hard, model.Soft}, deadlines: [2]model.Time{10, 10}, want: 25 + 5},
		"a hard deadline after the absence":    {kinds: [2]model.JobKind{model.Hard, model.Soft}, deadlines: [2]model.Time{29, 10}, want: 29 + 5},
		"misses: after the soft deadlines": {
			kinds: [2]model.JobKind{model.Soft, model.Soft}, deadlines: [2]model.Time{10, 26},
			objectives: []model.Objective{misses}, want: 26 + 10,
		},
		"the general count, where that is less": {
			kinds: [2]model.JobKind{model.Soft, model.Soft}, deadlines: [2]model.Time{10, 60},
			objectives: []model.Objective{misses}, want: 25 + 2*6,
		},
		"tardiness: the first job by 35 is 9 late, the second due at 27 can be so by 36": {
			kinds: [2]model.JobKind{model.Soft, model.Soft}, deadlines: [2]model.Time{26, 27},
			objectives: []model.Objective{tardiness}, want: 27 + (25 + 10 - 26),
		},
		"makespan: as without objectives": {
			kinds: [2]model.JobKind{model.Soft, model.BestEffort}, deadlines: [2]model.Time{26, 0},
			objectives: []model.Objective{makespan}, want: 25 + 10,
		},
		"misses and makespan: the general count": {
			kinds: [2]model.JobKind{model.Soft, model.Soft}, deadlines: [2]model.Time{10, 11},
			objectives: []model.Objective{misses, makespan}, want: 25 + 2*6,
		},
	} {
		js := softPair(t, 1, 1)
		for i := range js.Jobs {
			js.Jobs[i].Kind, js.Jobs[i].Deadline = test.kinds[i], test.deadlines[i]
		}
		js.Slaves[0].Down = []model.Interval{{Start: 20, End: 25}}
		q := Question{Minimize: test.objectives, Relaxed: test.relaxed}
		if got := q.Horizon(js); got != test.want {
			t.Errorf("%s: horizon %d, want %d", name, got, test.want)
		}
	}
}

// TestHorizonOfGoneSlaves: a slave that goes for good is quiet from then on, and the data has
// no number that solvers do not take.
func TestHorizonOfGoneSlaves(t *testing.T) {
	for seed := range uint64(40) {
		js := gen.GoneTiny(seed)
		q := Question{Minimize: js.Goal()}
		if got := q.Horizon(js); got > 200 {
			t.Errorf("seed %d: horizon %d", seed, got)
		}
		var model, data bytes.Buffer
		if err := WriteApart(&model, &data, js, q); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if huge := regexp.MustCompile(`[0-9]{6,}`).FindString(data.String()); huge != "" {
			t.Errorf("seed %d: the data has %s", seed, huge)
		}
	}
}

// TestTail: the layout uses cores side by side, but one fetch line, and no more
// slots than there are of a kind.
func TestTail(t *testing.T) {
	js := &model.JobSet{Heartbeat: 3, Slaves: []model.Slave{
		{Name: "a", Cores: 2, Slots: 3},
		{Name: "b", Cores: 2, SplitSlots: true, MapSlots: 1, ReduceSlots: 2},
	}}
	js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{
		{Name: "map", Groups: []model.Group{{Count: 3, Profile: model.NewProfile(model.ConstRow(2, 10), model.ConstRow(2, 2))}}},
		{Name: "reduce", Slot: model.ReduceSlot, Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(2, 7), model.ConstRow(2, 0))}}},
	}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	// Waits of 2 for heartbeats. a: [2,14) and, with its line free at 4, [6,18);
	// b: [2,14). Then the reduce task: 18 + 2 + 7.
	if got := tail(js, model.BestEffort); got != 27 {
		t.Errorf("laid out in %d, want 27", got)
	}
	if got := tail(js, model.Soft); got != 0 {
		t.Errorf("nothing laid out in %d", got)
	}
}

// TestHorizonIsLess: on the families that MiniZinc is measured on, laying out
// halves the general count, and more.
func TestHorizonIsLess(t *testing.T) {
	for _, family := range []string{"misses", "tardiness"} {
		for seed := range uint64(5) {
			js, _, err := gen.Family(family, seed)
			if err != nil {
				t.Fatal(err)
			}
			q := Question{Minimize: js.Goal()}
			if got, general := q.Horizon(js), Horizon(js); got*2 > general {
				t.Errorf("%s-%d: horizon %d, by the general count %d", family, seed, got, general)
			}
		}
	}
}

// TestHorizonOfCoupledSets: some best schedule of sets with pools, caps and gangs ends by the horizon, by
// exhaustive search.
func TestHorizonOfCoupledSets(t *testing.T) {
	checked := 0
	for seed := range testkit.Tiny(t, 150, 300) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		js = gen.Coupled(js, seed, false)
		goal := slices.DeleteFunc(slices.Clone(js.Goal()), func(o model.Objective) bool { return o == model.Makespan })
		best, err := oracle.SolveFor(js, append(goal, model.Makespan), false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != model.Optimal {
			continue
		}
		checked++
		q := Question{Minimize: js.Goal()}
		if end := model.Time(best.Values[len(goal)]); end > Horizon(js) || len(goal) == len(js.Goal()) && end > q.Horizon(js) {
			t.Errorf("seed %d: the best schedule that ends first ends at %d, beyond %d or %d", seed, end, Horizon(js), q.Horizon(js))
		}
	}
	if checked < 50 {
		t.Errorf("%d sets checked", checked)
	}
}
