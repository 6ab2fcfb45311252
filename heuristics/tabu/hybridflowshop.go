package tabu

import (
	"slices"

	"downbeat/heuristics"
)

// hybrid is a shop as a hybrid flow shop: chains of tasks that wait for each other go through its stages, each some machines, all in
// one order, in which a chain may pass over some. At a stage there is more than one; else it is a flow shop (flowshop.go).
type hybrid struct {
	stages []stage
	// entry is the first stage of each chain.
	entry []int32
	// options are those of the shop.
	options [][]option
}

// stage has the machines of a stage, and what there is for them to do, by chain.
type stage struct {
	machines []int32
	// begin is from when on each machine is there.
	begin []int32
	// task is what each chain has there; -1 for nothing.
	task []int32
	// length is that of the task on all machines; 0 where it differs.
	length []int32
	// release is when the task may start, rest what comes after its end at least, to the end of the longest path.
	release, rest []int32
}

// newHybrid is a shop as a hybrid flow shop of several stages; nil if it is none, or not for the longest path. Backward it is the same with
// time reversed, so that what chains end with comes first.
func newHybrid(sh *shop, backward bool) *hybrid {
	if !sh.Chain || sh.sum != nil {
		return nil
	}
	number, last := sh.numbered()
	if last < 1 || !slices.ContainsFunc(sh.options, func(o []option) bool { return len(o) > 1 }) {
		return nil
	}
	if backward {
		for m := range number {
			number[m] = last - number[m]
		}
	}
	chains := sh.chains()
	f := &hybrid{options: sh.options, stages: make([]stage, last+1), entry: slices.Repeat([]int32{last}, len(chains))}
	for k := range f.stages {
		f.stages[k].task = slices.Repeat([]int32{-1}, len(chains))
	}
	for m, k := range number {
		if k < 0 || k > last {
			continue // nothing runs there
		}
		st, begin := &f.stages[k], int32(sh.js.Slaves[sh.slaves[m]].FirstBeat)
		if backward {
			begin = 0
		}
		st.machines, st.begin = append(st.machines, int32(m)), append(st.begin, begin)
	}
	for i, chain := range chains {
		for _, v := range chain {
			k := number[sh.options[v][0].machine]
			f.stages[k].task[i] = v
			f.entry[i] = min(f.entry[i], k)
		}
	}
	f.addTimes(sh, backward)
	return f
}

// addTimes fills in lengths, releases and what comes after tasks.
func (f *hybrid) addTimes(sh *shop, backward bool) {
	n := len(f.entry)
	after := slices.Repeat([]int32{heuristics.Uncounted}, n)
	for k := len(f.stages) - 1; k >= 0; k-- {
		st := &f.stages[k]
		st.length, st.release, st.rest = make([]int32, n), make([]int32, n), make([]int32, n)
		for i, v := range st.task {
			if v < 0 {
				continue
			}
			options := sh.options[v]
			byLength := func(a, b option) int { return int(a.length - b.length) }
			least := slices.MinFunc(options, byLength)
			if len(options) == len(st.machines) && slices.MaxFunc(options, byLength).length == least.length {
				st.length[i] = least.length
			}
			release, delivery := sh.Release[v], sh.Delivery[v]
			if delivery > heuristics.Uncounted {
				delivery += least.run - least.length
			}
			if backward {
				release, delivery = max(0, delivery), release
			}
			st.release[i], st.rest[i] = release, max(after[i], delivery)
			after[i] = max(st.rest[i]+least.length, heuristics.Uncounted)
		}
	}
}

// chains lists the tasks that wait for each other, in their order.
func (sh *shop) chains() (chains [][]int32) {
	for v := range sh.Before {
		if len(sh.Before[v]) > 0 {
			continue
		}
		chain := []int32{int32(v)}
		for w := int32(v); len(sh.After[w]) > 0; {
			w = sh.After[w][0]
			chain = append(chain, w)
		}
		chains = append(chains, chain)
	}
	return chains
}

// numbered has for each machine the number of its stage, -1 where nothing runs. Machines that a task may choose between are of one
// stage, and chains go through stages in the order of their numbers, of which last is the greatest; nil where there is no such order.
func (sh *shop) numbered() (number []int32, last int32) {
	first := sh.stageOf()
	waits, after := make([]int, len(first)), make([][]int32, len(first))
	number = slices.Repeat([]int32{-1}, len(first))
	left := 0
	for v, options := range sh.options {
		s := first[options[0].machine]
		if number[s] < 0 {
			number[s] = 0
			left++
		}
		for _, w := range sh.After[v] {
			to := first[sh.options[w][0].machine]
			after[s] = append(after[s], to)
			waits[to]++
		}
	}
	var order []int32
	for s := range first {
		if number[s] == 0 && waits[s] == 0 {
			order = append(order, int32(s))
		}
	}
	for i := 0; i < len(order); i++ {
		number[order[i]] = int32(i)
		for _, to := range after[order[i]] {
			if waits[to]--; waits[to] == 0 {
				order = append(order, to)
			}
		}
	}
	if len(order) < left {
		return nil, 0
	}
	for m, s := range first {
		number[m] = number[s]
	}
	return number, int32(left - 1)
}

// stageOf has for each machine the first one that is of its stage.
func (sh *shop) stageOf() []int32 {
	first := make([]int32, len(sh.slaves))
	for m := range first {
		first[m] = int32(m)
	}
	of := func(m int32) int32 {
		for first[m] != m {
			m = first[m]
		}
		return m
	}
	for _, options := range sh.options {
		for _, o := range options[1:] {
			a, b := of(options[0].machine), of(o.machine)
			first[max(a, b)] = min(a, b)
		}
	}
	for m := range first {
		first[m] = of(int32(m))
	}
	return first
}
