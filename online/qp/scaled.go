package qp

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// scaled is a problem in variables x̂ = x/col, in which H has a unit diagonal
// (where it is not 0) and every row of A has length 1. Constraint k < n reads
// x̂_k ≥ 0, constraint n+i row i as −a x̂ ≥ −b.
type scaled struct {
	n    int
	h    *mat.SymDense
	g    []float64
	a    [][]float64
	b    []float64
	col  []float64 // x = col·x̂
	norm []float64 // of the rows of A, 1 for a row of zeros
}

func newScaled(p *Problem) *scaled {
	n, m := p.check()
	s := &scaled{n: n, g: make([]float64, n), col: make([]float64, n)}
	for i := range n {
		s.col[i] = 1
		if h := p.H.At(i, i); h > 0 {
			s.col[i] = 1 / math.Sqrt(h)
		}
		s.g[i] = p.G[i] * s.col[i]
	}
	s.h = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.h.SetSym(i, j, p.H.At(i, j)*s.col[i]*s.col[j])
		}
	}
	s.a, s.b, s.norm = make([][]float64, m), make([]float64, m), make([]float64, m)
	for i := range m {
		row := mat.Row(nil, i, p.A)
		for j := range row {
			row[j] *= s.col[j]
		}
		s.norm[i] = norm2(row)
		if s.norm[i] == 0 {
			s.norm[i] = 1
		}
		for j := range row {
			row[j] /= s.norm[i]
		}
		s.a[i], s.b[i] = row, p.B[i]/s.norm[i]
	}
	return s
}

func (s *scaled) rows() int { return len(s.a) }

// shifted is H + δI.
func (s *scaled) shifted(delta float64) *mat.SymDense {
	h := mat.NewSymDense(s.n, nil)
	h.CopySym(s.h)
	for i := range s.n {
		h.SetSym(i, i, h.At(i, i)+delta)
	}
	return h
}

// unscale takes a result back to the variables and rows of the problem.
func (s *scaled) unscale(r *Result) {
	for i := range r.X {
		r.X[i] *= s.col[i]
	}
	for i := range r.Y {
		r.Y[i] /= s.norm[i]
	}
}

// slack is how far x is inside constraint k, negative outside, and the size of
// the figures that it was computed from, by which rounding is judged.
func (s *scaled) slack(k int, x []float64) (slack, size float64) {
	if k < s.n {
		return x[k], 1 + math.Abs(x[k])
	}
	i := k - s.n
	slack, size = s.b[i], 1+math.Abs(s.b[i])
	for j, a := range s.a[i] {
		slack -= a * x[j]
		size += math.Abs(a * x[j])
	}
	return slack, size
}

// gradient is Hx + g + Aᵀy and, per entry, the size of what was added up.
func (s *scaled) gradient(x, y []float64) (z, size []float64) {
	z, size = make([]float64, s.n), make([]float64, s.n)
	for i := range s.n {
		z[i], size[i] = s.g[i], 1+math.Abs(s.g[i])
		for j := range s.n {
			term := s.h.At(i, j) * x[j]
			z[i] += term
			size[i] += math.Abs(term)
		}
	}
	for k, row := range s.a {
		if y[k] == 0 {
			continue
		}
		for j, a := range row {
			z[j] += a * y[k]
			size[j] += math.Abs(a * y[k])
		}
	}
	return z, size
}

// kktError is the largest relative violation of the optimality conditions:
// feasibility of x and of the multipliers, and that of a constraint and its
// multiplier one is 0.
func (s *scaled) kktError(x, y []float64) float64 {
	worst := 0.0
	condition := func(slack, slackSize, mult, multSize float64) {
		rs, rm := slack/slackSize, mult/multSize
		worst = max(worst, -rs, -rm, min(rs, rm))
	}
	z, size := s.gradient(x, y)
	for j := range s.n {
		condition(x[j], 1+math.Abs(x[j]), z[j], size[j])
	}
	for i := range s.a {
		slack, slackSize := s.slack(s.n+i, x)
		condition(slack, slackSize, y[i], 1+math.Abs(y[i]))
	}
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return worst
}

// infeasible is Infeasible if y proves it (see Result.Y), else Inexact.
func (s *scaled) infeasible(y []float64) Status {
	sum, total := 0.0, 0.0
	w := make([]float64, s.n)
	for i, row := range s.a {
		if y[i] < 0 {
			return Inexact
		}
		sum += s.b[i] * y[i]
		total += y[i]
		for j, a := range row {
			w[j] += a * y[i]
		}
	}
	for j := range w {
		if w[j] < -accuracy*total {
			return Inexact
		}
	}
	if !(sum < 0) {
		return Inexact
	}
	return Infeasible
}

// isRay reports whether the objective falls without end along the unit vector d.
func (s *scaled) isRay(d []float64) bool {
	const flat = 1e-9
	slope := 0.0
	for i := range d {
		if d[i] < -flat {
			return false
		}
		slope += s.g[i] * d[i]
		hd := 0.0
		for j := range d {
			hd += s.h.At(i, j) * d[j]
		}
		if math.Abs(hd) > flat {
			return false
		}
	}
	for _, row := range s.a {
		if dot(row, d) > flat {
			return false
		}
	}
	return slope < -flat*norm2(s.g)
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

func norm2(x []float64) float64 { return blas64.Nrm2(vector(x)) }

// axpy adds a·x to y.
func axpy(a float64, x, y []float64) { blas64.Axpy(a, vector(x), vector(y)) }
