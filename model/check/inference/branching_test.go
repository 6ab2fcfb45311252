package inference

import (
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/proof"
)

// leaf has multipliers of 10 on a resource of a slave, and penalties by job.
func leaf(s model.SlaveID, r model.ResourceID, iv model.Interval, penalty ...int64) *proof.Branching {
	return &proof.Branching{Bound: &proof.DualBound{
		Penalty: penalty, Multipliers: []proof.Multiplier{{Slave: s, Resource: r, Interval: iv, Value: 10}},
	}}
}

// tree is a set whose jobs cannot all be in time, and why: neither leaf holds
// without its split.
type tree struct {
	js *model.JobSet
	b  *proof.Branching
}

// Job a may run on either slave, b and c have one each, and no slave has time for two.
func onEitherSlave(t *testing.T) tree {
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: 2}, {Name: "t", Cores: 1, Slots: 2}, {Name: "u", Cores: 1, Slots: 2}},
		soleTask("a", 0, 8, 0, on{5, 5, 0}), soleTask("b", 0, 8, 0, on{5, 0, 0}), soleTask("c", 0, 8, 0, on{0, 5, 0}))
	return tree{js, &proof.Branching{
		Split: proof.Split{Kind: proof.OnSlave, Task: 0, Slave: 0},
		Holds: leaf(0, model.Cores, during(3, 5), 20, 20, 0),
		Fails: leaf(1, model.Cores, during(3, 5), 20, 0, 20),
	}}
}

// Job b runs throughout [1, 6): if a ends by 4 it needs one of the ticks 1 and 2 as
// well, if not it needs one of 4 and 5.
func endsByFour(t *testing.T) tree {
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: 2}},
		soleTask("a", 0, 7, 0, on{2}), soleTask("b", 0, 7, 0, on{6}))
	return tree{js, &proof.Branching{
		Split: proof.Split{Kind: proof.TaskEndsBy, Task: 0, At: 4},
		Holds: leaf(0, model.Cores, during(1, 3), 20, 20),
		Fails: leaf(0, model.Cores, during(4, 6), 20, 20),
	}}
}

// The same with fetches, of 2 and of 6 ticks.
func fetchedByTwo(t *testing.T) tree {
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 2, Slots: 2}},
		soleTask("a", 0, 8, 2, on{1}), soleTask("b", 0, 8, 6, on{1}))
	return tree{js, &proof.Branching{
		Split: proof.Split{Kind: proof.FetchedBy, Task: 0, At: 2},
		Holds: leaf(0, model.FetchLine, during(1, 3), 20, 20),
		Fails: leaf(0, model.FetchLine, during(4, 6), 20, 20),
	}}
}

// If the map of a ends by 4 it meets b, which runs in [1, 4); if not its reduce
// meets c, which runs in [6, 8).
func mapEndsByFour(t *testing.T) tree {
	a := soleTask("a", 0, 9, 0, on{2})
	reduce := mapStage(0, on{2})
	reduce.Name = "reduce"
	a.Stages = append(a.Stages, reduce)
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: 3}},
		a, soleTask("b", 0, 5, 0, on{4}), soleTask("c", 5, 4, 0, on{3}))
	return tree{js, &proof.Branching{
		Split: proof.Split{Kind: proof.StageEndsBy, Task: 0, At: 4},
		Holds: leaf(0, model.Cores, during(1, 3), 20, 20, 0),
		Fails: leaf(0, model.Cores, during(6, 8), 20, 0, 20),
	}}
}

var trees = map[string]func(t *testing.T) tree{
	"on a slave": onEitherSlave, "a task ends": endsByFour, "a fetch starts": fetchedByTwo, "a stage ends": mapEndsByFour,
}

