package energy

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/window"
)

// taskItems is one task with its items and where it can run.
type taskItems struct {
	id model.TaskID
	items
	// needs are the units of each proof.Resource.
	needs [proof.NumResources]int64
	// set indexes problem.sets.
	set int
}

// of is what the task occupies of resource r, in how many units; none where it may
// occupy nothing.
func (t *taskItems) of(r proof.Resource) (it item, units int64) {
	if it = t.items[r.Hold()]; it.length > 0 {
		units = t.needs[r]
	}
	return it, units
}

// problem holds the tasks that have to be done by some time, arranged for
// summing over subsets of slaves.
type problem struct {
	js    *model.JobSet
	tasks []taskItems
	// counted lists what is worth counting on this cluster, units what slaves have of it.
	counted []proof.Resource
	units   [][proof.NumResources]int64
	// sets are the distinct sets of slaves that some task is left with.
	sets []mask
	// groups are the merged items per set and resource.
	groups [][proof.NumResources][]group
	// limits are the pools and caps that may be short, with what tasks take of them.
	limits []limit
	// countsIdle tells that what is idle for the first fetches is counted.
	countsIdle bool
}

// newProblem collects the tasks that have to be done by some time: those of jobs with a due time, and of jobs that such ones come
// after and press, as w has it; not all of them where ctx ends.
func newProblem(ctx context.Context, js *model.JobSet, due []model.Time, w *window.Windows) *problem {
	p := &problem{js: js, counted: counted(js), units: make([][proof.NumResources]int64, len(js.Slaves))}
	for s := range p.units {
		for _, r := range p.counted {
			p.units[s][r] = r.Units(js, model.SlaveID(s))
		}
	}
	p.leaveOutLarge(due)
	index := map[string]int{}
	scratch := newMask(len(js.Slaves))
	var key []byte
	for t := model.TaskID(0); int(t) < len(js.Tasks) && ctx.Err() == nil; t++ {
		if last := w.Tasks[t].LastFinish; last < 0 || last >= model.Never { // it can run nowhere, or at any time
			continue
		}
		clear(scratch)
		its, one := itemsOf(js, w, t, scratch)
		key = scratch.appendKey(key[:0])
		set, seen := index[string(key)]
		if !seen {
			set = len(p.sets)
			index[string(key)] = set
			p.sets = append(p.sets, slices.Clone(scratch))
		}
		p.tasks = append(p.tasks, taskItems{id: t, items: its, needs: p.needs(&js.Tasks[t], one), set: set})
	}
	p.mergeItems()
	p.limits = p.newLimits()
	return p
}

// needs is what a task needs on one of the slaves that it can run on, and so on all
// (see model.JobSet.Need; where one of them needs no fetch, its fetch has length 0).
func (p *problem) needs(task *model.Task, s model.SlaveID) (needs [proof.NumResources]int64) {
	for _, r := range p.counted {
		needs[r] = r.Need(p.js, task, s)
	}
	return needs
}

// mergeItems fills groups: equal items become a group, and one that needs several
// units counts as several.
func (p *problem) mergeItems() {
	type key struct {
		set int
		r   proof.Resource
		item
	}
	p.groups = make([][proof.NumResources][]group, len(p.sets))
	at := map[key]int{}
	for i := range p.tasks {
		task := &p.tasks[i]
		for _, r := range p.counted {
			it, units := task.of(r)
			if units == 0 {
				continue
			}
			groups := &p.groups[task.set][r]
			c := key{task.set, r, it}
			if k, seen := at[c]; seen {
				(*groups)[k].count += units
				continue
			}
			at[c] = len(*groups)
			*groups = append(*groups, group{it, units})
		}
	}
}

// mostSum is a bound on sums of units over ticks, which leaves room for a few more.
const mostSum = 1 << 60

// leaveOutLarge leaves out resources of which what all slaves have until the last due
// time, or what all tasks could need, may add up to more than an int64 holds.
func (p *problem) leaveOutLarge(due []model.Time) {
	end := model.Time(0)
	for _, d := range due {
		if d < model.Never {
			end = max(end, d)
		}
	}
	many := float64(end+p.js.Heartbeat) * float64(max(len(p.js.Slaves), len(p.js.Tasks)))
	p.counted = slices.DeleteFunc(p.counted, func(r proof.Resource) bool {
		most := int64(0)
		for s := range p.units {
			most = max(most, p.units[s][r])
		}
		return float64(most)*many > mostSum
	})
}

