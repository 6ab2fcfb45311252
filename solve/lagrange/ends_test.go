package lagrange

import (
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// endsPlanned is a random set of soft jobs, and some others, with the value of a plan that
// meets the hard deadlines.
func endsPlanned(t *testing.T, seed uint64) (*model.JobSet, int64) {
	t.Helper()
	js, plan := endsPlannedIn(t, seed, 1)
	return js, js.Value(model.WeightedTardiness, js.Finishes(plan))
}

// endsPlannedIn is one that can be looked at in coarse ticks of some step, with the plan.
func endsPlannedIn(t *testing.T, seed uint64, step int) (*model.JobSet, model.Schedule) {
	t.Helper()
	k := gen.Knobs{
		Tasks: gen.Range{Lo: 6, Hi: 24}, FirstStage: gen.Range{Lo: 1, Hi: 5}, LaterStage: gen.Range{Lo: 1, Hi: 3},
		Shapes: [4]int{3, 1, 4, 1},
		Slaves: gen.Range{Lo: 1, Hi: 3}, Cores: gen.Range{Lo: 1, Hi: 2}, SpareSlots: gen.Range{Lo: -1, Hi: 2},
		Heartbeat: gen.Range{Lo: 1, Hi: 4}, Stagger: 0.6, SplitSlots: 0.25, Concurrent: 0.2, FIFO: 0.2,
		Down: 0.3, DownAt: gen.Range{Lo: 0, Hi: 30}, DownFor: gen.Range{Lo: 1, Hi: 8},
		WCET: gen.Range{Lo: 1, Hi: 9}, Transfer: gen.Range{Lo: 0, Hi: 4}, EqualTasks: 0.5,
		Uneven: 0.4, Local: 0.4, LocalTransfer: gen.Range{Lo: 0, Hi: 1}, Barred: 0.2,
		Release: gen.Range{Lo: 0, Hi: 20}, Hard: 0.2, BestEffort: 0.1, Weight: gen.Range{Lo: 1, Hi: 6},
		Tightness: gen.Range{Lo: 60, Hi: 180}, Objectives: [][]model.Objective{nil},
	}
	if seed%3 == 2 {
		k.Shapes[3], k.Today = 4, gen.TodayKnobs().Today
	}
	if step > 1 {
		k.WCET, k.Heartbeat = gen.Range{Lo: step, Hi: 9 * step}, gen.Range{Lo: step, Hi: step}
		k.Transfer.Hi, k.Release.Hi = 4*step, 20*step
		if seed%4 == 0 {
			k.Heartbeat = gen.Range{Lo: 1, Hi: 1}
		}
	}
	js, _ := gen.Random(k, seed)
	plan, _ := lns.Search(t.Context(), js, lns.Options{Objectives: []model.Objective{model.WeightedTardiness}, Seed: seed, Constructions: 30})
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	finishes := js.Finishes(plan)
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind == model.Hard && job.Late(finishes[i]) > 0 {
			job.Kind, job.Weight = model.Soft, 1
		}
		if job := &js.Jobs[i]; seed%5 == 0 && job.Kind == model.Soft {
			job.Weight *= 1 + 100_000*int64(seed)
		}
	}
	return js, plan
}

