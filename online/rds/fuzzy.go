package rds

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Set is a fuzzy set Ω of one variable with a Gaussian membership function,
// exp(−½((v − Centre)/Width)²). A Width of 0 means that every value belongs.
type Set struct{ Centre, Width float64 }

// Rule is a Takagi–Sugeno rule, Eq. 7: if every variable is in its set, then
// y = Coef·[v, 1]. Coef has one entry more than there are variables: the offset
// θ comes last.
type Rule struct {
	Sets []Set
	Coef []float64
}

// clone copies a rule down to its figures.
func (r Rule) clone() Rule {
	return Rule{append([]Set(nil), r.Sets...), append([]float64(nil), r.Coef...)}
}

// firing is the normalised degree of fulfilment σ of each rule at v; they sum
// to 1, far away from all centres too, where the nearest rule takes it all.
func firing(rules []Rule, v []float64) []float64 {
	out := make([]float64, len(rules))
	largest := math.Inf(-1)
	for l, r := range rules {
		for k, s := range r.Sets {
			if s.Width > 0 {
				z := (v[k] - s.Centre) / s.Width
				out[l] -= z * z / 2
			}
		}
		largest = max(largest, out[l])
	}
	sum := 0.0
	for l := range out {
		out[l] = math.Exp(out[l] - largest)
		sum += out[l]
	}
	for l := range out {
		out[l] /= sum
	}
	return out
}

// blend is the affine function, offset last, to which the rules add up at v.
func blend(rules []Rule, v []float64) []float64 {
	out := make([]float64, len(v)+1)
	for l, sigma := range firing(rules, v) {
		for k, c := range rules[l].Coef {
			out[k] += sigma * c
		}
	}
	return out
}

// regressor is X of Eq. 8: the rules' output is linear in all their
// coefficients, those of rule l weighted by σ_l.
func regressor(rules []Rule, v []float64) []float64 {
	var out []float64
	for _, sigma := range firing(rules, v) {
		for _, x := range v {
			out = append(out, sigma*x)
		}
		out = append(out, sigma)
	}
	return out
}

// Sample is one observation for training: the variables and what came of them.
type Sample struct {
	V []float64
	Y float64
}

// Train makes rules of samples, all with equally many variables: one rule per
// cluster of the inputs (see clusters), whose coefficients fit all samples
// jointly by least squares. The paper uses the same two steps of MATLAB's fuzzy
// toolbox, followed by ANFIS's gradient steps on centres and widths, which
// are left out. radius in (0, 1] is the range of influence of a cluster as a
// share of each variable's range; smaller means more rules. It is an error if
// there are no samples.
func Train(samples []Sample, radius float64) ([]Rule, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("no samples to train on")
	}
	if radius <= 0 || radius > 1 {
		return nil, fmt.Errorf("radius %g is not in (0, 1]", radius)
	}
	rules := clusters(samples, radius)
	per := len(samples[0].V) + 1
	x := mat.NewDense(len(samples), per*len(rules), nil)
	y := make([]float64, len(samples))
	for i, s := range samples {
		x.SetRow(i, regressor(rules, s.V))
		y[i] = s.Y
	}
	coef := leastSquares(x, y)
	for l := range rules {
		rules[l].Coef = coef[l*per : (l+1)*per : (l+1)*per]
	}
	return rules, nil
}

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
