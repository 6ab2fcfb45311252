package pooled

import "downbeat/model"

// rows are the capacity constraints that are relaxed: of every resource of every pool
// one per step, and for what is held from a heartbeat on one per heartbeat interval,
// where intervals are longer than steps and those of all slaves of the pool fall
// together.
type rows struct {
	shift    uint // of a time to its step
	steps    int
	supplies [][model.Resources]supply // by pool
	// multipliers ≥ 0 (per unit and tick), capacity and use (in units × ticks) by row.
	multipliers, capacity, use []int64
}

// supply is what a pool has of a resource; no steps where it has none.
type supply struct {
	// row is that of each step.
	row []int32
	// price is that of each step, before the sum of prices of all ticks before it, both
	// with one step more than there are.
	price, before []int64
}

// newRows makes rows for all pools until end, in steps of 1<<shift ticks.
func newRows(js *model.JobSet, pools []pool, end model.Time, shift uint) *rows {
	r := &rows{shift: shift, steps: int(end>>shift) + 1, supplies: make([][model.Resources]supply, len(pools))}
	for k := range pools {
		for _, s := range pools[k].slaves {
			for _, has := range js.Supplies(s) {
				if r.supplies[k][has.Resource].row == nil {
					r.supplies[k][has.Resource] = r.newSupply(&pools[k], has.Hold)
				}
				r.count(js, s, &has, r.supplies[k][has.Resource].row)
			}
		}
	}
	r.multipliers = make([]int64, len(r.capacity))
	r.use = make([]int64, len(r.capacity))
	return r
}

// newSupply numbers the rows of a resource of a pool.
func (r *rows) newSupply(p *pool, hold model.Hold) supply {
	s := supply{row: make([]int32, r.steps), price: make([]int64, r.steps+1), before: make([]int64, r.steps+1)}
	whole := hold == model.HoldStay && p.aligned && p.beat > 1<<r.shift
	next := int32(len(r.capacity))
	for c := range s.row {
		if at := model.Time(c) << r.shift; c > 0 && !(whole && p.lastBeat(at) == p.lastBeat(at-1<<r.shift)) {
			next++
		}
		s.row[c] = next
	}
	r.capacity = append(r.capacity, make([]int64, int(next)+1-len(r.capacity))...)
	return s
}

// count adds what a slave has of a resource to the capacity of its rows.
func (r *rows) count(js *model.JobSet, s model.SlaveID, has *model.Supply, row []int32) {
	for c := range row {
		r.capacity[row[c]] += has.Units << r.shift
	}
	for _, gap := range js.Closed(s, has.Hold) {
		r.spread(gap, func(c int, ticks int64) { r.capacity[row[c]] -= has.Units * ticks })
	}
}

// spread calls yield for every step that iv has ticks of.
func (r *rows) spread(iv model.Interval, yield func(c int, ticks int64)) {
	iv.End = min(iv.End, model.Time(r.steps)<<r.shift)
	for at := iv.Start; at < iv.End; {
		c := at >> r.shift
		next := min(iv.End, (c+1)<<r.shift)
		yield(int(c), int64(next-at))
		at = next
	}
}

// sum brings prices and their sums up to date.
func (r *rows) sum() {
	for k := range r.supplies {
		for i := range r.supplies[k] {
			s := &r.supplies[k][i]
			for c, row := range s.row {
				s.price[c] = r.multipliers[row]
				s.before[c+1] = s.before[c] + s.price[c]<<r.shift
			}
		}
	}
}

// until is the sum of prices of a resource of a pool over the ticks before t.
func (r *rows) until(s *supply, t model.Time) int64 {
	c := t >> r.shift
	if int(c) >= r.steps {
		return s.before[r.steps]
	}
	return s.before[c] + int64(t-c<<r.shift)*s.price[c]
}

// worth is what all capacities cost together.
func (r *rows) worth() int64 {
	total := int64(0)
	for k, m := range r.multipliers {
		total += m * r.capacity[k]
	}
	return total
}