func TestBranchingByHand(t *testing.T) {
	for what, make := range trees {
		x := make(t)
		due := deadlines(x.js)
		if err := Branching(t.Context(), x.js, due, x.b); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for side, b := range map[string]*proof.Branching{"holds": x.b.Holds, "fails": x.b.Fails} {
			if surplus, err := Surplus(t.Context(), x.js, due, b.Bound); err != nil || surplus > 0 {
				t.Errorf("%s: the leaf where it %s has a surplus of %d without the split, %v", what, side, surplus, err)
			}
		}
		// A split more, which leaves the multipliers all they need, does no harm.
		deeper := &proof.Branching{Split: proof.Split{Kind: proof.TaskEndsBy, Task: 1, At: 6}, Holds: x.b, Fails: x.b}
		if err := Branching(t.Context(), x.js, due, deeper); err != nil {
			t.Errorf("%s: with a split above: %v", what, err)
		}
		// A leaf that a search has ruled out is taken at its word.
		x.b.Holds = &proof.Branching{Searched: true}
		if err := Branching(t.Context(), x.js, due, x.b); err != nil {
			t.Errorf("%s: searched: %v", what, err)
		}
	}
}

// TestBranchingSeesThrough: whatever is changed about a tree is noticed.
func TestBranchingSeesThrough(t *testing.T) {
	first := func(b *proof.Branching) *proof.Multiplier { return &b.Bound.Multipliers[0] }
	for what, c := range map[string]struct {
		want   string
		change func(x *tree, due []model.Time)
	}{
		"no tree":                     {"a leaf is missing", func(x *tree, _ []model.Time) { x.b = nil }},
		"the side that holds missing": {"a leaf is missing", func(x *tree, _ []model.Time) { x.b.Holds = nil }},
		"the side that fails missing": {"a leaf is missing", func(x *tree, _ []model.Time) { x.b.Fails = nil }},
		"a leaf with nothing":         {"a leaf has no multipliers", func(x *tree, _ []model.Time) { x.b.Fails = &proof.Branching{} }},
		"sides swapped":               {"a surplus of", func(x *tree, _ []model.Time) { x.b.Holds, x.b.Fails = x.b.Fails, x.b.Holds }},
		"one side for both":           {"a surplus of", func(x *tree, _ []model.Time) { x.b.Fails = x.b.Holds }},
		"a split on another task":     {"", func(x *tree, _ []model.Time) { x.b.Split.Task = model.TaskID(len(x.js.Tasks) - 1) }},
		"a task that there is not":    {"a split on task", func(x *tree, _ []model.Time) { x.b.Split.Task = model.TaskID(len(x.js.Tasks)) }},
		"a task below 0":              {"a split on task -1", func(x *tree, _ []model.Time) { x.b.Split.Task = -1 }},
		"a split of no kind":          {"a split of unknown kind 9", func(x *tree, _ []model.Time) { x.b.Split.Kind = 9 }},
		"a multiplier too high":       {"a surplus of 0", func(x *tree, _ []model.Time) { first(x.b.Holds).Value = 20 }},
		"a multiplier below 0":        {"a multiplier of -1", func(x *tree, _ []model.Time) { first(x.b.Fails).Value = -1 }},
		"another interval":            {"a surplus of", func(x *tree, _ []model.Time) { first(x.b.Holds).Interval = during(0, 1) }},
		"another resource":            {"a surplus of", func(x *tree, _ []model.Time) { first(x.b.Holds).Resource = model.MapSlots }},
		"no penalty for a":            {"a surplus of", func(x *tree, _ []model.Time) { x.b.Fails.Bound.Penalty[0] = 0 }},
		"penalties of one more job": {"penalties", func(x *tree, _ []model.Time) {
			x.b.Fails.Bound.Penalty = append(x.b.Fails.Bound.Penalty, 1)
		}},
		"all due later": {"a surplus of", func(_ *tree, due []model.Time) {
			for i := range due {
				due[i] += 10
			}
		}},
		"a never due": {"is due at", func(_ *tree, due []model.Time) { due[0] = model.Never }},
	} {
		for kind, make := range trees {
			x := make(t)
			due := deadlines(x.js)
			c.change(&x, due)
			if err := Branching(t.Context(), x.js, due, x.b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error %v, want %q", kind, what, err, c.want)
			}
		}
	}
}

