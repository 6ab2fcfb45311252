package lcg

import "downbeat/model"

// addSymmetry orders equal tasks of a stage, and equal slaves by first use;
// encode/symmetry.go argues that nothing is lost.
func (p *problem) addSymmetry() {
	for t, u := range p.EqualPairs {
		if len(p.by[u].places) > 0 {
			p.addOrder([]num{p.by[t].fetch}, p.by[u].fetch)
		}
	}
	for _, group := range p.EqualSlaves(p.Included) {
		p.firstUse(group)
	}
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
