package penn

import (
	"math"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// chance is what a draw looks at of an item: a copy of what the item has, as the
// chances of a lane lie side by side in memory, in the order of its items.
type chance struct {
	due model.Time
	// own is chooser.own as it was last asked for, which it has to be again once its
	// heartbeat has passed.
	own  option
	left int32
	// draw is the last in which the item counted as near.
	draw uint32
}

// unasked is an own option that has to be asked for.
var unasked = option{model.NoSlave, -1, model.Never}

// byLot reports whether a lane has chances.
func (l *lane) byLot() bool { return l.tier == byArrival && l.quote == nil }

// number tells items where their chances stand, from one on.
func (l *lane) number(from int) {
	for i, e := range l.items[from:] {
		e.at = from + i
	}
}

// outdate is for an item when something has happened to one of its own slaves.
func (it *item) outdate() {
	it.fresh = false
	if it.kind.byLot() && it.left > 0 { // what is used up may have lost its place
		it.kind.chances[it.at].own = unasked
	}
}

// recount is for an item of which other tasks are left, if lots are drawn.
func (it *item) recount() {
	if it.kind.byLot() {
		it.kind.chances[it.at].left = int32(it.left)
	}
}

// lap is a lane in a draw.
type lap struct {
	*lane
	// upTo counts by items of the lane the tasks that take part, up to the item's own.
	upTo []int
	// The item drawn is looked for in [from, to), middle parts those by an arrival from
	// the rest.
	from, middle, to int
}

// serveByLot draws among the tasks that are for the slave until there are none.
// That is the same as to go through all tasks in random order.
func (p *policy) serveByLot(v *online.View, o *online.Offer) {
	for !o.Full() {
		laps, tasks := p.willing(v, o)
		if tasks == 0 {
			return
		}
		it := at(laps, p.lots.IntN(tasks))
		if o.Tracing() {
			o.Consider(p.candidates(v, 0, around(it, laps)))
		}
		p.hand(o, it)
		it.recount()
	}
}

// willing lists the lanes that have tasks for the slave that beats, and counts the tasks.
func (p *policy) willing(v *online.View, o *online.Offer) (laps []lap, tasks int) {
	p.laps, p.upTo = p.laps[:0], p.upTo[:0]
	p.draw++
	for _, l := range p.wanted(v, o) {
		due, first := p.chooser.wants(v, o, l.lane), len(p.upTo)
		p.upTo = slices.Grow(p.upTo, len(l.lane.items))[:first+len(l.lane.items)]
		upTo, n := p.upTo[first:], 0
		if l.lane.quote != nil {
			n = p.countNear(v, l.lane, due, upTo)
		} else {
			n = p.countKind(v, l.lane, due, upTo)
		}
		if n > 0 {
			tasks += n
			p.laps = append(p.laps, lap{lane: l.lane, upTo: upTo})
		}
	}
	return p.laps, tasks
}

// countNear counts in a lane of items with a quote of the slave, all of which stand in
// the lane of their kind as well.
func (p *policy) countNear(v *online.View, l *lane, due dues, upTo []int) (tasks int) {
	for i, e := range l.items {
		if e.left > 0 && due.has(e.due) && p.chooser.suits(v, l, e.item) {
			if c := &e.kind.chances[e.at]; c.draw != p.draw {
				c.draw = p.draw
				tasks += e.left
			}
		}
		upTo[i] = tasks
	}
	return tasks
}

// countKind counts in the lane of a kind what does not count as near.
func (p *policy) countKind(v *online.View, l *lane, due dues, upTo []int) (tasks int) {
	now, rival := v.Now(), l.asked.option
	for i := range l.chances {
		if c := &l.chances[i]; c.left > 0 && due.has(c.due) && c.draw != p.draw {
			if c.own.given < now {
				c.own = p.chooser.own(v, l.items[i].item)
			}
			if !p.chooser.before(c.own, rival, c.due) {
				tasks += int(c.left)
			}
		}
		upTo[i] = tasks
	}
	return tasks
}

// at is the item of the task of that number, by arrival from 0, over all lanes.
func at(laps []lap, number int) *item {
	least, most := uint64(math.MaxUint64), uint64(0)
	for i := range laps {
		l := &laps[i]
		l.from, l.to = 0, len(l.items)
		least, most = min(least, l.items[0].arrival), max(most, l.items[l.to-1].arrival)
	}
	for least < most {
		middle, tasks := least+(most-least)/2, 0
		for i := range laps {
			tasks += laps[i].until(middle)
		}
		if tasks > number {
			most = middle
		} else {
			least = middle + 1
		}
		for i := range laps {
			laps[i].narrow(tasks > number)
		}
	}
	for i := range laps {
		if it := laps[i].arrived(least); it != nil {
			return it
		}
	}
	return nil // not if there are more tasks than number
}

// until counts the tasks of what arrived by then.
func (l *lap) until(arrival uint64) int {
	from, to := l.from, l.to
	for from < to {
		if middle := (from + to) / 2; l.items[middle].arrival <= arrival {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if l.middle = from; from == 0 {
		return 0
	}
	return l.upTo[from-1]
}

// narrow goes on with what is before middle, or with the rest.
func (l *lap) narrow(before bool) {
	if before {
		l.to = l.middle
	} else {
		l.from = l.middle
	}
}

// takes reports whether an item takes part in the draw.
func (l *lap) takes(i int) bool {
	return i == 0 && l.upTo[0] > 0 || i > 0 && l.upTo[i] > l.upTo[i-1]
}

// arrived is the item that takes part of those which arrived then, nil if none does.
// What is left of what was lost may have arrived with what is used up.
func (l *lap) arrived(then uint64) *item {
	for i := l.from; i < len(l.items) && l.items[i].arrival <= then; i++ {
		if l.items[i].arrival == then && l.takes(i) {
			return l.items[i].item
		}
	}
	return nil
}

// around lists all items of a draw by arrival, but for the one drawn, which changes
// places with the first.
func around(drawn *item, laps []lap) []*item {
	var out []*item
	for _, l := range laps {
		for i, e := range l.items {
			if l.takes(i) {
				out = append(out, e.item)
			}
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return order(a, b, byArrival) })
	i := slices.Index(out, drawn)
	out[0], out[i] = out[i], out[0]
	return out
}
