package encode

import "downbeat/model"

// C4, C5, C6, C9: what the tasks on a slave need of a resource at one time is never
// more than its units.
//
//	C4  cores, at every tick, while tasks run
//	C5  slots of a pool, at every heartbeat, from assignment to finish
//	C6  the fetch line, at every tick, during fetches
//	C9  every other resource, as slots
//
// A resource is said by order where that is worth it (order.go), else by counting
// (counting.go).

func predictResources(l *layout, h model.Hold, stop int64) int64 {
	total := int64(0)
	l.eachResource(h, func(r *resource) {
		if total > stop {
			return
		}
		counted := predictCounters(r, l.form, stop-total)
		if n, yes := byOrder(l, r, counted); yes {
			counted = n
		}
		total += counted
	})
	return total
}

func buildResources(e *Encoding, h model.Hold) {
	e.eachResource(h, func(r *resource) {
		if _, yes := byOrder(e.layout, r, predictCounters(r, e.form, huge)); yes {
			buildPairs(e, r)
		} else {
			buildCounters(e, r)
		}
	})
}
