// Package stats tells how far a mean, a share or a difference of pairs is known.
package stats

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Sample is a mean of N values with a 95 % confidence interval.
type Sample struct {
	N               int
	Mean, Low, High float64
}

// confidence of all intervals.
const confidence = 0.95

// Fixed reports whether the interval says something: it needs two values.
func (s Sample) Fixed() bool { return s.N >= 2 }

// HalfWidth of the interval; not a number where there is none.
func (s Sample) HalfWidth() float64 { return (s.High - s.Low) / 2 }

// MeanOf is the mean with Student's interval, which takes the values for
// independent and their mean for roughly normal. Without two values the
// interval is not a number, without one the mean neither.
func MeanOf(values []float64) Sample {
	s := Sample{N: len(values), Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if s.N == 0 {
		return s
	}
	if s.N == 1 {
		s.Mean = values[0]
		return s
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	half := student(s.N-1) * deviation / math.Sqrt(float64(s.N))
	s.Mean, s.Low, s.High = mean, mean-half, mean+half
	return s
}

// ShareOf is the share of hits in n with Wilson's interval, which stays within
// [0, 1] and has a width even where all or none are hits.
func ShareOf(hits, n int) Sample {
	if n == 0 {
		return Sample{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	p, size := float64(hits)/float64(n), float64(n)
	shrink := 1 + z*z/size
	centre := (p + z*z/(2*size)) / shrink
	half := z / shrink * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	s := Sample{N: n, Mean: p, Low: max(0, centre-half), High: min(1, centre+half)}
	// Rounding must not push the ends past what they are exactly.
	if hits == 0 {
		s.Low = 0
	}
	if hits == n {
		s.High = 1
	}
	return s
}

// WeightedMeanOf is the mean of values with weights of at least 0, with the interval of a
// ratio of two sums: Student's on what each value leaves of the mean, by its weight (the
// linearised ratio estimator of survey sampling). Values of weight 0 count for nothing.
func WeightedMeanOf(values, weights []float64) Sample {
	s := Sample{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	sum, total := 0.0, 0.0
	for i, w := range weights {
		if w > 0 {
			s.N++
			sum += w * values[i]
			total += w
		}
	}
	if s.N == 0 {
		return s
	}
	s.Mean = sum / total
	if s.N == 1 {
		return s
	}
	squares := 0.0
	for i, w := range weights {
		squares += math.Pow(w*(values[i]-s.Mean), 2)
	}
	n := float64(s.N)
	half := student(s.N-1) * math.Sqrt(squares*n/(n-1)) / total
	s.Low, s.High = s.Mean-half, s.Mean+half
	return s
}

// student is the quantile of Student's distribution of that many degrees of freedom that
// belongs to an interval.
func student(degrees int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile((1 + confidence) / 2)
}

// Paired is a comparison of two policies on the same runs.
type Paired struct {
	// A and B are the means on the pairs, Difference is of A − B.
	A, B, Difference Sample
	// ABetter, BBetter and Equal count pairs.
	ABetter, BBetter, Equal int
}

// MinDiffering is the number of pairs that must differ before anything is
// claimed: of five that do, chance puts all on one side once in sixteen times.
// Student's interval alone would claim too much where nearly all pairs are equal.
const MinDiffering = 6

// Shows tells whether a difference is shown: enough pairs that differ, and an
// interval that does not hold zero.
func (p Paired) Shows() bool {
	return p.ABetter+p.BBetter >= MinDiffering && (p.Difference.Low > 0 || p.Difference.High < 0)
}

// Pair compares values pairwise; better is +1 where more is better, -1 where
// less is or neither.
func Pair(a, b []float64, better int) Paired {
	differences := make([]float64, len(a))
	p := Paired{A: MeanOf(a), B: MeanOf(b)}
	for i := range a {
		differences[i] = a[i] - b[i]
		switch d := differences[i]; {
		case d == 0:
			p.Equal++
		case d > 0 == (better > 0):
			p.ABetter++
		default:
			p.BBetter++
		}
	}
	p.Difference = MeanOf(differences)
	return p
}

// Figure writes a number to two digits of its uncertainty, at least to units
// and at most to six decimals; to four digits where nothing is uncertain.
func Figure(x, uncertainty float64) string {
	decimals := 0
	switch {
	case uncertainty > 0:
		decimals = 1 - int(math.Floor(math.Log10(uncertainty)))
	case x != 0:
		decimals = 3 - int(math.Floor(math.Log10(math.Abs(x))))
	}
	text := strconv.FormatFloat(x, 'f', min(6, max(0, decimals)), 64)
	if uncertainty == 0 && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// Signed is [Figure] with a plus before what is above zero.
func Signed(x, uncertainty float64) string {
	text := Figure(x, uncertainty)
	if x > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}
