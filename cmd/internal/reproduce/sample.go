package reproduce

import (
	"fmt"

	"downbeat/cmd/internal/stats"

	"gonum.org/v1/gonum/stat"
)

// sample is one figure over several seeds.
type sample []float64

// estimate is a mean with half the width of its 95 % interval.
type estimate struct{ value, half float64 }

func (s sample) mean() estimate {
	m := stats.MeanOf(s)
	return estimate{m.Mean, m.HalfWidth()}
}

func (s sample) deviation() float64 { return stat.StdDev(s, nil) }

// String shows a mean to four digits, its interval to two.
func (e estimate) String() string {
	if e.half > 1e-12 {
		return fmt.Sprintf("%.4g ± %.2g", e.value, e.half)
	}
	return fmt.Sprintf("%.4g", e.value)
}

// asPercent is for shares.
func (e estimate) asPercent() string {
	if e.half > 1e-12 {
		return fmt.Sprintf("%.1f ± %.1f %%", 100*e.value, 100*e.half)
	}
	return percent(e.value)
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

// above compares two figures seed by seed, and claims nothing that the pairs do
// not show.
func above(a, b sample) string {
	p := stats.Pair(a, b, +1)
	e := estimate{p.Difference.Mean, p.Difference.HalfWidth()}
	switch {
	case !p.Shows():
		return "no difference shown: " + e.asPercent()
	case e.value > 0:
		return "yes, by " + e.asPercent()
	default:
		return "no, the other way round: " + e.asPercent()
	}
}

// below says by what share the mean of a is below that of b, and whether the
// pairs show it.
func below(a, b sample) string {
	p := stats.Pair(b, a, -1)
	if p.A.Mean == 0 {
		return "-"
	}
	text := percent(p.Difference.Mean / p.A.Mean)
	if !p.Shows() {
		text += " (not shown)"
	}
	return text
}
