package verify

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// use is one attempt's hold on units of a resource.
type use struct {
	iv      model.Interval
	units   int64
	attempt int32
}

// excess is a maximal interval in which more units of a resource are held than
// there are.
type excess struct {
	iv model.Interval
	// peak is the largest number of units at once, first reached at peakAt by the
	// given attempts (and more).
	peak     int64
	peakAt   model.Time
	attempts []int32
	more     int
	// changes tells that uses begin or end inside iv.
	changes bool
}

// capacities checks C4, C5 and C6 on slave s: of nothing that it has more is held at
// any time than there is.
func (c *checker) capacities(s model.SlaveID) {
	for _, supply := range c.js.Supplies(s) {
		var uses []use
		for _, i := range c.bySlave[s] {
			a := &c.attempts[i]
			if units := c.js.Need(&c.js.Tasks[a.task], s, supply.Resource); units > 0 {
				uses = append(uses, use{c.held(a, supply.Hold), units, i})
			}
		}
		for _, e := range excesses(uses, supply.Units) {
			c.addExcess(s, supply, e)
		}
	}
}

// capacityRule is the rule that bounds a resource, and how it says so.
type capacityRule struct{ name, verb, noun, limit string }

func ruleOf(slave *model.Slave, supply model.Supply) capacityRule {
	word := supply.Resource.String()
	rule := capacityRule{name: "C5", verb: "holds", noun: "task"}
	switch {
	case supply.Resource == model.FetchLine:
		return capacityRule{name: "C6", verb: "fetches", noun: "input", limit: "it can fetch one"}
	case supply.Hold == model.HoldRun:
		rule.name, rule.verb = "C4", "runs"
	case supply.Resource == model.MapSlots && !slave.SplitSlots:
		word = "slot"
	case supply.Resource == model.MapSlots:
		rule.noun = "map task"
	case supply.Resource == model.ReduceSlots:
		rule.noun = "reduce task"
	}
	rule.limit = "it has " + count(int(supply.Units), word)
	return rule
}

func (c *checker) addExcess(s model.SlaveID, supply model.Supply, e excess) {
	rule := ruleOf(&c.js.Slaves[s], supply)
	v := Violation{Rule: rule.name, Slave: c.js.Slaves[s].Name, At: e.iv, More: e.more}
	slices.Sort(e.attempts)
	for _, i := range e.attempts {
		v.Tasks = append(v.Tasks, c.name(&c.attempts[i]))
	}
	what := count(len(e.attempts)+e.more, rule.noun)
	if e.peak != int64(len(e.attempts)+e.more) {
		what += fmt.Sprintf(" that need %d", e.peak)
	}
	upTo, at := "", ""
	if e.changes {
		upTo, at = "up to ", fmt.Sprintf("at %d ", e.peakAt)
	}
	v.Message = fmt.Sprintf("slave %s %s %s%s at once in %s, %s: %s%s",
		v.Slave, rule.verb, upTo, what, span(e.iv), rule.limit, at, listNames(v.Tasks, v.More))
	c.add(v)
}

// event is the begin or the end of a use.
type event struct {
	at    model.Time
	use   int32
	begin bool
}

// excesses finds the maximal intervals in which uses hold more units than there
// are, in order of time. Empty and reversed uses count for nothing. The cost is that
// of sorting.
func excesses(uses []use, capacity int64) []excess {
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
	var found []excess
	open := false
	active, held := newActive(len(uses)), int64(0)
	for i := 0; i < len(events); {
		now := events[i].at
		for ; i < len(events) && events[i].at == now; i++ {
			active.apply(events[i])
			if units := uses[events[i].use].units; events[i].begin {
				held += units
			} else {
				held -= units
			}
		}
		switch {
		case held <= capacity:
			if open {
				found[len(found)-1].iv.End = now
				open = false
			}
			continue
		case !open:
			found = append(found, excess{iv: model.Interval{Start: now}})
			open = true
		default:
			found[len(found)-1].changes = true
		}
		if e := &found[len(found)-1]; held > e.peak {
			n := len(active.members)
			e.peak, e.peakAt = held, now
			e.attempts = e.attempts[:0]
			for _, u := range active.members[:min(n, maxTasks)] {
				e.attempts = append(e.attempts, uses[u].attempt)
			}
			e.more = max(0, n-maxTasks)
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
