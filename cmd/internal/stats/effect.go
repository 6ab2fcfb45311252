package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// P is how likely a difference at least as large is by chance where there is none: of the
// paired t-test, two-sided. It is 1 where fewer than MinDiffering pairs differ, and below
// 0.05 exactly where a difference is shown.
func (p Paired) P() float64 {
	d := p.Difference
	if !d.Fixed() || p.ABetter+p.BBetter < MinDiffering {
		return 1
	}
	half := d.HalfWidth()
	if half == 0 {
		return 0 // all pairs differ by the same
	}
	t := math.Abs(d.Mean) / half * student(d.N-1)
	return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(d.N - 1)}.Survival(t)
}

// Effect is the standardised difference: the mean difference over the standard deviation
// of differences (Cohen's d of pairs), with the interval of its large-sample variance
// 1/n + d²/2n (Hedges and Olkin 1985). It is not a number where no two pairs differ from
// one another.
func (p Paired) Effect() Sample {
	d := p.Difference
	s := Sample{N: d.N, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if !d.Fixed() || d.HalfWidth() == 0 {
		return s
	}
	n := float64(d.N)
	s.Mean = d.Mean / (d.HalfWidth() / student(d.N-1) * math.Sqrt(n))
	half := normal((1+confidence)/2) * math.Sqrt(1/n+s.Mean*s.Mean/(2*n))
	s.Low, s.High = s.Mean-half, s.Mean+half
	return s
}

// Power is the probability with which Needed finds what is there.
const Power = 0.8

// Needed is how many pairs show a difference of the size seen with probability Power
// (Guenther's formula for the t-test); 0 where there is none to show.
func (p Paired) Needed() int {
	d := math.Abs(p.Effect().Mean)
	if !(d > 0) {
		return 0
	}
	z := normal((1 + confidence) / 2)
	return max(MinDiffering, int(math.Ceil(math.Pow((z+normal(Power))/d, 2)+z*z/2)))
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
