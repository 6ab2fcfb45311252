package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
)

// addSymmetry orders equal tasks of a stage, and equal slaves by first use;
// encode/symmetry.go argues that nothing is lost.
func (p *problem) addSymmetry() {
	for i := range p.JS.Jobs {
		if p.role[i] == query.Out {
			continue
		}
		for si := range p.JS.Jobs[i].Stages {
			p.orderEqual(&p.JS.Jobs[i].Stages[si])
		}
	}
	for _, group := range p.EqualSlaves(p.placed()) {
		p.firstUse(group)
	}
}

// orderEqual orders the tasks of a stage with equal figures by fetch.
func (p *problem) orderEqual(stage *model.Stage) {
	last := map[*model.Profile]model.TaskID{}
	for u := stage.First; u < stage.End; u++ {
		profile := p.JS.Tasks[u].Profile
		if t, ok := last[profile]; ok && p.SameDomain(t, u) && len(p.by[u].places) > 0 {
			p.addOrder([]num{p.by[t].fetch}, p.by[u].fetch)
		}
		last[profile] = u
	}
}

// placed lists the tasks that have a place.
func (p *problem) placed() []model.TaskID {
	var tasks []model.TaskID
	for t := range p.by {
		if len(p.by[t].places) > 0 {
			tasks = append(tasks, model.TaskID(t))
		}
	}
	return tasks
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
