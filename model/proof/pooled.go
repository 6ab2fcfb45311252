package proof

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// PoolBound is an argument by multipliers as DualBound is, for job sets that are too
// large to be looked at slave by slave and tick by tick. Slaves are pooled: those of a
// pool have the same prices. Time goes by steps, and prices are constant within one.
// Of a stage, tasks that run equally long in every pool are taken to be equal, each
// with the least figures that any of them has on any slave of the pool.
//
// A price is per unit and tick. What is held in the way of model.HoldStay is held for
// whole heartbeat intervals: its slot cannot be given away before the next heartbeat.
type PoolBound struct {
	// Step ≥ 1 is the length of a step in ticks, a power of 2.
	Step model.Time
	// Apart tells that tasks are taken to be equal only where they fetch equally long, too.
	Apart bool
	// Pools has every slave once.
	Pools [][]model.SlaveID
	// Unit > 0 is what a weight of 1 is in prices.
	Unit int64
	// Prices are those that are not 0.
	Prices []PoolPrice
}

// PoolPrice is the price of a unit of a resource for a tick of Interval, on all slaves
// of a pool; the interval begins and ends with a step. Where Pool is -1 it is that of a unit of what
// tasks on all slaves share.
type PoolPrice struct {
	Pool     int
	Resource model.ResourceID
	Shared   model.SharedID
	Interval model.Interval
	// Value > 0.
	Value int64
}

// LateCosts is what a bound is about: jobs that are to finish by Due (absolute, by
// JobID). A job that does not costs its Weight ≥ 0, one that does PerTick ≥ 0 for each
// tick after its deadline, but no more than its Weight. Jobs with a Weight of 0 play no
// part; PerTick is nil if all are 0.
type LateCosts struct {
	Due             []model.Time
	Weight, PerTick []int64
}

// Sentence says how many prices there are, and on what.
func (b *PoolBound) Sentence() string {
	ticks := "tick by tick"
	if b.Step > 1 {
		ticks = fmt.Sprintf("in steps of %d ticks", b.Step)
	}
	shared := ""
	if slices.ContainsFunc(b.Prices, func(p PoolPrice) bool { return p.Pool < 0 }) {
		shared = " and on what all machines share"
	}
	return fmt.Sprintf("with %d prices on cores, fetch lines and slots of %d groups of machines%s, %s", len(b.Prices), len(b.Pools), shared, ticks)
}
