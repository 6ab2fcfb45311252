package core

import "math/bits"

// bitset is a set of variables.
type bitset []uint64

func (b bitset) has(v uint32) bool { return b[v>>6]>>(v&63)&1 != 0 }

func (b bitset) add(v uint32) { b[v>>6] |= 1 << (v & 63) }

func (b bitset) remove(v uint32) { b[v>>6] &^= 1 << (v & 63) }

// grown has room for variables up to v.
func (b bitset) grown(v uint32) bitset {
	for int(v>>6) >= len(b) {
		b = append(b, 0)
	}
	return b
}

// next is the first one from v on, end if there is none before that.
func (b bitset) next(v, end uint32) uint32 {
	if v >= end {
		return end
	}
	w := v >> 6
	for word := b[w] >> (v & 63) << (v & 63); ; word = b[w] {
		if word != 0 {
			return min(w<<6+uint32(bits.TrailingZeros64(word)), end)
		}
		if w++; w<<6 >= end {
			return end
		}
	}
}
