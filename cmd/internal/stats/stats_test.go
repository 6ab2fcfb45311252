package stats

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// 1 to 5: deviation √2.5, Student's t with 4 degrees of freedom 2.776445.
func TestStudentOf(t *testing.T) {
	s := StudentOf([]float64{1, 2, 3, 4, 5})
	near(t, "mean", s.Mean, 3, 1e-12)
	near(t, "low", s.Low, 3-2.776445*math.Sqrt(2.5/5), 1e-6)
	near(t, "high", s.High, 3+2.776445*math.Sqrt(2.5/5), 1e-6)
	if one := StudentOf([]float64{7}); one.Mean != 7 || one.Fixed() {
		t.Errorf("one value gives %+v", one)
	}
}

// Without skewness the interval is Student's: of 0 to 12, deviation √(91/6), t with 12 degrees
// of freedom 2.178813. With it, no side is nearer than his. Twelve values, or many that are
// equal, have none.
func TestMeanOf(t *testing.T) {
	var even, skewed []float64
	for i := range 13 {
		even, skewed = append(even, float64(i)), append(skewed, float64(i*i))
	}
	s := MeanOf(even)
	near(t, "low", s.Low, 6-2.178813*math.Sqrt(91.0/6/13), 1e-6)
	near(t, "high", s.High, 6+2.178813*math.Sqrt(91.0/6/13), 1e-6)
	if s, student := MeanOf(skewed), StudentOf(skewed); s.Low != student.Low || s.High < student.High+1 {
		t.Errorf("%+v, Student's %+v", s, student)
	}
	most := append(make([]float64, 100), skewed[2:]...) // eleven are not zero
	for _, few := range [][]float64{even[:12], {7}, {2, 2, 2}, most} {
		if s := MeanOf(few); s.Fixed() || s.N != len(few) || math.IsNaN(s.Mean) {
			t.Errorf("%v: %+v", few, s)
		}
	}
	if s := MeanOf(append(most, 1)); !s.Fixed() {
		t.Errorf("twelve that differ: %+v", s)
	}
	if none := MeanOf(nil); none.N != 0 || !math.IsNaN(none.Mean) {
		t.Errorf("no value gives %+v", none)
	}
}

// Newcombe (1998), Table I: the score intervals, to four digits.
func TestShareOf(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1}} {
		s := ShareOf(c.hits, c.n)
		near(t, "share", s.Mean, float64(c.hits)/float64(c.n), 1e-12)
		near(t, "low", s.Low, c.low, 5e-5)
		near(t, "high", s.High, c.high, 5e-5)
	}
}

// Student's own data (1908): hours of sleep gained with two drugs by ten
// people; the difference is 1.58, which nine of ten have on the same side. By Student it is from
// 0.70 to 2.46; for an interval that does not rely on his, ten are too few.
func TestPair(t *testing.T) {
	a := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	b := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2}
	p := Pair(a, b, +1)
	near(t, "difference", p.Difference.Mean, 1.58, 1e-9)
	near(t, "p", p.P(), 2.0/512, 1e-9) // nine of nine that differ
	if p.Difference.Fixed() {
		t.Errorf("%+v", p.Difference)
	}
	if p.ABetter != 9 || p.BBetter != 0 || p.Equal != 1 || !p.Shows() {
		t.Errorf("%+v shows %v", p, p.Shows())
	}
	if q := Pair(a, b, -1); q.ABetter != 0 || q.BBetter != 9 || !q.Shows() {
		t.Errorf("less is better: %+v", q)
	}
}

// No claim without a difference, with the interval over zero, or from a handful
// of pairs that differ.
func TestShows(t *testing.T) {
	ramp := func(n int, step float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = step * float64(i%2)
		}
		return out
	}
	zeros := make([]float64, 100)
	few := make([]float64, 100)
	copy(few, []float64{1, 1, 1, 1, 1})
	six := make([]float64, 100)
	copy(six, []float64{1, 1, 1, 1, 1, 1})
	for _, c := range []struct {
		name string
		a, b []float64
		want bool
	}{
		{"the same", zeros, zeros, false},
		{"one up, one down", ramp(100, 1), ramp(101, 1)[1:], false},
		{"half are greater", ramp(100, 1), zeros, true},
		{"five pairs differ", few, zeros, false},
		{"six pairs differ", six, zeros, true},
		{"five pairs, all differ", few[:5], zeros[:5], false},
		{"six pairs, all differ", six[:6], zeros[:6], true},
		{"no pairs", nil, nil, false},
	} {
		if got := Pair(c.a, c.b, -1).Shows(); got != c.want {
			t.Errorf("%s: shows %v", c.name, got)
		}
	}
}

func TestFigure(t *testing.T) {
	for _, c := range []struct {
		x, uncertainty float64
		want           string
	}{
		{12.3456, 0.1, "12.35"}, {12.3456, 2.3, "12.3"}, {1234.5, 23, "1234"}, {1234.5, 230, "1234"},
		{0.5, 0, "0.5"}, {2, 0, "2"}, {0, 0, "0"}, {1.0 / 3, 0, "0.3333"}, {100, 0, "100"}, {-0.0001, 0.2, "0.00"},
		{-1.25, 0.5, "-1.25"}, {3e-9, 1e-9, "0.000000"},
	} {
		if got := Figure(c.x, c.uncertainty); got != c.want {
			t.Errorf("Figure(%v, %v) is %q, want %q", c.x, c.uncertainty, got, c.want)
		}
	}
}

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{1.25: "+1.25", -1.25: "-1.25", 0: "0.00", 0.001: "0.00"} {
		if got := Signed(x, 0.5); got != want {
			t.Errorf("%v is %q, not %q", x, got, want)
		}
	}
}

// With equal weights a weighted share is a plain one; by hand with others. Weight 0 counts for
// nothing.
func TestWeightedShareOf(t *testing.T) {
	hits := []bool{true, false, true, true, false, true}
	plain, even := ShareOf(4, 6), WeightedShareOf(hits, []float64{2, 2, 2, 2, 2, 2})
	if even.N != 6 || math.Abs(even.Mean-plain.Mean) > 1e-12 || even.HalfWidth() < plain.HalfWidth() || even.HalfWidth() > 1.1*plain.HalfWidth() {
		t.Errorf("%+v, plain %+v", even, plain)
	}
	if got, want := WeightedShareOf(hits[2:4], []float64{2, 2}), ShareOf(2, 2); got != want {
		t.Errorf("%+v, plain %+v", got, want)
	}
	if got := WeightedShareOf([]bool{true, false, true}, []float64{3, 1, 0}); got.N != 2 || got.Mean != 0.75 || !got.Fixed() {
		t.Errorf("%+v", got)
	}
	if got := WeightedShareOf([]bool{true}, []float64{0}); got.N != 0 || !math.IsNaN(got.Mean) {
		t.Errorf("%+v", got)
	}
}
