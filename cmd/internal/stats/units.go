package stats

import "math"

// Units say which values hang together: those of one number are one observation. Nil stands for
// values that are observations each by itself.
type Units []int

// Count is the number of observations of n values.
func (u Units) Count(n int) int {
	if u == nil {
		return n
	}
	seen := map[int]bool{}
	for _, unit := range u {
		seen[unit] = true
	}
	return len(seen)
}

// sums are those of the values of each observation, in the order of their first values.
func (u Units) sums(values []float64) []float64 {
	if u == nil {
		return values
	}
	return settled(u.residuals(values, 0), values)
}

// residuals are the sums, over the values of each observation, of how far they are from the
// mean, in the order of the observations' first values.
func (u Units) residuals(values []float64, mean float64) []float64 {
	at := map[int]int{}
	var out []float64
	for i, v := range values {
		k, known := at[u[i]]
		if !known {
			k = len(out)
			at[u[i]] = k
			out = append(out, 0)
		}
		out[k] += v - mean
	}
	return out
}

// observed are values that have the mean of all values, one for each observation, and spread
// as far as the mean of all is uncertain: the linearised mean (Binder 1983). Where
// observations have equally many values these are their means.
func (u Units) observed(values []float64) []float64 {
	if u == nil || len(values) == 0 {
		return values
	}
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	out := u.residuals(values, mean)
	scale := float64(len(out)) / float64(len(values))
	for k := range out {
		out[k] = mean + scale*out[k]
	}
	return settled(out, values)
}

// settled makes values equal that only rounding tells apart, so that they count as equal: like
// is what they were worked out of.
func settled(values, like []float64) []float64 {
	largest := 0.0
	for _, v := range like {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return values
	}
	grain := largest * 1e-12
	for i, v := range values {
		values[i] = math.Round(v/grain) * grain
	}
	return values
}

// MeanOfUnits is [MeanOf] where values of one observation may be alike: the interval is that of
// the observations. N counts values.
func MeanOfUnits(values []float64, units Units) Sample {
	return units.sample(momentsOf(units.observed(values)), values)
}

// sample is the mean of values, with the interval of the observations that have these moments.
func (u Units) sample(m moments, values []float64) Sample {
	s := m.sample()
	if u != nil && len(values) > 0 {
		s.N, s.Mean = len(values), momentsOf(values).mean
	}
	return s
}

// ShareOfUnits is [ShareOf] where hits of one observation may be alike: Wilson's interval for as
// many runs as tell as much by the variance of the observations, no more than there are runs,
// and with Student's quantile for so many observations (Korn and Graubard 1998). Where all or
// none are hits each observation tells as much as one run.
func ShareOfUnits(hits []bool, units Units) Sample {
	values := make([]float64, len(hits))
	hit := 0
	for i, h := range hits {
		if h {
			values[i] = 1
			hit++
		}
	}
	n := units.Count(len(hits))
	if n == len(hits) {
		return ShareOf(hit, n)
	}
	share, size := float64(hit)/float64(len(hits)), float64(n)
	if hit > 0 && hit < len(hits) && n > 1 {
		variance := 0.0
		for _, r := range units.residuals(values, share) {
			variance += r * r
		}
		variance *= float64(n) / float64(n-1) / float64(len(hits)) / float64(len(hits))
		size = float64(len(hits))
		if variance > 0 {
			size = min(size, share*(1-share)/variance)
		}
		size *= math.Pow(normal((1+confidence)/2)/student(n-1), 2)
	}
	s := wilson(share, size)
	s.N = len(hits)
	return s
}
