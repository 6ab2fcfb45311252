package qp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"downbeat/internal/testkit"
	"downbeat/online/qp"
)

// dense is a matrix from its rows; nil without rows.
func dense(rows ...[]float64) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

func TestWorkedByHand(t *testing.T) {
	identity := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	zero := mat.NewSymDense(2, nil)
	tests := []struct {
		name   string
		p      qp.Problem
		status qp.Status
		x, y   []float64
	}{
		{
			"the point nearest to (1, 2) is itself",
			qp.Problem{H: identity, G: []float64{-1, -2}},
			qp.Optimal, []float64{1, 2}, []float64{},
		},
		{
			// x1 wants to be −1 and stops at 0.
			"x ≥ 0 holds one variable back",
			qp.Problem{H: identity, G: []float64{1, -2}},
			qp.Optimal, []float64{0, 2}, []float64{},
		},
		{
			// On x1 + x2 = 2 the point nearest to (2, 4) is (0, 2), where the
			// gradient (−2, −2) is balanced by y = 2 alone.
			"a shared capacity is split by its price",
			qp.Problem{H: identity, G: []float64{-2, -4}, A: dense([]float64{1, 1}), B: []float64{2}},
			qp.Optimal, []float64{0, 2}, []float64{2},
		},
		{
			// Nocedal & Wright, example 16.4: minimise (x1−1)² + (x2−2.5)²
			// within −x1+2x2 ≤ 2, x1+2x2 ≤ 6, x1−2x2 ≤ 2. Only the first is
			// tight: 2(x1−1) = y, 2(x2−2.5) = −2y, so y = 0.8, x = (1.4, 1.7).
			"a textbook's example",
			qp.Problem{
				H: mat.NewSymDense(2, []float64{2, 0, 0, 2}), G: []float64{-2, -5},
				A: dense([]float64{-1, 2}, []float64{1, 2}, []float64{1, -2}), B: []float64{2, 6, 2},
			},
			qp.Optimal, []float64{1.4, 1.7}, []float64{0.8, 0, 0},
		},
		{
			// maximise 3x1 + 2x2 within x1+x2 ≤ 4, x1+3x2 ≤ 8, x1 ≤ 3: the
			// corner (3, 1), prices 2 and 1.
			"a linear program is one with H = 0",
			qp.Problem{
				H: zero, G: []float64{-3, -2},
				A: dense([]float64{1, 1}, []float64{1, 3}, []float64{1, 0}), B: []float64{4, 8, 3},
			},
			qp.Optimal, []float64{3, 1}, []float64{2, 0, 1},
		},
		{
			// H sees x1+x2 only; x1+x2 = 3 is best, and −x2 in g moves all of it
			// to x2: minimise ½s² − 3s − x2 gives s = 4 on x1 = 0.
			"a flat direction is settled by the linear term",
			qp.Problem{H: mat.NewSymDense(2, []float64{1, 1, 1, 1}), G: []float64{-3, -4}},
			qp.Optimal, []float64{0, 4}, []float64{},
		},
		{
			// x1 + x2 = 1 exactly, from both sides; nearest to (0, 0).
			"an equality is two inequalities",
			qp.Problem{
				H: identity, G: []float64{0, 0},
				A: dense([]float64{1, 1}, []float64{-1, -1}), B: []float64{1, -1},
			},
			qp.Optimal, []float64{0.5, 0.5}, []float64{0, 0.5},
		},
		{
			"x1 + x2 ≤ −1 cannot be with x ≥ 0",
			qp.Problem{H: identity, G: []float64{0, 0}, A: dense([]float64{1, 1}), B: []float64{-1}},
			qp.Infeasible, nil, []float64{1},
		},
		{
			"a row of zeros below 0 cannot be",
			qp.Problem{H: identity, G: []float64{0, 0}, A: dense([]float64{0, 0}), B: []float64{-1}},
			qp.Infeasible, nil, []float64{1},
		},
		{
			"nothing stops x2",
			qp.Problem{H: mat.NewSymDense(2, []float64{1, 0, 0, 0}), G: []float64{0, -1}},
			qp.Unbounded, []float64{0, 1}, nil,
		},
		{
			"a saddle is no convex problem",
			qp.Problem{H: mat.NewSymDense(2, []float64{1, 0, 0, -1}), G: []float64{0, 0}},
			qp.NotConvex, nil, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := qp.Solve(&tt.p)
			if r.Status != tt.status {
				t.Fatalf("status %v, want %v", r.Status, tt.status)
			}
			if !near(r.X, tt.x) || !near(r.Y, tt.y) {
				t.Errorf("x = %v, y = %v, want %v, %v", r.X, r.Y, tt.x, tt.y)
			}
		})
	}
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
}

