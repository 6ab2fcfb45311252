package fluid

import (
	"slices"

	"downbeat/model"
	"downbeat/solve/relaxation"
)

// rows are the capacities of a relaxation, with what is known of each: arrays by
// row. Rows.Capacity is what slaves have.
type rows struct {
	*relaxation.Rows
	// counted is what of the capacity is counted on, factor the part of what cores there
	// are, by step.
	counted, factor []float64
	// use is what jobs hold in the mean, multiplier what it was charged for being
	// short so far, price what a unit-tick costs now: the multiplier and the penalty.
	use, multiplier, price []float64
	// penalty is by how much the price rises where all that is counted on is missing.
	penalty float64
}

// newRows lists what the pools have up to a horizon, absences taken off, and what all share.
func newRows(js *model.JobSet, pools [][]model.SlaveID, keep func(pool int, resource model.ResourceID) bool, shared []model.SharedID, step, horizon model.Time) *rows {
	poolOf := make([]int, len(js.Slaves))
	for pool, members := range pools {
		for _, s := range members {
			poolOf[s] = pool
		}
	}
	of := relaxation.NewRows(relaxation.Grain{Places: pools, Step: step, Steps: int(horizon/step) + 2}, relaxation.Has{
		Supplies: func(s model.SlaveID) []model.Supply {
			return slices.DeleteFunc(js.Supplies(s), func(supply model.Supply) bool {
				return supply.Units == 0 || !keep(poolOf[s], supply.Resource)
			})
		},
		Closed: func(s model.SlaveID, _ model.Hold) []model.Interval { return js.Slaves[s].Down },
	})
	of.AddShared(js, shared)
	zeros := func() []float64 { return make([]float64, len(of.Capacity)) }
	return &rows{Rows: of, factor: make([]float64, of.Steps), counted: zeros(), use: zeros(), multiplier: zeros(), price: zeros()}
}

// least is the part of a pool's units below which a step counts as no smaller:
// prices are relative to what is counted on, and there may be none.
const least = 0.02

// scale is what the price of a step is relative to.
func (r *rows) scale(i int) float64 { return max(r.counted[i], least*float64(r.Step)) }

// reprice works out the price of a step again.
func (r *rows) reprice(i int) { r.price[i] = r.priceAt(i, 0) }

// priceAt is the price of a step if so much more were used.
func (r *rows) priceAt(i int, more float64) float64 {
	return max(0, r.multiplier[i]+r.penalty*(r.use[i]+more-r.counted[i])/r.scale(i))
}

// charge raises the multipliers where too much is used, and lowers them where there
// is room.
func (r *rows) charge(factor float64) {
	for i := range r.multiplier {
		r.multiplier[i] = max(0, r.multiplier[i]+factor*r.penalty*(r.use[i]-r.counted[i])/r.scale(i))
		r.reprice(i)
	}
}
