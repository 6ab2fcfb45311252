package fluid

import "downbeat/model"

// row is a resource of a pool over time: in each step so much of it is there.
type row struct {
	pool     int
	resource model.ResourceID
	hold     model.Hold
}

// rows are the capacities of a relaxation, with what is known of each: arrays by
// row and step.
type rows struct {
	list []row
	// step is the length of a step in ticks, steps their number.
	step  model.Time
	steps int
	// there is what slaves have, in unit-ticks; capacity is what of it is counted on.
	there, capacity []float64
	// factor is the part of what cores there are that is counted on, by step.
	factor []float64
	// use is what jobs hold in the mean, multiplier what it was charged for being
	// short so far, price what a unit-tick costs now.
	use, multiplier, price []float64
	// penalty is by how much the price rises where all of the capacity is missing.
	penalty float64
}

// newRows lists what the pools have up to a horizon, absences taken off.
func newRows(js *model.JobSet, p *pools, keep func(pool int, resource model.ResourceID) bool, step, horizon model.Time) *rows {
	r := &rows{step: step, steps: int(horizon/step) + 2}
	for pool := range p.members {
		var index [model.Resources]int // after the row, 0 for none
		for _, s := range p.members[pool] {
			for _, supply := range js.Supplies(s) {
				if supply.Units == 0 || !keep(pool, supply.Resource) {
					continue
				}
				if index[supply.Resource] == 0 {
					r.list = append(r.list, row{pool, supply.Resource, supply.Hold})
					r.there = append(r.there, make([]float64, r.steps)...)
					index[supply.Resource] = len(r.list)
				}
				r.supply(index[supply.Resource]-1, &js.Slaves[s], float64(supply.Units))
			}
		}
	}
	r.factor = make([]float64, r.steps)
	r.capacity = make([]float64, len(r.there))
	r.use, r.multiplier, r.price = make([]float64, len(r.there)), make([]float64, len(r.there)), make([]float64, len(r.there))
	return r
}

// supply adds what a slave has.
func (r *rows) supply(index int, s *model.Slave, units float64) {
	at := r.there[index*r.steps:][:r.steps]
	for b := range at {
		at[b] += units * float64(r.step)
	}
	for _, away := range s.Down {
		r.pieces(away.Start, away.End, func(b int, ticks float64) { at[b] -= units * ticks })
	}
}

// pieces yields the steps that an interval meets before the end of time, and how
// many of its ticks lie in each.
func (r *rows) pieces(from, to model.Time, yield func(step int, ticks float64)) {
	to = min(to, r.step*model.Time(r.steps))
	for b := from / r.step; from < to; b++ {
		end := min(to, (b+1)*r.step)
		yield(int(b), float64(end-from))
		from = end
	}
}

// least is the part of a pool's units below which a step counts as no smaller:
// prices are relative to capacity, and there may be none.
const least = 0.02

// scale is the capacity that the price of a step is relative to.
func (r *rows) scale(i int) float64 { return max(r.capacity[i], least*float64(r.step)) }

// reprice works out the price of a step again.
func (r *rows) reprice(i int) { r.price[i] = r.priceAt(i, 0) }

// priceAt is the price of a step if so much more were used.
func (r *rows) priceAt(i int, more float64) float64 {
	return max(0, r.multiplier[i]+r.penalty*(r.use[i]+more-r.capacity[i])/r.scale(i))
}

// charge raises the multipliers where too much is used, and lowers them where there
// is room.
func (r *rows) charge(factor float64) {
	for i := range r.multiplier {
		r.multiplier[i] = max(0, r.multiplier[i]+factor*r.penalty*(r.use[i]-r.capacity[i])/r.scale(i))
		r.reprice(i)
	}
}
