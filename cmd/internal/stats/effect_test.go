package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/model/longtest"
)

// covered is the share of trials in which an interval holds what it is to hold. A trial
// draws anew.
func covered(trials int, trial func(r *rand.Rand) (s Sample, truth float64)) float64 {
	r := rand.New(rand.NewPCG(20, 15))
	hits := 0
	for range trials {
		if s, truth := trial(r); s.Low <= truth && truth <= s.High {
			hits++
		}
	}
	return float64(hits) / float64(trials)
}

func draws(n int, r *rand.Rand, draw func(*rand.Rand) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = draw(r)
	}
	return out
}

// Intervals hold what they are about in 93 to 97 of 100 cases: of means where values are
// not very skewed for their number (see docs/figures.md), of shares whatever these are, of
// weighted shares, of effects.
func TestCoverage(t *testing.T) {
	trials := longtest.Sets(4000, 12000)
	check := func(name string, trial func(r *rand.Rand) (Sample, float64)) {
		t.Helper()
		if c := covered(trials, trial); c < 0.93 || c > 0.97 {
			t.Errorf("%s: covered in %.1f %%", name, 100*c)
		}
	}
	for _, n := range []int{10, 20, 100} {
		check(fmt.Sprint("normal ", n), func(r *rand.Rand) (Sample, float64) {
			return MeanOf(draws(n, r, (*rand.Rand).NormFloat64)), 0
		})
		check(fmt.Sprint("shares of tasks ", n), func(r *rand.Rand) (Sample, float64) {
			return MeanOf(draws(n, r, func(r *rand.Rand) float64 { return math.Sqrt(r.Float64()) })), 2.0 / 3
		})
		check(fmt.Sprint("share ", n), func(r *rand.Rand) (Sample, float64) {
			p, hits := r.Float64(), 0
			for range n {
				if r.Float64() < p {
					hits++
				}
			}
			return ShareOf(hits, n), p
		})
	}
	check("tardiness, seven in ten without", func(r *rand.Rand) (Sample, float64) {
		return MeanOf(draws(200, r, func(r *rand.Rand) float64 {
			if r.Float64() < 0.7 {
				return 0
			}
			return r.ExpFloat64()
		})), 0.3
	})
	check("weighted share", func(r *rand.Rand) (Sample, float64) {
		weights := draws(60, r, func(r *rand.Rand) float64 { return 0.5 + r.Float64() })
		met := draws(60, r, func(r *rand.Rand) float64 { return math.Floor(r.Float64() + 0.4) })
		return WeightedMeanOf(met, weights), 0.4
	})
	for _, effect := range []float64{0, 0.5, 1.5} {
		check(fmt.Sprint("effect ", effect), func(r *rand.Rand) (Sample, float64) {
			a := draws(60, r, func(r *rand.Rand) float64 { return effect + r.NormFloat64() })
			return Pair(a, make([]float64, 60), 1).Effect(), effect
		})
	}
}

// With as many pairs as are said to be needed, differences are shown in four of five cases.
func TestNeeded(t *testing.T) {
	for _, effect := range []float64{0.3, 0.8} {
		n := Paired{Difference: MeanOf([]float64{effect - math.Sqrt(0.5), effect + math.Sqrt(0.5)})}.Needed()
		r := rand.New(rand.NewPCG(1, 1))
		shown, trials := 0, longtest.Sets(1000, 3000)
		for range trials {
			if p := Pair(draws(n, r, func(r *rand.Rand) float64 { return effect + r.NormFloat64() }), make([]float64, n), 1); p.Shows() {
				shown++
			}
		}
		if share := float64(shown) / float64(trials); share < 0.77 || share > 0.86 {
			t.Errorf("effect %g: %d pairs show it in %.0f %%", effect, n, 100*share)
		}
	}
	if n := Pair([]float64{1, 2, 3}, []float64{1, 2, 3}, 1).Needed(); n != 0 {
		t.Errorf("%d pairs for nothing", n)
	}
}

// P goes with Shows; by a table: t = 2.571 with 5 degrees of freedom is 5 %.
func TestP(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 2 + r.IntN(20)
		p := Pair(draws(n, r, func(r *rand.Rand) float64 { return math.Round(0.8 + r.NormFloat64()) }), make([]float64, n), 1)
		if p.P() < 0.05 != p.Shows() {
			t.Fatalf("p %g, shown %t: %+v", p.P(), p.Shows(), p)
		}
	}
	half := 2.0
	p := Paired{Difference: Sample{6, 2, 2 - half, 2 + half}, ABetter: 6}
	if got := p.P(); math.Abs(got-0.05) > 1e-9 {
		t.Errorf("p %g at the edge of the interval", got)
	}
}

// Holm's own example, and families in which nothing is there: at least one false claim in 5
// of 100, not more.
func TestHolm(t *testing.T) {
	if got := fmt.Sprintf("%.2f", Holm([]float64{0.01, 0.04, 0.03, 0.005})); got != "[0.03 0.06 0.06 0.02]" {
		t.Errorf("corrected to %s", got)
	}
	r := rand.New(rand.NewPCG(5, 6))
	wrong, trials := 0, 4000
	for range trials {
		for _, p := range Holm(draws(12, r, (*rand.Rand).Float64)) {
			if p < 0.05 {
				wrong++
				break
			}
		}
	}
	if share := float64(wrong) / float64(trials); share > 0.06 || share < 0.035 {
		t.Errorf("a false claim in %.1f %% of families", 100*share)
	}
}
