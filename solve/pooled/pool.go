package pooled

import (
	"downbeat/model"
	"downbeat/solve/relaxation"
)

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
	offers [model.NumResources]int64
	// phase is the time of heartbeats within an interval.
	phase model.Time
}

// The divisions of slaves into pools: those of a class whose heartbeats fall together, those of
// a class, those with as many cores and slots, and all.
const (
	phases = iota
	classes
	coreKinds
	whole
)

// merges says of each division what it forgets of slaves.
var merges = [...]func(k *kindOfSlave){
	phases:    func(*kindOfSlave) {},
	classes:   func(k *kindOfSlave) { k.phase = 0 },
	coreKinds: func(k *kindOfSlave) { k.phase, k.class = 0, "" },
	whole:     func(k *kindOfSlave) { *k = kindOfSlave{} },
}

// maxPools bounds the pools: where there are more, the next division is taken.
const maxPools = 48

// newPools divides the slaves up.
func newPools(js *model.JobSet, by int) []pool {
	for ; ; by++ {
		if places := relaxation.PlacesBy(js, maxPools, kinds(js, merges[by])); places != nil {
			return poolsOf(js, places)
		}
	}
}

// kinds tells of each slave its kind but for what merge forgets.
func kinds(js *model.JobSet, merge func(*kindOfSlave)) func(model.SlaveID) kindOfSlave {
	return func(s model.SlaveID) kindOfSlave {
		slave := &js.Slaves[s]
		kind := kindOfSlave{class: slave.Class, phase: slave.FirstBeat % js.Heartbeat}
		for _, sup := range js.Supplies(s) {
			kind.offers[sup.Resource] = sup.Units
		}
		merge(&kind)
		return kind
	}
}

// poolsOf works out the heartbeats of places.
func poolsOf(js *model.JobSet, places [][]model.SlaveID) []pool {
	out := make([]pool, len(places))
	for k, slaves := range places {
		first := js.Slaves[slaves[0]].FirstBeat
		p := &out[k]
		*p = pool{slaves: slaves, first: first, aligned: true, beat: js.Heartbeat}
		for _, s := range slaves {
			at := js.Slaves[s].FirstBeat
			p.aligned = p.aligned && (at-first)%js.Heartbeat == 0
			p.first = min(p.first, at)
		}
	}
	return out
}
