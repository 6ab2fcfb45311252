package setups

import (
	"math/bits"
	"math/rand/v2"
)

// listed are sets of jobs, as a Bloom filter (Bloom, 1970) whose bits of a set are in one line of the processor's cache (Putze, Sanders
// and Singler, 2007): it has each set that was added, and may have others. A set is there once for each level of what it leaves to spare, at and below its own.
type listed struct {
	// lines are a power of two, shift is what leaves the number of one of them of a key.
	lines [][lineWords]uint64
	shift int
	// keys are those of jobs, the key of a set is that of its jobs together (Zobrist, 1970).
	keys [MostSearched]uint64
	// levels are keys of levels, apart is how much more there is to spare with each.
	levels [spareLevels]uint64
	apart  int
}

// spareLevels are those of what sets leave to spare.
const spareLevels = 8

const (
	lineWords = 8
	// listedBits are those of a set. With setsPerLine sets to a line one of 140 others is there.
	listedBits, setsPerLine = 5, 48
	// mostLines take 32 MB.
	leastLines, mostLines = 1 << 6, 1 << 19
)

func newListed() listed {
	l := listed{}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range l.keys {
		l.keys[k] = rng.Uint64()
	}
	for k := range l.levels {
		l.levels[k] = rng.Uint64()
	}
	return l
}

// begin takes all away, and makes room for so many sets, which leave so much to spare at the most.
func (l *listed) begin(sets, spare int) {
	l.apart = 1 + spare/spareLevels
	lines := leastLines
	for lines*setsPerLine < sets && lines < mostLines {
		lines *= 2
	}
	if lines == len(l.lines) {
		clear(l.lines)
		return
	}
	l.lines, l.shift = make([][lineWords]uint64, lines), 65-bits.Len(uint(lines))
}

// key is that of a set.
func (l *listed) key(set uint64) (key uint64) {
	for ; set != 0; set &= set - 1 {
		key ^= l.keys[bits.TrailingZeros64(set)]
	}
	return key
}

// add adds a set that leaves so much to spare.
func (l *listed) add(set uint64, spare int) {
	key := l.key(set)
	for k := range min(1+spare/l.apart, spareLevels) {
		l.addKey(key ^ l.levels[k])
	}
}

func (l *listed) addKey(key uint64) {
	line := &l.lines[key>>l.shift]
	for range listedBits {
		line[key>>6&(lineWords-1)] |= 1 << (key & 63)
		key >>= 9
	}
}

// has reports whether there is a set with a key that may leave so much to spare.
func (l *listed) has(key uint64, spare int) bool {
	key ^= l.levels[min(max(0, spare)/l.apart, spareLevels-1)]
	line := &l.lines[key>>l.shift]
	for range listedBits {
		if line[key>>6&(lineWords-1)]>>(key&63)&1 == 0 {
			return false
		}
		key >>= 9
	}
	return true
}
