package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// P is how likely a difference at least as large is by chance where there is none, two-sided:
// below 0.05 where the interval does not hold zero; where there is no interval, of the sign
// test. It is 1 where fewer than MinDiffering observations differ, and where most of them go one way
// and the mean the other.
func (p Paired) P() float64 {
	d := p.above + p.below
	switch {
	case d < MinDiffering:
		return 1
	case p.Difference.Fixed():
		return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(p.moments.n - 1)}.Survival(p.moments.t())
	case 2*p.above > d != (p.Difference.Mean > 0):
		return 1
	}
	return min(1, 2*distuv.Binomial{N: float64(d), P: 0.5}.CDF(float64(min(p.above, d-p.above))))
}

// Effect is the standardised difference: the mean difference over the standard deviation
// of differences, observation by observation (Cohen's d of pairs), with the interval of its large-sample variance
// 1/n + d²/2n (Hedges and Olkin 1985), which takes differences for roughly normal. It is not
// a number where the difference has no interval.
func (p Paired) Effect() Sample {
	s := Sample{N: p.Difference.N, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if !p.Difference.Fixed() {
		return s
	}
	n := float64(p.moments.n)
	s.Mean = p.moments.mean / (p.moments.err * math.Sqrt(n))
	half := normal((1+confidence)/2) * math.Sqrt(1/n+s.Mean*s.Mean/(2*n))
	s.Low, s.High = s.Mean-half, s.Mean+half
	return s
}

// Power is the probability with which Needed finds what is there.
const Power = 0.8

// Needed is how many pairs show a difference of the size seen with probability about Power
// (Guenther's formula for the t-test); 0 where there is none to show. Below 50 pairs some
// comparisons fall to the sign test, for which two fifths more are allowed, by simulation.
func (p Paired) Needed() int {
	d := math.Abs(p.Effect().Mean)
	if !(d > 0) {
		return 0
	}
	z := normal((1 + confidence) / 2)
	n := math.Pow((z+normal(Power))/d, 2) + z*z/2
	n = max(n, min(50, 1.4*n))
	return max(MinDiffering, int(math.Ceil(n)))
}

func normal(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// Holm corrects p-values of one family for its size, each in its place: claims of those below
// 0.05 err with probability 0.05 at most all together, however they hang together (Holm
// 1979).
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(ps)-rank)*ps[i]))
		out[i] = largest
	}
	return out
}
