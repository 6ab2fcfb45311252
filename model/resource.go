package model

import "fmt"

// ResourceID names what tasks hold on a slave, in whole units: those below, and from
// FirstNamed on those of JobSet.Named.
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
	// FirstNamed is the first of JobSet.Named (C9).
	FirstNamed

	// MaxNamed is the largest number of named resources.
	MaxNamed = 8
	// NumResources is the number of resources that there can be.
	NumResources = FirstNamed + MaxNamed
)

// table says of each resource that is not named by the job set how it is held, the
// word for one unit, and the rule that bounds it.
var table = [FirstNamed]struct {
	hold       Hold
	word, rule string
}{
	Cores:       {HoldRun, "core", "C4"},
	FetchLine:   {HoldFetch, "fetch", "C6"},
	MapSlots:    {HoldStay, "map slot", "C5"},
	ReduceSlots: {HoldStay, "reduce slot", "C5"},
}

// String is the word for one unit; of one that the job set names, JobSet.ResourceName
// knows it.
func (r ResourceID) String() string {
	if r < 0 || r >= FirstNamed {
		return fmt.Sprintf("resource %d", int8(r))
	}
	return table[r].word
}

// ResourceName is the word for one unit of a resource.
func (js *JobSet) ResourceName(r ResourceID) string {
	if i := int(r - FirstNamed); i >= 0 && i < len(js.Named) {
		return js.Named[i]
	}
	return r.String()
}

// Hold is how tasks hold the resource.
func (r ResourceID) Hold() Hold {
	if r >= FirstNamed {
		return HoldStay
	}
	return table[r].hold
}

// Rule is the constraint that bounds what is held of it at once: C4, C5, C6 or C9.
func (r ResourceID) Rule() string {
	if r >= FirstNamed {
		return "C9"
	}
	return table[r].rule
}

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

// Supplies lists what slave s has: cores, one or two pools of slots, the fetch line
// unless fetches are concurrent, and what it offers of the named resources.
func (js *JobSet) Supplies(s SlaveID) []Supply {
	slave := &js.Slaves[s]
	out := make([]Supply, 0, int(FirstNamed)+len(slave.Units))
	add := func(r ResourceID, units int64) { out = append(out, Supply{r, r.Hold(), units}) }
	add(Cores, int64(slave.Cores))
	for pool := range slave.Pools() {
		add(MapSlots+ResourceID(pool), int64(slave.PoolSize(pool)))
	}
	if js.Fetch != FetchConcurrent {
		add(FetchLine, 1)
	}
	for i, units := range slave.Units {
		if units > 0 {
			add(FirstNamed+ResourceID(i), units)
		}
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
		return task.Cores()
	case FetchLine:
		return int64(min(1, task.Transfer(s)))
	case MapSlots, ReduceSlots:
		if MapSlots+ResourceID(js.Slaves[s].Pool(task.Slot)) == r {
			return 1
		}
	default:
		return task.Units(int(r - FirstNamed))
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
