package gen

import (
	"errors"
	"math/rand/v2"

	"downbeat/model"
)

// Coupled adds to a drawn set what ties tasks on different slaves to each other: pools, some of which
// change, caps, gangs and stages that are apart. With ends, some pools end too low for some tasks. Deadlines
// stay, so that more of them cannot be met. The set is another one afterwards, of the same jobs.
func Coupled(js *model.JobSet, seed uint64, ends bool) *model.JobSet {
	c := &coupler{rand.New(rand.NewPCG(seed, 0x636f75706c65)), *js}
	out := &c.js
	out.Name += "-coupled"
	out.Jobs = make([]model.Job, len(js.Jobs))
	c.pools(ends)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		*job = js.Jobs[i]
		if c.chance(0.25) {
			job.AtMost = 1 + c.rng.Int64N(3)
		}
		job.Stages = make([]model.Stage, len(js.Jobs[i].Stages))
		for k := range job.Stages {
			job.Stages[k] = js.Jobs[i].Stages[k]
			c.stage(&job.Stages[k])
		}
	}
	out.Tasks = nil
	c.assemble(ends)
	return out
}

// coupler draws.
type coupler struct {
	rng *rand.Rand
	js  model.JobSet
}

func (c *coupler) chance(p float64) bool { return c.rng.Float64() < p }

// pools are none, one or two. Where they do not end, there are units for any gang in the end.
func (c *coupler) pools(ends bool) {
	for _, name := range []string{"db", "licence"}[:c.rng.IntN(3)] {
		p := model.Pool{Name: name, Levels: []model.Level{{Amount: 1 + c.rng.Int64N(4)}}}
		for c.chance(0.3) {
			last := p.Levels[len(p.Levels)-1].From
			p.Levels = append(p.Levels, model.Level{From: last + 1 + model.Time(c.rng.IntN(10)), Amount: c.rng.Int64N(5)})
		}
		if n := len(p.Levels); n > 1 && (!ends || c.chance(0.5)) {
			p.Levels[n-1].Amount = 2 + c.rng.Int64N(8)
		}
		c.js.Pools = append(c.js.Pools, p)
	}
}

// stage draws what ties the tasks of a stage to each other, and what they take of pools.
func (c *coupler) stage(st *model.Stage) {
	if c.chance(0.25) {
		st.AtMost = 1 + c.rng.Int64N(3)
	}
	st.Gang, st.Apart = c.chance(0.35), c.chance(0.25)
	groups := make([]model.Group, len(st.Groups))
	for i := range groups {
		p := st.Groups[i].Declared()
		needs := p.Needs()
		for k := range c.js.Pools {
			if c.chance(0.5) {
				needs.TakePool(k, 1+c.rng.Int64N(2))
			}
		}
		groups[i] = model.Group{Count: st.Groups[i].Count, Profile: p.Needing(needs)}
	}
	st.Groups = groups
}

// assemble takes back what can never run: it gives pools more, and lets tasks be no gang and not apart.
func (c *coupler) assemble(ends bool) {
	for {
		err := c.js.Assemble()
		var misfits *model.Misfits
		switch {
		case err == nil && (ends || !c.endsLow()):
			return
		case err == nil:
			for i := range c.js.Pools {
				levels := c.js.Pools[i].Levels
				levels[len(levels)-1].Amount++
			}
		case errors.As(err, &misfits):
			for _, m := range misfits.List {
				if m.Of == model.MisfitPool {
					for i := range c.js.Pools {
						c.js.Pools[i].Levels[0].Amount++
					}
					continue
				}
				st := &c.js.Jobs[m.Job].Stages[m.Stage]
				st.Gang, st.Apart = false, false
			}
		default:
			panic("gen: " + err.Error())
		}
	}
}

// endsLow reports whether a pool is too low in the end for some task or gang.
func (c *coupler) endsLow() bool { return c.js.Horizon() < model.Never && !c.js.AnyGone() }
