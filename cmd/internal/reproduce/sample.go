package reproduce

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sample is one figure over several seeds.
type sample []float64

// estimate is a mean with half the width of its 95 % interval.
type estimate struct{ value, half float64 }

// mean takes the figures to be independent and their mean to be normal
// (Student's t).
func (s sample) mean() estimate {
	m, sd := stat.MeanStdDev(s, nil)
	n := float64(len(s))
	if n < 2 {
		return estimate{m, math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return estimate{m, t * sd / math.Sqrt(n)}
}

func (s sample) deviation() float64 { return stat.StdDev(s, nil) }

// String shows a mean to four digits, its interval to two.
func (e estimate) String() string {
	if e.half < 1e-12 || math.IsNaN(e.half) {
		return fmt.Sprintf("%.4g", e.value)
	}
	return fmt.Sprintf("%.4g ± %.2g", e.value, e.half)
}

// asPercent is for shares.
func (e estimate) asPercent() string {
	if e.half < 1e-12 || math.IsNaN(e.half) {
		return fmt.Sprintf("%.1f %%", 100*e.value)
	}
	return fmt.Sprintf("%.1f ± %.1f %%", 100*e.value, 100*e.half)
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// always tells in how many seeds a share was whole.
func always(s sample) string {
	whole := 0
	for _, v := range s {
		if v == 1 {
			whole++
		}
	}
	if whole == len(s) {
		return fmt.Sprintf("yes, in all of %d seeds", len(s))
	}
	return fmt.Sprintf("no: in %d of %d seeds; %s on average", whole, len(s), s.mean().asPercent())
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// above compares two figures seed by seed, and claims nothing where the
// interval of the difference spans zero.
func above(a, b sample) string {
	diff := make(sample, len(a))
	for i := range a {
		diff[i] = a[i] - b[i]
	}
	switch e := diff.mean(); {
	case e.value > e.half:
		return "yes, by " + e.asPercent()
	case e.value < -e.half:
		return "no, the other way round: " + e.asPercent()
	default:
		return "no difference shown: " + e.asPercent()
	}
}

// below says by what share the mean of a is below that of b; where the interval
// of the difference by seed spans zero it says so.
func below(a, b sample) string {
	diff := make(sample, len(a))
	for i := range a {
		diff[i] = b[i] - a[i]
	}
	e := diff.mean()
	text := percent(e.value / b.mean().value)
	if math.Abs(e.value) <= e.half {
		text += " (interval spans zero)"
	}
	return text
}
