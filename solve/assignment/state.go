package assignment

import "slices"

// state is what may still be done by which cores.
type state struct {
	groups []group
	// options is the number of groups that may do an item, core the only one once that is settled: a
	// group of a single core, or -1.
	options []int32
	core    []int32
}

// group is a number of cores that are alike, with what they may do, in order.
type group struct {
	kind  int32
	cores int64
	items []entry
}

// entry is an item that a group may do, or one that its only core has to.
type entry struct {
	item int32
	must bool
}

// whole is the state in which nothing is settled.
func (p *Problem) whole() *state {
	st := &state{options: make([]int32, len(p.tasks)), core: slices.Repeat([]int32{-1}, len(p.tasks))}
	for k := range p.kinds {
		g := group{kind: int32(k), cores: int64(len(p.kinds[k].cores))}
		for i, length := range p.kinds[k].length {
			if length > 0 {
				g.items = append(g.items, entry{item: int32(i)})
				st.options[i]++
			}
		}
		st.groups = append(st.groups, g)
	}
	st.settle()
	return st
}

func (st *state) clone() *state {
	out := &state{groups: slices.Clone(st.groups), options: slices.Clone(st.options), core: slices.Clone(st.core)}
	for g := range out.groups {
		out.groups[g].items = slices.Clone(out.groups[g].items)
	}
	return out
}

// settle marks items that only a group of one core may do.
func (st *state) settle() {
	for g := range st.groups {
		of := &st.groups[g]
		for k := range of.items {
			if e := &of.items[k]; of.cores == 1 && st.options[e.item] == 1 {
				e.must = true
				st.core[e.item] = int32(g)
			}
		}
	}
}

// bar takes items from groups, by group and place, and reports whether each is left to some group.
func (st *state) bar(barred func(g, k int) bool) (some bool) {
	some = true
	for g := range st.groups {
		of := &st.groups[g]
		left := of.items[:0]
		for k, e := range of.items {
			if !barred(g, k) {
				left = append(left, e)
			} else if st.options[e.item]--; st.options[e.item] == 0 {
				some = false
			}
		}
		of.items = left
	}
	st.settle()
	return some
}

// open reports whether it is not settled yet which core does an item.
func (st *state) open(i int32) bool { return st.core[i] < 0 }

// give is the state in which a group does an item: one core of several becomes a group of its own, the
// last one, as it does not matter which. earlier are groups of which it is known that no item like it can be done by them; they
// lose these where all groups that may do one may do the other.
func (p *Problem) give(st *state, item int32, to int, earlier []int) *state {
	out := st.clone()
	may := out.groupsOf(item)
	if len(earlier) > 0 {
		for other := range p.like {
			if o := int32(other); p.like[o] == p.like[item] && o != item && out.open(o) && slices.Equal(out.groupsOf(o), may) {
				out.bar(func(g, k int) bool { return out.groups[g].items[k].item == o && slices.Contains(earlier, g) })
			}
		}
	}
	if of := &out.groups[to]; of.cores > 1 {
		of.cores--
		out.groups = append(out.groups, group{kind: of.kind, cores: 1, items: slices.Clone(of.items)})
		for _, e := range of.items {
			out.options[e.item]++
		}
		to = len(out.groups) - 1
	}
	out.bar(func(g, k int) bool { return g != to && out.groups[g].items[k].item == item })
	return out
}

// groupsOf lists the groups that may do an item.
func (st *state) groupsOf(item int32) (out []int) {
	for g := range st.groups {
		if slices.ContainsFunc(st.groups[g].items, func(e entry) bool { return e.item == item }) {
			out = append(out, g)
		}
	}
	return out
}
