package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Values that are repeated in each observation tell as much as one of each, and observations of
// one value each are what they were.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) / 8 })
		values := rapid.SliceOfN(some, 1, 60).Draw(t, "values")
		others := rapid.SliceOfN(some, len(values), len(values)).Draw(t, "others")
		copies := rapid.IntRange(1, 5).Draw(t, "copies")
		var many, manyOthers []float64
		var hits []bool
		var units Units
		hit := 0
		for range copies {
			for i, v := range values {
				many, manyOthers, units, hits = append(many, v), append(manyOthers, others[i]), append(units, i), append(hits, v > 0)
			}
		}
		for _, v := range values {
			if v > 0 {
				hit++
			}
		}
		near := func(what string, got, want Sample) {
			t.Helper()
			grain := 1e-6 * (1 + math.Abs(want.Mean) + slices.Max(append(slices.Clone(many), 1)))
			differ := func(a, b float64) bool { return math.IsNaN(a) != math.IsNaN(b) || math.Abs(a-b) > grain }
			if differ(got.Mean, want.Mean) || differ(got.Low, want.Low) || differ(got.High, want.High) || got.N != len(many) {
				t.Fatalf("%s: %+v, want %+v", what, got, want)
			}
		}
		near("mean", MeanOfUnits(many, units), MeanOf(values))
		near("difference", PairUnits(many, manyOthers, units, 1).Difference, Pair(values, others, 1).Difference)
		if got, want := PairUnits(many, manyOthers, units, 1).P(), Pair(values, others, 1).P(); math.Abs(got-want) > 1e-6 {
			t.Fatalf("p is %v, want %v", got, want)
		}
		share, alone := ShareOfUnits(hits, units), ShareOf(hit, len(values))
		if copies == 1 && share != alone || share.Low > alone.Low+0.02 || share.High < alone.High-0.02 {
			t.Fatalf("the share of copies is %+v, of one each %+v", share, alone)
		}
	})
}

// One observation tells no more than one run.
func TestOneUnit(t *testing.T) {
	units := make(Units, 40)
	hits, values := make([]bool, 40), make([]float64, 40)
	if got, want := ShareOfUnits(hits, units), ShareOf(0, 1); got.High != want.High || got.N != 40 {
		t.Errorf("%+v, want the interval of %+v", got, want)
	}
	if s := MeanOfUnits(values, units); s.Fixed() || s.Mean != 0 {
		t.Errorf("%+v", s)
	}
	if p := PairUnits(slices.Repeat([]float64{1}, 40), values, units, -1); p.Shows() || p.BBetter != 40 {
		t.Errorf("40 runs of one observation show a difference: %+v", p)
	}
}
