package workload

import (
	"math"
	"math/rand/v2"
)

// UUniFast draws n ≥ 1 shares ≥ 0 of the given sum, uniformly over all such
// vectors (Bini and Buttazzo 2005).
func UUniFast(rng *rand.Rand, n int, sum float64) []float64 {
	shares := make([]float64, n)
	left := sum
	for i := range n - 1 {
		next := left * math.Pow(rng.Float64(), 1/float64(n-1-i))
		shares[i] = left - next
		left = next
	}
	shares[n-1] = left
	return shares
}

// UUniFastDiscard draws by UUniFast until no share is above limit (Davis and
// Burns 2009): uniform over all vectors of that sum within the limit. It gives
// up with nil after so many tries.
func UUniFastDiscard(rng *rand.Rand, n int, sum, limit float64, tries int) []float64 {
	for range tries {
		shares := UUniFast(rng, n, sum)
		within := true
		for _, u := range shares {
			within = within && u <= limit
		}
		if within {
			return shares
		}
	}
	return nil
}

// RandFixedSum draws from the same distribution as UUniFastDiscard without
// discarding (Stafford 2006, as used by Emberson, Stafford and Davis 2010), so
// that sums near n·limit cost no more than others; 0 ≤ sum ≤ n·limit. The
// vectors of that sum form a polytope, cut into simplices; a walk from
// dimension n−1 down picks one with chance proportional to its volume and a
// point in it uniformly.
func RandFixedSum(rng *rand.Rand, n int, sum, limit float64) []float64 {
	s := sum / limit
	k := int(min(math.Floor(s), float64(n-1)))
	chance := simplexChances(n, k, s)
	shares := make([]float64, n)
	level, offset, scale := k, 0.0, 1.0
	for dim := n - 1; dim >= 1; dim-- {
		up := rng.Float64() < chance[dim-1][level]
		shrink := math.Pow(rng.Float64(), 1/float64(dim))
		offset += (1 - shrink) * scale * s / float64(dim+1)
		scale *= shrink
		shares[n-1-dim] = offset
		if up {
			shares[n-1-dim] += scale
			s--
			level--
		}
	}
	shares[n-1] = offset + scale*s
	rng.Shuffle(n, func(i, j int) { shares[i], shares[j] = shares[j], shares[i] })
	for i := range shares {
		shares[i] *= limit
	}
	return shares
}

// simplexChances tabulates, for each dimension from 1 to n−1 and each level,
// the chance that the walk of RandFixedSum takes a coordinate's upper face: the
// share of the volume on that side.
func simplexChances(n, k int, s float64) [][]float64 {
	// volume[j] for the dimension before; huge, so that products do not vanish.
	volume := make([]float64, n+1)
	volume[1] = math.MaxFloat64
	chance := make([][]float64, n-1)
	for dim := 2; dim <= n; dim++ {
		next := make([]float64, n+1)
		chance[dim-2] = make([]float64, n)
		for j := range dim {
			below := s - float64(k-j)     // from the lower bound of the level
			above := float64(k+dim-j) - s // to the upper bound
			lower := volume[j+1] * below / float64(dim)
			upper := volume[j] * above / float64(dim)
			next[j+1] = lower + upper
			switch total := next[j+1] + math.SmallestNonzeroFloat64; {
			case above > below:
				chance[dim-2][j] = upper / total
			default:
				chance[dim-2][j] = 1 - lower/total
			}
		}
		volume = next
	}
	return chance
}