// A split on another slave or at another time leaves a leaf too much.
func TestSplitsElsewhere(t *testing.T) {
	for _, c := range []struct {
		kind, want string
		split      proof.Split
	}{
		{"on a slave", "a surplus of", proof.Split{Kind: proof.OnSlave, Slave: 1}},
		{"on a slave", "a surplus of", proof.Split{Kind: proof.OnSlave, Slave: 2}},
		{"on a slave", "a split on slave 3", proof.Split{Kind: proof.OnSlave, Slave: 3}},
		{"on a slave", "a split on slave -1", proof.Split{Kind: proof.OnSlave, Slave: -1}},
		{"a task ends", "a surplus of", proof.Split{Kind: proof.TaskEndsBy, At: 5}},
		{"a task ends", "a surplus of", proof.Split{Kind: proof.TaskEndsBy, At: 3}},
		{"a task ends", "a surplus of", proof.Split{Kind: proof.FetchedBy, At: 3}},
		{"a fetch starts", "a surplus of", proof.Split{Kind: proof.FetchedBy, At: 3}},
		{"a fetch starts", "a surplus of", proof.Split{Kind: proof.FetchedBy, At: 1}},
		{"a stage ends", "a surplus of", proof.Split{Kind: proof.StageEndsBy, At: 5}},
		{"a stage ends", "a surplus of", proof.Split{Kind: proof.StageEndsBy, At: 3}},
		{"a stage ends", "a split on when job a ends", proof.Split{Kind: proof.StageEndsBy, Task: 1, At: 4}},
	} {
		x := trees[c.kind](t)
		x.b.Split = c.split
		if err := Branching(t.Context(), x.js, deadlines(x.js), x.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, split %+v: error %v, want %q", c.kind, c.split, err, c.want)
		}
	}
}

// Equal tasks whose domains differ are no longer equal: the one that has to end
// early pays, the others need not.
func TestEqualTasksWithDomains(t *testing.T) {
	a := soleTask("a", 0, 9, 0, on{3})
	a.Stages[0].Groups[0].Count = 3
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 3, Slots: 3}}, a)
	b := &proof.Branching{
		Split: proof.Split{Kind: proof.TaskEndsBy, Task: 1, At: 2}, // it takes 3
		Holds: leaf(0, model.Cores, during(0, 1), 40),
		Fails: &proof.Branching{Searched: true},
	}
	if err := Branching(t.Context(), js, deadlines(js), b); err != nil {
		t.Error(err)
	}
	b.Split.At = 3
	if err := Branching(t.Context(), js, deadlines(js), b); err == nil || !strings.Contains(err.Error(), "a surplus of -20") {
		t.Errorf("a task that ends by 3 pays 10 of 30: %v", err)
	}
}

