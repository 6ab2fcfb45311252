package relaxation

import (
	"context"
	"math"
)

// Relaxation is a Lagrangian relaxation of rows. Multipliers ≥ 0 and Use, what the columns
// selected last take up, are by row, as Capacity is.
type Relaxation struct {
	*Rows
	Multipliers, Use []int64
	// Unit is what a weight of 1 is in multipliers; Largest is as much as they may be.
	Unit, Largest int64
	// Base is paid whatever the multipliers: the penalties of jobs that are late alone.
	Base int64
	// Tightness is the part of what all capacities are worth that the jobs pay, the greatest
	// at any multipliers so far that are worth Unit or more.
	Tightness float64
	columns   Columns
	ctx       context.Context
}

// Columns are the subproblems of a relaxation, one for each job.
type Columns interface {
	// Price brings up to date what is worked out from multipliers for all jobs together.
	Price()
	// Jobs is how many there are.
	Jobs() int
	// Pay is what the cheapest column of a job costs, or its penalty where that is less. It
	// counts the use of the column in the former case.
	Pay(job int) int64
}

// New is a relaxation with multipliers of 0. Its value is cut short where ctx ends: one
// takes long where steps are fine.
func New(ctx context.Context, rows *Rows, unit int64, columns Columns) *Relaxation {
	n := len(rows.Capacity)
	return &Relaxation{Rows: rows, Multipliers: make([]int64, n), Use: make([]int64, n), Unit: unit, columns: columns, ctx: ctx}
}

// cutShort is less than any value, and leaves room for sums.
const cutShort = math.MinInt64 / 2

// Value is the Lagrangian at the multipliers as they are: what the jobs pay less what all
// capacities are worth. It sets Use to that of the columns selected. Where ctx has ended,
// jobs may have cheaper columns than those found, and the value is cutShort.
func (r *Relaxation) Value() int64 {
	r.columns.Price()
	clear(r.Use)
	paid := int64(0)
	for j := range r.columns.Jobs() {
		paid += r.columns.Pay(j)
		if r.ctx.Err() != nil {
			return cutShort
		}
	}
	worth := r.Worth()
	if worth >= r.Unit {
		r.Tightness = max(r.Tightness, float64(paid)/float64(worth))
	}
	return r.Base + paid - worth
}

// Worth is what all capacities are worth together.
func (r *Relaxation) Worth() int64 {
	total := int64(0)
	for k, m := range r.Multipliers {
		total += m * r.Capacity[k]
	}
	return total
}