// A family draws random problems and says which answers are right for all of
// them; none where that is not known beforehand.
type family struct {
	name   string
	draw   func(r *rand.Rand) *qp.Problem
	status []qp.Status
}

var families = []family{
	{"definite", func(r *rand.Rand) *qp.Problem { return feasible(r, 1, 0) }, []qp.Status{qp.Optimal}},
	{"badly conditioned", func(r *rand.Rand) *qp.Problem { return feasible(r, 1e5, 0) }, []qp.Status{qp.Optimal}},
	{"hardly definite", func(r *rand.Rand) *qp.Problem { return feasible(r, 1e7, 0) }, []qp.Status{qp.Optimal}},
	{"semidefinite", func(r *rand.Rand) *qp.Problem { return boxed(r, feasible(r, 1, 0.5)) }, []qp.Status{qp.Optimal}},
	{"linear", func(r *rand.Rand) *qp.Problem { return boxed(r, feasible(r, 1, 1)) }, []qp.Status{qp.Optimal}},
	{"degenerate", degenerate, []qp.Status{qp.Optimal}},
	{"badly scaled rows", badlyScaled, []qp.Status{qp.Optimal}},
	{"contradictory", contradictory, []qp.Status{qp.Infeasible}},
	{"falling", falling, []qp.Status{qp.Unbounded}},
	{"small integers", integers, []qp.Status{qp.Optimal, qp.Infeasible, qp.Unbounded}},
}

func TestRandomProblems(t *testing.T) {
	count := testkit.Sets(1500, 2000)
	if testing.Short() {
		count = 200
	}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			seen := map[qp.Status]int{}
			for seed := range uint64(count) {
				p := f.draw(rand.New(rand.NewPCG(seed, 17)))
				r := qp.Solve(p)
				seen[r.Status]++
				if !slices.Contains(f.status, r.Status) {
					t.Fatalf("seed %d: %v", seed, r.Status)
				}
				if err := evidence(p, r); err != nil {
					t.Fatalf("seed %d: %v, but %v", seed, r.Status, err)
				}
			}
			for _, s := range f.status {
				if seen[s] == 0 {
					t.Errorf("no problem was %v", s)
				}
			}
		})
	}
}

// evidence checks what a result promises, from the problem as it was given.
func evidence(p *qp.Problem, r qp.Result) error {
	switch r.Status {
	case qp.Optimal:
		return optimality(p, r.X, r.Y)
	case qp.Infeasible:
		return contradiction(p, r.Y)
	case qp.Unbounded:
		return endlessFall(p, r.X)
	}
	return fmt.Errorf("there is nothing to check")
}

const tolerance = 1e-7

// optimality checks the conditions of Karush, Kuhn and Tucker, each relative to
// the figures in it. A variable is measured in the unit that gives it a
// curvature of 1, a row in its length in those units.
func optimality(p *qp.Problem, x, y []float64) error {
	n := len(p.G)
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
		if h := p.H.At(i, i); h > 0 {
			unit[i] = 1 / math.Sqrt(h)
		}
	}
	for i := range n {
		z, size := p.G[i], 1/unit[i]+math.Abs(p.G[i])
		add := func(v float64) { z += v; size += math.Abs(v) }
		for j := range n {
			add(p.H.At(i, j) * x[j])
		}
		for k := range p.B {
			add(p.A.At(k, i) * y[k])
		}
		rx := x[i] / (unit[i] + math.Abs(x[i]))
		if rz := z / size; x[i] < 0 || rz < -tolerance || min(rx, rz) > tolerance {
			return fmt.Errorf("x[%d] = %g with reduced cost %g of %g", i, x[i], z, size)
		}
	}
	for k := range p.B {
		length := 0.0
		slack, size := p.B[k], math.Abs(p.B[k])
		for j := range n {
			slack -= p.A.At(k, j) * x[j]
			size += math.Abs(p.A.At(k, j) * x[j])
			length = math.Hypot(length, p.A.At(k, j)*unit[j])
		}
		rs, ry := slack/(size+length+1e-300), y[k]*length/(1+math.Abs(y[k])*length)
		if y[k] < 0 || rs < -tolerance || min(rs, ry) > tolerance {
			return fmt.Errorf("row %d has slack %g of %g, multiplier %g", k, slack, size, y[k])
		}
	}
	return nil
}

