package energy

import (
	"cmp"
	"encoding/binary"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/window"
)

// taskItems is one task with its items and where it can run.
type taskItems struct {
	id model.TaskID
	items
	// set indexes problem.sets.
	set int
}

// problem holds the tasks that have to be done by some time, arranged for
// summing over subsets of slaves.
type problem struct {
	js    *model.JobSet
	tasks []taskItems
	// sets are the distinct sets of slaves that some task is left with.
	sets []mask
	// groups are the merged items per set and resource.
	groups [][resources][]group
}

// resources is the number of values of proof.Resource.
const resources = int(proof.ReduceSlotTicks) + 1

// newProblem collects the tasks of jobs with a due time.
func newProblem(js *model.JobSet, due []model.Time, w *window.Windows) *problem {
	p := &problem{js: js}
	index := map[string]int{}
	scratch := newMask(len(js.Slaves))
	var key []byte
	for i := range js.Jobs {
		if due[i] >= model.Never {
			continue
		}
		for t := js.Jobs[i].First; t < js.Jobs[i].End; t++ {
			clear(scratch)
			its := itemsOf(js, w, t, scratch)
			key = key[:0]
			for _, word := range scratch {
				key = binary.LittleEndian.AppendUint64(key, word)
			}
			set, seen := index[string(key)]
			if !seen {
				set = len(p.sets)
				index[string(key)] = set
				p.sets = append(p.sets, slices.Clone(scratch))
			}
			p.tasks = append(p.tasks, taskItems{t, its, set})
		}
	}
	p.mergeItems()
	return p
}

// mergeItems fills groups: equal items become a group.
func (p *problem) mergeItems() {
	type key struct {
		set int
		r   proof.Resource
		item
	}
	p.groups = make([][resources][]group, len(p.sets))
	at := map[key]int{}
	counted := p.resources()
	for i := range p.tasks {
		task := &p.tasks[i]
		for _, r := range counted {
			it, ok := task.of(r, p.js.Tasks[task.id].Slot)
			if !ok {
				continue
			}
			groups := &p.groups[task.set][r]
			c := key{task.set, r, it}
			if k, seen := at[c]; seen && (*groups)[k].count < 1<<countBits-1 {
				(*groups)[k].count++
				continue
			}
			at[c] = len(*groups)
			*groups = append(*groups, group{it, 1})
		}
	}
}

// resources lists what is worth counting on this cluster; of equal arguments the
// first is given.
func (p *problem) resources() []proof.Resource {
	out := []proof.Resource{proof.CoreTicks, proof.SlotTicks}
	if p.js.Fetch == model.FetchExclusive {
		out = append(out, proof.FetchTicks)
	}
	if slices.ContainsFunc(p.js.Slaves, func(s model.Slave) bool { return s.SplitSlots }) {
		out = append(out, proof.MapSlotTicks, proof.ReduceSlotTicks)
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
// few, their unions two by two. Each is cut down to slaves that some task
// confined to it can use. Those with the most tasks come first.
func (p *problem) subsets() []subset {
	var out []subset
	seen := map[string]bool{}
	propose := func(slaves mask) {
		g := p.confined(slaves)
		key := make([]byte, 0, 8*len(g.slaves))
		for _, word := range g.slaves {
			key = binary.LittleEndian.AppendUint64(key, word)
		}
		if g.groups > 0 && !seen[string(key)] {
			seen[string(key)] = true
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
	rate, changes := supplyRate(p.js, g.slaves, r)
	return newSweeper(groups, rate, changes)
}
