package rds

import "gonum.org/v1/gonum/mat"

// RLS estimates w in y = w·x from one observation after the other, older ones
// discounted by τ each time (recursive least squares, Eqs. 8 and 9). After N
// observations w minimises
//
//	Σ_t τ^(N−t) (y_t − w·x_t)² + τ^N |w − w_0|²/trust.
type RLS struct {
	w     *mat.VecDense
	p     *mat.SymDense
	tau   float64
	trust float64
}

// windup bounds the mean uncertainty, in units of the one at the start: without
// news of some coefficient, discounting would raise it forever.
const windup = 1000

// NewRLS starts at w0, which is copied. trust > 0 is the variance given to each
// coefficient, in units of that of an observation: large means that w0 is soon
// forgotten. τ is in (0, 1]; 1 discounts nothing.
func NewRLS(w0 []float64, tau, trust float64) *RLS {
	n := len(w0)
	r := &RLS{w: mat.NewVecDense(n, append([]float64(nil), w0...)), p: mat.NewSymDense(n, nil), tau: tau, trust: trust}
	for i := range n {
		r.p.SetSym(i, i, trust)
	}
	return r
}

// W is the estimate. It must not be written to.
func (r *RLS) W() []float64 { return r.w.RawVector().Data }

// Update takes in an observation and returns its error before the update. An
// error of 0 changes nothing, as the paper has it.
func (r *RLS) Update(x []float64, y float64) float64 {
	v := mat.NewVecDense(len(x), x)
	e := y - mat.Dot(r.w, v)
	if e == 0 {
		return 0
	}
	var px mat.VecDense
	px.MulVec(r.p, v)
	tau := r.tau
	if mat.Trace(r.p) > windup*r.trust*float64(len(x)) {
		tau = 1
	}
	scale := 1 / (tau + mat.Dot(v, &px))
	r.w.AddScaledVec(r.w, e*scale, &px)
	r.p.SymRankOne(r.p, -scale, &px)
	r.p.ScaleSym(1/tau, r.p)
	return e
}

// leastSquares is the shortest w that minimises |Xw − y|. Directions in which
// the rows of X hardly differ count as absent, so that constant or repeated
// observations give small, even weights instead of noise.
func leastSquares(x *mat.Dense, y []float64) []float64 {
	const singular = 1e-9
	_, cols := x.Dims()
	w := mat.NewVecDense(cols, nil)
	var svd mat.SVD
	if svd.Factorize(x, mat.SVDThin) {
		if rank := svd.Rank(singular); rank > 0 {
			svd.SolveVecTo(w, mat.NewVecDense(len(y), y), rank)
		}
	}
	return w.RawVector().Data
}
