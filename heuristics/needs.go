package heuristics

import (
	"downbeat/model"
	"downbeat/model/window"
)

// needs is what a task holds on a slave, by the part of its stay: only resources
// of which it needs some and the slave supplies some. What it takes of what tasks on all
// slaves share is held for the whole stay, too.
type needs struct {
	run, fetch, stay []need
	shared           []sharedNeed
}

// need is a number of units > 0 of a resource.
type need struct {
	resource model.ResourceID
	units    int64
}

// amounts are units of each resource, 0 where a slave does not supply it.
type amounts [model.NumResources]int64

// newNeeds sorts amounts by the way in which each resource is held.
func newNeeds(supplies []model.Supply, units amounts) *needs {
	n := &needs{}
	for _, supply := range supplies {
		list := &n.run
		switch supply.Hold {
		case model.HoldFetch:
			list = &n.fetch
		case model.HoldStay:
			list = &n.stay
		}
		if u := units[supply.Resource]; u > 0 {
			*list = append(*list, need{supply.Resource, u})
		}
	}
	return n
}

// needsLookup looks [needs] up. By [model.JobSet.Need] there are few cases per task, and
// each is worked out once: to ask the model again in every step of list scheduling
// would be a tenth of the time that it takes.
type needsLookup struct {
	js *model.JobSet
	// layouts are the different lists of resources that slaves supply.
	layouts [][]model.Supply
	// known has an entry by task, layout and whether C > 0; nil is not worked out.
	known []*needs
	// distinct lists what is known: most tasks need the same. Those that take of what is shared
	// have theirs in sharing, as there may be as many limits as stages.
	distinct []knownNeeds
	shared   *sharedLines
	sharing  map[sharingNeeds]*needs
}

type knownNeeds struct {
	layout int
	units  amounts
	needs  *needs
}

// sharingNeeds is all that the needs of a task depend on which takes of what is shared.
type sharingNeeds struct {
	takes  *sharedNeed
	layout int
	units  amounts
}

// newTimelines makes the timelines of all slaves, and what looks up needs there.
func newTimelines(js *model.JobSet) ([]timeline, *needsLookup) {
	lines := make([]timeline, len(js.Slaves))
	n := &needsLookup{js: js, shared: newSharedLines(js), sharing: map[sharingNeeds]*needs{}}
	presences := window.NewPresences(js)
	number := map[[model.NumResources]bool]int{}
	for s := range lines {
		lines[s] = *newTimeline(js, model.SlaveID(s), presences)
		var has [model.NumResources]bool
		supplies := js.Supplies(model.SlaveID(s))
		for _, supply := range supplies {
			has[supply.Resource] = true
		}
		if _, seen := number[has]; !seen {
			number[has] = len(number)
			n.layouts = append(n.layouts, supplies)
		}
		lines[s].layout = number[has]
	}
	n.known = make([]*needs, 2*len(number)*len(js.Tasks))
	return lines, n
}

// Count is the number of cases of a task.
func (n *needsLookup) Count() int { return 2 * len(n.layouts) }

// Cases has by [timeline.Case] what task t needs, nil where that was not worked out. It
// is not to be written to.
func (n *needsLookup) Cases(t model.TaskID) []*needs {
	count := n.Count()
	return n.known[count*int(t):][:count]
}

// Case numbers the case of a task with such a C on the slave of a timeline.
func (tl *timeline) Case(transfer model.Time) int { return 2*tl.layout + int(min(transfer, 1)) }

// Of is what task t needs on slave s, whose timeline and C are given.
func (n *needsLookup) Of(t model.TaskID, s model.SlaveID, tl *timeline, transfer model.Time) *needs {
	known := &n.Cases(t)[tl.Case(transfer)]
	if *known == nil {
		*known = n.WorkOut(&n.js.Tasks[t], n.shared.of(t), s, tl)
	}
	return *known
}

// WorkOut is what a task, which need not be of the set, needs on slave s; what it takes of what is
// shared is given.
func (n *needsLookup) WorkOut(task *model.Task, shared []sharedNeed, s model.SlaveID, tl *timeline) *needs {
	var units amounts
	layout := tl.layout
	for _, supply := range n.layouts[layout] {
		units[supply.Resource] = n.js.Need(task, s, supply.Resource)
	}
	if len(shared) > 0 {
		key := sharingNeeds{&shared[0], layout, units}
		if n.sharing[key] == nil {
			n.sharing[key] = newNeeds(n.layouts[layout], units)
			n.sharing[key].shared = shared
		}
		return n.sharing[key]
	}
	for i := range n.distinct {
		if d := &n.distinct[i]; d.layout == layout && d.units == units {
			return d.needs
		}
	}
	found := newNeeds(n.layouts[layout], units)
	n.distinct = append(n.distinct, knownNeeds{layout, units, found})
	return found
}
