package energy

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// supply is what the slaves have of resource r inside iv.
func (p *problem) supply(slaves mask, r proof.Resource, iv model.Interval) int64 {
	have := int64(0)
	for _, s := range slaves.slaves(len(p.js.Slaves)) {
		open := iv.Len()
		for _, c := range p.js.Closed(s, r.Hold()) {
			open -= c.Intersect(iv).Len()
		}
		have += p.units[s][r] * int64(open)
	}
	return have
}

// change of a level at a time.
type change struct {
	at    model.Time
	delta int64
}

// supplyRate gives the units of resource r that the slaves have together when all
// are up, and the changes at the ends of closed intervals in order of time.
func (p *problem) supplyRate(slaves mask, r proof.Resource) (all int64, changes []change) {
	for _, s := range slaves.slaves(len(p.js.Slaves)) {
		n := p.units[s][r]
		all += n
		changes = append(changes, p.closed(s, r, n)...)
	}
	return all, mergeChanges(changes)
}

// closed are the changes of n units of slave s at the ends of its closed intervals.
func (p *problem) closed(s model.SlaveID, r proof.Resource, n int64) (changes []change) {
	for _, c := range p.js.Closed(s, r.Hold()) {
		changes = append(changes, change{c.Start, -n})
		if c.End < model.Never { // else the slave is gone for good
			changes = append(changes, change{c.End, n})
		}
	}
	return changes
}

// mergeChanges sorts by time and adds up changes at the same time.
func mergeChanges(changes []change) []change {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	out := changes[:0]
	for _, c := range changes {
		if n := len(out); n > 0 && out[n-1].at == c.at {
			out[n-1].delta += c.delta
		} else {
			out = append(out, c)
		}
	}
	return out
}
