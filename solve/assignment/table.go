package assignment

// table has the best that a core can do, at rewards by item.
type table struct {
	// first has, by number of items that are looked at and by ticks, the most reward of the first
	// of them within so many ticks, rest that of the others if so many ticks are gone.
	first, rest [][]int64
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

// done marks the items of such a core that was looked at last.
func (t *table) done(k *kind, of *group, does func(item int32)) {
	at := int(k.capacity)
	for n := len(of.items) - 1; n >= 0; n-- {
		e := of.items[n]
		if e.must || t.first[n+1][at] != t.first[n][at] {
			at = min(at, int(k.room[e.item])) - int(k.length[e.item])
			does(e.item)
		}
	}
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
