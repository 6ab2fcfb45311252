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
