package packing

import (
	"context"
	"math/rand/v2"
	"slices"
)

// balance is a packing of all tasks that may hold more on some cores than fits.
type balance struct {
	capacity int
	lengths  []int
	held     [][]int // numbers of items, by core
	load     []int
	rand     *rand.Rand
	// reach is the number of the task, among those at hand, with which a sum was
	// reached first, from 1.
	reach []int32
	hand  []int
	steps int
}

// newBalance puts every task where least is held, the longest first (LPT; Graham,
// 1969).
func newBalance(p *Problem, r *rand.Rand) *balance {
	b := &balance{capacity: p.capacity, lengths: p.lengths(), held: make([][]int, len(p.cores)), load: make([]int, len(p.cores)), rand: r}
	for k := range p.items {
		for range p.items[k].tasks {
			c := slices.Index(b.load, slices.Min(b.load))
			b.held[c] = append(b.held[c], k)
			b.load[c] += p.items[k].length
		}
	}
	return b
}

// run exchanges tasks between pairs of cores, one of which holds more than fits, in
// the best way, until none does or it has taken a number of steps (multi-subset sum
// improvement; Alvim and Ribeiro, 2004). It reports whether none does.
func (b *balance) run(ctx context.Context, steps int) bool {
	for end := b.steps + steps; b.steps < end && ctx.Err() == nil; {
		full := b.overfull()
		if full < 0 {
			return true
		}
		if len(b.load) == 1 {
			return false
		}
		b.exchange(full, (full+1+b.rand.IntN(len(b.load)-1))%len(b.load))
	}
	return b.overfull() < 0
}

// overfull is a core that holds more than fits, by chance; -1 if there is none.
func (b *balance) overfull() int {
	found, n := -1, 0
	for c, load := range b.load {
		if load > b.capacity {
			if n++; b.rand.IntN(n) == 0 {
				found = c
			}
		}
	}
	b.steps += len(b.load)
	return found
}

// exchange deals the tasks of two cores out anew, so that as little as possible is
// held beyond what fits: about half of all on each, or else one filled to the brim,
// where that is no worse; chance decides.
func (b *balance) exchange(full, other int) {
	b.hand = append(append(b.hand[:0], b.held[full]...), b.held[other]...)
	b.rand.Shuffle(len(b.hand), func(i, k int) { b.hand[i], b.hand[k] = b.hand[k], b.hand[i] })
	total := b.load[full] + b.load[other]
	b.sums(total)
	best := -1
	for sum := total / 2; sum <= total; sum++ { // the greater part
		if b.reach[sum] != 0 && (best < 0 || b.overload(sum, total) < b.overload(best, total)) {
			best = sum
		}
	}
	if b.capacity <= total && b.reach[b.capacity] != 0 && b.overload(b.capacity, total) <= b.overload(best, total) && b.rand.IntN(2) == 0 {
		best = b.capacity
	}
	b.deal(full, other, best, total)
}

// overload is what two cores hold beyond what fits, where one holds sum of total.
func (b *balance) overload(sum, total int) int {
	return max(0, sum-b.capacity) + max(0, total-sum-b.capacity)
}

// sums finds the sums of lengths that some of the tasks at hand have.
func (b *balance) sums(total int) {
	if len(b.reach) <= total {
		b.reach = make([]int32, 2*total+1)
	}
	clear(b.reach[:total+1])
	b.reach[0] = -1
	for n, k := range b.hand {
		length := b.lengths[k]
		for sum := total; sum >= length; sum-- {
			if b.reach[sum] == 0 && b.reach[sum-length] != 0 {
				b.reach[sum] = int32(n + 1)
			}
		}
	}
	b.steps += total * len(b.hand)
}

// deal gives tasks that come to sum to one core and the others to the other.
func (b *balance) deal(full, other, sum, total int) {
	b.load[full], b.load[other] = sum, total-sum
	b.held[full], b.held[other] = b.held[full][:0], b.held[other][:0]
	for n := len(b.hand) - 1; n >= 0; n-- {
		if k := b.hand[n]; sum > 0 && int(b.reach[sum]) == n+1 {
			b.held[full] = append(b.held[full], k)
			sum -= b.lengths[k]
		} else {
			b.held[other] = append(b.held[other], k)
		}
	}
}
