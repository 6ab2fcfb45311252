// Package qp solves small dense convex quadratic programs
//
//	minimise ½ xᵀHx + gᵀx  subject to  A x ≤ b, x ≥ 0,
//
// H positive semidefinite, up to a few hundred variables. An equality is
// written as two opposite inequalities.
//
// The method is the dual active set of Goldfarb and Idnani ("A numerically
// stable dual method for solving strictly convex quadratic programs",
// Mathematical Programming 27, 1983). It starts at the unconstrained minimum
// and takes in one violated constraint after the other, so it needs no feasible
// start, cannot cycle while H is definite, and ends with a proof where there is
// no feasible point. A semidefinite H is handled by the proximal point method
// on top (Rockafellar, SIAM J. Control 14, 1976): each round adds ½δ|x − c|²
// around the last point c, which changes the round's minimum but not the last.
//
// Every answer carries its evidence, checked before it is given; see [Result].
package qp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Problem is one quadratic program in n variables.
type Problem struct {
	// H is n×n and positive semidefinite.
	H *mat.SymDense
	// G has n entries.
	G []float64
	// A is m×n; nil without constraints other than x ≥ 0.
	A *mat.Dense
	// B has m entries.
	B []float64
}

// Status tells what a [Result] claims.
type Status uint8

const (
	// Inexact: rounding kept the method from an answer that passes its checks.
	Inexact Status = iota
	// Optimal: X is a minimum.
	Optimal
	// Infeasible: no x ≥ 0 has A x ≤ b.
	Infeasible
	// Unbounded: the objective falls without end.
	Unbounded
	// NotConvex: H has a negative eigenvalue.
	NotConvex
)

// Result is an answer with its evidence.
type Result struct {
	Status Status
	// X is the minimum if Optimal, the last point if Inexact (it may be nil), and if
	// Unbounded a direction d ≥ 0 with Hd = 0, A d ≤ 0 and gᵀd < 0.
	X []float64
	// Y are multipliers of A x ≤ b. If Optimal, y ≥ 0, yᵀ(b − Ax) = 0 and
	// z = Hx + g + Aᵀy ≥ 0 with zᵀx = 0. If Infeasible, y ≥ 0, Aᵀy ≥ 0 and
	// bᵀy < 0, which no x ≥ 0 with A x ≤ b allows (Farkas).
	Y []float64
	// Iterations counts the constraints that were taken in or dropped.
	Iterations int
}

const (
	// maxCond is the condition of the scaled H up to which it may pass as definite.
	maxCond = 1e14
	// refinements of a solution with the factors at hand.
	refinements = 5
	// proximity is δ, relative to a Hessian with a unit diagonal.
	proximity = 1e-7
	// maxRounds bounds the proximal rounds: each one cuts what is left of the
	// stationarity error to its share δ of the last move.
	maxRounds = 40
	// accuracy is the largest error of the optimality conditions, relative to
	// the figures that enter them, after scaling.
	accuracy = 1e-9
)

// Solve finds the minimum or says why there is none. It panics if the parts of
// p do not fit together.
func Solve(p *Problem) Result {
	s := newScaled(p)
	var r Result
	var chol mat.Cholesky
	if chol.Factorize(s.h) && chol.Cond() < maxCond {
		r = s.round(&chol, s)
	}
	if r.Status == Inexact {
		total := r.Iterations
		r = s.proximal()
		r.Iterations += total
	}
	s.unscale(&r)
	return r
}

// proximal solves a problem whose Hessian need not be definite.
func (s *scaled) proximal() Result {
	near := *s
	near.h, near.g = s.shifted(proximity), make([]float64, s.n)
	var chol mat.Cholesky
	if !chol.Factorize(near.h) {
		return Result{Status: NotConvex}
	}
	centre := make([]float64, s.n)
	total := 0
	for range maxRounds {
		for i := range near.g {
			near.g[i] = s.g[i] - proximity*centre[i]
		}
		r := near.round(&chol, s)
		total += r.Iterations
		r.Iterations = total
		if r.Status != Inexact || r.X == nil {
			return r
		}
		if ray := direction(centre, r.X); s.isRay(ray) {
			return Result{Status: Unbounded, X: ray, Iterations: total}
		}
		centre = r.X
	}
	return Result{Status: Inexact, X: centre, Y: make([]float64, s.rows()), Iterations: total}
}

// round solves s, of whose Hessian chol has the factors, and tells whether that
// solves the problem whole as well. If not, X is the minimum of s, or nil if
// rounding got in the way.
func (s *scaled) round(chol *mat.Cholesky, whole *scaled) Result {
	d := newDual(s, chol)
	switch d.run() {
	case Infeasible:
		return Result{Status: s.infeasible(d.multiplier), Y: d.multiplier, Iterations: d.iterations}
	case Inexact:
		return Result{Iterations: d.iterations}
	}
	x, y := d.refined(whole)
	if whole.kktError(x, y) > accuracy {
		return Result{X: d.x, Iterations: d.iterations}
	}
	return Result{Status: Optimal, X: x, Y: y, Iterations: d.iterations}
}

// direction is the unit vector from a to b, zero if they are equal.
func direction(a, b []float64) []float64 {
	d := make([]float64, len(a))
	norm := 0.0
	for i := range d {
		d[i] = b[i] - a[i]
		norm = math.Hypot(norm, d[i])
	}
	if norm > 0 {
		for i := range d {
			d[i] /= norm
		}
	}
	return d
}

func (p *Problem) check() (n, m int) {
	n = p.H.SymmetricDim()
	if len(p.G) != n {
		panic(fmt.Sprintf("qp: H is %d×%d but g has %d entries", n, n, len(p.G)))
	}
	if p.A != nil {
		var cols int
		if m, cols = p.A.Dims(); cols != n {
			panic(fmt.Sprintf("qp: H is %d×%d but A has %d columns", n, n, cols))
		}
	}
	if len(p.B) != m {
		panic(fmt.Sprintf("qp: A has %d rows but b has %d entries", m, len(p.B)))
	}
	return n, m
}
