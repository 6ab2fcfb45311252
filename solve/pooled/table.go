package pooled

import "downbeat/model"

// table is what it costs one task at the least, by the step in which a part of its stay
// begins: of held the part up to the end of the fetch, by the start of the fetch; of
// run the rest, by the start of the run. What is held throughout is counted in both:
// less the multipliers before the heartbeat in the one, all up to the end in the other.
type table struct {
	kind tableKind
	// from is the step of the first of costs.
	from  int
	costs []int64
}

// tableKind is what tables of equal costs have in common.
type tableKind struct {
	pool   int32
	run    bool
	length model.Time
	needs  [model.NumResources]int64
	takes  int32
}

// impossible is a cost above all penalties; sums of a few stay far from overflow.
const impossible = 1 << 60

// tables finds or makes the two tables of a domain and widens them to its window.
func (r *lagrangian) tables(d *domain) {
	find := func(kind tableKind, from, last int) int32 {
		k, seen := r.tableOf[kind]
		to := last + 1
		if !seen {
			k = int32(len(r.table))
			r.tableOf[kind] = k
			r.table = append(r.table, table{kind: kind, from: from, costs: make([]int64, to-from)})
			return k
		}
		t := &r.table[k]
		from, to = min(from, t.from), max(to, t.from+len(t.costs))
		if to-from > len(t.costs) {
			t.from, t.costs = from, make([]int64, to-from)
		}
		return k
	}
	d.span = d.steps(r.shift)
	d.held = find(tableKind{d.pool, false, d.transfer, d.needs, d.takes}, d.fetch, d.last-d.delay)
	d.run = find(tableKind{d.pool, true, d.wcet, d.needs, d.takes}, d.first, d.last)
}

// fill works all tables out at the multipliers as they are.
func (r *lagrangian) fill() {
	for k := range r.table {
		t := &r.table[k]
		clear(t.costs)
		for i, need := range t.kind.needs {
			res := model.ResourceID(i)
			s := &r.supplies[t.kind.pool][i]
			switch {
			case need == 0 || s.Supply == nil:
			case res.Hold() == model.HoldStay:
				r.addStay(t, s, need)
			case (res.Hold() == model.HoldRun) == t.kind.run:
				r.addPart(t, s, need)
			}
		}
		for _, take := range r.lists[t.kind.takes] {
			r.addTake(t, &r.shared[take.Shared], take.Units)
		}
	}
}

// addPart adds what it costs to hold a resource for the length of the part. Within a
// step that is least at an end of the step, or where the part ends with a step.
func (r *lagrangian) addPart(t *table, s *supply, need int64) {
	length, step := t.kind.length, model.Time(1)<<r.shift
	at := func(from model.Time) int64 { return r.until(s, from+length) - r.until(s, from) }
	for i := range t.costs {
		from := model.Time(t.from+i) << r.shift
		least := at(from)
		if step > 1 {
			least = min(least, at(from+step-1), at(from+(-length)&(step-1)))
		}
		t.costs[i] += need * least
	}
}

// addTake adds what belongs to the part of the cost of what is taken of what all share: from the
// heartbeat to the end, and no longer.
func (r *lagrangian) addTake(t *table, s *supply, units int64) {
	p := &r.pools[t.kind.pool]
	for i := range t.costs {
		at := model.Time(t.from+i) << r.shift
		if t.kind.run {
			t.costs[i] += units * r.until(s, at+t.kind.length)
		} else {
			t.costs[i] -= units * r.until(s, p.lastBeat(at+1<<r.shift-1))
		}
	}
}

// addStay adds what belongs to the part of the cost of what is held throughout.
func (r *lagrangian) addStay(t *table, s *supply, need int64) {
	p := &r.pools[t.kind.pool]
	for i := range t.costs {
		at := model.Time(t.from+i) << r.shift
		if t.kind.run {
			t.costs[i] += need * r.until(s, p.nextBeat(at+t.kind.length))
		} else {
			t.costs[i] -= need * r.until(s, p.lastBeat(at+1<<r.shift-1))
		}
	}
}