// Jobs a, b and c of two ticks, due at 2, share a core: they end by 2, 4 and 6, late by 6
// together. That nothing less will do takes splits, for all three fit into the time that
// 5 leaves to each of them.
func TestWeightedBranchingByHand(t *testing.T) {
	var jobs []model.Job
	for _, name := range []string{"a", "b", "c"} {
		job := soleTask(name, 0, 2, 0, on{2})
		job.Kind, job.Weight = model.Soft, 1
		jobs = append(jobs, job)
	}
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: 3}}, jobs...)
	full := func(until model.Time) *proof.Branching {
		b := leaf(0, model.Cores, during(0, until), 10)
		b.Bound.Penalty = []int64{100, 100, 100}
		return b
	}
	endsBy3 := func(t model.TaskID, holds, fails *proof.Branching) *proof.Branching {
		return &proof.Branching{Split: proof.Split{Kind: proof.StageEndsBy, Task: t, At: 3}, Holds: holds, Fails: fails}
	}
	// Two of them by 3 are too many, and if one ends after 3, and another does, the third
	// has to end by 3, the others by 5: less lateness is not left to them.
	tree := func() *proof.Branching {
		return endsBy3(0,
			endsBy3(1, full(3), endsBy3(2, full(3), full(5))),
			endsBy3(1, endsBy3(2, full(3), full(5)), endsBy3(2, full(5), full(9))))
	}
	if err := WeightedBranching(t.Context(), js, 5, tree()); err != nil {
		t.Error(err)
	}
	// Where a and b end by 3 they pay 10 more than all is worth, which is more than 5 ticks at a price of 1.
	late := func(b *proof.Branching, price int64) { b.Holds.Holds.Bound.Late = []int64{price, price, price} }
	paid := tree()
	late(paid, 1)
	if err := WeightedBranching(t.Context(), js, 5, paid); err != nil {
		t.Errorf("prices of lateness: %v", err)
	}
	for what, c := range map[string]struct {
		most int64
		want string
		harm func(b *proof.Branching)
	}{
		"a plan has as much":         {6, "a surplus of", func(*proof.Branching) {}},
		"less than nothing":          {-1, "a weighted tardiness of -1", func(*proof.Branching) {}},
		"prices of lateness":         {5, "a surplus of 30", func(b *proof.Branching) { late(b, 10) }},
		"a core too long":            {5, "a surplus of", func(b *proof.Branching) { b.Holds.Holds = full(4) }},
		"an earlier split":           {5, "a surplus of", func(b *proof.Branching) { b.Fails.Split.At = 2 }},
		"penalties of nobody":        {5, "due times and 0 penalties", func(b *proof.Branching) { b.Holds.Holds.Bound.Penalty = nil }},
		"parts exchanged":            {5, "a surplus of", func(b *proof.Branching) { b.Holds, b.Fails = b.Fails, b.Holds }},
		"a leaf without an argument": {5, "no multipliers", func(b *proof.Branching) { b.Fails.Fails.Holds.Bound = nil }},
	} {
		b := tree()
		c.harm(b)
		if err := WeightedBranching(t.Context(), js, c.most, b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
	if err := Branching(t.Context(), js, deadlines(js), tree()); err == nil || !strings.Contains(err.Error(), "a split on when job a ends") {
		t.Errorf("a split of due times: %v", err)
	}
}

// Jobs a and b of two ticks, due at 3, share a core: one of them ends at 4 at least, and
// pays for it. The price of the first three ticks sees to it.
func TestWeightedTardinessByHand(t *testing.T) {
	a, b := soleTask("a", 0, 3, 0, on{2}), soleTask("b", 0, 3, 0, on{2})
	a.Kind, a.Weight, b.Kind, b.Weight = model.Soft, 3, model.Soft, 2
	js := assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: 2}}, a, b)
	leaf := func() *proof.Branching {
		return &proof.Branching{Bound: &proof.DualBound{
			Penalty: []int64{100, 100}, Late: []int64{30, 20},
			Multipliers: []proof.Multiplier{{Slave: 0, Resource: model.Cores, Interval: during(0, 3), Value: 10}},
		}}
	}
	for what, harm := range map[string]func(d *proof.DualBound){
		"one price too few":      func(d *proof.DualBound) { d.Late = d.Late[:1] },
		"a price below 0":        func(d *proof.DualBound) { d.Late[0] = -1 },
		"a price beyond measure": func(d *proof.DualBound) { d.Late[1] = mostPrice + 1 },
	} {
		d := leaf().Bound
		harm(d)
		if least, err := WeightedTardiness(t.Context(), js, 5, latestEnds(js, 5), d); err == nil {
			t.Errorf("%s: at least %d", what, least)
		}
	}
	// Both end by 4, where a job that is later pays no more than for being that late.
	d := leaf().Bound
	if least, err := WeightedTardiness(t.Context(), js, 5, []model.Time{4, 4}, d); err == nil {
		t.Errorf("penalties above the price of lateness: at least %d", least)
	}
	d.Penalty = []int64{60, 40}
	if least, err := WeightedTardiness(t.Context(), js, 5, []model.Time{4, 4}, d); err != nil || least < 1 || least > 2 {
		t.Errorf("at least %d, %v; the best plan has 2", least, err)
	}
}
