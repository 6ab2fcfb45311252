// Package simplex solves linear programmes whose columns are found one by one, at the prices of its rows, by whoever knows
// them: column generation (Dantzig and Wolfe, 1960; Gilmore and Gomory, 1961) by the revised simplex method.
package simplex

import "math"

// Tolerance is what figures of a programme may be off by.
const Tolerance = 1e-9

// Programme looks for the least cost of columns of which so much is used that each row comes to what it needs. C is
// what its caller knows of a column.
//
// It reckons in floating point, in the same way on all machines: what is to be relied on is worked out from its prices.
type Programme[C any] struct {
	// Basis are the columns in use, Amounts how much of each is used.
	Basis   []C
	Amounts []float64
	// Prices are by row: at them no column of the basis costs more or less than it is worth.
	Prices []float64

	costs   []float64
	inverse [][]float64
	change  []float64
}

// Entry is what a column comes to in a row.
type Entry struct {
	Row   int
	Value float64
}

// New is a programme of so many rows without a basis.
func New[C any](rows int) *Programme[C] {
	p := &Programme[C]{
		Basis: make([]C, rows), Amounts: make([]float64, rows), Prices: make([]float64, rows),
		costs: make([]float64, rows), change: make([]float64, rows), inverse: make([][]float64, rows),
	}
	for i := range p.inverse {
		p.inverse[i] = make([]float64, rows)
	}
	return p
}

// Begin has a column in the basis that comes to a value in a row, and to nothing in all others. There has to be one for each row
// before any other column enters.
func (p *Programme[C]) Begin(row int, column C, value, cost, need float64) {
	p.Basis[row], p.costs[row], p.Amounts[row] = column, cost, need/value
	p.inverse[row][row] = 1 / value
}

// Price works the prices out.
func (p *Programme[C]) Price() {
	clear(p.Prices)
	for k, cost := range p.costs {
		if cost == 0 {
			continue
		}
		for i, v := range p.inverse[k] {
			p.Prices[i] += float64(cost * v)
		}
	}
}

// Cost is what all columns in use cost.
func (p *Programme[C]) Cost() (sum float64) {
	for k, cost := range p.costs {
		sum += float64(cost * p.Amounts[k])
	}
	return sum
}

// Charge changes what a column of the basis costs, by its place there.
func (p *Programme[C]) Charge(place int, cost float64) { p.costs[place] = cost }

// Enter has a column enter the basis for another; prices are as they were. It fails if no amount of it is too much, or
// for want of precision.
func (p *Programme[C]) Enter(column C, cost float64, entries []Entry) bool {
	clear(p.change)
	leaving, least := -1, math.Inf(1)
	for k, row := range p.inverse {
		for _, of := range entries {
			p.change[k] += float64(row[of.Row] * of.Value)
		}
		if p.change[k] > Tolerance && p.Amounts[k]/p.change[k] < least {
			leaving, least = k, p.Amounts[k]/p.change[k]
		}
	}
	if leaving < 0 {
		return false
	}
	row := p.inverse[leaving]
	for i := range row {
		row[i] /= p.change[leaving]
	}
	for k, change := range p.change {
		if k == leaving || change == 0 {
			continue
		}
		p.Amounts[k] = max(0, p.Amounts[k]-float64(least*change))
		for i, v := range row {
			p.inverse[k][i] -= float64(change * v)
		}
	}
	p.Amounts[leaving], p.Basis[leaving], p.costs[leaving] = least, column, cost
	return true
}
