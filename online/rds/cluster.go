package rds

import "math"

// clusters finds the antecedents of rules by subtractive clustering (Chiu,
// "Fuzzy model identification based on cluster estimation", J. Intelligent and
// Fuzzy Systems 2, 1994): every sample has a potential that counts its
// neighbours; the highest becomes a centre and takes potential from those
// around it, until little is left. Thresholds are Chiu's.
func clusters(samples []Sample, radius float64) []Rule {
	const (
		squash = 1.5  // reach of a taken centre, in radii
		accept = 0.5  // of the first potential: taken without question
		reject = 0.15 // of the first potential: nothing below is a centre
	)
	low, spread := ranges(samples)
	points := make([][]float64, len(samples))
	for i, s := range samples {
		points[i] = make([]float64, len(s.V))
		for k, v := range s.V {
			points[i][k] = (v - low[k]) / spread[k]
		}
	}
	potential := potentials(points, radius)
	var rules []Rule
	var centres [][]float64
	for first := 0.0; ; {
		best := argmax(potential)
		p := potential[best]
		if len(centres) == 0 {
			first = p
		}
		if len(centres) > 0 {
			distant := math.Sqrt(nearest(points[best], centres)) / radius
			switch {
			case p <= reject*first:
				return rules
			case p <= accept*first && distant+p/first < 1:
				potential[best] = 0 // too close for so little potential
				continue
			}
		}
		centres = append(centres, points[best])
		rules = append(rules, ruleAt(samples[best].V, spread, radius))
		for i := range potential {
			potential[i] -= p * influence(points[i], points[best], squash*radius)
		}
	}
}

// ruleAt is a rule around v whose sets reach as far as a cluster does.
func ruleAt(v, spread []float64, radius float64) Rule {
	r := Rule{Sets: make([]Set, len(v))}
	for k := range v {
		r.Sets[k] = Set{Centre: v[k], Width: radius * spread[k] / math.Sqrt(8)}
	}
	return r
}

// ranges is the least value of each variable and the span to its largest, 1
// where all are equal.
func ranges(samples []Sample) (low, spread []float64) {
	n := len(samples[0].V)
	low, spread = make([]float64, n), make([]float64, n)
	for k := range n {
		least, most := math.Inf(1), math.Inf(-1)
		for _, s := range samples {
			least, most = min(least, s.V[k]), max(most, s.V[k])
		}
		low[k], spread[k] = least, most-least
		if spread[k] == 0 {
			spread[k] = 1
		}
	}
	return low, spread
}

func potentials(points [][]float64, radius float64) []float64 {
	out := make([]float64, len(points))
	for i := range points {
		for j := range points {
			out[i] += influence(points[i], points[j], radius)
		}
	}
	return out
}

// influence falls from 1 to e^−4 at the given distance.
func influence(a, b []float64, reach float64) float64 {
	return math.Exp(-4 * squaredDistance(a, b) / (reach * reach))
}

func nearest(p []float64, centres [][]float64) float64 {
	least := math.Inf(1)
	for _, c := range centres {
		least = min(least, squaredDistance(p, c))
	}
	return least
}

func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return sum
}

// argmax is the first index of the largest value.
func argmax(x []float64) int {
	best := 0
	for i := range x {
		if x[i] > x[best] {
			best = i
		}
	}
	return best
}
