package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
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

// Intervals hold what they are about in 93 to 97 of 100 cases: of means of what is roughly
// normal (of others see TestSkewed), of shares and weighted shares, of effects.
func TestCoverage(t *testing.T) {
	trials := testkit.Sets(1500, 8000)
	check := func(name string, trial func(r *rand.Rand) (Sample, float64)) {
		t.Helper()
		if c := covered(trials, trial); c < 0.93 || c > 0.97 {
			t.Errorf("%s: covered in %.1f %%", name, 100*c)
		}
	}
	for _, n := range []int{20, 100} {
		check(fmt.Sprint("normal ", n), func(r *rand.Rand) (Sample, float64) {
			return MeanOf(draws(n, r, (*rand.Rand).NormFloat64)), 0
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
	for _, share := range []float64{0.1, 0.4} {
		check(fmt.Sprint("weighted share ", share), func(r *rand.Rand) (Sample, float64) {
			hits := make([]bool, 60)
			for i := range hits {
				hits[i] = r.Float64() < share
			}
			return WeightedShareOf(hits, draws(60, r, func(r *rand.Rand) float64 { return 0.5 + r.Float64() })), share
		})
	}
	for _, effect := range []float64{0, 0.5, 1.5} {
		check(fmt.Sprint("effect ", effect), func(r *rand.Rand) (Sample, float64) {
			a := draws(60, r, func(r *rand.Rand) float64 { return effect + r.NormFloat64() })
			return Pair(a, make([]float64, 60), 1).Effect(), effect
		})
	}
}

// spread is a distribution to draw from.
type spread struct {
	name string
	mean float64
	draw func(*rand.Rand) float64
}

// spreads are normal, skewed and discrete ones, differences of either sign, and all of them
// with up to 95 of 100 values zero.
func spreads() []spread {
	lognormal := func(deviation float64) spread {
		return spread{fmt.Sprint("lognormal ", deviation), math.Exp(deviation * deviation / 2), func(r *rand.Rand) float64 { return math.Exp(deviation * r.NormFloat64()) }}
	}
	plain := []spread{
		{"normal", 5, func(r *rand.Rand) float64 { return 5 + r.NormFloat64() }},
		{"shares of tasks", 2.0 / 3, func(r *rand.Rand) float64 { return math.Sqrt(r.Float64()) }},
		{"one", 1, func(*rand.Rand) float64 { return 1 }},
		{"exponential", 1, (*rand.Rand).ExpFloat64},
		{"counts", 1, func(r *rand.Rand) float64 { return math.Floor(r.ExpFloat64() / math.Ln2) }},
		lognormal(0.5), lognormal(1), lognormal(1.5),
		{"differences", 0, func(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() }},
		{"differences, most above", 0.55, func(r *rand.Rand) float64 {
			if r.Float64() < 0.3 {
				return -r.ExpFloat64() / 2
			}
			return r.ExpFloat64()
		}},
		{"differences, rarely below", 0, func(r *rand.Rand) float64 {
			if r.Float64() < 0.2 {
				return -4 * r.ExpFloat64()
			}
			return r.ExpFloat64()
		}},
	}
	var out []spread
	for _, zeros := range []float64{0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95} {
		for _, s := range plain {
			out = append(out, spread{fmt.Sprintf("%s, zeros %g", s.name, zeros), (1 - zeros) * s.mean, func(r *rand.Rand) float64 {
				if r.Float64() < zeros {
					return 0
				}
				return s.draw(r)
			}})
		}
	}
	return out
}

// intervalOf is that of values, or of values that are differences.
func (s spread) intervalOf(values []float64) Sample {
	if strings.HasPrefix(s.name, "differences") {
		return Pair(values, make([]float64, len(values)), 1).Difference
	}
	return MeanOf(values)
}

// Whatever the values and their number, intervals that do not hold the mean are given in 7 of
// 100 samples at most; and where at least three in ten have an interval, it holds in 93 of 100.
// As many samples more as chance explains (three deviations) are let pass.
func TestSkewed(t *testing.T) {
	trials := testkit.Sets(100, 400)
	r := rand.New(rand.NewPCG(7, 8))
	sure := func(wrong, of int) bool {
		n := float64(of)
		return float64(wrong) > 0.07*n+3*math.Sqrt(0.07*0.93*n)
	}
	for _, n := range []int{5, 10, 13, 15, 20, 30, 50, 100, 200, 500} {
		if n > 50 && !testkit.Asked() {
			continue
		}
		for _, s := range spreads() {
			given, wrong := 0, 0
			for range trials {
				if m := s.intervalOf(draws(n, r, s.draw)); m.Fixed() {
					given++
					if m.Low > s.mean || m.High < s.mean {
						wrong++
					}
				}
			}
			if sure(wrong, trials) || 10*given >= 3*trials && sure(wrong, given) {
				t.Errorf("%d of %s: %d of %d intervals are wrong, %d samples", n, s.name, wrong, given, trials)
			}
		}
	}
}

// ofEffect are sixty values of standard deviation 1 around a mean.
func ofEffect(mean float64) []float64 {
	out := make([]float64, 60)
	for i := range out {
		out[i] = mean + (float64(i)-29.5)/math.Sqrt(60*61/12)
	}
	return out
}

// With as many pairs as are said to be needed, differences are shown in four of five cases, somewhat more where they are few.
func TestNeeded(t *testing.T) {
	for _, effect := range []float64{0.3, 0.8} {
		n := Pair(ofEffect(effect), make([]float64, 60), 1).Needed()
		r := rand.New(rand.NewPCG(1, 1))
		shown, trials := 0, testkit.Sets(1000, 3000)
		for range trials {
			if p := Pair(draws(n, r, func(r *rand.Rand) float64 { return effect + r.NormFloat64() }), make([]float64, n), 1); p.Shows() {
				shown++
			}
		}
		if share := float64(shown) / float64(trials); share < 0.77 || share > 0.92 {
			t.Errorf("effect %g: %d pairs show it in %.0f %%", effect, n, 100*share)
		}
	}
	if n := Pair([]float64{1, 2, 3}, []float64{1, 2, 3}, 1).Needed(); n != 0 {
		t.Errorf("%d pairs for nothing", n)
	}
}

// A difference is shown where the interval leaves zero out, and without an interval where the
// sign test says so: six of six that differ, but not five of five, nor eight of nine the mean
// of which goes the other way.
func TestP(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 13 + r.IntN(30)
		p := Pair(draws(n, r, func(r *rand.Rand) float64 { return math.Round(4 * (0.3 + r.NormFloat64() + r.ExpFloat64()/2)) }), make([]float64, n), 1)
		if d := p.Difference; d.Fixed() && (d.Low > 0 || d.High < 0) != p.Shows() {
			t.Fatalf("p %g, shown %t: %+v", p.P(), p.Shows(), p)
		}
	}
	for _, c := range []struct {
		differences []float64
		p           float64
	}{
		{[]float64{1, 1, 1, 1, 1, 1}, 2.0 / 64},
		{[]float64{-1, -1, -1, -1, -1, -2, 0}, 2.0 / 64},
		{[]float64{1, 1, 1, 1, 1}, 1},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, -1}, 20.0 / 512},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, -20}, 1},
	} {
		p := Pair(c.differences, make([]float64, len(c.differences)), 1)
		near(t, fmt.Sprint("p of ", c.differences), p.P(), c.p, 1e-9)
	}
}

