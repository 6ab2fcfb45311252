package rds

import "gonum.org/v1/gonum/mat"

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
