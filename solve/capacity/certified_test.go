package capacity

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Where a checker has to agree, the same is known of slack and of losses of tiny sets as without, but for what is open.
func TestCertifiedSlackAndLosses(t *testing.T) {
	edges, open, losses, unknown := 0, 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 300)) {
		js := []func(uint64) *model.JobSet{gen.TodayTiny, gen.Tiny}[seed%2](seed)
		opt := solve.Options{Workers: 1, Budget: 40_000}
		plain, err := Slack(t.Context(), js, nil, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		lost, err := SingleFailures(t.Context(), js, 0, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Proof = true
		certified, err := Slack(t.Context(), js, nil, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range certified.Jobs {
			for m := range measures {
				a, b := plain.Jobs[k].Edges[m], certified.Jobs[k].Edges[m]
				if edges++; a != b {
					open++
				}
				if a != b && (b.Fits >= a.Fails || a.Fits >= b.Fails) {
					t.Errorf("seed %d, job %d, %s: %v, with a checker %v", seed, k, m, a, b)
				}
			}
		}
		again, err := SingleFailures(t.Context(), js, 0, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range again {
			switch a, b := &lost[k], &again[k]; {
			case b.Status == model.Unknown:
				unknown++
			case a.Status != b.Status && a.Status != model.Unknown || !slices.Equal(a.LeftOut, b.LeftOut):
				t.Errorf("seed %d, slave %d: %+v, with a checker %+v", seed, k, a, b)
			default:
				losses++
			}
		}
	}
	t.Logf("%d edges, %d of them otherwise than without a checker; %d losses are known, %d are not", edges, open, losses, unknown)
	if open > edges/20 || unknown > losses/20 {
		t.Errorf("of %d edges %d are otherwise, of %d losses %d unknown", edges, open, losses+unknown, unknown)
	}
}
