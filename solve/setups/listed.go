package setups

import (
	"math/bits"
	"math/rand/v2"
)

// listed are sets of jobs, as fingerprints of which those of a set are in one line of the processor's cache (a hash table of fingerprints, as in a
// cuckoo filter; Fan, Andersen, Kaminsky and Mitzenmacher, 2014): it has each set that was added, and may have others. With each goes what it leaves to spare,
// in levels. A line that is full has all sets.
type listed struct {
	// lines are a power of two, shift is what leaves the number of one of them of a key.
	lines [][lineSlots]uint16
	shift int
	// keys are those of jobs, the key of a set is that of its jobs together (Zobrist, 1970).
	keys [MostSearched]uint64
	// apart is how much more there is to spare with each level.
	apart int
	// filled counts lines that are full.
	filled int
	// most is what sets of so many jobs leave to spare at the most, -1 where there are none.
	most [MostSearched + 1]int
}

const (
	// lineSlots are those of a line of 64 bytes: each has a fingerprint, which is not 0, over the bits of a level.
	lineSlots, levelBits, spareLevels = 32, 5, 1 << levelBits
	fingerprints                      = 1<<(16-levelBits) - 2
	// setsPerLine leave one line of 200 full, and one of 100 sets that are not listed is there.
	setsPerLine = 20
	// fullOf: see crowded.
	fullOf = 100
	// mostLines take 64 MB.
	leastLines, mostLines = 1 << 8, 1 << 20
)

func newListed() listed {
	l := listed{}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range l.keys {
		l.keys[k] = rng.Uint64()
	}
	return l
}

// begin takes all away, and makes room for so many sets, which leave so much to spare at the most.
func (l *listed) begin(sets, spare int) {
	l.apart, l.filled = 1+spare/spareLevels, 0
	for k := range l.most {
		l.most[k] = -1
	}
	lines := leastLines
	for lines*setsPerLine < sets && lines < mostLines {
		lines *= 2
	}
	if lines == len(l.lines) {
		clear(l.lines)
		return
	}
	l.lines, l.shift = make([][lineSlots]uint16, lines), 65-bits.Len(uint(lines))
}

// key is that of a set.
func (l *listed) key(set uint64) (key uint64) {
	for ; set != 0; set &= set - 1 {
		key ^= l.keys[bits.TrailingZeros64(set)]
	}
	return key
}

// slot is what the slot of a set has that leaves so much to spare.
func (l *listed) slot(key uint64, spare int) uint16 {
	return uint16(1+key&0xffffffff*fingerprints>>32)<<levelBits | uint16(min(max(0, spare)/l.apart, spareLevels-1))
}

// set is one of so many jobs, by its key, and how much it leaves to spare.
type set struct {
	key         uint64
	jobs, spare int
}

// add adds a set.
func (l *listed) add(s set) {
	l.most[s.jobs] = max(l.most[s.jobs], s.spare)
	line, slot, k := &l.lines[s.key>>l.shift], l.slot(s.key, s.spare), s.key%lineSlots
	for range lineSlots {
		if is := line[k]; is == 0 || is>>levelBits == slot>>levelBits {
			line[k] = max(is, slot)
			return
		}
		k = (k + 1) % lineSlots
	}
	if line[lineSlots-1] != full {
		line[lineSlots-1] = full
		l.filled++
	}
}

// first notes the first slots where sets may be, 0 where they are not there. What comes from memory is to come for all at a time: where fields of the search
// were read in between, each seemed to wait for the one before, and 5.7 million nodes took 3.2 s in place of 2.0.
func (l *listed) first(asks []ask) {
	lines, shift := l.lines, l.shift
	for i := range asks {
		ask := &asks[i]
		ask.first = lines[ask.key>>shift][ask.key%lineSlots]
	}
}

// crowded reports whether more lines are full than one of so many, and there may be more of them.
func (l *listed) crowded() bool { return l.filled*fullOf > len(l.lines) && len(l.lines) < mostLines }

// full is the last slot of a line that is full: no set has it, as none has the last level of the last fingerprint.
const full = ^uint16(0)

// has reports whether there is a set with a key that may leave so much to spare.
func (l *listed) has(key uint64, spare int) bool {
	line, slot, k := &l.lines[key>>l.shift], l.slot(key, spare), key%lineSlots
	for range lineSlots {
		is := line[k]
		if is == 0 {
			return false
		}
		if is >= slot && is>>levelBits == slot>>levelBits {
			return true
		}
		k = (k + 1) % lineSlots
	}
	return line[lineSlots-1] == full
}
