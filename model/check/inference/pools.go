package inference

import (
	"context"
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// Pools is what all jobs cost together at least, in every plan in which jobs are late or
// not, by the argument b; 0 or less if it proves nothing. The error says what is wrong
// with the argument, or is that of ctx.
//
// A proof file says the same by prices of each slave, which costs.go checks, as it could here:
// with equal slaves taken together that is as soon done on 3,000 tasks and 30 slaves (0.05 s of
// 0.7 to 1.3 s that the prices are found in), but takes 0.5 s in place of 0.06 to 0.16 on 10,000
// tasks and 100 slaves, of 0.3 to 2.6 s, and grows with tasks × slaves where this grows with
// tasks × pools.
func Pools(ctx context.Context, js *model.JobSet, q *proof.LateCosts, b *proof.PoolBound) (int64, error) {
	c := &poolChecker{js: Series(js), q: q, bound: b}
	if err := c.check(); err != nil {
		return 0, err
	}
	surplus := -c.worth()
	for i, weight := range q.Weight {
		if weight == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		surplus += c.least(model.JobID(i))
	}
	if surplus < 0 {
		return surplus / b.Unit, nil
	}
	return (surplus + b.Unit - 1) / b.Unit, nil
}

// poolChecker has an argument and what is worked out of it once.
type poolChecker struct {
	js    *model.JobSet
	q     *proof.LateCosts
	bound *proof.PoolBound
	// steps is the number of steps to the last due time, the one that it lies in included.
	steps model.Time
	pools []pool
	// shared are what all pools share that has prices, each once.
	shared []sharedPrices
}

// sharedPrices are those of a pool of licences or the like, or of a cap.
type sharedPrices struct {
	id model.SharedID
	prices
}

// pool is a pool of slaves with its prices.
type pool struct {
	slaves []model.SlaveID
	// first is the earliest heartbeat; together tells that all slaves' fall together.
	first    model.Time
	together bool
	prices   [model.NumResources]prices
}

// prices are those of a resource by step, with their sum over all ticks before a step;
// nil where all are 0.
type prices struct{ at, before []int64 }

// most bounds sums that must not overflow; dear is the cost of what cannot be.
const most, dear = 1 << 56, 1 << 60

// check looks whether the argument is well formed, and reads pools and prices.
func (c *poolChecker) check() error {
	n := len(c.js.Jobs)
	if q := c.q; len(q.Due) != n || len(q.Weight) != n || q.PerTick != nil && len(q.PerTick) != n {
		return fmt.Errorf("%d due times and %d weights for %d jobs", len(q.Due), len(q.Weight), n)
	}
	if b := c.bound; b.Step < 1 || b.Step > model.MaxTime || b.Unit < 1 {
		return fmt.Errorf("steps of %d ticks and units of %d", b.Step, b.Unit)
	}
	if err := c.checkWeights(); err != nil {
		return err
	}
	if err := c.readPools(); err != nil {
		return err
	}
	return c.readPrices()
}

func (c *poolChecker) checkWeights() error {
	all, end := int64(0), model.Time(0)
	for i, weight := range c.q.Weight {
		name, due := c.js.Jobs[i].Name, c.q.Due[i]
		switch {
		case weight < 0 || weight > most/c.bound.Unit-all:
			return fmt.Errorf("job %s has a weight of %d", name, weight)
		case weight == 0:
			continue
		case due < 0 || due > 4*model.MaxTime:
			return fmt.Errorf("job %s is due at %d", name, due)
		}
		all += weight
		end = max(end, due)
		perTick, latest := c.perTick(model.JobID(i)), max(1, due-c.js.Jobs[i].Due())
		if perTick < 0 || perTick > most/c.bound.Unit/int64(latest) || perTick > 0 && c.js.Jobs[i].Kind == model.BestEffort {
			return fmt.Errorf("job %s costs %d per tick", name, perTick)
		}
	}
	c.steps = end/c.bound.Step + 1
	return nil
}

func (c *poolChecker) perTick(id model.JobID) int64 {
	if c.q.PerTick == nil {
		return 0
	}
	return c.q.PerTick[id]
}

func (c *poolChecker) readPools() error {
	seen := make([]bool, len(c.js.Slaves))
	left := len(seen)
	for _, slaves := range c.bound.Pools {
		p := pool{slaves: slaves, together: true}
		for k, s := range slaves {
			if s < 0 || int(s) >= len(seen) || seen[s] {
				return fmt.Errorf("slave %d in a pool", s)
			}
			seen[s] = true
			left--
			beat := c.js.Slaves[s].FirstBeat
			if k == 0 {
				p.first = beat
			}
			p.together = p.together && (beat-p.first)%c.js.Heartbeat == 0
			p.first = min(p.first, beat)
		}
		c.pools = append(c.pools, p)
	}
	if left > 0 {
		return fmt.Errorf("%d slaves in no pool", left)
	}
	return nil
}

func (c *poolChecker) readPrices() error {
	step := c.bound.Step
	for _, p := range c.bound.Prices {
		in := p.Interval
		switch {
		case p.Pool == -1 && (p.Shared < 0 || int(p.Shared) >= len(c.js.Shared())):
			return fmt.Errorf("a price of pool or cap %d", p.Shared)
		case p.Pool < -1 || p.Pool >= len(c.pools) || p.Resource < 0 || p.Resource >= model.NumResources:
			return fmt.Errorf("a price of resource %d in pool %d", p.Resource, p.Pool)
		case in.Start < 0 || in.Start >= in.End || in.End > c.steps*step || in.Start%step != 0 || in.End%step != 0:
			return fmt.Errorf("a price from %d to %d", in.Start, in.End)
		case p.Value < 1 || p.Value > most:
			return fmt.Errorf("a price of %d", p.Value)
		}
		of := c.pricesOf(&p)
		if of.at == nil {
			of.at, of.before = make([]int64, c.steps), make([]int64, c.steps+1)
		}
		for k := in.Start / step; k < in.End/step; k++ {
			if of.at[k] != 0 {
				return fmt.Errorf("two prices at %d", k*step)
			}
			of.at[k] = p.Value
		}
	}
	return c.addUp()
}

// pricesOf are those of what a price is on.
func (c *poolChecker) pricesOf(p *proof.PoolPrice) *prices {
	if p.Pool >= 0 {
		return &c.pools[p.Pool].prices[p.Resource]
	}
	for k := range c.shared {
		if c.shared[k].id == p.Shared {
			return &c.shared[k].prices
		}
	}
	c.shared = append(c.shared, sharedPrices{id: p.Shared})
	return &c.shared[len(c.shared)-1].prices
}

// addUp sums prices, and sees to it that neither what capacity is worth nor what the
// tasks of a stage pay together overflows.
func (c *poolChecker) addUp() error {
	count, needs := int64(1), c.stageNeeds()
	for i := range c.js.Jobs {
		for _, st := range c.js.Jobs[i].Stages {
			count = max(count, int64(st.End-st.First))
		}
	}
	for k := range c.pools {
		p := &c.pools[k]
		units := [model.NumResources]int64{}
		for _, s := range p.slaves {
			for _, has := range c.js.Supplies(s) {
				units[has.Resource] += has.Units
			}
		}
		for r := range p.prices {
			if err := c.addUpPrices(&p.prices[r], max(count, needs[r], units[r])); err != nil {
				return err
			}
		}
	}
	for k := range c.shared {
		sh := &c.js.Shared()[c.shared[k].id]
		units := max(1, sh.Levels[0].Amount)
		for _, level := range sh.Levels {
			units = max(units, level.Amount)
		}
		for _, t := range sh.Tasks {
			units = max(units, times(count, c.js.Taken(t, c.shared[k].id)))
		}
		if err := c.addUpPrices(&c.shared[k].prices, units); err != nil {
			return err
		}
	}
	return nil
}

// stageNeeds are the most that all tasks of a stage need of each resource that one may need several of.
func (c *poolChecker) stageNeeds() (most [model.NumResources]int64) {
	for i := range c.js.Jobs {
		for _, st := range c.js.Jobs[i].Stages {
			all := [model.NumResources]int64{}
			for t := st.First; t < st.End; t++ {
				task := &c.js.Tasks[t]
				all[model.Cores] = plus(all[model.Cores], task.Cores())
				for k := range c.js.Named {
					r := model.FirstNamed + model.ResourceID(k)
					all[r] = plus(all[r], task.Units(k))
				}
			}
			for r := range all {
				most[r] = max(most[r], all[r])
			}
		}
	}
	return most
}

// addUpPrices sums prices, each of so many units at a time at most.
func (c *poolChecker) addUpPrices(of *prices, units int64) error {
	limit := most / units / int64(len(c.pools)*int(model.NumResources)+len(c.shared))
	for i, price := range of.at {
		if price > (limit-of.before[i])/int64(c.bound.Step) {
			return errors.New("the prices are too high to add up")
		}
		of.before[i+1] = of.before[i] + price*int64(c.bound.Step)
	}
	return nil
}

// until is the sum of prices over the ticks before t.
func (c *poolChecker) until(p *prices, t model.Time) int64 {
	if p.at == nil {
		return 0
	}
	k := t / c.bound.Step
	if k >= c.steps {
		return p.before[c.steps]
	}
	return p.before[k] + p.at[k]*int64(t%c.bound.Step)
}

// worth is what everything that has a price is worth: on each slave at all ticks, but
// for those at which it has nothing to give.
func (c *poolChecker) worth() int64 {
	total := int64(0)
	for k := range c.pools {
		p := &c.pools[k]
		for _, s := range p.slaves {
			for _, has := range c.js.Supplies(s) {
				of := &p.prices[has.Resource]
				if of.at == nil {
					continue
				}
				open := of.before[c.steps]
				for _, d := range c.away(s, has.Hold) {
					open -= c.until(of, d.End) - c.until(of, d.Start)
				}
				total += has.Units * open
			}
		}
	}
	for k := range c.shared {
		of := &c.shared[k]
		levels := c.js.Shared()[of.id].Levels
		for i, level := range levels {
			until := c.steps * c.bound.Step
			if i+1 < len(levels) {
				until = levels[i+1].From
			}
			total += max(0, level.Amount) * max(0, c.until(&of.prices, until)-c.until(&of.prices, level.From))
		}
	}
	return total
}

// away lists when a slave has nothing to give: its absences; of what is held from
// heartbeats on, for a heartbeat within an absence all time to the next one.
func (c *poolChecker) away(s model.SlaveID, hold model.Hold) []model.Interval {
	slave := &c.js.Slaves[s]
	if hold != model.HoldStay {
		return slave.Down
	}
	out := []model.Interval{{Start: 0, End: slave.FirstBeat}}
	beat := func(t model.Time) model.Time {
		k := max(0, t-slave.FirstBeat+c.js.Heartbeat-1) / c.js.Heartbeat
		return slave.FirstBeat + k*c.js.Heartbeat
	}
	for _, d := range slave.Down {
		out = append(out, model.Interval{Start: beat(d.Start), End: beat(d.End)})
	}
	return out
}
