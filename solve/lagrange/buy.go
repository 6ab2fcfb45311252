package lagrange

import (
	"math"

	"downbeat/model"
)

// never is a cost above all refusals; sums of a few stay far from overflow.
const never = math.MaxInt64 / 16

// value is the Lagrangian of the prices as they are: what the jobs pay less
// what all goods cost. It sets usage to what they buy.
func (m *market) value() int64 {
	m.sum()
	clear(m.usage)
	total := int64(0)
	for i := range m.jobs {
		b := &m.jobs[i]
		refusal := m.refusal[b.id]
		if b.bought = false; refusal == 0 {
			continue // late by choice
		}
		cost, gate := m.cheapest(b)
		if b.bought = cost < refusal; b.bought {
			m.buy(b, gate)
		}
		b.paid = min(cost, refusal)
		total += b.paid
	}
	for g, p := range m.price {
		total -= p * m.capacity[g]
	}
	return total
}

// cheapest is the least that a job pays to finish in time, and when its last
// stage is handed out then, at the earliest.
func (m *market) cheapest(b *buyer) (cost int64, gate model.Time) {
	last := len(b.stages) - 1
	var before []int64
	for k := range last {
		m.forward(b, &b.stages[k], before, b.until[k])
		before = b.until[k]
	}
	m.backward(b, &b.stages[last])
	if before == nil {
		return b.from[b.first], b.first
	}
	cost = never
	for t := b.first; t <= b.last; t++ {
		if c := before[t] + b.from[t]; c < cost {
			cost, gate = c, t
		}
	}
	return cost, gate
}

// forward works out until: the least cost, up to most, of a stage and all
// before if it ends at a time or before. A stage of several tasks is not tied
// to the gate before it, only to the windows: it pays as if handed out freely.
func (m *market) forward(b *buyer, st *stage, before, until []int64) {
	most := m.refusal[b.id]
	clear(until)
	single := m.single[:b.last+1]
	for i := range st.classes {
		c := &st.classes[i]
		for t := b.first; t <= b.last; t++ {
			single[t] = most
		}
		for k := range c.options {
			if o := &c.options[k]; before != nil && st.alone {
				m.ends(o, before, single)
			} else {
				m.ends(o, nil, single)
			}
		}
		least := most
		for t := b.first; t <= b.last; t++ {
			least = min(least, single[t])
			until[t] = min(most, until[t]+c.count*least)
		}
	}
	if before != nil && !st.alone {
		m.shift(b, st, before, until)
	}
}

// shift adds what the stages before cost, if they end early enough for a stage
// to end at a time.
func (m *market) shift(b *buyer, st *stage, before, until []int64) {
	most := m.refusal[b.id]
	for t := b.first; t <= b.last; t++ {
		if at := t - st.hold; at < b.first {
			until[t] = most
		} else {
			until[t] = min(most, until[t]+before[at])
		}
	}
}

// ends lowers single[f] to the least cost of a task with an option that
// finishes at f, what the stages before cost at its heartbeat included.
func (m *market) ends(o *option, before, single []int64) {
	st := &m.slaves[o.slave]
	slots := st.slots[o.pool]
	least := int64(never)
	for _, there := range st.there {
		ready := max(o.firstAssign, there.Start)
		last := min(o.lastRun, there.End-o.wcet)
		best := int64(never)
		for start := max(ready, o.firstFetch) + o.transfer; start <= last; start++ {
			fetch := start - o.transfer
			if beat := st.beat[fetch]; model.Time(beat) >= ready && fetch <= o.lastFetch {
				left := st.fetches[start] - st.fetches[fetch] - slots[beat]
				if before != nil {
					left += before[beat]
				}
				best = min(best, left)
			}
			if best < never && start >= o.firstRun {
				f := start + o.wcet
				cost := best + st.cores[f] - st.cores[start] + slots[f]
				single[f] = min(single[f], cost)
				least = min(least, cost)
			}
		}
	}
	o.least = least
}

// backward works out from: the least cost, up to most, of the last stage if it
// is handed out at a time or after.
func (m *market) backward(b *buyer, st *stage) {
	most, from := m.refusal[b.id], b.from
	clear(from)
	single := m.single[:b.last+1]
	for i := range st.classes {
		c := &st.classes[i]
		for t := b.first; t <= b.last; t++ {
			single[t] = most
		}
		for k := range c.options {
			m.begins(&c.options[k], single)
		}
		least := most
		for t := b.last; t >= b.first; t-- {
			least = min(least, single[t])
			from[t] = min(most, from[t]+c.count*least)
		}
	}
}

