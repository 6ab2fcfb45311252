package check

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Use is a hold on units of something during an interval.
type Use struct {
	Interval model.Interval
	Units    int64
	// Owner is for the caller to know it by.
	Owner int32
}

// Excess is a maximal interval in which more units are held than there are.
type Excess struct {
	Interval model.Interval
	// Peak is the largest number of units at once, first reached at PeakAt by the
	// given owners and More others.
	Peak   int64
	PeakAt model.Time
	Owners []int32
	More   int
	// Changes tells that uses begin or end inside the interval.
	Changes bool
}

// event is the begin or the end of a use.
type event struct {
	at    model.Time
	use   int32
	begin bool
}

// Excesses finds the maximal intervals in which uses hold more units than there
// are, in order of time, with so many owners at most. Empty and reversed uses count
// for nothing. The cost is that of sorting.
func Excesses(uses []Use, capacity int64, owners int) []Excess {
	if within(uses, capacity) {
		return nil
	}
	events := make([]event, 0, 2*len(uses))
	for i := range uses {
		if iv := uses[i].Interval; iv.Start < iv.End {
			events = append(events, event{iv.Start, int32(i), true}, event{iv.End, int32(i), false})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		if d := cmp.Compare(a.at, b.at); d != 0 {
			return d
		}
		return int(a.use) - int(b.use)
	})
	var found []Excess
	open := false
	active, held := newActive(len(uses)), int64(0)
	for i := 0; i < len(events); {
		now := events[i].at
		for ; i < len(events) && events[i].at == now; i++ {
			active.apply(events[i])
			if units := uses[events[i].use].Units; events[i].begin {
				held += units
			} else {
				held -= units
			}
		}
		switch {
		case held <= capacity:
			if open {
				found[len(found)-1].Interval.End = now
				open = false
			}
			continue
		case !open:
			found = append(found, Excess{Interval: model.Interval{Start: now}})
			open = true
		default:
			found[len(found)-1].Changes = true
		}
		if e := &found[len(found)-1]; held > e.Peak {
			n := len(active.members)
			e.Peak, e.PeakAt = held, now
			e.Owners = e.Owners[:0]
			for _, u := range active.members[:min(n, owners)] {
				e.Owners = append(e.Owners, uses[u].Owner)
			}
			e.More = max(0, n-owners)
		}
	}
	return found
}

// within reports whether no more is held than there is, where all uses are of as many
// units. That is seen from begins and ends by themselves, in a fraction of the time that it
// takes to tell who holds too much: it is the answer for nearly every slave.
func within(uses []Use, capacity int64) bool {
	if len(uses) == 0 {
		return true
	}
	units := uses[0].Units
	begins, ends := make([]model.Time, 0, len(uses)), make([]model.Time, 0, len(uses))
	for i := range uses {
		iv := uses[i].Interval
		if uses[i].Units != units {
			return false
		}
		if iv.Start < iv.End {
			begins, ends = append(begins, iv.Start), append(ends, iv.End)
		}
	}
	slices.Sort(begins)
	slices.Sort(ends)
	over := 0 // uses that are over by now
	for begun, at := range begins {
		for ends[over] <= at {
			over++
		}
		if int64(begun+1-over)*units > capacity {
			return false
		}
	}
	return true
}

// activeSet holds the uses in progress, with constant-time changes.
type activeSet struct {
	members []int32
	place   []int32 // of a member in members
}

func newActive(n int) *activeSet { return &activeSet{place: make([]int32, n)} }

func (s *activeSet) apply(e event) {
	if e.begin {
		s.place[e.use] = int32(len(s.members))
		s.members = append(s.members, e.use)
		return
	}
	hole, last := s.place[e.use], s.members[len(s.members)-1]
	s.members[hole] = last
	s.place[last] = hole
	s.members = s.members[:len(s.members)-1]
}
