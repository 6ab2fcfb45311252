package online

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream is the source of random numbers for one purpose, which has a name of its own, and for one item of it: a task, say,
// or a decision and a task. Streams of one seed do not overlap in any way that matters: their states are hashes.
func Stream(seed uint64, purpose string, items ...uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	state := scramble(scramble(seed) ^ h.Sum64())
	for _, item := range items {
		state = scramble(state + item)
	}
	return rand.New(rand.NewPCG(state, scramble(state)))
}

// scramble is the finaliser of SplitMix64: neighbouring inputs give unrelated
// outputs.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
