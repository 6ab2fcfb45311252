package qp

import "slices"

// refined is the point and the multipliers of A after a few steps of iterative
// refinement: the optimality conditions with the active constraints as
// equalities are solved for what the last step left over, with the factors at
// hand, for the problem s, whose Hessian may be the one before the shift. Then
// each step is a proximal one.
func (d *dual) refined(s *scaled) (x, y []float64) {
	x = slices.Clone(d.x)
	mult := slices.Clone(d.mult)
	for range refinements {
		d.refine(s, x, mult)
	}
	y = make([]float64, s.rows())
	for i, k := range d.active {
		if k < s.n {
			x[k] = 0
		} else {
			y[k-s.n] = max(0, mult[i])
		}
	}
	// What is cut off here is rounding, or else the caller's check tells.
	for i := range x {
		x[i] = max(0, x[i])
	}
	return x, y
}

// refine solves K dx − N du = Nu − Hx − g and Nᵀdx = (what the active
// constraints are off) and adds the solution to x and mult.
func (d *dual) refine(s *scaled, x, mult []float64) {
	q := len(d.active)
	y := make([]float64, s.rows())
	for i, k := range d.active {
		if k >= s.n {
			y[k-s.n] = mult[i]
		}
	}
	residual, _ := s.gradient(x, y)
	off := make([]float64, q)
	for i, k := range d.active {
		if k < s.n {
			residual[k] -= mult[i]
		}
		slack, _ := s.slack(k, x)
		off[i] = -slack
	}
	p := make([]float64, s.n)
	for i := range p {
		p[i] = -dot(d.t[i], residual)
	}
	v := d.forwardSolve(off)
	du := make([]float64, q)
	for i := range v {
		du[i] = v[i] - p[i]
		p[i] = v[i]
	}
	axpy(1, d.backSolve(du), mult)
	for i := range p {
		axpy(p[i], d.t[i], x)
	}
}