// Where nothing is there, no more than five in a hundred comparisons show something.
func TestShowsNothing(t *testing.T) {
	trials := testkit.Sets(1000, 5000)
	r := rand.New(rand.NewPCG(9, 10))
	for _, zeros := range []float64{0, 0.5, 0.9} {
		for _, n := range []int{8, 20, 60} {
			shown := 0
			for range trials {
				p := Pair(draws(n, r, func(r *rand.Rand) float64 {
					if r.Float64() < zeros {
						return 0
					}
					return r.ExpFloat64() - r.ExpFloat64()
				}), make([]float64, n), 1)
				if p.Shows() {
					shown++
				}
			}
			if limit := 0.05*float64(trials) + 3*math.Sqrt(0.05*float64(trials)); float64(shown) > limit {
				t.Errorf("%d pairs, %g equal: shown in %d of %d", n, zeros, shown, trials)
			}
		}
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

// Shares that are nearly all alike have an interval that holds their mean in 95 of 100 cases at
// least, whatever those are that differ: at the worst as far away as they can be.
func TestMeanWithin(t *testing.T) {
	trials := testkit.Sets(200, 2000)
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{2, 8, 30, 200} {
		for _, share := range []float64{0.005, 0.03, 0.2, 0.8} {
			for _, at := range []float64{0, 0.9} {
				wrong, mean := 0, share*at+(1-share)
				for range trials {
					m := MeanWithin(draws(n, r, func(r *rand.Rand) float64 {
						if r.Float64() < share {
							return at
						}
						return 1
					}), 0, 1)
					if m.Low > mean || m.High < mean {
						wrong++
					}
				}
				if most := 0.06*float64(trials) + 3*math.Sqrt(0.06*float64(trials)); float64(wrong) > most {
					t.Errorf("%d values, %g of them %g: %d of %d intervals are wrong", n, share, at, wrong, trials)
				}
			}
		}
	}
	if m := MeanWithin([]float64{1, 1}, 0, 1); m.High != 1 || m.Low > 0.2 {
		t.Errorf("two values tell %+v", m)
	}
	if m := MeanWithin(nil, 0, 1); m.N != 0 || m.Fixed() {
		t.Errorf("none tell %+v", m)
	}
}
