package penn

import (
	"cmp"
	"container/heap"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// item is a group of equal ready tasks. Here stands what is looked at most often;
// the items of a kind lie side by side in memory.
type item struct {
	// left is the number of tasks to hand out, 0 once they are used up. If some of the
	// group are lost after that, they belong to a new item.
	left int
	// best is the first choice among the quotes, as of when it was fresh.
	best  option
	fresh bool
	// due is the deadline by which the first slave will do, noDue where only the
	// best one will.
	due model.Time
	// arrival orders items by the release of the job and by the file.
	arrival uint64
	*details
}

// details is what an item has besides.
type details struct {
	group *online.Group
	kind  *kind
	// quotes are of the slaves on which the figures are not those of the kind.
	quotes []*quote
	least  shortest
	// keys has a key for each tier; among equals the rest orders items.
	keys [maxTiers]key
	// at is where the chance of the item stands, if lots are drawn.
	at int
}

// byArrival is a tier in which all keys are equal.
const byArrival = -1

// order compares two items in a tier; equal keys go by arrival.
func order(a, b *item, tier int) int {
	if tier != byArrival {
		if c := a.keys[tier].compare(b.keys[tier]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.arrival, b.arrival)
}

// entry is an item in a list. Most are passed over for their due.
type entry struct {
	due model.Time
	*item
}

// lane has items of a kind, in the order of a tier; up to an eighth of them are used up.
type lane struct {
	kind *kind
	// quote is set if the lane has the items with this one.
	quote *quote
	tier  int
	items []entry
	// chances are those of the items, in a lane of a whole kind from which lots are drawn.
	chances []chance
	empty   int
	asked   asked
}

func (l *lane) enter(it *item) {
	at, _ := slices.BinarySearchFunc(l.items, it, func(e entry, it *item) int { return order(e.item, it, l.tier) })
	l.items = slices.Insert(l.items, at, entry{it.due, it})
	if l.byLot() {
		c := chance{due: it.due, left: int32(it.left)}
		c.unknown()
		l.chances = slices.Insert(l.chances, at, c)
		l.number(at)
	}
}

// leave counts an item that is used up.
func (l *lane) leave() {
	if l.empty++; 8*l.empty <= len(l.items) {
		return
	}
	l.items = slices.DeleteFunc(l.items, func(e entry) bool { return e.left == 0 })
	l.empty = 0
	if l.byLot() {
		l.chances = slices.DeleteFunc(l.chances, func(c chance) bool { return c.left == 0 })
		l.number(0)
	}
}

// waiting has what is ready, in lanes.
type waiting struct {
	items map[*online.Group]*item
	// tasks counts what there is to hand out.
	tasks int
	// kinds are those that have items, local by slave the quotes that have some.
	kinds []*kind
	local [][]*quote
	// used are the items that are used up and still stand in lanes.
	used []*item
}

func (w *waiting) enter(it *item) {
	w.items[it.group] = it
	w.tasks += it.left
	if len(it.kind.items) == 0 {
		w.kinds = append(w.kinds, it.kind)
	}
	for _, q := range it.quotes {
		if len(q.items) == 0 {
			w.local[q.slave] = append(w.local[q.slave], q)
		}
	}
	for _, l := range it.lanes() {
		l.enter(it)
	}
}

// lanes are those in which an item stands.
func (it *item) lanes() []*lane {
	out := []*lane{&it.kind.lane}
	if it.kind.front != nil {
		out = append(out, it.kind.front)
	}
	for _, q := range it.quotes {
		out = append(out, &q.lane)
	}
	return out
}

// lane is the one in which an item stands for slave s.
func (it *item) lane(s model.SlaveID) *lane {
	for _, q := range it.quotes {
		if q.slave == s {
			return &q.lane
		}
	}
	return &it.kind.lane
}

// giveUp takes the tasks of a job that wait for used up.
func (w *waiting) giveUp(j *online.Job) {
	for _, g := range j.Groups() {
		w.useUp(g)
	}
}

// useUp takes the tasks of a group for used up.
func (w *waiting) useUp(g *online.Group) {
	if it := w.items[g]; it != nil && it.left > 0 {
		w.tasks -= it.left
		it.left = 0
		it.recount()
		w.used = append(w.used, it)
	}
}

// tidy takes out what is used up and returns the kinds that are left without
// items.
func (w *waiting) tidy() (empty []*kind) {
	for _, it := range w.used {
		delete(w.items, it.group)
		for _, l := range it.lanes() {
			l.leave()
		}
		for _, q := range it.quotes {
			if len(q.items) == 0 {
				w.local[q.slave] = slices.DeleteFunc(w.local[q.slave], func(other *quote) bool { return other == q })
			}
		}
		if len(it.kind.items) == 0 {
			empty = append(empty, it.kind)
			w.kinds = slices.DeleteFunc(w.kinds, func(k *kind) bool { return k == it.kind })
		}
	}
	w.used = w.used[:0]
	return empty
}

// from lists an item and all after it in a tier.
func (w *waiting) from(first *item, tier int) []*item {
	var out []*item
	for _, it := range w.items {
		if order(first, it, tier) <= 0 {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return order(a, b, tier) })
	return out
}

// merged goes through several lists in the order of a tier.
type merged struct {
	tier  int
	lists []list
}

// list is what is left of the items of a lane.
type list struct {
	lane  *lane
	items []entry
}

// merge goes through lists that are not empty.
func merge(tier int, lists []list) *merged {
	m := &merged{tier, lists}
	heap.Init(m)
	return m
}

// everything is wanted of a lane.
func everything(*lane) dues { return allDues }

// next is the item that comes next, nil if none is left. Those after it that are not
// wanted of their lanes are passed over.
func (m *merged) next(wanted func(*lane) dues) *item {
	if len(m.lists) == 0 {
		return nil
	}
	l := &m.lists[0]
	it := l.items[0].item
	l.items = wanted(l.lane).skip(l.items[1:])
	if len(l.items) == 0 {
		heap.Pop(m)
	} else {
		heap.Fix(m, 0)
	}
	return it
}

// Len implements heap.Interface.
func (m *merged) Len() int { return len(m.lists) }

// Less implements heap.Interface.
func (m *merged) Less(i, j int) bool {
	return order(m.lists[i].items[0].item, m.lists[j].items[0].item, m.tier) < 0
}

// Swap implements heap.Interface.
func (m *merged) Swap(i, j int) { m.lists[i], m.lists[j] = m.lists[j], m.lists[i] }

// Push implements heap.Interface; merged only shrinks.
func (m *merged) Push(any) {}

// Pop implements heap.Interface.
func (m *merged) Pop() any {
	m.lists = m.lists[:len(m.lists)-1]
	return nil
}
