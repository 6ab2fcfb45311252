package assignment

import (
	"cmp"
	"slices"
)

// table has the best that a core can do, at rewards by item.
type table struct {
	// first has, by number of items that are looked at and by ticks, the most reward of the first
	// of them within so many ticks, rest that of the others if so many ticks are gone.
	first, rest [][]int64
	// order are the items of a core by what they are worth by their length, and core those that may be done or not.
	order, core []entry
	// cells counts those that were worked out.
	cells int
}

// never is less than any reward: not all that a core has to do fits.
const never = -1 << 60

func newTable(p *Problem) *table {
	most := int32(0)
	for k := range p.kinds {
		most = max(most, p.kinds[k].capacity)
	}
	t := &table{}
	for range len(p.tasks) + 1 {
		t.first = append(t.first, make([]int64, most+1))
		t.rest = append(t.rest, make([]int64, most+1))
	}
	return t
}

// most is the greatest reward of a core of a group; what it has to do earns nothing.
func (t *table) most(k *kind, of *group, reward []int64) int64 {
	size := int(k.capacity) + 1
	clear(t.first[0][:size])
	for n, e := range of.items {
		before, after := t.first[n][:size], t.first[n+1][:size]
		length, room := int(k.length[e.item]), int(k.room[e.item])
		earns := reward[e.item]
		if e.must {
			copy(after[length:room+1], before[:room+1-length])
			for at := range after[:length] {
				after[at] = never
			}
			for at := room + 1; at < size; at++ {
				after[at] = before[room-length]
			}
			continue
		}
		copy(after[:length], before[:length])
		with, to := before[:room+1-length], after[length:room+1]
		without := before[length : room+1]
		for at, v := range with {
			to[at] = max(without[at], v+earns)
		}
		best := before[room-length] + earns
		for at := room + 1; at < size; at++ {
			after[at] = max(before[at], best)
		}
	}
	t.cells += size * len(of.items)
	return t.first[len(of.items)][size-1]
}

// best is the most, with what such a core does, appended to does. before is what one did at other rewards, if anything.
func (t *table) best(k *kind, of *group, reward []int64, common bool, before, does []int32) (int64, []int32) {
	if !common {
		most := t.most(k, of, reward)
		if most < 0 {
			return never, does
		}
		at := int(k.capacity)
		for n := len(of.items) - 1; n >= 0; n-- {
			e := of.items[n]
			if e.must || t.first[n+1][at] != t.first[n][at] {
				at = min(at, int(k.room[e.item])) - int(k.length[e.item])
				does = append(does, e.item)
			}
		}
		return most, does
	}
	t.order = t.order[:0]
	room, all := int64(k.capacity), int64(0)
	for _, e := range of.items {
		switch length := int64(k.length[e.item]); {
		case e.must:
			room -= length
			does = append(does, e.item)
		case reward[e.item] > 0:
			all += length
			t.order = append(t.order, e)
		}
	}
	if room < 0 {
		return never, does
	}
	if all <= room {
		most := int64(0)
		for _, e := range t.order {
			most += reward[e.item]
			does = append(does, e.item)
		}
		return most, does
	}
	return t.knapsack(k, reward, room, before, does)
}

// knapsack is the most of the items in order that there is room for. By what they are worth by their length, at the price at which a tick
// may be used or not, most are surely done, or not, by whoever does as well as is known; a table is for the others only
// (the core of a knapsack; Balas and Zemel, 1980).
func (t *table) knapsack(k *kind, reward []int64, room int64, before, does []int32) (int64, []int32) {
	length := func(e entry) int64 { return int64(k.length[e.item]) }
	slices.SortFunc(t.order, func(a, b entry) int {
		return cmp.Compare(reward[b.item]*length(a), reward[a.item]*length(b))
	})
	// The first that fit, and others behind them that do; the first that does not has the price.
	left, known, at := room, int64(0), -1
	for n, e := range t.order {
		if length(e) <= left {
			left -= length(e)
			known += reward[e.item]
		} else if at < 0 {
			at = n
		}
	}
	if len(before) > 0 {
		same := int64(0)
		for _, i := range before {
			same += reward[i] // what it has to do is worth nothing
		}
		known = max(known, same)
	}
	price, per := reward[t.order[at].item], length(t.order[at])
	bound := price * room // the linear bound, all in units of per
	for _, e := range t.order[:at] {
		bound += reward[e.item]*per - price*length(e)
	}
	most := int64(0)
	t.core = t.core[:0]
	for n, e := range t.order {
		gain := reward[e.item]*per - price*length(e)
		switch {
		case bound-max(gain, -gain) >= known*per:
			t.core = append(t.core, e)
		case n < at:
			room -= length(e)
			most += reward[e.item]
			does = append(does, e.item)
		}
	}
	size := int(room) + 1
	clear(t.first[0][:size])
	for n, e := range t.core {
		last, next := t.first[n][:size], t.first[n+1][:size]
		of := int(length(e))
		if of >= size {
			copy(next, last)
			continue
		}
		copy(next[:of], last[:of])
		with, without := last[:size-of], last[of:]
		for at, v := range with {
			next[of+at] = max(without[at], v+reward[e.item])
		}
	}
	t.cells += size*len(t.core) + 8*len(t.order)
	at = size - 1
	for n, e := range slices.Backward(t.core) {
		if t.first[n+1][at] != t.first[n][at] {
			at -= int(length(e))
			does = append(does, e.item)
		}
	}
	return most + t.first[len(t.core)][size-1], does
}

// back works out the rest, after most.
func (t *table) back(k *kind, of *group, reward []int64) {
	size := int(k.capacity) + 1
	clear(t.rest[len(of.items)][:size])
	for n := len(of.items) - 1; n >= 0; n-- {
		e := of.items[n]
		after, before := t.rest[n+1][:size], t.rest[n][:size]
		length, last := int(k.length[e.item]), int(k.room[e.item]-k.length[e.item])
		earns := reward[e.item]
		if e.must {
			for at := range before {
				before[at] = never
			}
			copy(before[:last+1], after[length:])
			continue
		}
		copy(before[last+1:], after[last+1:])
		with := after[length : length+last+1]
		for at, v := range with {
			before[at] = max(after[at], v+earns)
		}
	}
	t.cells += size * len(of.items)
}

// choice is the most with and without the n-th item of the group, after back.
func (t *table) choice(k *kind, of *group, n int, reward []int64) (with, without int64) {
	e := of.items[n]
	size, length, last := int(k.capacity)+1, int(k.length[e.item]), int(k.room[e.item]-k.length[e.item])
	first, rest := t.first[n][:size], t.rest[n+1][:size]
	with, without = never, never
	for at, v := range first {
		without = max(without, v+rest[at])
	}
	rest = rest[length:]
	for at, v := range first[:last+1] {
		with = max(with, v+rest[at])
	}
	t.cells += 2 * size
	return with + reward[e.item], without
}
