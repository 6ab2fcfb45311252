package capacity

import (
	"context"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
)

// TestSizeLeavesOut: where slaves go for good, the least size is the least with which the best
// plan that exhaustive search finds keeps the limit, and leaves out no more than with the largest
// size where that is no miss.
func TestSizeLeavesOut(t *testing.T) {
	const most = 3
	left, limits := map[bool]int{}, map[model.Objective]int{}
	for seed := range testkit.Sets[uint64](80, 3000) {
		js := gen.GoneTiny(seed)
		names := classesOf(js)
		class, err := NewClass(js, names[int(seed)%len(names)])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		class.Most = most
		limit := &Limit{[]model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}[seed/2%4], 0}
		best := make([][]int64, most+1) // by size; nil where there is no plan
		for n := range best {
			set, err := change.Apply(js, []change.Change{{Kind: change.Count, Name: class.Name, N: int64(n)}})
			if err != nil {
				continue
			}
			if best[n], err = oracle.SolveLeaving(set, []model.Objective{limit.Objective}, false, nil, 0); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if best[most] == nil {
			continue
		}
		limit.Value = max(0, best[most][2]+int64(seed/8%4)-1)
		keeps := func(v []int64) bool {
			return v != nil && v[2] <= limit.Value && (limit.Objective == model.Misses || slices.Equal(v[:2], best[most][:2]))
		}
		want := int64(slices.IndexFunc(best, keeps))
		if want < 0 {
			want = most + 1
		}
		opt := options(seed)
		opt.Proof = seed%3 == 0
		got, err := Size(context.Background(), js, class, limit, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if e := got.Least; !e.Exact() || e.Fits != want || got.None != (want > most) || e.Fails >= 0 && e.Proof == model.NoProof {
			t.Errorf("seed %d: %+v, trying every size finds %d (limit %v, %v)", seed, got, want, limit, best)
		}
		if got.Certificate != nil {
			if err := got.Certificate.Deliver(context.Background(), nil, true); err != nil || got.Certificate.Proof != nil && got.Certificate.Proof.Refused != nil {
				t.Errorf("seed %d: %v, %+v", seed, err, got.Certificate.Proof)
			}
		}
		left[best[most][1] > 0]++
		limits[limit.Objective]++
	}
	t.Logf("with jobs left out and without: %v; by objective: %v", left, limits)
	if left[true] == 0 || len(limits) < 4 {
		t.Errorf("%v, %v", left, limits)
	}
}
