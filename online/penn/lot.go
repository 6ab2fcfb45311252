package penn

import (
	"slices"

	"downbeat/online"
)

// ticket is an item that takes part in a draw.
type ticket struct {
	arrival uint64
	// upTo counts the tasks of the tickets of its lane, up to its own.
	upTo int
	*item
}

// serveByLot draws among the tasks that are for the slave until there are none.
// That is the same as to go through all tasks in random order.
func (p *policy) serveByLot(v *online.View, o *online.Offer) {
	for !o.Full() {
		lanes, tasks := p.willing(v, o)
		if tasks == 0 {
			return
		}
		it := at(lanes, p.lots.IntN(tasks))
		if o.Tracing() {
			o.Consider(p.candidates(v, 0, around(it, lanes)))
		}
		p.hand(o, it)
	}
}

// willing lists by lanes what is for the slave that beats, each by arrival, and
// counts the tasks.
func (p *policy) willing(v *online.View, o *online.Offer) (lanes [][]ticket, tasks int) {
	p.tickets, p.laps = p.tickets[:0], p.laps[:0]
	p.draw++
	for _, l := range p.wanted(v, o) {
		due, first, before := p.chooser.wants(v, o, l.lane), len(p.tickets), tasks
		for _, e := range l.items {
			// What the slave has a quote of stands in the lane of its kind as well.
			if due.has(e.due) && e.left > 0 && e.draw != p.draw && p.chooser.suits(v, l.lane, e.item) {
				if l.lane.quote != nil {
					e.draw = p.draw
				}
				tasks += e.left
				p.tickets = append(p.tickets, ticket{e.arrival, tasks - before, e.item})
			}
		}
		if some := p.tickets[first:]; len(some) > 0 {
			p.laps = append(p.laps, some)
		}
	}
	return p.laps, tasks
}

// at is the item of the task of that number, by arrival from 0, over all lanes.
func at(lanes [][]ticket, number int) *item {
	least, most := lanes[0][0].arrival, lanes[0][0].arrival
	for _, l := range lanes {
		least, most = min(least, l[0].arrival), max(most, l[len(l)-1].arrival)
	}
	for least < most {
		middle, tasks := least+(most-least)/2, 0
		for _, l := range lanes {
			if n := until(l, middle); n > 0 {
				tasks += l[n-1].upTo
			}
		}
		if tasks > number {
			most = middle
		} else {
			least = middle + 1
		}
	}
	for _, l := range lanes {
		if n := until(l, least); n > 0 && l[n-1].arrival == least {
			return l[n-1].item
		}
	}
	return nil // not if there are more tasks than number
}

// until counts the tickets that arrived by then.
func until(lane []ticket, arrival uint64) int {
	from, to := 0, len(lane)
	for from < to {
		if middle := (from + to) / 2; lane[middle].arrival <= arrival {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// around lists all items of a draw by arrival, but for the one drawn, which changes
// places with the first.
func around(drawn *item, lanes [][]ticket) []*item {
	var out []*item
	for _, l := range lanes {
		for _, t := range l {
			out = append(out, t.item)
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return order(a, b, byArrival) })
	i := slices.Index(out, drawn)
	out[0], out[i] = out[i], out[0]
	return out
}
