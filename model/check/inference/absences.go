package inference

import (
	"sort"

	"downbeat/model"
)

// absences has what is known of a slave that is away: for each absence but the last the
// next one that a longer presence follows, and for each the last such one before it, -1
// where there is none. By such steps one comes to the first presence of some length without
// looking at most of those that are too short.
type absences struct{ next, before []int32 }

// Earliest is the first heartbeat of slave s at ready or later from which the
// slave is there for hold ticks.
func (h *Heads) Earliest(s model.SlaveID, ready, hold model.Time) model.Time {
	down := h.js.Slaves[s].Down
	beat := h.beatFrom(s, ready)
	k := sort.Search(len(down), func(i int) bool { return down[i].End > beat })
	if k == len(down) || down[k].Start >= beat+hold {
		return beat
	}
	for of := h.absences(s); h.presence(s, k) < hold; {
		k = int(of.next[k])
	}
	return h.beatFrom(s, down[k].End)
}

// Latest is the last heartbeat of slave s from which it is there for hold ticks that end at
// limit or earlier; false if there is none.
func (h *Heads) Latest(s model.SlaveID, limit, hold model.Time) (model.Time, bool) {
	down := h.js.Slaves[s].Down
	beat, ok := h.beatUntil(s, limit-hold)
	k := sort.Search(len(down), func(i int) bool { return down[i].Start >= beat+hold }) - 1
	if !ok || k < 0 || down[k].End <= beat {
		return beat, ok
	}
	k-- // a stay until then begins before this absence, and ends before it
	for of := h.absences(s); k >= 0 && h.presence(s, k) < hold; {
		k = int(of.before[k])
	}
	return h.beatUntil(s, down[k+1].Start-hold)
}

// beatFrom is the first heartbeat at t or later.
func (h *Heads) beatFrom(s model.SlaveID, t model.Time) model.Time {
	beat := h.js.Slaves[s].FirstBeat
	if late := t - beat; late > 0 {
		beat += (late + h.js.Heartbeat - 1) / h.js.Heartbeat * h.js.Heartbeat
	}
	return beat
}

// beatUntil is the last heartbeat at t or earlier; false if there is none.
func (h *Heads) beatUntil(s model.SlaveID, t model.Time) (model.Time, bool) {
	first := h.js.Slaves[s].FirstBeat
	if t < first {
		return 0, false
	}
	return first + (t-first)/h.js.Heartbeat*h.js.Heartbeat, true
}

// presence is the time from the first heartbeat after absence k until the next absence:
// Never after the last, not above 0 where there is no heartbeat.
func (h *Heads) presence(s model.SlaveID, k int) model.Time {
	down := h.js.Slaves[s].Down
	if k == len(down)-1 {
		return model.Never
	}
	return down[k+1].Start - h.beatFrom(s, down[k].End)
}

// absences works out those of a slave, once.
func (h *Heads) absences(s model.SlaveID) *absences {
	if of := h.away[s]; of != nil {
		return of
	}
	n := len(h.js.Slaves[s].Down)
	of := &absences{make([]int32, n), make([]int32, n)}
	for k := n - 2; k >= 0; k-- {
		next := k + 1
		for length := h.presence(s, k); h.presence(s, next) <= length; {
			next = int(of.next[next])
		}
		of.next[k] = int32(next)
	}
	for k := range n {
		before := k - 1
		for length := h.presence(s, k); before >= 0 && h.presence(s, before) <= length; {
			before = int(of.before[before])
		}
		of.before[k] = int32(before)
	}
	h.away[s] = of
	return of
}
