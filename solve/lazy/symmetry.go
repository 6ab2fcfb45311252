package lazy

import (
	"fmt"
	"slices"

	"downbeat/encode"
	"downbeat/model"
)

// addSymmetry orders equal tasks of a stage, and equal slaves by first use;
// encode/symmetry.go argues that nothing is lost.
func (p *problem) addSymmetry() {
	for i := range p.JS.Jobs {
		if p.role[i] == encode.Out {
			continue
		}
		for si := range p.JS.Jobs[i].Stages {
			p.orderEqual(&p.JS.Jobs[i].Stages[si])
		}
	}
	for _, group := range p.equalSlaves() {
		p.firstUse(group)
	}
}

// orderEqual orders the tasks of a stage with equal figures by fetch.
func (p *problem) orderEqual(stage *model.Stage) {
	last := map[*model.Profile]model.TaskID{}
	for u := stage.First; u < stage.End; u++ {
		profile := p.JS.Tasks[u].Profile
		if t, ok := last[profile]; ok && p.sameRoom(t, u) && len(p.by[u].places) > 0 {
			p.addOrder([]num{p.by[t].fetch}, p.by[u].fetch)
		}
		last[profile] = u
	}
}

// sameRoom reports whether two tasks are bounded alike.
func (p *problem) sameRoom(t, u model.TaskID) bool {
	if p.Room == nil {
		return true
	}
	a, b := &p.Room[t], &p.Room[u]
	return a.From == b.From && a.To == b.To && slices.Equal(a.Slaves, b.Slaves)
}

// equalSlaves groups slaves that no task can tell apart; groups of one are left
// out. Room and held tasks make slaves differ.
func (p *problem) equalSlaves() [][]model.SlaveID {
	if p.Room != nil || p.Held != nil {
		return nil
	}
	var profiles []*model.Profile
	seen := map[*model.Profile]bool{}
	for t := range p.by {
		if prof := p.JS.Tasks[t].Profile; len(p.by[t].places) > 0 && !seen[prof] {
			seen[prof] = true
			profiles = append(profiles, prof)
		}
	}
	byKey := map[string]int{}
	var groups [][]model.SlaveID
	for s := range model.SlaveID(len(p.JS.Slaves)) {
		slave := p.JS.Slaves[s]
		slave.Name, slave.Class = "", ""
		key := fmt.Appendf(nil, "%v", slave)
		for _, prof := range profiles {
			key = fmt.Appendf(key, " %d:%d", prof.WCET(s), prof.Transfer(s))
		}
		i, ok := byKey[string(key)]
		if !ok {
			i = len(groups)
			byKey[string(key)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return slices.DeleteFunc(groups, func(g []model.SlaveID) bool { return len(g) < 2 })
}

// firstUse lets a task run on a slave of a group only if one of lower number
// runs on the slave before.
func (p *problem) firstUse(group []model.SlaveID) {
	used := make([]lit, len(group)-1)
	for i := range used {
		used[i] = no
	}
	for t := range p.by {
		tk := &p.by[t]
		if len(tk.places) == 0 {
			continue
		}
		x := make([]lit, len(group))
		for i, s := range group {
			x[i] = no
			for k := range tk.places {
				if tk.places[k].slave == int32(s) {
					x[i] = tk.places[k].x
				}
			}
		}
		for i := range used {
			p.addClause(x[i+1].not(), used[i])
		}
		for i := range used {
			if x[i] == no {
				continue
			}
			next := p.newBool()
			p.addClause(next.not(), used[i], x[i])
			used[i] = next
		}
	}
}
