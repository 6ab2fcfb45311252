package assignment

import (
	"context"
	"math/rand/v2"
	"slices"
)

// exchange is an assignment in which some items may be late, improved between two cores at a time.
type exchange struct {
	p    *Problem
	st   *state
	bins []place
	// held is by item the bin that does it, may by bin and item whether it may.
	held []int32
	may  [][]bool
	// doers are by item the bins that may do it.
	doers [][]int32
	rand  *rand.Rand
	// hand are the items of two bins; by these and by ticks of the first bin to has whether it does the item, and
	// time is the least of the other, with lateness in its upper half.
	hand  []int32
	to    [][]bool
	time  []int64
	cells int
}

// place is a core of a group, with what it has to do and how late that is in all.
type place struct {
	group      int32
	load, late int
}

// begin has each item done by the group that loses least by it, or by what from says, core by core.
func (s *Search) begin(st *state, losses [][]int64) *exchange {
	x := &exchange{p: s.p, st: st, held: make([]int32, len(s.p.tasks)), doers: make([][]int32, len(s.p.tasks)), rand: s.rand}
	first := make([]int, len(st.groups))
	for g := range st.groups {
		first[g] = len(x.bins)
		may := make([]bool, len(s.p.tasks))
		for _, e := range st.groups[g].items {
			may[e.item] = true
		}
		for range int(st.groups[g].cores) {
			for _, e := range st.groups[g].items {
				x.doers[e.item] = append(x.doers[e.item], int32(len(x.bins)))
			}
			x.bins = append(x.bins, place{group: int32(g)})
			x.may = append(x.may, may)
		}
	}
	least := make([]int64, len(s.p.tasks))
	for i := range x.held {
		x.held[i] = -1
	}
	for g := range st.groups {
		for n, e := range st.groups[g].items {
			if x.held[e.item] < 0 || losses[g][n] < least[e.item] {
				x.held[e.item], least[e.item] = int32(first[g]), losses[g][n]
			}
		}
	}
	for i, b := range x.held {
		to := int(b)
		for c := range int(st.groups[x.bins[b].group].cores) {
			if o := int(b) + c; x.bins[o].load < x.bins[to].load {
				to = o
			}
		}
		x.held[i] = int32(to)
		x.bins[to].load += int(x.kind(to).length[i])
	}
	for b := range x.bins {
		x.measure(b)
	}
	return x
}

func (x *exchange) kind(b int) *kind { return &x.p.kinds[x.st.groups[x.bins[b].group].kind] }

// measure works out how much a core does, and how late.
func (x *exchange) measure(b int) {
	of, k := &x.bins[b], x.kind(b)
	of.load, of.late = 0, 0
	for i, at := range x.held {
		if int(at) == b {
			of.load += int(k.length[i])
			if !x.p.common {
				of.late += max(0, of.load-int(k.room[i]))
			}
		}
	}
	if x.p.common {
		of.late = max(0, of.load-int(k.capacity))
	}
}

// run exchanges items between pairs of cores, one of which is late, in the best way, until none is or so many
// cells are worked out. It reports whether none is.
func (x *exchange) run(ctx context.Context, cells int) bool {
	for end := x.cells + cells; ; {
		full := x.late()
		if full < 0 {
			return true
		}
		if len(x.bins) == 1 || x.cells >= end || ctx.Err() != nil {
			return false
		}
		if x.rand.IntN(4) == 0 { // of cores in time, too, so that others fit better
			full = x.rand.IntN(len(x.bins))
		}
		if other := x.other(full); other >= 0 {
			x.exchange(full, other)
		}
	}
}

// late is a core that is, by chance; -1 if there is none.
func (x *exchange) late() int {
	found, n := -1, 0
	for b := range x.bins {
		if x.bins[b].late > 0 {
			if n++; x.rand.IntN(n) == 0 {
				found = b
			}
		}
	}
	x.cells += len(x.bins)
	return found
}