// contradiction checks Farkas: y ≥ 0, Aᵀy ≥ 0, bᵀy < 0.
func contradiction(p *qp.Problem, y []float64) error {
	sum, size := 0.0, 0.0
	for k := range y {
		if y[k] < 0 {
			return fmt.Errorf("y[%d] = %g", k, y[k])
		}
		sum += p.B[k] * y[k]
		size += math.Abs(p.B[k] * y[k])
	}
	if sum >= -tolerance*size {
		return fmt.Errorf("bᵀy = %g of %g", sum, size)
	}
	for j := range p.G {
		w, size := 0.0, 0.0
		for k := range y {
			w += p.A.At(k, j) * y[k]
			size += mat.Norm(p.A.RowView(k), 2) * y[k]
		}
		if w < -tolerance*size {
			return fmt.Errorf("(Aᵀy)[%d] = %g of %g", j, w, size)
		}
	}
	return nil
}

func endlessFall(p *qp.Problem, d []float64) error {
	v := mat.NewVecDense(len(d), d)
	var hd mat.VecDense
	hd.MulVec(p.H, v)
	if slope := mat.Dot(mat.NewVecDense(len(d), p.G), v); slope >= 0 {
		return fmt.Errorf("slope %g", slope)
	}
	if mat.Norm(&hd, math.Inf(1)) > 1e-5 || slices.Min(d) < -1e-6 {
		return fmt.Errorf("direction %v, curvature %v", d, hd.RawVector().Data)
	}
	for k := range p.B {
		if out := mat.Dot(p.A.RowView(k), v); out > 1e-5 {
			return fmt.Errorf("row %d is left at rate %g", k, out)
		}
	}
	return nil
}

// feasible is a random problem with a known feasible point, of which about half
// of the rows are tight. The eigenvalues of H lie between 1/spread and spread;
// the share flat of them is 0.
func feasible(r *rand.Rand, spread, flat float64) *qp.Problem {
	return feasibleOf(r, 1+r.IntN(12), r.IntN(16), spread, flat)
}

func feasibleOf(r *rand.Rand, n, m int, spread, flat float64) *qp.Problem {
	b := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			b.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(b)
	var q mat.Dense
	qr.QTo(&q)
	h := mat.NewSymDense(n, nil)
	for i := range n {
		if r.Float64() < flat {
			continue
		}
		value := math.Pow(spread, 2*r.Float64()-1)
		h.SymRankOne(h, value, q.ColView(i))
	}
	p := &qp.Problem{H: h, G: make([]float64, n)}
	x := make([]float64, n)
	for i := range n {
		p.G[i] = 3 * r.NormFloat64()
		x[i] = float64(r.IntN(2)) * r.ExpFloat64()
	}
	for range m {
		row, b := make([]float64, n), 0.0
		for j := range row {
			row[j] = r.NormFloat64()
			b += row[j] * x[j]
		}
		addRow(p, row, b+float64(r.IntN(2))*r.ExpFloat64())
	}
	return p
}

func addRow(p *qp.Problem, row []float64, b float64) {
	if p.A == nil {
		p.A = mat.NewDense(1, len(row), slices.Clone(row))
	} else {
		var grown mat.Dense
		grown.Stack(p.A, mat.NewDense(1, len(row), slices.Clone(row)))
		p.A = &grown
	}
	p.B = append(p.B, b)
}

// boxed keeps every variable at or below 10, so that there is a minimum.
func boxed(_ *rand.Rand, p *qp.Problem) *qp.Problem {
	for j := range p.G {
		row := make([]float64, len(p.G))
		row[j] = 1
		addRow(p, row, 10)
	}
	return p
}

