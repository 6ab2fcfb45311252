package lcg

import (
	"downbeat/model"
	"downbeat/solve/lcg/core"

	"slices"
)

// addSymmetry orders equal tasks of a stage by fetch, and equal slaves by first
// use; query/symmetry.go argues that nothing is lost. With fifo the order of fetches says
// nothing, where that of starts is not asked for.
func (p *problem) addSymmetry() {
	for t, u := range p.EqualPairs {
		if len(p.tasks[u].places) > 0 && !p.JS.FIFO {
			p.because("order", int(t), int(u))
			postPrecedence(p.Solver, []core.View{p.tasks[t].fetch}, p.tasks[u].fetch)
		}
	}
	for _, group := range p.EqualSlaves(p.Included) {
		p.firstUse(group)
	}
}

// firstUse lets a task run on a slave of a group only if one of lower number
// runs on the slave before.
func (p *problem) firstUse(group []model.SlaveID) {
	used := slices.Repeat([]core.Lit{core.False}, len(group)-1)
	for t := range p.tasks {
		places := p.tasks[t].places
		if len(places) == 0 {
			continue
		}
		x := make([]core.Lit, len(group))
		for i, s := range group {
			x[i] = core.False
			for k := range places {
				if places[k].slave == int32(s) {
					x[i] = places[k].x
				}
			}
		}
		for i := range used {
			p.because("first", t, int(group[i]), int(group[i+1]))
			p.AddClause(x[i+1].Not(), used[i])
		}
		for i := range used {
			if x[i] == core.False {
				continue
			}
			next := p.NewBool()
			p.called(next, atom{'u', int32(group[i]), int32(t)})
			p.because("used", t, int(group[i]))
			p.AddClause(next.Not(), used[i], x[i])
			used[i] = next
		}
	}
}
