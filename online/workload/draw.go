package workload

import (
	"math"
	"math/rand/v2"

	"downbeat/model"
	"downbeat/online"
)

// stream is the source of random numbers for one figure: what it is and which item it belongs to.
func stream(seed uint64, what string, item int) *rand.Rand {
	return online.Stream(seed, what, uint64(item))
}

func (r Range) draw(rng *rand.Rand) int { return r.Lo + rng.IntN(r.Hi-r.Lo+1) }

func (s Span) draw(rng *rand.Rand) float64 { return s.Lo + rng.Float64()*(s.Hi-s.Lo) }

// exponentialArrivals are n instants, the first at 0, with exponential gaps of
// the given mean.
func exponentialArrivals(seed uint64, n int, mean float64) []float64 {
	at := make([]float64, n)
	for i := 1; i < n; i++ {
		at[i] = at[i-1] + mean*stream(seed, "gap", i).ExpFloat64()
	}
	return at
}

// truncatedNormal draws a whole number from r with the weights of a normal
// distribution cut to r, by inversion.
func truncatedNormal(rng *rand.Rand, mean, sigma float64, r Range) int {
	below := func(x float64) float64 { return math.Erfc((mean-x)/(sigma*math.Sqrt2)) / 2 }
	lo, hi := below(float64(r.Lo)-0.5), below(float64(r.Hi)+0.5)
	u := lo + rng.Float64()*(hi-lo)
	x := mean - sigma*math.Sqrt2*math.Erfcinv(2*u)
	return min(max(int(math.Round(x)), r.Lo), r.Hi)
}

// geometricAt is the number of trials until the first success, at least 1,
// with chance p > 0 each: the quantile of u in [0, 1).
func geometricAt(u, p float64) int {
	if p >= 1 {
		return 1
	}
	return 1 + int(math.Log1p(-u)/math.Log1p(-p))
}

// ticks rounds to whole ticks, at least lo.
func ticks(x float64, lo model.Time) model.Time {
	return max(lo, model.Time(math.Round(x)))
}
