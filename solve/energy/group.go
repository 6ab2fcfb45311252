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
// summing over groups of slaves.
type problem struct {
	js    *model.JobSet
	tasks []taskItems
	// sets are the distinct sets of slaves that some task is left with.
	sets []mask
	// loads are the merged items per set and resource.
	loads [][resources][]load
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
	p.mergeLoads()
	return p
}

// mergeLoads fills loads: equal items become one with a count.
func (p *problem) mergeLoads() {
	type class struct {
		set int
		r   proof.Resource
		item
	}
	p.loads = make([][resources][]load, len(p.sets))
	at := map[class]int{}
	kinds := p.resources()
	for i := range p.tasks {
		task := &p.tasks[i]
		for _, r := range kinds {
			it, ok := task.of(r, p.js.Tasks[task.id].Slot)
			if !ok {
				continue
			}
			loads := &p.loads[task.set][r]
			c := class{task.set, r, it}
			if k, seen := at[c]; seen && (*loads)[k].count < 1<<countBits-1 {
				(*loads)[k].count++
				continue
			}
			at[c] = len(*loads)
			*loads = append(*loads, load{it, 1})
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

// group is a set of slaves and the sets of problem.sets within it.
type group struct {
	slaves mask
	sets   []int
	// loads counts the merged items, a measure of the work of a sweep.
	loads int
}

// maxGroups bounds the groups that are swept.
const maxGroups = 96

// groups proposes sets of slaves to count on: the whole cluster, each class,
// each set that some task is left with or is eligible on, and, where those are
// few, their unions two by two. Each is cut down to slaves that some task
// confined to it can use. Those with the most tasks come first.
func (p *problem) groups() []group {
	var out []group
	seen := map[string]bool{}
	propose := func(slaves mask) {
		g := p.confined(slaves)
		key := make([]byte, 0, 8*len(g.slaves))
		for _, word := range g.slaves {
			key = binary.LittleEndian.AppendUint64(key, word)
		}
		if g.loads > 0 && !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, g)
		}
	}
	for _, slaves := range p.namedSets() {
		propose(slaves)
	}
	bySize := p.setsBySize()
	for i := 0; i < len(bySize) && len(out) < maxGroups; i++ {
		propose(p.sets[bySize[i]])
	}
	for i := 1; i < len(bySize); i++ {
		for k := 0; k < i && len(out) < maxGroups; k++ {
			union := slices.Clone(p.sets[bySize[i]])
			union.addAll(p.sets[bySize[k]])
			propose(union)
		}
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(b.loads, a.loads) })
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
		return cmp.Compare(len(p.loads[b][proof.CoreTicks]), len(p.loads[a][proof.CoreTicks]))
	})
	return order
}

// confined is the group of the tasks that can run only on the given slaves.
func (p *problem) confined(slaves mask) group {
	g := group{slaves: newMask(len(p.js.Slaves))}
	for i, set := range p.sets {
		if set.within(slaves) {
			g.slaves.addAll(set)
			g.sets = append(g.sets, i)
			g.loads += len(p.loads[i][proof.CoreTicks])
		}
	}
	return g
}

// sweeper over the tasks confined to g and what g has of r.
func (p *problem) sweeper(g group, r proof.Resource) *sweeper {
	var loads []load
	for _, i := range g.sets {
		loads = append(loads, p.loads[i][r]...)
	}
	rate, changes := supplyRate(p.js, g.slaves, r)
	return newSweeper(loads, rate, changes)
}
