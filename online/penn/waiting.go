package penn

import (
	"cmp"
	"container/heap"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// item is a group of equal ready tasks.
type item struct {
	group *online.Group
	kind  *kind
	least shortest
	// due is the deadline by which the first slave will do, noDue where only the
	// best one will.
	due model.Time
	// keys has a key for each tier; among equals the rest orders items: what is
	// compared most often stands here.
	keys    [maxTiers]key
	release model.Time
	job     model.JobID
	lead    model.TaskID
	// quotes are of the slaves on which the figures are not those of the kind.
	quotes []*quote
	// best is the first choice among these, as of when it was fresh.
	best  option
	fresh bool
	// gone is set once it is used up, beat as waiting has it.
	gone bool
	beat int
}

// left is the number of tasks to hand out. Those of a group that was used up and
// has some again, as they were lost, belong to a new item.
func (it *item) left() int {
	if it.gone {
		return 0
	}
	return it.group.Len()
}

// order compares two items in a tier; equal keys go by release and file.
func order(a, b *item, tier int) int {
	if c := a.keys[tier].compare(b.keys[tier]); c != 0 {
		return c
	}
	switch {
	case a.release != b.release:
		return cmp.Compare(a.release, b.release)
	case a.job != b.job:
		return cmp.Compare(a.job, b.job)
	default:
		return cmp.Compare(a.lead, b.lead)
	}
}

// lane is a list of items in the order of a tier; up to half of them are gone.
type lane struct {
	tier  int
	items []*item
	gone  int
}

func (l *lane) enter(it *item) {
	at, _ := slices.BinarySearchFunc(l.items, it, func(a, b *item) int { return order(a, b, l.tier) })
	l.items = slices.Insert(l.items, at, it)
}

// leave counts an item that is gone.
func (l *lane) leave() {
	if l.gone++; 2*l.gone > len(l.items) {
		l.items = slices.DeleteFunc(l.items, func(it *item) bool { return it.gone })
		l.gone = 0
	}
}

// waiting has what is ready, in lanes.
type waiting struct {
	items map[*online.Group]*item
	// last is the last tier.
	last int
	// front has all items by the first tier, where that is a tier of few tasks or
	// tasks are drawn from it.
	front *lane
	// kinds are those that have items; their lanes are of the last tier.
	kinds []*kind
	// local has for each slave the items with a quote of it, by the last tier.
	local []lane
	// slave beats; beat counts such beats and marks its local items.
	slave model.SlaveID
	beat  int
	// used are the items that may be used up.
	used []*item
}

func newWaiting(tiers, slaves int, lots bool) waiting {
	w := waiting{items: map[*online.Group]*item{}, last: tiers - 1, local: make([]lane, slaves)}
	for s := range w.local {
		w.local[s].tier = w.last
	}
	if lots || tiers > 1 {
		w.front = &lane{}
	}
	return w
}

func (w *waiting) enter(it *item) {
	w.items[it.group] = it
	if len(it.kind.items) == 0 {
		it.kind.tier = w.last
		w.kinds = append(w.kinds, it.kind)
	}
	for _, l := range w.lanes(it) {
		l.enter(it)
	}
}

// lanes are those in which an item stands.
func (w *waiting) lanes(it *item) []*lane {
	out := []*lane{&it.kind.lane}
	for _, q := range it.quotes {
		out = append(out, &w.local[q.slave])
	}
	if w.front != nil {
		out = append(out, w.front)
	}
	return out
}

// at is for the heartbeat of a slave.
func (w *waiting) at(s model.SlaveID) {
	w.slave = s
	w.beat++
	for _, it := range w.local[s].items {
		it.beat = w.beat
	}
}

// near reports whether an item has a quote of the slave that beats.
func (w *waiting) near(it *item) bool { return it.beat == w.beat }

// changed is for a slave to which something happened.
func (w *waiting) changed(s model.SlaveID) {
	for _, it := range w.local[s].items {
		it.fresh = false
	}
}

// tidy takes out what is used up and returns the kinds that are left without
// items.
func (w *waiting) tidy() (empty []*kind) {
	for _, it := range w.used {
		it.gone = true
		delete(w.items, it.group)
		for _, l := range w.lanes(it) {
			l.leave()
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

// merged goes through several lanes in order.
type merged struct {
	waiting *waiting
	wanted  func(*kind) bool
	cursors []cursor
}

// cursor is a place in a lane, that of a kind or of what is local.
type cursor struct {
	*lane
	kind *kind
	at   int
}

func (c *cursor) item() *item { return c.items[c.at] }

// merge goes through what is local to the slave that beats and through the kinds
// that are wanted.
func (w *waiting) merge(wanted func(*kind) bool) *merged {
	m := &merged{waiting: w, wanted: wanted}
	if local := &w.local[w.slave]; len(local.items) > 0 {
		m.cursors = append(m.cursors, cursor{lane: local})
	}
	for _, k := range w.kinds {
		if wanted(k) {
			m.cursors = append(m.cursors, cursor{lane: &k.lane, kind: k})
		}
	}
	heap.Init(m)
	return m
}

// next is the item that comes next, nil if none is left.
func (m *merged) next() *item {
	for len(m.cursors) > 0 {
		c := &m.cursors[0]
		it := c.item()
		far := c.kind != nil
		c.at++
		if c.at == len(c.items) || far && !m.wanted(c.kind) {
			heap.Pop(m)
		} else {
			heap.Fix(m, 0)
		}
		// What is local comes up in its own lane.
		if it.left() > 0 && !(far && m.waiting.near(it)) {
			return it
		}
	}
	return nil
}

// Len implements heap.Interface.
func (m *merged) Len() int { return len(m.cursors) }

// Less implements heap.Interface.
func (m *merged) Less(i, j int) bool {
	a, b := &m.cursors[i], &m.cursors[j]
	return order(a.item(), b.item(), a.tier) < 0
}

// Swap implements heap.Interface.
func (m *merged) Swap(i, j int) { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }

// Push implements heap.Interface; merged only shrinks.
func (m *merged) Push(any) {}

// Pop implements heap.Interface.
func (m *merged) Pop() any {
	m.cursors = m.cursors[:len(m.cursors)-1]
	return nil
}
