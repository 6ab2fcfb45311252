package reproduce

import (
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"

	"gonum.org/v1/gonum/stat"
)

// sample is one figure over several seeds.
type sample []float64

// estimate is a figure with an interval that holds it in 95 of 100 cases. The ends are not numbers
// where the runs are too few, or too much alike, to tell how far it is known.
type estimate struct{ Value, Low, High float64 }

// estimateOf takes over a mean, a share or a difference.
func estimateOf(s stats.Sample) estimate { return estimate{s.Mean, s.Low, s.High} }

// exactly is a figure into which nothing random goes.
func exactly(v float64) estimate { return estimate{v, v, v} }

func (e estimate) fixed() bool { return !math.IsNaN(e.Low) }

// Half is the distance of the farther end, 0 where there is no interval.
func (e estimate) Half() float64 {
	if !e.fixed() {
		return 0
	}
	return max(e.High-e.Value, e.Value-e.Low)
}

// plus is the figure from another origin.
func (e estimate) plus(v float64) estimate { return estimate{e.Value + v, e.Low + v, e.High + v} }

// mark adds the figure to a line of a chart, without a band where there is no interval.
func (e estimate) mark(s *chart.Series, x float64) {
	low, high := e.Low, e.High
	if !e.fixed() {
		low, high = e.Value, e.Value
	}
	s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, e.Value), append(s.Lo, low), append(s.Hi, high)
}

// times is the figure in another unit, by a factor of at least 0.
func (e estimate) times(factor float64) estimate {
	return estimate{factor * e.Value, factor * e.Low, factor * e.High}
}

// Mean is the mean of values that may be any.
func (s sample) Mean() estimate { return estimateOf(stats.MeanOf(s)) }

// Share is the mean of values from 0 to 1.
func (s sample) Share() estimate { return estimateOf(stats.MeanWithin(s, 0, 1)) }

// Deviation is the standard deviation.
func (s sample) Deviation() float64 { return stat.StdDev(s, nil) }

// String shows a mean with its interval.
func (e estimate) String() string { return e.with("") }

// AsPercent is for shares.
func (e estimate) AsPercent() string { return e.times(100).with(" %") }

// with has the unit after the figure.
func (e estimate) with(unit string) string {
	half := e.Half()
	if half < 1e-9*math.Abs(e.Value) {
		half = 0
	}
	text := stats.Figure(e.Value, half) + unit
	switch {
	case !e.fixed():
		text += " (few)"
	case half > 0:
		text += fmt.Sprintf(" (%s to %s)", stats.Figure(e.Low, half), stats.Figure(e.High, half))
	}
	return text
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

// difference is by how much a is above b in the mean, seed by seed. Where too few pairs differ for
// an interval, and all that do by the same, a sign test tells the side at least: of values that
// are yes or no it is exact.
func difference(a, b sample) estimate {
	p := stats.Pair(a, b, +1)
	e := estimateOf(p.Difference)
	if e.fixed() || !p.Shows() || !alike(a, b) {
		return e
	}
	side := above(0)
	if e.Value < 0 {
		side = below(0)
	}
	return estimate{e.Value, side.low, side.high}
}

// minus is by how much each value is above the other's.
func (s sample) minus(other sample) sample {
	out := make(sample, len(s))
	for i := range s {
		out[i] = s[i] - other[i]
	}
	return out
}

// alike reports whether all pairs that differ do so by the same, either way.
func alike(a, b sample) bool {
	size := 0.0
	for i := range a {
		switch d := math.Abs(a[i] - b[i]); {
		case d == 0, d == size:
		case size == 0:
			size = d
		default:
			return false
		}
	}
	return true
}

// ratio is the mean of a over that of b, seed by seed, with what the runs leave of its
// linearisation. b is above 0 in the mean.
func ratio(a, b sample) estimate {
	of := stat.Mean(b, nil)
	r := stat.Mean(a, nil) / of
	off := make(sample, len(a))
	for i := range a {
		off[i] = (a[i] - r*b[i]) / of
	}
	d := stats.Pair(off, make(sample, len(a)), +1).Difference
	return estimate{r, r + d.Low, r + d.High}
}

// shareBelow says by what share the mean of a is below that of b.
func shareBelow(a, b sample) string {
	if stat.Mean(b, nil) == 0 {
		return "-"
	}
	return reduction(a, b).AsPercent()
}

// reduction is by what share of it the mean of a is below that of b, which is above 0.
func reduction(a, b sample) estimate {
	r := ratio(a, b)
	return estimate{1 - r.Value, 1 - r.High, 1 - r.Low}
}