// counted lists what is worth counting on a cluster; of equal arguments the first is
// given. Slots of a kind are where some slave has slots of both.
func counted(js *model.JobSet) []proof.Resource {
	var supplied [model.NumResources]bool
	for s := range js.Slaves {
		for _, supply := range js.Supplies(model.SlaveID(s)) {
			supplied[supply.Resource] = true
		}
	}
	supplied[model.MapSlots] = supplied[model.ReduceSlots]
	out := []proof.Resource{proof.CoreTicks, proof.SlotTicks}
	for r := model.Cores + 1; r < model.NumResources; r++ {
		if supplied[r] {
			out = append(out, proof.Ticks(r))
		}
	}
	return out
}

// subset is a set of slaves and the sets of problem.sets within it.
type subset struct {
	slaves mask
	sets   []int
	// groups counts the merged items, a measure of the work of a sweep.
	groups int
}

// maxSubsets bounds the subsets that are swept.
const maxSubsets = 96

// subsets proposes sets of slaves to count on: the whole cluster, each class,
// each set that some task is left with or is eligible on, and, where those are
// few, their unions two by two; each slave where all tasks have but one. Each is cut down to slaves that some task
// confined to it can use. Those with the most tasks come first.
func (p *problem) subsets() []subset {
	if !p.countsIdle && !slices.ContainsFunc(p.sets, mask.several) {
		return p.singles()
	}
	var out []subset
	seen := map[string]bool{}
	propose := func(slaves mask) {
		g := p.confined(slaves)
		if !p.countsIdle && p.eachAlone(g) {
			return
		}
		if key := g.slaves.key(); g.groups > 0 && !seen[key] {
			seen[key] = true
			out = append(out, g)
		}
	}
	for _, slaves := range p.namedSets() {
		propose(slaves)
	}
	bySize := p.setsBySize()
	for i := 0; i < len(bySize) && len(out) < maxSubsets; i++ {
		propose(p.sets[bySize[i]])
	}
	for i := 1; i < len(bySize); i++ {
		for k := 0; k < i && len(out) < maxSubsets; k++ {
			union := slices.Clone(p.sets[bySize[i]])
			union.addAll(p.sets[bySize[k]])
			propose(union)
		}
	}
	slices.SortStableFunc(out, func(a, b subset) int { return cmp.Compare(b.groups, a.groups) })
	return out
}

// singles are the slaves of tasks that have one each, as in job shops: what is too much for several slaves is so for one of them.
func (p *problem) singles() []subset {
	out := make([]subset, len(p.sets))
	for k, i := range p.setsBySize() {
		out[k] = subset{slaves: p.sets[i], sets: []int{i}, groups: len(p.groups[i][proof.CoreTicks])}
	}
	return out
}

// eachAlone reports whether each task confined to a subset of several slaves has one slave, as in job shops: what is too much
// for these together is so for one of them, all of which are proposed.
func (p *problem) eachAlone(g subset) bool {
	return len(g.sets) > 1 && len(p.sets) <= maxSubsets/2 && !slices.ContainsFunc(g.sets, func(i int) bool { return p.sets[i].several() })
}

// namedSets are the whole cluster and, where there are several, its classes.
func (p *problem) namedSets() []mask {
	slaves := p.js.Slaves
	whole := newMask(len(slaves))
	out := []mask{whole}
	class := map[string]mask{}
	for s := range model.SlaveID(len(slaves)) {
		whole.add(s)
		name := slaves[s].Class
		if class[name] == nil {
			class[name] = newMask(len(slaves))
			out = append(out, class[name])
		}
		class[name].add(s)
	}
	return out
}

// setsBySize indexes sets, those with the most merged items first.
func (p *problem) setsBySize() []int {
	order := make([]int, len(p.sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(len(p.groups[b][proof.CoreTicks]), len(p.groups[a][proof.CoreTicks]))
	})
	return order
}

// confined is the subset of the tasks that can run only on the given slaves.
func (p *problem) confined(slaves mask) subset {
	g := subset{slaves: newMask(len(p.js.Slaves))}
	for i, set := range p.sets {
		if set.within(slaves) {
			g.slaves.addAll(set)
			g.sets = append(g.sets, i)
			g.groups += len(p.groups[i][proof.CoreTicks])
		}
	}
	return g
}

// sweeper over the tasks confined to g and what g has of r.
func (p *problem) sweeper(g subset, r proof.Resource) *sweeper {
	var groups []group
	for _, i := range g.sets {
		groups = append(groups, p.groups[i][r]...)
	}
	groups = append(groups, p.idleGroups(g, r)...)
	rate, changes := p.supplyRate(g.slaves, r)
	return newSweeper(groups, rate, changes)
}
