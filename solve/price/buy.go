package price

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
		if b.bought = cost < refusal; !b.bought {
			total += refusal
		} else {
			total += cost
			m.buy(b, gate)
		}
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
	most := m.refusal[b.id]
	var before []int64
	for k := range last {
		m.forward(&b.stages[k], before, b.until[k], most)
		before = b.until[k]
	}
	m.backward(&b.stages[last], b.from, most)
	if before == nil {
		return b.from[0], 0
	}
	cost = never
	for t := range b.from {
		if c := before[t] + b.from[t]; c < cost {
			cost, gate = c, model.Time(t)
		}
	}
	return cost, gate
}

// forward works out until: the least cost, up to most, of a stage and all
// before if it ends at a time or before. A stage of several tasks is not tied
// to the gate before it, only to the windows: it pays as if handed out freely.
func (m *market) forward(st *stage, before, until []int64, most int64) {
	for t := range until {
		until[t] = 0
	}
	single := m.single
	for i := range st.classes {
		c := &st.classes[i]
		for t := range single {
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
		for t := range single {
			least = min(least, single[t])
			until[t] = min(most, until[t]+c.count*least)
		}
	}
	if before != nil && !st.alone {
		m.shift(st, before, until, most)
	}
}

// shift adds what the stages before cost, if they end early enough for a stage
// to end at a time.
func (m *market) shift(st *stage, before, until []int64, most int64) {
	for t := range until {
		if at := model.Time(t) - st.hold; at < 0 {
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
				single[f] = min(single[f], best+st.cores[f]-st.cores[start]+slots[f])
			}
		}
	}
}

// backward works out from: the least cost, up to most, of the last stage if it
// is handed out at a time or after.
func (m *market) backward(st *stage, from []int64, most int64) {
	for t := range from {
		from[t] = 0
	}
	single := m.single
	for i := range st.classes {
		c := &st.classes[i]
		for t := range single {
			single[t] = most
		}
		for k := range c.options {
			m.begins(&c.options[k], single)
		}
		least := most
		for t := len(single) - 1; t >= 0; t-- {
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
				single[beat] = min(single[beat], right+st.fetches[start]-st.fetches[fetch]-slots[beat])
			}
		}
	}
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
// from or later and finishes by until.
func (m *market) best(c *class, before []int64, from, until model.Time) (which *option, beat, fetch, start model.Time) {
	least := int64(never)
	for k := range c.options {
		o := &c.options[k]
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
					least, which, fetch, start = cost, o, leftFetch, s
					beat = model.Time(st.beat[leftFetch])
				}
			}
		}
	}
	return which, beat, fetch, start
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