// Nothing refutes the weighted tardiness that a plan has; what is refuted other code
// finds refuted too, and after tries of other values as without.
func TestAgainstPlans(t *testing.T) {
	refuted, branched, paid := 0, 0, 0
	for seed := range testkit.Sets[uint64](6, 150) {
		js, value := endsPlanned(t, seed)
		if value == 0 {
			continue
		}
		e := NewEnds(t.Context(), js, value, true)
		for _, v := range []int64{value / 2, value, value * 3 / 4, value - 1} {
			c, _ := e.Run(t.Context(), v, 1_000_000, nil)
			if c == nil {
				continue
			}
			if v == value {
				t.Fatalf("seed %d: a weighted tardiness of %d is refuted, and a plan has it", seed, v)
			}
			if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
				t.Fatalf("seed %d, %d of %d: %v", seed, v, value, err)
			}
			refuted++
			if c.Leaves() > 1 {
				branched++
			}
			for _, times := range []int64{0, 1, 2, 1000} {
				altered := lateTimes(c, times)
				if altered != nil && inference.WeightedBranching(t.Context(), js, value, altered) == nil {
					t.Fatalf("seed %d: with %d times the prices of lateness %d is refuted, and a plan has it", seed, times, value)
				}
				if altered != nil {
					paid++
				}
			}
		}
		if c, steps := e.Run(t.Context(), value+1, 1_000_000, nil); c != nil || steps > 0 {
			t.Errorf("seed %d: a value that it is not made for", seed)
		}
	}
	t.Logf("%d refuted, %d by branching, %d altered", refuted, branched, paid)
	if refuted < 3 || branched < 2 || paid < 4 {
		t.Errorf("%d refuted, %d by branching, %d altered", refuted, branched, paid)
	}
}

// lateTimes is an argument with so many times the prices of lateness; nil if there are none.
func lateTimes(b *proof.Branching, times int64) *proof.Branching {
	out, some := *b, false
	if b.Bound != nil && b.Bound.Late != nil {
		bound := *b.Bound
		bound.Late, some = slices.Clone(bound.Late), true
		for i := range bound.Late {
			bound.Late[i] *= times
		}
		out.Bound = &bound
	}
	for _, side := range []**proof.Branching{&out.Holds, &out.Fails} {
		if *side == nil {
			continue
		}
		if altered := lateTimes(*side, times); altered != nil {
			*side, some = altered, true
		}
	}
	if !some {
		return nil
	}
	return &out
}

// Where nothing is left to be split it asks: an answer that there is a plan ends the
// search, one that there is none is part of the argument. The word of the caller stands.
func TestAsks(t *testing.T) {
	asked := 0
	for seed := range testkit.Sets[uint64](3, 30) {
		js, value := endsPlanned(t, seed)
		for _, planned := range []bool{false, true} {
			n := 0
			c, _ := NewEnds(t.Context(), js, value, true).Run(t.Context(), value, 4_000_000, func(restrict []query.Restriction, last bool) (bool, bool) {
				n++
				return !planned, planned
			})
			if planned && (c != nil || n > 1) {
				t.Fatalf("seed %d: asked %d times, argument %v", seed, n, c)
			}
			if c != nil && c.Proof() != model.LCGProof {
				t.Fatalf("seed %d: there is a plan, and %s refutes it", seed, c.Proof())
			}
			if c != nil && inference.WeightedBranching(t.Context(), js, value, c) != nil {
				t.Errorf("seed %d: another argument", seed)
			}
			asked += n
		}
	}
	t.Logf("asked %d times", asked)
	if asked == 0 {
		t.Error("never asked")
	}
}

// The tree of a endsJob that is later by itself than is allowed is a leaf.
func TestImpossible(t *testing.T) {
	profile := model.NewProfile(model.DenseRow([]model.Time{7}), model.DenseRow([]model.Time{0}))
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}, Jobs: []model.Job{{
		Name: "a", Deadline: 2, Kind: model.Soft, Weight: 3, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}},
	}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for most, value := range map[int64]int64{14: 14, 20: 14} {
		var c *proof.Branching
		e := NewEnds(t.Context(), js, most, true)
		if c, _ = e.Run(t.Context(), value, 1_000_000, nil); c == nil {
			t.Fatalf("made for %d: %d is not refuted", most, value)
		}
		if left := e.Left(); left <= 0 || left > 1_000_000 {
			t.Errorf("made for %d: %d of the work is left", most, left)
		}
		if err := inference.WeightedBranching(t.Context(), js, value, c); err != nil {
			t.Error(err)
		}
	}
	if c, _ := NewEnds(t.Context(), js, 15, true).Run(t.Context(), 15, 1_000_000, nil); c != nil {
		t.Error("15 is refuted")
	}
}

