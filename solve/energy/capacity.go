package energy

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// units is the number of units of resource r that slave s has while it is up.
func units(s *model.Slave, r proof.Resource) int64 {
	switch r {
	case proof.CoreTicks:
		return int64(s.Cores)
	case proof.SlotTicks:
		return int64(s.TotalSlots())
	case proof.MapSlotTicks:
		return int64(s.PoolSize(s.Pool(model.MapSlot)))
	case proof.ReduceSlotTicks:
		return int64(s.PoolSize(s.Pool(model.ReduceSlot)))
	default:
		return 1
	}
}

// closed lists, ascending and disjoint, when slave s offers nothing of
// resource r. Slots are offered from live heartbeat to live heartbeat.
func closed(js *model.JobSet, s model.SlaveID, r proof.Resource) []model.Interval {
	slave := &js.Slaves[s]
	if r == proof.CoreTicks || r == proof.FetchTicks {
		return slave.Down
	}
	var out []model.Interval
	if slave.FirstBeat > 0 {
		out = append(out, model.Interval{Start: 0, End: slave.FirstBeat})
	}
	for _, down := range slave.Down {
		_, dead := js.BeatAtOrAfter(s, down.Start)
		_, live := js.BeatAtOrAfter(s, down.End)
		if dead < live {
			out = append(out, model.Interval{Start: dead, End: live})
		}
	}
	return out
}

// supply is what the slaves have of resource r inside iv.
func supply(js *model.JobSet, slaves mask, r proof.Resource, iv model.Interval) int64 {
	have := int64(0)
	for _, s := range slaves.slaves(len(js.Slaves)) {
		open := iv.Len()
		for _, c := range closed(js, s, r) {
			open -= c.Intersect(iv).Len()
		}
		have += units(&js.Slaves[s], r) * int64(open)
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
func supplyRate(js *model.JobSet, slaves mask, r proof.Resource) (all int64, changes []change) {
	for _, s := range slaves.slaves(len(js.Slaves)) {
		n := units(&js.Slaves[s], r)
		all += n
		for _, c := range closed(js, s, r) {
			changes = append(changes, change{c.Start, -n}, change{c.End, n})
		}
	}
	return all, mergeChanges(changes)
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
