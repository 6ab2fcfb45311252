package pooled

import "downbeat/model"

// pool is a number of slaves that are taken together.
type pool struct {
	slaves []model.SlaveID
	// first is the first heartbeat of any of them. aligned tells that those of all fall
	// on the same times; else a task may be handed out at any time from first on.
	first   model.Time
	aligned bool
	beat    model.Time // the interval of heartbeats
}

// lastBeat is the last time, at or before t, at which a task can be handed out; -1
// for none.
func (p *pool) lastBeat(t model.Time) model.Time {
	switch {
	case t < p.first:
		return -1
	case p.aligned:
		return t - (t-p.first)%p.beat
	default:
		return t
	}
}

// nextBeat is the first time, at or after t, at which a task can be handed out.
func (p *pool) nextBeat(t model.Time) model.Time {
	switch {
	case t <= p.first:
		return p.first
	case p.aligned:
		return t + (p.beat-(t-p.first)%p.beat)%p.beat
	default:
		return t
	}
}

// kindOfSlave is what slaves of a pool have in common.
type kindOfSlave struct {
	class string
	// offers are what supplies say.
	offers [model.Resources]int64
	// phase is the time of heartbeats within an interval.
	phase model.Time
}

// The ways of pooling slaves: those of a class whose heartbeats fall together, those of
// a class, those with as many cores and slots, and all.
const (
	phases = iota
	classes
	coreKinds
	whole
)

// merges says of each way what it forgets of slaves.
var merges = [...]func(k *kindOfSlave){
	phases:    func(*kindOfSlave) {},
	classes:   func(k *kindOfSlave) { k.phase = 0 },
	coreKinds: func(k *kindOfSlave) { k.phase, k.class = 0, "" },
	whole:     func(k *kindOfSlave) { *k = kindOfSlave{} },
}

// maxPools bounds the pools: where there are more, the next way is taken.
const maxPools = 48

// newPools divides the slaves up.
func newPools(js *model.JobSet, way int) []pool {
	for ; ; way++ {
		if pools := poolsBy(js, merges[way]); len(pools) <= maxPools {
			return pools
		}
	}
}

// poolsBy takes slaves together that are of one kind but for what merge forgets.
func poolsBy(js *model.JobSet, merge func(*kindOfSlave)) []pool {
	var pools []pool
	at := map[kindOfSlave]int{}
	for s := range model.SlaveID(len(js.Slaves)) {
		slave := &js.Slaves[s]
		kind := kindOfSlave{class: slave.Class, phase: slave.FirstBeat % js.Heartbeat}
		for _, sup := range js.Supplies(s) {
			kind.offers[sup.Resource] = sup.Units
		}
		merge(&kind)
		k, seen := at[kind]
		if !seen {
			k = len(pools)
			at[kind] = k
			pools = append(pools, pool{first: slave.FirstBeat, aligned: true, beat: js.Heartbeat})
		}
		p := &pools[k]
		p.slaves = append(p.slaves, s)
		p.aligned = p.aligned && (slave.FirstBeat-p.first)%js.Heartbeat == 0
		p.first = min(p.first, slave.FirstBeat)
	}
	return pools
}