// The same where the set is looked at in coarse ticks, in which ends that are settled may have a value or not: what is said of smaller values, here that no plan
// but the one at hand has any, is not of its own.
func TestEndsInCoarseTicks(t *testing.T) {
	refuted, branched, asked, found := 0, 0, 0, 0
	for seed := range testkit.Sets[uint64](20, 500) {
		step := 2 + model.Time(seed%4)
		js, plan := endsPlannedIn(t, seed, int(step))
		finishes := js.Finishes(plan)
		value := js.Value(model.WeightedTardiness, finishes)
		if value == 0 {
			continue
		}
		keeps := func(restrict []query.Restriction) bool {
			for id, left := range restrict {
				at := plan[id]
				if left.To < js.Finish(model.TaskID(id), at) || left.From > at.Fetch || left.Slaves != nil && !slices.Contains(left.Slaves, at.Slave) {
					return false
				}
			}
			return true
		}
		e := newEndsIn(t.Context(), inStepsOf(js, step), value, true)
		for k, v := range []int64{value / 2, value, value * 3 / 4, value - 1, value} {
			ask := func(restrict []query.Restriction, _ bool) (refuted, planned bool) {
				asked++
				planned = v >= value && keeps(restrict)
				if planned {
					found++
				}
				return !planned, planned
			}
			if k < 2 {
				ask = nil
			}
			c, _ := e.Run(t.Context(), v, 1_000_000, ask)
			if c == nil {
				continue
			}
			if v == value {
				t.Fatalf("seed %d: a weighted tardiness of %d is refuted, and a plan has it", seed, v)
			}
			if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
				t.Fatalf("seed %d, %d of %d: %v", seed, v, value, err)
			}
			refuted++
			if c.Leaves() > 1 {
				branched++
			}
		}
	}
	if t.Logf("%d refuted, %d by branching, asked %d times, %d times about the plan", refuted, branched, asked, found); refuted < 4 || branched < 3 || found < 2 {
		t.Errorf("%d refuted, %d by branching, asked %d times, %d times about the plan", refuted, branched, asked, found)
	}
}

// Within a coarse tick a job may be in time or not: that questions refute a value of such ends is not said of greater ones, and is of smaller ones.
func TestLeavesOfCoarseTicksHaveValues(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}, Objectives: []model.Objective{model.WeightedTardiness}}
	p := model.NewProfile(model.ConstRow(1, 7), model.ConstRow(1, 0))
	js.Jobs = []model.Job{{Kind: model.Soft, Weight: 1, Deadline: 5, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	e, asked := newEndsIn(t.Context(), inStepsOf(js, 5), 3, true), 0
	run := func(v int64) *proof.Branching {
		c, _ := e.Run(t.Context(), v, 1_000_000, func([]query.Restriction, bool) (refuted, planned bool) {
			asked++
			return v < 2, v >= 2
		})
		return c
	}
	for k, v := range []int64{1, 2, 1, 0, 3} {
		if c := run(v); (c != nil) != (v < 2) {
			t.Errorf("run %d: of a lateness of 2 %d is refuted: %t", k, v, c != nil)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

// Of sets in milliseconds what is refuted in coarse ticks is so when it is gone through in their own, of which only heartbeats are looked at.
func TestEndsInMilliseconds(t *testing.T) {
	refuted := 0
	for seed := range testkit.Sets[uint64](2, 12) {
		js, _, err := gen.Family("weighted-tardiness-30", 1+seed)
		if err != nil {
			t.Fatal(err)
		}
		js = testkit.Longer(js, 1000)
		e := NewEnds(t.Context(), js, 5000, true)
		if !e.Coarse() {
			t.Fatalf("seed %d: in its own ticks", seed)
		}
		for _, v := range []int64{100, 1000, 2000} {
			c, _ := e.Run(t.Context(), v, 40_000_000, nil)
			if c == nil {
				continue
			}
			if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
				t.Fatalf("seed %d, %d: %v", seed, v, err)
			}
			refuted++
		}
	}
	if refuted < 2 {
		t.Errorf("%d refuted", refuted)
	}
}
