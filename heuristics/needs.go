package heuristics

import "downbeat/model"

// Needs are the units of each resource that a task holds on a slave.
type Needs [model.Resources]int64

// needs looks [Needs] up. By [model.JobSet.Need] there are few cases per task, and
// each is worked out once: to ask the model again in every step of list scheduling
// would be a tenth of the time that it takes.
type needs struct {
	js *model.JobSet
	// layouts is the number of different lists of resources that slaves supply.
	layouts int
	// known has an entry by task, layout and whether C > 0; nil is not worked out.
	known []*Needs
	// distinct lists what is known: most tasks need the same.
	distinct []*Needs
}

// newTimelines makes the timelines of all slaves, and what looks up needs there.
func newTimelines(js *model.JobSet) ([]Timeline, *needs) {
	lines := make([]Timeline, len(js.Slaves))
	number := map[[model.Resources]bool]int{}
	for s := range lines {
		lines[s] = *NewTimeline(js, model.SlaveID(s))
		var has [model.Resources]bool
		for i := range lines[s].end {
			has[lines[s].uses[i].Resource] = true
		}
		if _, seen := number[has]; !seen {
			number[has] = len(number)
		}
		lines[s].layout = number[has]
	}
	return lines, &needs{js: js, layouts: len(number), known: make([]*Needs, 2*len(number)*len(js.Tasks))}
}

// cases are the entries of a task.
func (n *needs) cases(t model.TaskID) []*Needs {
	return n.known[2*n.layouts*int(t) : 2*n.layouts*int(t+1)]
}

// of is what task t needs on slave s, whose timeline and C are given.
func (n *needs) of(t model.TaskID, s model.SlaveID, tl *Timeline, transfer model.Time) *Needs {
	known := &n.cases(t)[2*tl.layout+int(min(transfer, 1))]
	if *known == nil {
		*known = n.workOut(t, s, tl)
	}
	return *known
}

func (n *needs) workOut(t model.TaskID, s model.SlaveID, tl *Timeline) *Needs {
	var all Needs
	for i := range tl.end {
		r := tl.uses[i].Resource
		all[r] = n.js.Need(&n.js.Tasks[t], s, r)
	}
	for _, known := range n.distinct {
		if *known == all {
			return known
		}
	}
	found := all // apart, so that only this one is kept
	n.distinct = append(n.distinct, &found)
	return &found
}
