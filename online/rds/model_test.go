package rds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// evaluate is the rules' output at v.
func evaluate(rules []Rule, v []float64) float64 {
	coef := blend(rules, v)
	y := coef[len(v)]
	for k, x := range v {
		y += coef[k] * x
	}
	return y
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func allClose(got, want []float64, tolerance float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return near(a, b, tolerance) })
}

func TestForecastByHand(t *testing.T) {
	tests := []struct {
		name    string
		history []float64
		want    []float64
	}{
		{"nothing is known", nil, []float64{0, 0, 0}},
		{"one reading is repeated", []float64{5}, []float64{5, 5, 5}},
		// Two readings allow order 1: 6 = 3a, so it doubles until 20 stops it.
		{"two readings grow geometrically", []float64{3, 6}, []float64{12, 20, 20}},
		{"constant readings stay", []float64{4, 4, 4, 4, 4, 4, 4}, []float64{4, 4, 4}},
		{"no capacity stays none", []float64{0, 0, 0, 0, 0, 0}, []float64{0, 0, 0}},
		// r(t) = r(t−2), found with order 2 already.
		{"the case study's alternation", []float64{3, 6, 3, 6}, []float64{3, 6, 3}},
		// r(t) = 2r(t−1) − r(t−2) is a line; the fit goes on with it below 0.
		{"a falling line stops at 0", []float64{10, 8, 6, 4, 2}, []float64{0, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Forecast(tt.history, nil, 3, 24, 3, 20); !allClose(got, tt.want, 1e-9) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// An autoregressive process without noise is found and continued exactly; with
// noise its coefficients are found up to the noise.
func TestForecastRecoversProcess(t *testing.T) {
	a := []float64{0.6, -0.4, 0.7}
	series := []float64{1, 3, 2}
	step := func(s []float64) float64 {
		n := len(s)
		return a[0]*s[n-1] + a[1]*s[n-2] + a[2]*s[n-3]
	}
	for range 12 {
		series = append(series, step(series))
	}
	if got := FitCapacity([][]float64{series}, 3); !allClose(got, a, 1e-6) {
		t.Errorf("coefficients %v, want %v", got, a)
	}
	want := slices.Clone(series)
	for range 3 {
		want = append(want, step(want))
	}
	if got := Forecast(series, nil, 3, 24, 3, 100); !allClose(got, want[15:], 1e-6) {
		t.Errorf("forecast %v, want %v", got, want[15:])
	}

	r := rand.New(rand.NewPCG(1, 1))
	noisy := []float64{50, 50, 50}
	for range 5000 {
		noisy = append(noisy, step(noisy)+r.NormFloat64())
	}
	if got := FitCapacity([][]float64{noisy[500:]}, 3); !allClose(got, a, 0.05) {
		t.Errorf("with noise: coefficients %v, want about %v", got, a)
	}
}

// Days are fitted together, but not from the end of one to the beginning of the next: each of
// these doubles. Fitted coefficients are used as they are, from the first reading on, which
// stands for those before it.
func TestFittedOnEarlierDays(t *testing.T) {
	coef := FitCapacity([][]float64{{1, 2, 4, 8}, {3, 6}, {5}}, 1)
	if !allClose(coef, []float64{2}, 1e-9) {
		t.Errorf("coefficients %v, want 2", coef)
	}
	if got := Forecast([]float64{1}, []float64{0.5, 2}, 3, 24, 2, 20); !allClose(got, []float64{2.5, 3.25}, 1e-9) {
		t.Errorf("forecast %v, want 2.5 and 3.25", got)
	}
	if got := FitCapacity([][]float64{{5}}, 3); !allClose(got, []float64{1}, 0) {
		t.Errorf("nothing to fit to: %v, want 1", got)
	}
}

func TestForecastStaysInRange(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		history := make([]float64, r.IntN(30))
		for i := range history {
			history[i] = float64(r.IntN(20))
		}
		for _, v := range Forecast(history, nil, r.IntN(5), 1+r.IntN(24), 4, 25) {
			if !(v >= 0 && v <= 25) {
				t.Fatalf("seed %d: %v of %v", seed, v, history)
			}
		}
	}
}

// The recursion must give what solving the discounted problem at once does.
func TestRLSEqualsWeightedLeastSquares(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		n, count := 1+r.IntN(5), 1+r.IntN(40)
		tau, trust := 0.8+0.2*r.Float64(), math.Pow(10, 4*r.Float64()-2)
		w0 := normal(r, n)
		rls := NewRLS(w0, tau, trust)
		gram, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			gram.SetSym(i, i, 1/trust)
			right.SetVec(i, w0[i]/trust)
		}
		for range count {
			x, y := normal(r, n), 3*r.NormFloat64()
			v := mat.NewVecDense(n, x)
			before := mat.Dot(mat.NewVecDense(n, rls.W()), v)
			if e := rls.Update(x, y); !near(e, y-before, 1e-9) {
				t.Fatalf("seed %d: error %g, want %g", seed, e, y-before)
			}
			gram.ScaleSym(tau, gram)
			gram.SymRankOne(gram, 1, v)
			right.ScaleVec(tau, right)
			right.AddScaledVec(right, y, v)
		}
		var want mat.VecDense
		if err := want.SolveVec(gram, right); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !allClose(rls.W(), want.RawVector().Data, 1e-6*(1+mat.Norm(&want, 2))) {
			t.Fatalf("seed %d: %v, want %v", seed, rls.W(), want.RawVector().Data)
		}
	}
}

// Without news of one coefficient its uncertainty must not grow without end.
func TestRLSDoesNotWindUp(t *testing.T) {
	rls := NewRLS([]float64{0, 0}, 0.9, 1)
	r := rand.New(rand.NewPCG(2, 2))
	for range 10_000 {
		rls.Update([]float64{1, 0}, r.NormFloat64())
	}
	rls.Update([]float64{1, 1}, 2)
	if w := rls.W(); math.IsNaN(w[1]) || math.Abs(w[1]) > 10 {
		t.Errorf("estimate %v", w)
	}
	if trace := mat.Trace(rls.p); trace > 4*windup {
		t.Errorf("uncertainty %g", trace)
	}
}

func normal(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func TestFiring(t *testing.T) {
	rules := []Rule{
		{Sets: []Set{{0, 1}, {}}, Coef: []float64{1, 0, 0}},
		{Sets: []Set{{2, 1}, {}}, Coef: []float64{0, 1, 5}},
	}
	// Half-way between the centres both fire alike; the second variable has no
	// say. Far outside, the nearer rule fires alone.
	for _, tt := range []struct {
		v    []float64
		want []float64
	}{
		{[]float64{1, 7}, []float64{0.5, 0.5}},
		{[]float64{0, 7}, []float64{1 / (1 + math.Exp(-2)), 1 / (1 + math.Exp(2))}},
		{[]float64{1e6, 0}, []float64{0, 1}},
		{[]float64{-1e6, 0}, []float64{1, 0}},
	} {
		if got := firing(rules, tt.v); !allClose(got, tt.want, 1e-12) {
			t.Errorf("at %v: %v, want %v", tt.v, got, tt.want)
		}
	}
	// (1 + (7 + 5))/2 at the half-way point.
	if got := evaluate(rules, []float64{1, 7}); !near(got, 6.5, 1e-12) {
		t.Errorf("evaluates to %g, want 6.5", got)
	}
}

// A function with a kink is out of reach of any affine model; trained rules
// must come close, on points that they have not seen.
func TestTrainFitsPiecewise(t *testing.T) {
	kinked := func(a, b float64) float64 {
		if a < 0 {
			return 2*a + b
		}
		return -a + b
	}
	r := rand.New(rand.NewPCG(4, 4))
	draw := func(n int) (out []Sample) {
		for range n {
			a, b := 4*r.Float64()-2, 2*r.Float64()
			out = append(out, Sample{[]float64{a, b}, kinked(a, b)})
		}
		return out
	}
	samples, fresh := draw(500), draw(500)
	rules, err := Train(samples, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	affine := []Rule{{Sets: make([]Set, 2)}}
	x := mat.NewDense(len(samples), 3, nil)
	y := make([]float64, len(samples))
	for i, s := range samples {
		x.SetRow(i, []float64{s.V[0], s.V[1], 1})
		y[i] = s.Y
	}
	affine[0].Coef = leastSquares(x, y)
	fuzzy, flat := rms(rules, fresh), rms(affine, fresh)
	t.Logf("%d rules: error %.4f, an affine model %.4f", len(rules), fuzzy, flat)
	if len(rules) < 2 || len(rules) > 40 || fuzzy > 0.1*flat {
		t.Errorf("%d rules with error %g, an affine model has %g", len(rules), fuzzy, flat)
	}
}

func TestTrainRefuses(t *testing.T) {
	if _, err := Train(nil, 0.5); err == nil {
		t.Error("no samples: no error")
	}
	if _, err := Train([]Sample{{[]float64{1}, 1}}, 0); err == nil {
		t.Error("radius 0: no error")
	}
	// Equal samples make one rule that repeats them.
	same := slices.Repeat([]Sample{{[]float64{1, 2}, 3}}, 5)
	rules, err := Train(same, 0.5)
	if err != nil || len(rules) != 1 || !near(evaluate(rules, []float64{1, 2}), 3, 1e-9) {
		t.Errorf("equal samples: %v, %v", rules, err)
	}
}

func rms(rules []Rule, samples []Sample) float64 {
	sum := 0.0
	for _, s := range samples {
		e := evaluate(rules, s.V) - s.Y
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(samples)))
}

func randomRules(r *rand.Rand, n int) []Rule {
	rules := make([]Rule, 1+r.IntN(3))
	for l := range rules {
		rules[l] = Rule{Coef: make([]float64, n+1)}
		for range n {
			rules[l].Sets = append(rules[l].Sets, Set{r.NormFloat64(), float64(r.IntN(2)) * (0.5 + r.Float64())})
		}
		for k := range rules[l].Coef {
			rules[l].Coef[k] = 0.3 * r.NormFloat64()
		}
		// Gains of slots within the bounds, which predictions keep to.
		rules[l].Coef[n-3], rules[l].Coef[n-2] = 0.2+r.Float64(), 0.2+r.Float64()
	}
	return rules
}

// Predictions as functions of the moves must give what stepping the model by
// hand gives, with the rules firing as at the start.
func TestPredictEqualsStepping(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		o := Defaults()
		o.LagsY, o.LagsU = r.IntN(4), r.IntN(4)
		o.Rules = randomRules(r, variables(o.LagsY, o.LagsU))
		m := newNARX(&o, 5*r.Float64())
		for range r.IntN(6) {
			m.observe(r.Float64(), [kinds]float64{2 * r.Float64(), 2 * r.Float64()})
		}
		now := [kinds]float64{3 * r.Float64(), 3 * r.Float64()}
		coef := blend(m.rules, m.at(now))
		for k, g := range m.gains(now) {
			coef[o.LagsY+kinds*o.LagsU+k] = g // kept within bounds
		}
		moves := 1 + r.IntN(4)
		steps := moves + r.IntN(3)
		plan := make([][kinds]float64, moves)
		for i := range plan {
			plan[i] = [kinds]float64{4 * r.Float64(), 4 * r.Float64()}
		}
		predicted := m.predict(steps, moves, now)
		for i := range steps {
			u := plan[min(i, moves-1)]
			want := coef[len(coef)-1]
			for k, v := range m.at(u) {
				want += coef[k] * v
			}
			got := predicted[i][0]
			for j, u := range plan {
				got += predicted[i][1+j*kinds]*u[0] + predicted[i][2+j*kinds]*u[1]
			}
			if !near(got, want, 1e-9*(1+math.Abs(want))) {
				t.Fatalf("seed %d, step %d: %g, want %g", seed, i, got, want)
			}
			shift(m.y, want)
			for k := range kinds {
				shift(m.u[k], u[k])
			}
		}
	}
}

// A job that does half of what its slots promise, and part of it an interval
// late, is learnt from its measurements.
func TestAdaptation(t *testing.T) {
	o := Defaults()
	m := newNARX(&o, 20)
	r := rand.New(rand.NewPCG(7, 7))
	last, first, late := 0.0, 0.0, 0.0
	const intervals = 60
	for i := range intervals {
		u := [kinds]float64{5 * r.Float64(), 0}
		y := 0.4*u[0] + 0.1*last
		e := math.Abs(evaluate(m.rules, m.at(u)) - y)
		if i < 5 {
			first += e / 5
		} else if i >= intervals-5 {
			late += e / 5
		}
		m.observe(y, u)
		last = u[0]
	}
	t.Logf("mean error %.4f at first, %.4f after %d intervals", first, late, intervals)
	if first < 0.3 || late > 0.05*first {
		t.Errorf("mean error %g at first, %g later", first, late)
	}
}
