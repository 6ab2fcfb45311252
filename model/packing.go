package model

import (
	"cmp"
	"fmt"
	"slices"
)

// packing looks for a way to hold all tasks of a gang at once, on slaves with nothing else.
type packing struct {
	js     *JobSet
	apart  bool
	tasks  []TaskID
	slaves []SlaveID
	// left is what slaves have left of each resource, held whether they hold a task.
	left [][NumResources]int64
	held []bool
	// steps bounds the search.
	steps int
}

// mostPackingSteps is the number of places that are tried for the tasks of a gang which differ. Where that
// is too few nothing is said of it.
const mostPackingSteps = 20_000

// unpacked finds that slaves do not hold all tasks of a gang at once, however these are shared out.
func (r *available) unpacked(m *Misfit, st *Stage) bool {
	p := r.packing(st)
	if p.pack(0, 0) || p.steps <= 0 {
		return false
	}
	m.Of = MisfitSlaves
	m.Problem = fmt.Sprintf("is a gang: its %d tasks do not find room on the machines where they may run, all at once", len(p.tasks))
	m.Advice = "add machines, or let tasks need less"
	return true
}

// packing is the search for a stage, with the tasks first that have the fewest places.
func (r *available) packing(st *Stage) *packing {
	p := &packing{js: r.js, apart: st.IsApart(), slaves: r.slaves(st), steps: mostPackingSteps}
	places := map[*Profile]int{}
	for t := st.First; t < st.End; t++ {
		p.tasks = append(p.tasks, t)
		if profile := r.js.Tasks[t].Profile; places[profile] == 0 {
			places[profile] = p.places(t)
		}
	}
	slices.SortStableFunc(p.tasks, func(a, b TaskID) int {
		x, y := r.js.Tasks[a].Profile, r.js.Tasks[b].Profile
		return cmp.Or(cmp.Compare(y.Cores(), x.Cores()), cmp.Compare(places[x], places[y]))
	})
	p.left, p.held = make([][NumResources]int64, len(p.slaves)), make([]bool, len(p.slaves))
	for i, s := range p.slaves {
		for _, supply := range r.js.Supplies(s) {
			p.left[i][supply.Resource] = supply.Units
		}
	}
	return p
}

// places counts the slaves on which a task may run.
func (p *packing) places(t TaskID) (n int) {
	for _, s := range p.slaves {
		if p.js.Tasks[t].Eligible(s) {
			n++
		}
	}
	return n
}

// pack places a task, on a slave from one on, and all after it.
func (p *packing) pack(k, from int) bool {
	if k == len(p.tasks) {
		return true
	}
	task := &p.js.Tasks[p.tasks[k]]
	if k == 0 || !task.Alike(&p.js.Tasks[p.tasks[k-1]]) {
		from = 0
	}
	for i := from; i < len(p.slaves) && p.steps > 0; i++ {
		if !task.Eligible(p.slaves[i]) || p.apart && p.held[i] || !p.fits(task, i) {
			continue
		}
		p.steps--
		was := p.held[i]
		p.take(task, i, 1)
		p.held[i] = true
		if p.pack(k+1, i) {
			return true
		}
		p.take(task, i, -1)
		p.held[i] = was
	}
	return false
}

// fits reports whether a slave has enough left for a task. Inputs come one after the other.
func (p *packing) fits(task *Task, slave int) bool {
	for r := range NumResources {
		if r != FetchLine && p.js.Need(task, p.slaves[slave], r) > p.left[slave][r] {
			return false
		}
	}
	return true
}

func (p *packing) take(task *Task, slave int, sign int64) {
	for r := range NumResources {
		p.left[slave][r] -= sign * p.js.Need(task, p.slaves[slave], r)
	}
}
