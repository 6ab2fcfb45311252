package verify

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// use is one attempt's hold on a resource.
type use struct {
	iv      model.Interval
	attempt int32
}

// overload is a maximal interval in which a resource is used beyond its
// capacity.
type overload struct {
	iv model.Interval
	// peak is the largest number of uses at once, first reached at peakAt by
	// the given attempts (and more).
	peak     int
	peakAt   model.Time
	attempts []int32
	more     int
	// changes tells that uses begin or end inside iv.
	changes bool
}

// cores checks C4 on slave s: no more runs at once than cores.
func (c *checker) cores(s model.SlaveID) {
	var uses []use
	for _, i := range c.bySlave[s] {
		uses = append(uses, use{c.attempts[i].run(), i})
	}
	capacity := c.js.Slaves[s].Cores
	for _, o := range overloads(uses, capacity) {
		c.addOverload("C4", s, o, "runs", "task", "it has "+count(capacity, "core"))
	}
}

// slots checks C5 on slave s: no more tasks held at once than slots, for each
// kind of slot that the slave tells apart.
func (c *checker) slots(s model.SlaveID) {
	slave := &c.js.Slaves[s]
	if !slave.SplitSlots {
		c.slotsOf(s, slave.Slots, "task", "slot", func(model.SlotKind) bool { return true })
		return
	}
	c.slotsOf(s, slave.MapSlots, "map task", "map slot", func(k model.SlotKind) bool { return k == model.MapSlot })
	c.slotsOf(s, slave.ReduceSlots, "reduce task", "reduce slot", func(k model.SlotKind) bool { return k == model.ReduceSlot })
}

func (c *checker) slotsOf(s model.SlaveID, capacity int, noun, slot string, takes func(model.SlotKind) bool) {
	var uses []use
	for _, i := range c.bySlave[s] {
		if a := &c.attempts[i]; takes(c.js.Tasks[a.task].Slot) {
			uses = append(uses, use{a.hold(), i})
		}
	}
	for _, o := range overloads(uses, capacity) {
		c.addOverload("C5", s, o, "holds", noun, "it has "+count(capacity, slot))
	}
}

// fetches checks C6 on slave s: one fetch at a time.
func (c *checker) fetches(s model.SlaveID) {
	if c.js.Fetch == model.FetchConcurrent {
		return
	}
	var uses []use
	for _, i := range c.bySlave[s] {
		uses = append(uses, use{c.fetching(&c.attempts[i]), i})
	}
	for _, o := range overloads(uses, 1) {
		c.addOverload("C6", s, o, "fetches", "input", "it can fetch one")
	}
}

func (c *checker) addOverload(rule string, s model.SlaveID, o overload, verb, noun, limit string) {
	v := Violation{Rule: rule, Slave: c.js.Slaves[s].Name, At: o.iv, More: o.more}
	slices.Sort(o.attempts)
	for _, i := range o.attempts {
		v.Tasks = append(v.Tasks, c.name(&c.attempts[i]))
	}
	upTo, at := "", ""
	if o.changes {
		upTo, at = "up to ", fmt.Sprintf("at %d ", o.peakAt)
	}
	v.Message = fmt.Sprintf("slave %s %s %s%s at once in %s, %s: %s%s",
		v.Slave, verb, upTo, count(o.peak, noun), span(o.iv), limit, at, listNames(v.Tasks, v.More))
	c.add(v)
}

// event is the begin or the end of a use.
type event struct {
	at    model.Time
	use   int32
	begin bool
}

// overloads finds the maximal intervals in which more than capacity uses
// overlap, in order of time. Empty and reversed uses count for nothing. The
// cost is that of sorting.
func overloads(uses []use, capacity int) []overload {
	events := make([]event, 0, 2*len(uses))
	for i := range uses {
		if iv := uses[i].iv; iv.Start < iv.End {
			events = append(events, event{iv.Start, int32(i), true}, event{iv.End, int32(i), false})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		if d := cmp.Compare(a.at, b.at); d != 0 {
			return d
		}
		return int(a.use) - int(b.use)
	})
	var found []overload
	open := false
	active := newActive(len(uses))
	for i := 0; i < len(events); {
		now := events[i].at
		for ; i < len(events) && events[i].at == now; i++ {
			active.apply(events[i])
		}
		n := len(active.members)
		switch {
		case n <= capacity:
			if open {
				found[len(found)-1].iv.End = now
				open = false
			}
			continue
		case !open:
			found = append(found, overload{iv: model.Interval{Start: now}})
			open = true
		default:
			found[len(found)-1].changes = true
		}
		if o := &found[len(found)-1]; n > o.peak {
			o.peak, o.peakAt = n, now
			o.attempts = o.attempts[:0]
			for _, u := range active.members[:min(n, maxTasks)] {
				o.attempts = append(o.attempts, uses[u].attempt)
			}
			o.more = max(0, n-maxTasks)
		}
	}
	return found
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
