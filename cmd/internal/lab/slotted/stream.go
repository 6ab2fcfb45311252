package slotted

import (
	"math"
	"math/rand/v2"
)

// The purposes for which a run draws random numbers. Each has a stream of its
// own, so that policies which draw differently still see the same arrivals.
const (
	forArrivals uint64 = iota + 1
	forPlaces
	forService
	forOrder
)

// stream is a source of random numbers for one purpose.
type stream struct {
	pcg rand.PCG
}

// newStream returns the stream of the given number under a seed.
func newStream(seed, number uint64) stream {
	var s stream
	s.pcg.Seed(scramble(seed^scramble(number)), scramble(seed+number))
	return s
}

// scramble is the output function of SplitMix64: neighbouring values give
// unrelated ones.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a uniform number in [0, n), for 1 <= n < 2^32, by Lemire's
// method: the rejection makes it exactly uniform.
func (s *stream) below(n int) int {
	bound := uint32(n)
	product := uint64(uint32(s.pcg.Uint64()>>32)) * uint64(bound)
	if low := uint32(product); low < bound {
		for reject := -bound % bound; low < reject; low = uint32(product) {
			product = uint64(uint32(s.pcg.Uint64()>>32)) * uint64(bound)
		}
	}
	return int(product >> 32)
}

// ring is the number of slots that the ring of ends of service holds.
const ring = 64

// geometric draws numbers of slots until the first success.
type geometric struct {
	above [ring]uint64 // above[d] is P(more than d slots) in units of 2^-64
}

// newGeometric returns the law of the number of trials up to the first success
// of probability p, 0 < p <= 1.
func newGeometric(p float64) geometric {
	var g geometric
	left := 1.0
	for d := range g.above {
		g.above[d] = fraction(left)
		left *= 1 - p
	}
	return g
}

// draw returns the number of slots of a service, or (ring-1, false) if the
// service goes on after that many; what then remains follows the same law.
func (g *geometric) draw(s *stream) (slots int, over bool) {
	u := s.pcg.Uint64()
	for d := 1; d < ring; d++ {
		if u >= g.above[d] {
			return d, true
		}
	}
	return ring - 1, false
}

// fraction returns x, 0 <= x <= 1, in units of 2^-64, at most 2^64-1.
func fraction(x float64) uint64 {
	if x >= 1 {
		return math.MaxUint64
	}
	return uint64(x * 0x1p64)
}