// other is another core that may do some item of one, by chance; -1 if none was found.
func (x *exchange) other(b int) int {
	some, n := int32(-1), 0
	for i, at := range x.held {
		if int(at) == b && len(x.doers[i]) > 1 {
			if n++; x.rand.IntN(n) == 0 {
				some = int32(i)
			}
		}
	}
	x.cells += len(x.held)
	if some < 0 {
		return -1
	}
	of := x.doers[some]
	if k := x.rand.IntN(len(of) - 1); int(of[k]) != b {
		return int(of[k])
	}
	return int(of[len(of)-1])
}

// impossible is more than any lateness and time.
const impossible = 1 << 60

// exchange deals the items of two cores out anew, so that they are as little late as possible; chance decides
// between equals.
func (x *exchange) exchange(a, b int) {
	ka, kb := x.kind(a), x.kind(b)
	x.hand = x.hand[:0]
	for i, at := range x.held {
		if int(at) == a || int(at) == b {
			x.hand = append(x.hand, int32(i))
		}
	}
	size := max(x.bins[a].load, int(ka.capacity)) + 1
	x.clear(size)
	for n, i := range x.hand {
		x.deal(n, size, i, ka, kb, x.may[a][i], x.may[b][i])
	}
	x.cells += size * len(x.hand)
	best, at, ties := x.bins[a].late+x.bins[b].late+1, -1, 0
	for sum, left := range x.time[:size] {
		if left >= impossible {
			continue
		}
		late := int(left >> 32)
		if x.p.common {
			late = max(0, sum-int(ka.capacity)) + max(0, int(left)-int(kb.capacity))
		}
		if late < best {
			best, ties = late, 0
		}
		if late == best {
			if ties++; x.rand.IntN(ties) == 0 {
				at = sum
			}
		}
	}
	if at < 0 {
		return
	}
	for n, i := range slices.Backward(x.hand) {
		if x.held[i] = int32(b); x.to[n][at] {
			x.held[i] = int32(a)
			at -= int(ka.length[i])
		}
	}
	x.measure(a)
	x.measure(b)
}

// clear makes room for a hand.
func (x *exchange) clear(size int) {
	for len(x.to) < len(x.hand) {
		x.to = append(x.to, nil)
	}
	for n := range x.hand {
		if len(x.to[n]) < size {
			x.to[n] = make([]bool, 2*size)
		}
	}
	if len(x.time) < size {
		x.time = make([]int64, 2*size)
	}
	for at := range x.time[:size] {
		x.time[at] = impossible
	}
	x.time[0] = 0
}

// deal offers the n-th item of the hand to both cores.
func (x *exchange) deal(n, size int, i int32, ka, kb *kind, mayA, mayB bool) {
	time, to := x.time[:size], x.to[n][:size]
	la, lb := int(ka.length[i]), int64(kb.length[i])
	ra, rb := size, int64(impossible)
	if !x.p.common {
		ra, rb = int(ka.room[i]), int64(kb.room[i])
	}
	for at := size - 1; at >= 0; at-- {
		other, one := int64(impossible), int64(impossible)
		if v := time[at]; mayB && v < impossible {
			other = v + lb
			if late := other&(1<<32-1) - rb; late > 0 {
				other += late << 32
			}
		}
		if mayA && at >= la && time[at-la] < impossible {
			one = time[at-la]
			if at > ra {
				one += int64(at-ra) << 32
			}
		}
		to[at] = one < other
		time[at] = min(one, other)
	}
}

// assignment lists what each core does.
func (x *exchange) assignment() []bin {
	out := make([]bin, len(x.bins))
	used := make([]int, len(x.p.kinds))
	for b := range x.bins {
		k := x.st.groups[x.bins[b].group].kind
		out[b].slave = x.p.kinds[k].cores[used[k]]
		used[k]++
	}
	for i, b := range x.held {
		out[b].items = append(out[b].items, int32(i))
	}
	return out
}
