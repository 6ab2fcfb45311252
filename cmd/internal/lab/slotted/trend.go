package slotted

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Trend says how a backlog goes on.
type Trend uint8

// The trends. A run is Unclear where its interval does not say: it was too short for how
// slowly the system forgets, or its load is near the edge of what is carried.
const (
	Unclear Trend = iota
	Flat
	Grows
)

// String is the trend for people.
func (t Trend) String() string { return [...]string{"unclear", "flat", "grows"}[t] }

// critical is the power of time with which a backlog grows on the edge itself, as a random walk
// above 0 does.
const critical = 0.5

// trendOf is what the estimate of the power of time says.
func trendOf(growth Estimate) Trend {
	switch {
	case growth.Mean-growth.Half > critical:
		return Grows
	case growth.Mean+growth.Half < critical:
		return Flat
	default: // not-a-number, too
		return Unclear
	}
}

// growth is the power of time with which the backlog grew, at the middle of the measured
// slots: 0 for one that is flat, 1 for one that grows evenly since the system was empty, before
// the warm-up. Where less grows than was there in any case it is between. There are two estimates, of
// which the surer counts: batches about a line, which is right for a system that forgets, and steps
// from batch to batch, which is right for one that grows.
func growth(batches []batch, warmup int) Estimate {
	n := len(batches)
	means, level, slots := make([]float64, n), 0.0, 0.0
	for i := range batches {
		means[i] = batches[i].queue / float64(batches[i].slots)
		level += means[i] / float64(n)
		slots += float64(batches[i].slots)
	}
	if n < 4 || level == 0 {
		return Estimate{0, math.NaN()}
	}
	slope, other := line(means, level), steps(means)
	if other.Half < slope.Half {
		slope = other
	}
	power := (float64(warmup) + slots/2) / (slots / float64(n)) / level
	return Estimate{slope.Mean * power, slope.Half * power}
}

// line is the slope of a least-squares line through values of the given mean, per value.
// Neighbours hang together as far as the residuals show, as a first-order autoregression: they are
// worth fewer values that do not.
func line(values []float64, level float64) Estimate {
	n := float64(len(values))
	middle := (n - 1) / 2
	slope, spread := 0.0, 0.0
	for i, v := range values {
		at := float64(i) - middle
		slope += at * (v - level)
		spread += at * at
	}
	slope /= spread
	squares, products, before := 0.0, 0.0, 0.0
	for i, v := range values {
		r := v - level - slope*(float64(i)-middle)
		squares += r * r
		products += r * before
		before = r
	}
	if squares == 0 {
		return Estimate{slope, 0}
	}
	// Residuals of a line show less of their correlation than there is: to the first order
	// in 1/n by (2 + 4ρ)/n.
	rho := products / squares
	rho = min(max(0, rho+(2+4*rho)/n), 1)
	worth := n * (1 - rho) / (1 + rho)
	if worth <= 3 {
		return Estimate{slope, math.Inf(1)}
	}
	return Estimate{slope, student(worth-2) * math.Sqrt(squares/(n-2)/spread*n/worth)}
}

// steps is the mean step between neighbours, as of a random walk with a drift. Means over parts
// of such a walk have steps with a correlation of ¼, so that their sum varies by half more
// than if there were none.
func steps(values []float64) Estimate {
	n := float64(len(values) - 1)
	mean := (values[len(values)-1] - values[0]) / n
	squares := 0.0
	for i := range len(values) - 1 {
		step := values[i+1] - values[i] - mean
		squares += step * step
	}
	return Estimate{mean, student(n-1) * math.Sqrt(1.5*squares/(n-1)/n)}
}

// student is the quantile of Student's t for a 95 % interval.
func student(freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}
