package slotted

import (
	"math"
	"testing"
)

// Laws draw what their moments promise: every value with its chance, within
// what 400,000 draws leave open.
func TestLawDraws(t *testing.T) {
	poisson, err := Poisson(3.7)
	if err != nil {
		t.Fatal(err)
	}
	binomial, err := Binomial(6, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	zipf, err := Zipf(1.5, 9)
	if err != nil {
		t.Fatal(err)
	}
	bins, err := Bins([]Bin{{1, 3, 6}, {10, 11, 4}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		law    *Law
		chance func(k int) float64
	}{
		{"poisson", poisson, func(k int) float64 {
			l, _ := math.Lgamma(float64(k) + 1)
			return math.Exp(float64(k)*math.Log(3.7) - 3.7 - l)
		}},
		{"binomial", binomial, func(k int) float64 {
			l, _ := math.Lgamma(float64(k) + 1)
			r, _ := math.Lgamma(float64(6-k) + 1)
			return 720 * math.Exp(-l-r) * math.Pow(0.3, float64(k)) * math.Pow(0.7, float64(6-k))
		}},
		{"zipf", zipf, func(k int) float64 {
			sum := 0.0
			for i := 1; i <= 9; i++ {
				sum += math.Pow(float64(i), -1.5)
			}
			return math.Pow(float64(k), -1.5) / sum
		}},
		{"bins", bins, func(k int) float64 { return map[bool]float64{true: 0.2}[k <= 3 || k >= 10] }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const draws = 400_000
			s := newStream(1, 2)
			count := map[int]int{}
			for range draws {
				count[test.law.draw(&s)]++
			}
			mean, square := 0.0, 0.0
			for _, k := range test.law.values {
				p := test.chance(k)
				mean += p * float64(k)
				square += p * float64(k) * float64(k)
				if got, allow := float64(count[k])/draws, 5*math.Sqrt(p*(1-p)/draws); math.Abs(got-p) > allow+1e-5 {
					t.Errorf("%d came with frequency %g, its chance is %g ± %g", k, got, p, allow)
				}
			}
			if math.Abs(test.law.Mean()-mean) > 1e-9 || math.Abs(test.law.Variance()-(square-mean*mean)) > 1e-9 {
				t.Errorf("mean %g and variance %g, want %g and %g", test.law.Mean(), test.law.Variance(), mean, square-mean*mean)
			}
		})
	}
}

// The moments of Poisson laws survive the cut, also at the paper's loads.
func TestPoissonMoments(t *testing.T) {
	for _, mean := range []float64{0, 0.01, 1, 7.9, 670, 1e5} {
		l, err := Poisson(mean)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(l.Mean()-mean) > 1e-9*(1+mean) || math.Abs(l.Variance()-mean) > 1e-6*(1+mean) {
			t.Errorf("Poisson(%g) has mean %g and variance %g", mean, l.Mean(), l.Variance())
		}
	}
}

// The variance of a slot's arrivals is that of a random sum.
func TestArrivalMoments(t *testing.T) {
	// 0 or 2 jobs, of 1 or 3 tasks: 0 with 1/2, else 2, 4 or 6 with 1/8, 1/4, 1/8.
	a := Arrivals{Jobs: law(t, 1, 0, 1), Tasks: law(t, 0, 1, 0, 1)}
	if a.Mean() != 2 || a.Variance() != (4*1+16*2+36*1)/8.0-4 {
		t.Errorf("mean %g and variance %g", a.Mean(), a.Variance())
	}
	b, err := PoissonArrivals(8, Constant(4))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Mean()-8) > 1e-9 || math.Abs(b.Variance()-32) > 1e-9 {
		t.Errorf("mean %g and variance %g", b.Mean(), b.Variance())
	}
}

// The largest class of the assumed job sizes holds the share of tasks that its
// upper end was chosen for.
func TestFacebookBins(t *testing.T) {
	l, err := Bins(FacebookBins())
	if err != nil {
		t.Fatal(err)
	}
	last := FacebookBins()[4]
	share := last.Weight / 100 * float64(last.Low+last.High) / 2 / l.Mean()
	if share < 0.755 || share > 0.765 {
		t.Errorf("jobs above 500 tasks hold %.3f of all tasks", share)
	}
}

// Laws refuse what is no distribution.
func TestLawFaults(t *testing.T) {
	for name, f := range map[string]func() (*Law, error){
		"no values":       func() (*Law, error) { return NewLaw(nil, nil) },
		"lengths differ":  func() (*Law, error) { return NewLaw([]int{1}, []float64{1, 2}) },
		"negative value":  func() (*Law, error) { return NewLaw([]int{-1}, []float64{1}) },
		"negative weight": func() (*Law, error) { return NewLaw([]int{1}, []float64{-1}) },
		"no weight":       func() (*Law, error) { return NewLaw([]int{1}, []float64{0}) },
		"nan":             func() (*Law, error) { return NewLaw([]int{1}, []float64{math.NaN()}) },
		"infinite":        func() (*Law, error) { return NewLaw([]int{1}, []float64{math.Inf(1)}) },
		"empty bin":       func() (*Law, error) { return Bins([]Bin{{3, 2, 1}}) },
		"negative mean":   func() (*Law, error) { return Poisson(-1) },
		"chance above 1":  func() (*Law, error) { return Binomial(3, 1.1) },
		"no trials":       func() (*Law, error) { return Binomial(0, 0.1) },
		"zipf of nothing": func() (*Law, error) { return Zipf(1, 0) },
	} {
		if l, err := f(); err == nil {
			t.Errorf("%s: got %v", name, l)
		}
	}
}

// Draws below n are uniform, and service times are geometric up to the ring.
func TestStream(t *testing.T) {
	s := newStream(3, 4)
	const draws = 300_000
	var count [7]int
	for range draws {
		count[s.below(7)]++
	}
	for k, n := range count {
		if math.Abs(float64(n)-draws/7.0) > 5*math.Sqrt(draws*6/49.0) {
			t.Errorf("below(7) gave %d %d times of %d", k, n, draws)
		}
	}
	for _, p := range []float64{0.02, 0.2, 0.8, 1} {
		g := newGeometric(p)
		var lasted [ring + 1]int
		for range draws {
			slots, over := g.draw(&s)
			if !over {
				slots = ring
			}
			lasted[slots]++
		}
		for d := 1; d <= ring; d++ {
			want := math.Pow(1-p, float64(d-1)) * p
			if d == ring {
				want = math.Pow(1-p, ring-1)
			}
			if got := float64(lasted[d]) / draws; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/draws)+1e-5 {
				t.Errorf("rate %g: %d slots with frequency %g, want %g", p, d, got, want)
			}
		}
	}
}

// Streams of neighbouring seeds and numbers have nothing in common.
func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(50) {
		for number := range uint64(50) {
			s := newStream(seed, number)
			if x := s.pcg.Uint64(); seen[x] {
				t.Fatalf("seed %d, stream %d begins like another", seed, number)
			} else {
				seen[x] = true
			}
		}
	}
}
