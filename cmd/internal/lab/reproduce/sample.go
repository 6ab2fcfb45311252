package reproduce

import (
	"fmt"

	"downbeat/cmd/internal/stats"

	"gonum.org/v1/gonum/stat"
)

// sample is one figure over several seeds.
type sample []float64

// estimate is a mean with half the width of its 95 % interval.
type estimate struct{ Value, Half float64 }

// Mean is the mean with Student's interval.
func (s sample) Mean() estimate {
	m := stats.StudentOf(s)
	return estimate{m.Mean, m.HalfWidth()}
}

// Deviation is the standard deviation.
func (s sample) Deviation() float64 { return stat.StdDev(s, nil) }

// String shows a mean to four digits, its interval to two.
func (e estimate) String() string {
	if e.Half > 1e-12 {
		return fmt.Sprintf("%.4g ± %.2g", e.Value, e.Half)
	}
	return fmt.Sprintf("%.4g", e.Value)
}

// AsPercent is for shares.
func (e estimate) AsPercent() string {
	if e.Half > 1e-12 {
		return fmt.Sprintf("%.1f ± %.1f %%", 100*e.Value, 100*e.Half)
	}
	return percent(e.Value)
}

// percent shows a share.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// yesNo is the word for it.
func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// shareBelow says by what share the mean of a is below that of b, and whether the
// pairs show it.
func shareBelow(a, b sample) string {
	if b.Mean().Value == 0 {
		return "-"
	}
	text := reduction(a, b).AsPercent()
	if !stats.Pair(b, a, -1).Shows() {
		text += " (not shown)"
	}
	return text
}

// reduction is by what share of it the mean of a is below that of b; the interval is
// that of the paired difference over the mean of b.
func reduction(a, b sample) estimate {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	d, of := stats.StudentOf(differences), stats.StudentOf(b).Mean
	return estimate{d.Mean / of, d.HalfWidth() / of}
}
