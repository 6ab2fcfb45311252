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
	// inTime and late say with slave what the item has of its own, chooser.own, as
	// chooser.before compares it with what is done in time, and with what is late.
	inTime, late model.Time
	// known is up to when this is so; later the item has no better.
	known model.Time
	slave model.SlaveID
	left  int32
}

// What is compared comes before everything, or after it.
const (
	beforeAll model.Time = -1
	afterAll             = 2 * model.Never
)

// unknown is for an item of which it has to be found out what it has of its own.
func (c *chance) unknown() { c.inTime, c.late, c.known = beforeAll, beforeAll, -1 }

// renew takes over what an item has of its own.
func (c *chance) renew(ch *chooser, own option) {
	c.slave, c.known = own.slave, own.given
	if own.finish <= c.due {
		c.inTime, c.late = ch.turn(own), beforeAll
	} else {
		c.inTime, c.late = afterAll, own.finish
	}
}

// turn is by what options that are done in time are compared, before their slaves are.
func (c *chooser) turn(o option) model.Time {
	if c.byBeat() {
		return o.given
	}
	return 0
}

// rival is the option of a kind on the slave that beats, for items that are due so.
type rival struct {
	option
	inTime model.Time
	dues   dues
}

func (c *chooser) rival(l *lane, due dues) rival {
	return rival{l.asked.option, c.turn(l.asked.option), due}
}

// yields is -1 if what an item has of its own does not come before a rival, else 0, found
// without a jump: of the items of a draw about half do, in no order that a processor
// could learn.
func (c *chance) yields(r *rival) int64 {
	own, other := c.late, r.finish
	if c.due >= r.finish {
		own, other = c.inTime, r.inTime
	}
	before := int64(2*(own-other)) + int64(c.slave-r.slave)>>63
	unwanted := int64(c.due - r.dues.from | (r.dues.until - 1 - c.due))
	return ^((before | unwanted) >> 63)
}

// byLot reports whether a lane has chances.
func (l *lane) byLot() bool { return l.tier == byArrival && l.quote == nil }

// number tells items where their chances stand, from one on.
func (l *lane) number(from int) {
	for i, e := range l.items[from:] {
		e.at = from + i
	}
}

// outdate is for an item when something has happened to a slave of its own, which may
// have made what that does better, or only worse: then what is best elsewhere stays.
func (it *item) outdate(s model.SlaveID, better bool) {
	if !better && it.best.slave != s {
		return
	}
	it.fresh = false
	if !it.kind.byLot() || it.left == 0 { // what is used up may have lost its place
		return
	}
	if c := &it.kind.chances[it.at]; better {
		c.unknown()
	} else {
		c.known = -1
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
		it := p.draw(v, o, laps, tasks)
		if it == nil {
			return
		}
		if o.Tracing() {
			o.Consider(p.candidates(v, 0, around(it, laps)))
		}
		p.hand(o, it)
		it.recount()
	}
}

// draw is an item by lot among those of so many tasks, where tasks on different slaves are tied to
// each other among those that fit; nil if none does.
func (p *policy) draw(v *online.View, o *online.Offer, laps []lap, tasks int) *item {
	if !v.Coupled() {
		return at(laps, p.lots.IntN(tasks))
	}
	var fit []*item
	tasks = 0
	for _, it := range inDraw(laps) {
		if o.Fits(it.group) {
			fit = append(fit, it)
			tasks += it.left
		}
	}
	if tasks == 0 {
		return nil
	}
	number := p.lots.IntN(tasks)
	for _, it := range fit {
		if number -= it.left; number < 0 {
			return it
		}
	}
	return nil // not reached
}

// willing lists the lanes that have tasks for the slave that beats, and counts the tasks.
func (p *policy) willing(v *online.View, o *online.Offer) (laps []lap, tasks int) {
	p.laps, p.upTo = p.laps[:0], p.upTo[:0]
	for _, l := range p.wanted(v, o) {
		due, first := p.chooser.wants(v, o, l.lane), len(p.upTo)
		p.upTo = slices.Grow(p.upTo, len(l.lane.items))[:first+len(l.lane.items)]
		upTo, n := p.upTo[first:], 0
		if l.lane.quote != nil {
			n = p.countNear(v, o, l.lane, due, upTo)
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

// countNear counts in a lane of items with a quote of the slave what does not count in
// the lane of their kind, in which all of them stand as well.
func (p *policy) countNear(v *online.View, o *online.Offer, l *lane, due dues, upTo []int) (tasks int) {
	k := &l.kind.lane
	wants := p.chooser.wants(v, o, k)
	r := p.chooser.rival(k, wants)
	for i, e := range l.items {
		if e.left > 0 && due.has(e.due) && p.chooser.suits(v, l, e.item) {
			if p.yields(v, &k.chances[e.at], e.item, &r) == 0 {
				tasks += e.left
			}
		}
		upTo[i] = tasks
	}
	return tasks
}

// countKind counts in the lane of a kind.
func (p *policy) countKind(v *online.View, l *lane, due dues, upTo []int) (tasks int) {
	r, now := p.chooser.rival(l, due), v.Now()
	for i := range l.chances {
		c := &l.chances[i]
		yields := c.yields(&r)
		if int64(c.known-now)&^yields < 0 || p.chooser.eager {
			yields = p.yields(v, c, l.items[i].item, &r)
		}
		tasks += int(int64(c.left) & yields)
		upTo[i] = tasks
	}
	return tasks
}

// yields is chance.yields of what is known now. What an item had before was no worse, so
// that an item which yielded with that yields still.
func (p *policy) yields(v *online.View, c *chance, it *item, r *rival) int64 {
	yields := c.yields(r)
	if c.known >= v.Now() || c.left == 0 || !r.dues.has(c.due) || yields != 0 && !p.chooser.eager {
		return yields
	}
	c.renew(&p.chooser, p.chooser.own(v, it))
	return c.yields(r)
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
	out := inDraw(laps)
	i := slices.Index(out, drawn)
	out[0], out[i] = out[i], out[0]
	return out
}

// inDraw lists the items of a draw by arrival.
func inDraw(laps []lap) []*item {
	var out []*item
	for _, l := range laps {
		for i, e := range l.items {
			if l.takes(i) {
				out = append(out, e.item)
			}
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return order(a, b, byArrival) })
	return out
}
