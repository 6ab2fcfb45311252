package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Enough is how many values must differ from the commonest one before an interval of their
// mean is given. With fewer it would hold the mean in less than 93 of 100 cases (see
// TestSkewed, which tries 5 to 500 values, up to 95 % of them zero).
const Enough = 12

// understated is by how much the skewness of a sample is taken to fall short of that of what
// it is drawn from: long tails are those of which a sample has too little. By simulation; with
// 1 intervals of 15 to 50 lognormal values err too often, with 2 they are wider for nothing.
const understated = 1.5

// moments are what intervals are made of.
type moments struct {
	n         int
	mean, err float64 // err is the standard error of the mean
	skewness  float64
	differing int // values other than the commonest
}

func momentsOf(values []float64) moments {
	m := moments{n: len(values), mean: math.NaN()}
	if m.n == 0 {
		return m
	}
	m.mean = values[0]
	_, times := commonest(values)
	m.differing = m.n - times
	if m.n == 1 || m.differing == 0 {
		return m
	}
	n := float64(m.n)
	mean, deviation := stat.MeanStdDev(values, nil)
	m.mean, m.err = mean, deviation/math.Sqrt(n)
	for _, v := range values {
		m.skewness += math.Pow((v-mean)/deviation, 3) / n
	}
	m.skewness *= math.Pow(n/(n-1), 1.5) * understated
	return m
}

// commonest is the commonest value and how often it is there, the least one of several.
func commonest(values []float64) (value float64, times int) {
	sorted := slices.Sorted(slices.Values(values))
	run := 0
	for i, v := range sorted {
		run++
		if i > 0 && v != sorted[i-1] {
			run = 1
		}
		if run > times {
			value, times = v, run
		}
	}
	return value, times
}

// sample is the mean, with its interval if there are enough values that differ.
func (m moments) sample() Sample {
	s := Sample{m.n, m.mean, math.NaN(), math.NaN()}
	if m.differing < Enough {
		return s
	}
	t := student(m.n - 1)
	s.Low = m.mean - m.err*max(t, m.skewed(t))
	s.High = m.mean + m.err*max(t, -m.skewed(-t))
	return s
}

// t is the distance of the mean from zero in standard errors, or what it comes to corrected,
// if that is nearer to zero: the interval holds zero where Student's quantile is above t.
func (m moments) t() float64 {
	t := m.mean / m.err
	if t < 0 {
		return max(0, min(-t, -m.corrected(t)))
	}
	return max(0, min(t, m.corrected(t)))
}

// corrected takes the skewness out of a t statistic: Hall's monotone cubic transformation
// (1992, On the removal of skewness by transformation).
func (m moments) corrected(t float64) float64 {
	g := m.skewness / math.Sqrt(float64(m.n))
	if math.Abs(g) < 1e-9 {
		return t
	}
	return (math.Pow(1+g*t/3, 3)-1)/g + g/6
}

// skewed is the inverse of corrected.
func (m moments) skewed(t float64) float64 {
	g := m.skewness / math.Sqrt(float64(m.n))
	if math.Abs(g) < 1e-9 {
		return t
	}
	return 3 / g * (math.Cbrt(1+g*(t-g/6)) - 1)
}
