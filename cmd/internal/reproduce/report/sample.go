package report

import (
	"fmt"

	"downbeat/cmd/internal/stats"

	"gonum.org/v1/gonum/stat"
)

// Sample is one figure over several seeds.
type Sample []float64

// Estimate is a mean with half the width of its 95 % interval.
type Estimate struct{ Value, Half float64 }

// Mean is the mean with Student's interval.
func (s Sample) Mean() Estimate {
	m := stats.MeanOf(s)
	return Estimate{m.Mean, m.HalfWidth()}
}

// Deviation is the standard deviation.
func (s Sample) Deviation() float64 { return stat.StdDev(s, nil) }

// String shows a mean to four digits, its interval to two.
func (e Estimate) String() string {
	if e.Half > 1e-12 {
		return fmt.Sprintf("%.4g ± %.2g", e.Value, e.Half)
	}
	return fmt.Sprintf("%.4g", e.Value)
}

// AsPercent is for shares.
func (e Estimate) AsPercent() string {
	if e.Half > 1e-12 {
		return fmt.Sprintf("%.1f ± %.1f %%", 100*e.Value, 100*e.Half)
	}
	return Percent(e.Value)
}

// Percent shows a share.
func Percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// Whole tells in how many seeds a share was whole.
func Whole(s Sample) string {
	whole := 0
	for _, v := range s {
		if v == 1 {
			whole++
		}
	}
	if whole == len(s) {
		return fmt.Sprintf("yes, in all of %d seeds", len(s))
	}
	return fmt.Sprintf("no: in %d of %d seeds; %s on average", whole, len(s), s.Mean().AsPercent())
}

// YesNo is the word for it.
func YesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// Compare compares two figures seed by seed, and claims nothing that the pairs do
// not show.
func Compare(a, b Sample) string {
	p := stats.Pair(a, b, +1)
	by := fmt.Sprintf("%.1f ± %.1f percentage points", 100*p.Difference.Mean, 100*p.Difference.HalfWidth())
	switch {
	case !p.Shows():
		return "no difference shown: " + by
	case p.Difference.Mean > 0:
		return "yes, by " + by
	default:
		return "no, the other way round: " + by
	}
}

// Below says by what share the mean of a is below that of b, and whether the
// pairs show it.
func Below(a, b Sample) string {
	if b.Mean().Value == 0 {
		return "-"
	}
	text := Reduction(a, b).AsPercent()
	if !stats.Pair(b, a, -1).Shows() {
		text += " (not shown)"
	}
	return text
}

// Reduction is by what share of it the mean of a is below that of b; the interval is
// that of the paired difference over the mean of b.
func Reduction(a, b Sample) Estimate {
	p := stats.Pair(b, a, -1)
	return Estimate{p.Difference.Mean / p.A.Mean, p.Difference.HalfWidth() / p.A.Mean}
}
