package setups

// kept are states by the jobs that are left, of each set of jobs the last few.
type kept struct {
	machines int
	left     []uint64
	n        []uint8
	// free has when machines are free, keptStates states for each set of jobs.
	free []ticks
}

// So many states are kept of each set of jobs, and of as many sets, a power of two, as go into so many bytes; those alone that took so many nodes to refute: more would have the others
// in the way, and not be in the processor's cache. Of setups-40x5-1 within 451 the longest search takes 25.3 million nodes with 2 MB so, 24.5 with 24 MB, and with all states
// 24.6 with 24 MB, 59.4 with half a megabyte.
const (
	keptStates = 4
	keptBytes  = 4 << 20
	leastKept  = 16
)

func newKept(machines int) *kept {
	sets := 1
	for bytes := 9 + 4*keptStates*machines; 2*sets*bytes <= keptBytes; {
		sets *= 2
	}
	return &kept{machines, make([]uint64, sets), make([]uint8, sets), make([]ticks, sets*keptStates*machines)}
}

// forget takes all away.
func (r *kept) forget() { clear(r.n) }

// covers reports whether a state is kept in which machines are free no later.
func (r *kept) covers(left uint64, here *state) bool {
	at := r.place(left)
	if r.left[at] != left {
		return false
	}
next:
	for k := range min(int(r.n[at]), keptStates) {
		for i, free := range r.of(at, k) {
			if free > here.free[i] {
				continue next
			}
		}
		return true
	}
	return false
}

// add keeps a state, in place of the oldest one.
func (r *kept) add(left uint64, here *state) {
	at := r.place(left)
	if r.left[at] != left {
		r.left[at], r.n[at] = left, 0
	}
	copy(r.of(at, int(r.n[at])%keptStates), here.free[:r.machines])
	if r.n[at]++; r.n[at] == 2*keptStates {
		r.n[at] = keptStates
	}
}

// of are the times of the k-th state at a place.
func (r *kept) of(at, k int) []ticks {
	begin := (at*keptStates + k) * r.machines
	return r.free[begin : begin+r.machines]
}

// place is where states with some jobs left are kept.
func (r *kept) place(left uint64) int {
	return int(left * 0x9E3779B97F4A7C15 >> 40 & uint64(len(r.left)-1))
}
