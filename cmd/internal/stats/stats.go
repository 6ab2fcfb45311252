// Package stats tells how far a mean, a share or a difference of pairs is known.
package stats

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Sample is a mean of N values with a 95 % confidence interval.
type Sample struct {
	N               int
	Mean, Low, High float64
}

// confidence of all intervals.
const confidence = 0.95

// Fixed reports whether there is an interval.
func (s Sample) Fixed() bool { return !math.IsNaN(s.Low) }

// HalfWidth of the interval; not a number where there is none.
func (s Sample) HalfWidth() float64 { return (s.High - s.Low) / 2 }

// MeanOf is the mean with an interval that holds for skewed values too: on each side the
// farther end of Student's and Hall's (see moments.corrected). Fewer than [Enough] values that
// differ from the commonest do not tell how skewed what they are drawn from is: then the
// interval is not a number. Without a value the mean is not one either.
func MeanOf(values []float64) Sample { return momentsOf(values).sample() }

// MeanWithin is [MeanOf] of values that lie from least to most by what they are, such as shares.
// Where too few differ for that, the values that differ from the commonest may lie at either end,
// and be as many as the interval of their share allows (Clopper and Pearson 1934): so many equal
// values tell something, and a few next to nothing.
func MeanWithin(values []float64, least, most float64) Sample {
	s := MeanOf(values)
	if s.N == 0 {
		return s
	}
	if !s.Fixed() {
		common, times := commonest(values)
		share := distuv.Beta{Alpha: float64(s.N - times + 1), Beta: float64(times)}.Quantile((1 + confidence) / 2)
		s.Low, s.High = common-share*(common-least), common+share*(most-common)
	}
	s.Low, s.High = max(least, s.Low), min(most, s.High)
	return s
}

// StudentOf is the mean with Student's interval, for values whose mean is roughly normal, such
// as those that are means of many themselves. It takes two values for an interval.
func StudentOf(values []float64) Sample {
	m := momentsOf(values)
	s := Sample{m.n, m.mean, math.NaN(), math.NaN()}
	if m.n >= 2 {
		half := student(m.n-1) * m.err
		s.Low, s.High = m.mean-half, m.mean+half
	}
	return s
}

// ShareOf is the share of hits in n with Wilson's interval, which stays within
// [0, 1] and has a width even where all or none are hits.
func ShareOf(hits, n int) Sample {
	s := wilson(float64(hits)/float64(n), float64(n))
	s.N = n
	return s
}

// wilson is a share p of a number of runs, which need not be whole; not a number of none.
func wilson(p, size float64) Sample {
	if size == 0 {
		return Sample{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	z := normal((1 + confidence) / 2)
	shrink := 1 + z*z/size
	centre := (p + z*z/(2*size)) / shrink
	half := z / shrink * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	s := Sample{Mean: p, Low: max(0, centre-half), High: min(1, centre+half)}
	// Rounding must not push the ends past what they are exactly.
	if p == 0 {
		s.Low = 0
	}
	if p == 1 {
		s.High = 1
	}
	return s
}

// WeightedShareOf is the share of the weight, each of at least 0, that hits have, with
// Wilson's interval for as many equal weights as tell as much: Kish's effective number, or
// fewer where the variance of the ratio of the two sums asks for it (Korn and Graubard 1998).
// Hits of weight 0 count for nothing.
func WeightedShareOf(hits []bool, weights []float64) Sample {
	n, hit, total, squares := 0, 0.0, 0.0, 0.0
	for i, w := range weights {
		if w > 0 {
			n++
			total += w
			squares += w * w
			if hits[i] {
				hit += w
			}
		}
	}
	if n == 0 {
		return wilson(0, 0)
	}
	share := hit / total
	variance := 0.0
	for i, w := range weights {
		left := share
		if hits[i] {
			left = 1 - share
		}
		variance += w * w * left * left / (total * total)
	}
	effective := total * total / squares
	if n > 1 && variance > 0 {
		variance *= float64(n) / float64(n-1)
		effective = min(effective, share*(1-share)/variance)
	}
	s := wilson(share, effective)
	s.N = n
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

	moments moments // of the differences, observation by observation
	// Of observations in which A is above B, and below it.
	above, below int
}

// MinDiffering is the number of observations that must differ before anything is
// claimed: of five that do, chance puts all on one side once in sixteen times.
const MinDiffering = 6

// Shows tells whether a difference is shown: an interval that does not hold zero, or, where
// there is none, a sign test. Fewer than MinDiffering observations that differ show nothing.
func (p Paired) Shows() bool { return p.P() < 1-confidence }

// Pair compares values pairwise; better is +1 where more is better, -1 where
// less is or neither.
func Pair(a, b []float64, better int) Paired { return PairUnits(a, b, nil, better) }

// PairUnits is [Pair] where pairs of one observation may be alike: what is shown, and how far the
// difference is known, goes by observations. Pairs are counted each.
func PairUnits(a, b []float64, units Units, better int) Paired {
	differences := make([]float64, len(a))
	p := Paired{A: MeanOfUnits(a, units), B: MeanOfUnits(b, units)}
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
	for _, d := range units.sums(differences) {
		switch {
		case d > 0:
			p.above++
		case d < 0:
			p.below++
		}
	}
	p.moments = momentsOf(units.observed(differences))
	p.Difference = units.sample(p.moments, differences)
	if p.lopsided() {
		p.Difference.Low, p.Difference.High = math.NaN(), math.NaN()
	}
	return p
}

// lopsided reports whether too few observations differ, or go against the others, to tell how far
// that may lead:
// a policy that is usually a little better may be far worse now and then. By simulation.
func (p Paired) lopsided() bool {
	against, differ := min(p.above, p.below), p.above+p.below
	return differ < 20 || against > 0 && against < 5 && differ < 50
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