// begins lowers single[a] to the least cost of a task with an option that is
// handed out at a.
func (m *market) begins(o *option, single []int64) {
	st := &m.slaves[o.slave]
	slots := st.slots[o.pool]
	least := int64(never)
	for _, there := range st.there {
		ready := max(o.firstAssign, there.Start)
		last := min(o.lastRun, there.End-o.wcet)
		right := int64(never)
		for start := last; start >= max(ready, o.firstFetch)+o.transfer; start-- {
			f, fetch := start+o.wcet, start-o.transfer
			if start >= o.firstRun {
				right = min(right, st.cores[f]-st.cores[start]+slots[f])
			}
			if beat := st.beat[fetch]; model.Time(beat) >= ready && fetch <= o.lastFetch {
				cost := right + st.fetches[start] - st.fetches[fetch] - slots[beat]
				single[beat] = min(single[beat], cost)
				least = min(least, cost)
			}
		}
	}
	o.least = least
}

// buy adds to usage what a job buys whose last stage is handed out at gate or later.
func (m *market) buy(b *buyer, gate model.Time) {
	last := len(b.stages) - 1
	for k := last; k >= 0; k-- {
		var before []int64
		from, until := model.Time(0), gate
		if k == last {
			from, until = gate, m.end
		} else if k > 0 && b.stages[k].alone {
			before = b.until[k-1]
		}
		for i := range b.stages[k].classes {
			c := &b.stages[k].classes[i]
			o, beat, fetch, start := m.best(c, before, from, until)
			if o == nil {
				continue // as dear as being refused
			}
			m.take(o, c.count, model.Time(beat), fetch, start)
			if before != nil {
				gate = model.Time(beat)
			}
		}
		if k < last && k > 0 && before == nil {
			gate = max(0, until-b.stages[k].hold)
		}
	}
}

// best finds the cheapest placement of a task of a class that is handed out at
// from or later and finishes by until. cheapest has looked at the class before at
// the same prices.
func (m *market) best(c *class, before []int64, from, until model.Time) (which *option, beat, fetch, start model.Time) {
	least := int64(never)
	look := func(o *option) {
		if o.least >= least {
			return
		}
		if cost, b, r, s := m.placed(o, before, from, until); cost < least {
			least, which, beat, fetch, start = cost, o, b, r, s
		}
	}
	first := &c.options[0]
	for k := range c.options {
		if o := &c.options[k]; o.least < first.least {
			first = o
		}
	}
	look(first)
	for k := range c.options {
		if o := &c.options[k]; o != first {
			look(o)
		}
	}
	return which, beat, fetch, start
}

// placed is the cheapest placement with an option that is handed out at from or
// later and finishes by until.
func (m *market) placed(o *option, before []int64, from, until model.Time) (least int64, beat, fetch, start model.Time) {
	least = never
	st := &m.slaves[o.slave]
	slots := st.slots[o.pool]
	for _, there := range st.there {
		ready := max(o.firstAssign, there.Start, from)
		last := min(o.lastRun, there.End-o.wcet, until-o.wcet)
		left := int64(never)
		var leftFetch model.Time
		for s := max(ready, o.firstFetch) + o.transfer; s <= last; s++ {
			r := s - o.transfer
			if b := st.beat[r]; model.Time(b) >= ready && r <= o.lastFetch {
				cost := st.fetches[s] - st.fetches[r] - slots[b]
				if before != nil {
					cost += before[b]
				}
				if cost <= left {
					left, leftFetch = cost, r
				}
			}
			if left == never || s < o.firstRun {
				continue
			}
			f := s + o.wcet
			if cost := left + st.cores[f] - st.cores[s] + slots[f]; cost < least {
				least, fetch, start = cost, leftFetch, s
				beat = model.Time(st.beat[leftFetch])
			}
		}
	}
	return least, beat, fetch, start
}

func (m *market) take(o *option, count int64, beat, fetch, start model.Time) {
	st := &m.slaves[o.slave]
	n := int32(count)
	for t := start; t < start+o.wcet; t++ {
		m.usage[st.core+int(t)] += n
	}
	for t := fetch; t < fetch+o.transfer && m.js.Fetch == model.FetchExclusive; t++ {
		m.usage[st.fetch+int(t)] += n
	}
	for t := beat; t < start+o.wcet; t += m.js.Heartbeat {
		m.usage[st.slot[o.pool]+int(t)] += n
	}
}
