package setups

import "sync/atomic"

// kept are states by the jobs that are left, of each set of jobs the last few. Several workers may be at it: who reads states that are
// written meanwhile has not found any.
type kept struct {
	machines int
	left     []atomic.Uint64
	// version has how many states there are, and changes with what is kept.
	version []atomic.Uint32
	// free has when machines are free, keptStates states for each set of jobs.
	free []atomic.Int32
}

// A version is writing while a worker is at it, over countBits for the number of states, over what is counted up.
const (
	writing, countBits = 1, 4
	nextVersion        = 1 << (1 + countBits)
)

// So many states are kept of each set of jobs, and of as many sets, a power of two, as go into so many bytes; those alone that took so many nodes to refute: more would have the others
// in the way, and not be in the processor's cache. Of setups-40x5-1 within 451 all searches take 45.9 million nodes so, 46.2 with 2 MB and 41.9 with 24, in as much processor time
// within chance; earlier, with all states, the longest of them took 24.6 with 24 MB and 59.4 with half a megabyte.
const (
	keptStates = 4
	keptBytes  = 4 << 20
	leastKept  = 16
)

func newKept(machines int) *kept {
	sets := 1
	for bytes := 12 + 4*keptStates*machines; 2*sets*bytes <= keptBytes; {
		sets *= 2
	}
	return &kept{machines, make([]atomic.Uint64, sets), make([]atomic.Uint32, sets), make([]atomic.Int32, sets*keptStates*machines)}
}

// forget takes all away, where no other worker is at it.
func (r *kept) forget() { clear(r.version) }

// covers reports whether a state is kept in which machines are free no later.
func (r *kept) covers(left uint64, here *state) bool {
	at := r.place(left)
	if r.left[at].Load() != left {
		return false
	}
	version := r.version[at].Load()
	if version&writing != 0 || r.left[at].Load() != left {
		return false
	}
next:
	for k := range min(states(version), keptStates) {
		free := r.of(at, k)
		for i := range free {
			if ticks(free[i].Load()) > here.free[i] {
				continue next
			}
		}
		return r.version[at].Load() == version
	}
	return false
}

// add keeps a state, in place of the oldest one, unless another worker is at the same place.
func (r *kept) add(left uint64, here *state) {
	at := r.place(left)
	version := r.version[at].Load()
	if version&writing != 0 || !r.version[at].CompareAndSwap(version, version|writing) {
		return
	}
	n := states(version)
	if r.left[at].Load() != left {
		r.left[at].Store(left)
		n = 0
	}
	free := r.of(at, n%keptStates)
	for i := range free {
		free[i].Store(int32(here.free[i]))
	}
	if n++; n == 2*keptStates {
		n = keptStates
	}
	r.version[at].Store(version&^(nextVersion-1) + nextVersion + uint32(n)<<1)
}

// states is how many states a version has, or so many more than are kept.
func states(version uint32) int { return int(version % nextVersion >> 1) }

// of are the times of the k-th state at a place.
func (r *kept) of(at, k int) []atomic.Int32 {
	begin := (at*keptStates + k) * r.machines
	return r.free[begin : begin+r.machines]
}

// place is where states with some jobs left are kept.
func (r *kept) place(left uint64) int {
	return int(left * 0x9E3779B97F4A7C15 >> 40 & uint64(len(r.left)-1))
}
