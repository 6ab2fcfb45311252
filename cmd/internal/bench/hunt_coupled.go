package bench

import (
	"slices"

	"downbeat/model"
)

// ties are what ties the tasks of a stage to each other, and to others of their job.
type ties struct {
	// atMost is a cap, 0 for none.
	atMost      int64
	gang, apart bool
}

// size counts switches that are not at their default, and numbers.
func (t *ties) size() int64 { return t.atMost + one(t.gang) + one(t.apart) }

// clonePools copies pools.
func clonePools(pools []model.Pool) []model.Pool {
	out := slices.Clone(pools)
	for i := range out {
		out[i].Levels = slices.Clone(out[i].Levels)
	}
	return out
}

// sizeOfPools adds up pools with their levels.
func sizeOfPools(pools []model.Pool) (n int64) {
	for _, p := range pools {
		n++
		for _, l := range p.Levels {
			n += 1 + int64(l.From) + l.Amount
		}
	}
	return n
}

// pooled adds up what a group takes of pools.
func (g *huntGroup) pooled() (n int64) {
	for _, need := range g.needs.Pools {
		n += int64(need.Units)
	}
	return n
}

// takes sets what a group takes of pools, by their places.
func (g *huntGroup) takes(units []int64) {
	g.needs.Pools = model.Needs{}.Pools
	for k, u := range units {
		if u > 0 {
			g.needs.TakePool(k, u)
		}
	}
}

// taken is what a group takes of so many pools, by their places.
func (g *huntGroup) taken(pools int) []int64 {
	units := make([]int64, pools)
	for k := range units {
		units[k] = g.needs.Pooled(k)
	}
	return units
}

// dropPools takes away a pool, a level of one, or what a group takes of one.
func dropPools(c *candidate, yield func(*candidate) bool) bool {
	for k, p := range c.pools {
		if !c.try(yield, func(next *candidate) {
			for _, at := range next.groups() {
				g := at.in(next)
				g.takes(slices.Delete(g.taken(len(c.pools)), k, k+1))
			}
			next.pools = slices.Delete(next.pools, k, k+1)
		}) {
			return false
		}
		for i := 1; i < len(p.Levels); i++ {
			if !c.try(yield, func(next *candidate) { next.pools[k].Levels = slices.Delete(next.pools[k].Levels, i, i+1) }) {
				return false
			}
		}
		for _, at := range c.groups() {
			if at.in(c).needs.Pooled(k) > 0 && !c.try(yield, func(next *candidate) { at.take(next, k, 0) }) {
				return false
			}
		}
	}
	return true
}

// take sets what a group takes of a pool.
func (p place) take(c *candidate, pool int, units int64) {
	g := p.in(c)
	all := g.taken(len(c.pools))
	all[pool] = units
	g.takes(all)
}

// dropTies takes away caps, and lets tasks start and be where they like.
func dropTies(c *candidate, yield func(*candidate) bool) bool {
	for i := range c.jobs {
		if c.jobs[i].atMost > 0 && !c.try(yield, func(next *candidate) { next.jobs[i].atMost = 0 }) {
			return false
		}
		for si := range c.jobs[i].stages {
			st := &c.jobs[i].stages[si]
			if st.atMost > 0 && !c.try(yield, func(next *candidate) { next.jobs[i].stages[si].atMost = 0 }) ||
				st.gang && !c.try(yield, func(next *candidate) { next.jobs[i].stages[si].gang = false }) ||
				st.apart && !c.try(yield, func(next *candidate) { next.jobs[i].stages[si].apart = false }) {
				return false
			}
		}
	}
	return true
}

// poolNumbers are the levels of pools and what groups take of them, and caps.
func (c *candidate) poolNumbers() (out []number) {
	for k := range c.pools {
		for i := range c.pools[k].Levels {
			out = append(out, field(0, func(c *candidate) *int64 { return &c.pools[k].Levels[i].Amount }))
			if i > 0 {
				out = append(out, field(1, func(c *candidate) *model.Time { return &c.pools[k].Levels[i].From }))
			}
		}
		for _, at := range c.groups() {
			if at.in(c).needs.Pooled(k) > 0 {
				out = append(out, number{
					least: 1,
					get:   func(c *candidate) int64 { return at.in(c).needs.Pooled(k) },
					set:   func(c *candidate, v int64) { at.take(c, k, v) },
				})
			}
		}
	}
	for i := range c.jobs {
		if c.jobs[i].atMost > 0 {
			out = append(out, field(1, func(c *candidate) *int64 { return &c.jobs[i].atMost }))
		}
		for si := range c.jobs[i].stages {
			if c.jobs[i].stages[si].atMost > 0 {
				out = append(out, field(1, func(c *candidate) *int64 { return &c.jobs[i].stages[si].atMost }))
			}
		}
	}
	return out
}