// degenerate repeats rows, adds sums of rows, and turns some into equalities,
// all of them tight at one point.
func degenerate(r *rand.Rand) *qp.Problem {
	p := feasible(r, 10, 0)
	n := len(p.G)
	corner := make([]float64, n)
	for j := range corner {
		corner[j] = float64(r.IntN(3))
	}
	p.A, p.B = nil, nil
	for k := range 2 + r.IntN(2*n) {
		row := make([]float64, n)
		for j := range row {
			row[j] = float64(r.IntN(5) - 2)
		}
		if k > 1 && r.IntN(3) == 0 {
			for j := range row {
				row[j] = p.A.At(k-1, j) + p.A.At(r.IntN(k), j)
			}
		}
		b := mat.Dot(mat.NewVecDense(n, row), mat.NewVecDense(n, corner))
		addRow(p, row, b)
		if r.IntN(4) == 0 {
			for j := range row {
				row[j] = -row[j]
			}
			addRow(p, row, -b)
		}
	}
	return p
}

// badlyScaled multiplies rows and variables by powers of ten.
func badlyScaled(r *rand.Rand) *qp.Problem {
	p := feasible(r, 10, 0)
	n, m := len(p.G), len(p.B)
	for k := range m {
		f := math.Pow(10, float64(r.IntN(9)-4))
		for j := range n {
			p.A.Set(k, j, f*p.A.At(k, j))
		}
		p.B[k] *= f
	}
	for i := range n {
		f := math.Pow(10, float64(r.IntN(5)-2))
		p.G[i] *= f
		for k := range m {
			p.A.Set(k, i, f*p.A.At(k, i))
		}
		for j := range n {
			factor := f
			if i == j {
				factor = f * f
			}
			p.H.SetSym(i, j, factor*p.H.At(i, j))
		}
	}
	return p
}

// contradictory has one row that denies a positive sum of others.
func contradictory(r *rand.Rand) *qp.Problem {
	p := feasible(r, 100, 0.3)
	n := len(p.G)
	row, b := make([]float64, n), 0.0
	for k := range p.B {
		w := float64(r.IntN(2)) * r.Float64()
		b -= w * p.B[k]
		for j := range row {
			row[j] -= w * p.A.At(k, j)
		}
	}
	for j := range row {
		row[j] += float64(r.IntN(2)) * r.Float64()
	}
	addRow(p, row, b-0.01-r.Float64())
	return p
}

// falling leaves the first variable without curvature, price or limit.
func falling(r *rand.Rand) *qp.Problem {
	p := feasible(r, 10, 0.3)
	p.G[0] = -0.1 - r.Float64()
	for j := range p.G {
		p.H.SetSym(0, j, 0)
	}
	for k := range p.B {
		p.A.Set(k, 0, -math.Abs(p.A.At(k, 0)))
	}
	return p
}

// integers draws all figures from a few small integers, so that ties, repeated
// rows, zero rows and all answers occur.
func integers(r *rand.Rand) *qp.Problem {
	n, m := 1+r.IntN(5), r.IntN(8)
	small := func() float64 { return float64(r.IntN(7) - 3) }
	h := mat.NewSymDense(n, nil)
	for range r.IntN(n + 1) {
		v := mat.NewVecDense(n, nil)
		for j := range n {
			v.SetVec(j, small())
		}
		h.SymRankOne(h, 1, v)
	}
	p := &qp.Problem{H: h, G: make([]float64, n)}
	for j := range p.G {
		p.G[j] = small()
	}
	for range m {
		row := make([]float64, n)
		for j := range row {
			row[j] = small()
		}
		addRow(p, row, float64(r.IntN(8)-2))
	}
	return p
}

// TestLargeProblems has the sizes that controllers ask for.
func TestLargeProblems(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 23))
		for name, p := range map[string]*qp.Problem{
			"definite":          feasibleOf(r, 100, 60, 10, 0),
			"badly conditioned": feasibleOf(r, 60, 100, 1e5, 0),
			"semidefinite":      boxed(r, feasibleOf(r, 50, 40, 1, 0.5)),
		} {
			res := qp.Solve(p)
			if res.Status != qp.Optimal {
				t.Fatalf("seed %d, %s: %v", seed, name, res.Status)
			}
			if err := evidence(p, res); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
		}
	}
}

func TestMisfitsPanic(t *testing.T) {
	for name, p := range map[string]qp.Problem{
		"g too short": {H: mat.NewSymDense(2, nil), G: []float64{1}},
		"A too wide":  {H: mat.NewSymDense(1, nil), G: []float64{1}, A: dense([]float64{1, 2}), B: []float64{1}},
		"b too long":  {H: mat.NewSymDense(1, nil), G: []float64{1}, B: []float64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			qp.Solve(&p)
		})
	}
}
