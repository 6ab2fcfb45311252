package reproduce

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
	m := stats.StudentOf(s)
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

// YesNo is the word for it.
func YesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
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
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	d, of := stats.StudentOf(differences), stats.StudentOf(b).Mean
	return Estimate{d.Mean / of, d.HalfWidth() / of}
}
