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
	return js, js.Value(model.WeightedTardiness, finishes)
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
		e := NewEnds(t.Context(), js, value)
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
			c, _ := NewEnds(t.Context(), js, value).Run(t.Context(), value, 4_000_000, func(restrict []query.Restriction, last bool) (bool, bool) {
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
		e := NewEnds(t.Context(), js, most)
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
	if c, _ := NewEnds(t.Context(), js, 15).Run(t.Context(), 15, 1_000_000, nil); c != nil {
		t.Error("15 is refuted")
	}
}
