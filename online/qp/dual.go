package qp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// dual is the state of the dual active set method for a definite Hessian
// K = LLᵀ. Invariant: with the normals N of the active constraints as columns,
// t·K·tᵀ = I and t·N = [R; 0], R upper triangular; x minimises subject to the
// active constraints as equalities, and no multiplier is negative.
type dual struct {
	s      *scaled
	x      []float64
	active []int
	mult   []float64 // of the active constraints
	t      [][]float64
	r      [][]float64 // the first len(active) rows and columns are R
	// multiplier of the rows of A that proves infeasibility, once run says so.
	multiplier []float64
	iterations int
}

// newDual starts at the unconstrained minimum of s, of whose Hessian chol has
// the factors.
func newDual(s *scaled, chol *mat.Cholesky) *dual {
	var x mat.VecDense
	// The condition was limited by the caller, so the error can only be a
	// warning about it.
	_ = chol.SolveVecTo(&x, mat.NewVecDense(s.n, s.g))
	x.ScaleVec(-1, &x)
	var l, inv mat.TriDense
	chol.LTo(&l)
	_ = inv.InverseTri(&l)
	d := &dual{s: s, x: x.RawVector().Data, t: make([][]float64, s.n), r: make([][]float64, s.n)}
	for i := range s.n {
		d.t[i] = mat.Row(nil, i, &inv)
		d.r[i] = make([]float64, s.n)
	}
	return d
}

// run takes in the most violated constraint until none is left.
func (d *dual) run() Status {
	limit := 100 + 50*(d.s.n+d.s.rows())
	for {
		k := d.mostViolated()
		if k < 0 {
			return Optimal
		}
		for u, added := 0.0, false; !added; {
			if d.iterations++; d.iterations > limit {
				return Inexact
			}
			var ok bool
			if u, added, ok = d.step(k, u); !ok {
				return Infeasible
			}
		}
		// Keeps errors from a start far outside out of the next choice.
		d.refine(d.s, d.x, d.mult)
	}
}

// mostViolated is the constraint that x violates most, -1 if none beyond rounding.
func (d *dual) mostViolated() int {
	const rounding = 1e-11
	worst, at := -rounding, -1
	for k := range d.s.n + d.s.rows() {
		slack, size := d.s.slack(k, d.x)
		if slack/size < worst && !slices.Contains(d.active, k) {
			worst, at = slack/size, k
		}
	}
	return at
}

// step moves towards constraint k, whose multiplier is u so far, as far as the
// active multipliers allow: k is added, or the one that blocks is dropped. It
// is not ok if the active constraints leave no way to satisfy k.
func (d *dual) step(k int, u float64) (newU float64, added, ok bool) {
	const dependent = 1e-10 // share of the normal outside the active span
	q := len(d.active)
	tn := d.transformed(k)
	r := d.backSolve(tn[:q])
	free := dot(tn[q:], tn[q:])

	block, length := d.blocking(r)
	full := math.Inf(1)
	if free > dependent*dependent*dot(tn, tn) {
		slack, _ := d.s.slack(k, d.x)
		full = max(0, -slack/free)
	}
	if math.IsInf(full, 1) && block < 0 {
		d.prove(k, r)
		return u, false, false
	}
	move := min(length, full)
	for i := range r {
		d.mult[i] -= move * r[i]
	}
	u += move
	if !math.IsInf(full, 1) {
		for i := q; i < d.s.n; i++ {
			axpy(move*tn[i], d.t[i], d.x)
		}
	}
	if full <= length {
		d.add(k, u, tn)
		return u, true, true
	}
	d.drop(block)
	return u, false, true
}

// blocking is the active constraint whose multiplier would first become
// negative along −r, and after what length; -1 and +Inf if none would.
func (d *dual) blocking(r []float64) (at int, length float64) {
	const zero = 1e-12
	largest := 0.0
	for _, v := range r {
		largest = max(largest, math.Abs(v))
	}
	at, length = -1, math.Inf(1)
	for i, v := range r {
		if v > zero*largest {
			if l := max(0, d.mult[i]) / v; l < length {
				at, length = i, l
			}
		}
	}
	return at, length
}

// prove sets the multipliers under which constraint k and the active ones add
// up to a contradiction: their normals satisfy n_k = Σ r_i n_i with r ≤ 0.
func (d *dual) prove(k int, r []float64) {
	d.multiplier = make([]float64, d.s.rows())
	set := func(c int, v float64) {
		if c >= d.s.n {
			d.multiplier[c-d.s.n] = max(0, v)
		}
	}
	set(k, 1)
	for i, c := range d.active {
		set(c, -r[i])
	}
}

// transformed is t times the normal of constraint k.
func (d *dual) transformed(k int) []float64 {
	out := make([]float64, d.s.n)
	for i, row := range d.t {
		if k < d.s.n {
			out[i] = row[k]
		} else {
			out[i] = -dot(row, d.s.a[k-d.s.n])
		}
	}
	return out
}

// backSolve solves R r = v.
func (d *dual) backSolve(v []float64) []float64 {
	r := slices.Clone(v)
	for i := len(r) - 1; i >= 0; i-- {
		r[i] = (r[i] - dot(d.r[i][i+1:len(r)], r[i+1:])) / d.r[i][i]
	}
	return r
}

// forwardSolve solves Rᵀ p = v.
func (d *dual) forwardSolve(v []float64) []float64 {
	p := slices.Clone(v)
	for i := range p {
		p[i] /= d.r[i][i]
		axpy(-p[i], d.r[i][i+1:len(p)], p[i+1:])
	}
	return p
}

// add makes k active. tn is its transformed normal, which rotations of rows of
// t turn into a new column of R.
func (d *dual) add(k int, u float64, tn []float64) {
	q := len(d.active)
	for i := d.s.n - 1; i > q; i-- {
		if tn[i] == 0 {
			continue
		}
		c, s, h, _ := blas64.Rotg(tn[i-1], tn[i])
		tn[i-1], tn[i] = h, 0
		blas64.Rot(vector(d.t[i-1]), vector(d.t[i]), c, s)
	}
	for i := range q + 1 {
		d.r[i][q] = tn[i]
	}
	d.active, d.mult = append(d.active, k), append(d.mult, u)
}

// drop takes the at-th active constraint out and makes R triangular again.
func (d *dual) drop(at int) {
	q := len(d.active)
	d.active, d.mult = slices.Delete(d.active, at, at+1), slices.Delete(d.mult, at, at+1)
	for i := range q {
		copy(d.r[i][at:q-1], d.r[i][at+1:q])
		d.r[i][q-1] = 0
	}
	for i := at; i < q-1; i++ {
		if d.r[i+1][i] == 0 {
			continue
		}
		c, s, _, _ := blas64.Rotg(d.r[i][i], d.r[i+1][i])
		blas64.Rot(vector(d.r[i][i:q-1]), vector(d.r[i+1][i:q-1]), c, s)
		d.r[i+1][i] = 0
		blas64.Rot(vector(d.t[i]), vector(d.t[i+1]), c, s)
	}
}

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
