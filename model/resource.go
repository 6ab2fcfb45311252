package model

import "fmt"

// ResourceID names what tasks hold on a slave, in whole units. Adding one is a
// constant and a line of the table here, a line in Supplies and a case in Need.
type ResourceID int8

const (
	// Cores run tasks (C4).
	Cores ResourceID = iota
	// FetchLine brings one input at a time (C6).
	FetchLine
	// MapSlots are those of map stages, or of all stages where slots have no kind (C5).
	MapSlots
	// ReduceSlots are those of reduce stages, where slots have a kind (C5).
	ReduceSlots
	// Resources is the number of resources above.
	Resources
)

// table says of each resource how it is held, the word for one unit, and the rule
// that bounds it.
var table = [Resources]struct {
	hold       Hold
	word, rule string
}{
	Cores:       {HoldRun, "core", "C4"},
	FetchLine:   {HoldFetch, "fetch", "C6"},
	MapSlots:    {HoldStay, "map slot", "C5"},
	ReduceSlots: {HoldStay, "reduce slot", "C5"},
}

// String is the word for one unit.
func (r ResourceID) String() string {
	if r < 0 || r >= Resources {
		return fmt.Sprintf("resource %d", int8(r))
	}
	return table[r].word
}

// Hold is how tasks hold the resource.
func (r ResourceID) Hold() Hold { return table[r].hold }

// Rule is the constraint that bounds what is held of it at once: C4, C5 or C6.
func (r ResourceID) Rule() string { return table[r].rule }

// Hold says which part of its stay on a slave a task holds a resource for.
type Hold uint8

const (
	// HoldRun is [S, F).
	HoldRun Hold = iota
	// HoldFetch is [R, R+C).
	HoldFetch
	// HoldStay is [A, F). It begins at a heartbeat, so that such a resource is
	// short at a heartbeat if it is short at all.
	HoldStay
)

// Supply is what a slave has of a resource.
type Supply struct {
	Resource ResourceID
	Hold     Hold
	// Units ≥ 0 are held by tasks whose needs add up to no more, at any time.
	Units int64
}

// Supplies lists what slave s has: cores, one or two pools of slots, and the
// fetch line unless fetches are concurrent.
func (js *JobSet) Supplies(s SlaveID) []Supply {
	slave := &js.Slaves[s]
	out := make([]Supply, 0, Resources)
	add := func(r ResourceID, units int) { out = append(out, Supply{r, r.Hold(), int64(units)}) }
	add(Cores, slave.Cores)
	for pool := range slave.Pools() {
		add(MapSlots+ResourceID(pool), slave.PoolSize(pool))
	}
	if js.Fetch != FetchConcurrent {
		add(FetchLine, 1)
	}
	return out
}

// Closed lists, ascending and disjoint, when slave s offers nothing that is held in
// the way of h. What is held for whole stays is offered from live heartbeat to live
// heartbeat.
func (js *JobSet) Closed(s SlaveID, h Hold) []Interval {
	slave := &js.Slaves[s]
	if h != HoldStay {
		return slave.Down
	}
	var out []Interval
	if slave.FirstBeat > 0 {
		out = append(out, Interval{Start: 0, End: slave.FirstBeat})
	}
	for _, down := range slave.Down {
		_, dead := js.BeatAtOrAfter(s, down.Start)
		_, live := js.BeatAtOrAfter(s, down.End)
		if dead < live {
			out = append(out, Interval{Start: dead, End: live})
		}
	}
	return out
}

// Need is the number of units of a resource that a task holds on slave s, 0 for none. It
// is the same on all slaves that supply the same resources, but that no fetch line
// is needed where C = 0. Tasks of a stage that share a Profile are taken for equal, so
// amounts in which tasks differ belong in the profile.
func (js *JobSet) Need(task *Task, s SlaveID, r ResourceID) int64 {
	switch r {
	case Cores:
		return 1
	case FetchLine:
		return int64(min(1, task.Transfer(s)))
	case MapSlots, ReduceSlots:
		if MapSlots+ResourceID(js.Slaves[s].Pool(task.Slot)) == r {
			return 1
		}
	}
	return 0
}

// Held is when a task that is placed at p holds what is held in the way of h.
func (js *JobSet) Held(task *Task, p Placement, h Hold) Interval {
	switch finish := p.Start + task.WCET(p.Slave); h {
	case HoldRun:
		return Interval{Start: p.Start, End: finish}
	case HoldFetch:
		return Interval{Start: p.Fetch, End: p.Fetch + task.Transfer(p.Slave)}
	default:
		return Interval{Start: js.Assigned(p), End: finish}
	}
}
