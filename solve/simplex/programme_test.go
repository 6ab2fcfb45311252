package simplex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/solve/simplex"
)

// Of programmes drawn at random the columns in use come to what each row needs, none costs less than it is worth at the
// prices, and what all rows need is worth what the columns in use cost: so there is nothing cheaper.
func TestOptimum(t *testing.T) {
	const dear, close = 1000, 1e-6
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows, columns, costs, needs := 1+rng.IntN(12), [][]simplex.Entry{}, []float64{}, []float64{}
		p := simplex.New[int](rows)
		add := func(column []simplex.Entry, cost float64) {
			columns, costs = append(columns, column), append(costs, cost)
		}
		for row := range rows {
			needs = append(needs, float64(rng.IntN(5)))
			value := float64(1 + rng.IntN(3))
			p.Begin(row, row, value, dear, needs[row])
			add([]simplex.Entry{{Row: row, Value: value}}, dear)
		}
		for range rng.IntN(40) {
			var column []simplex.Entry
			for _, row := range rng.Perm(rows)[:1+rng.IntN(rows)] {
				column = append(column, simplex.Entry{Row: row, Value: float64(rng.IntN(8) - 1)})
			}
			add(column, float64(rng.IntN(100)))
		}
		if rng.IntN(4) == 0 {
			add([]simplex.Entry{{Row: rng.IntN(rows), Value: -1}}, 1)
		}
		reduced := func(k int) float64 {
			cost := costs[k]
			for _, of := range columns[k] {
				cost -= of.Value * p.Prices[of.Row]
			}
			return cost
		}
		p.Price()
		for {
			next := 0
			for k := range columns {
				if reduced(k) < reduced(next) {
					next = k
				}
			}
			if reduced(next) > -close {
				break
			}
			if !p.Enter(next, costs[next], columns[next]) {
				t.Fatalf("seed %d: a column enters without an end", seed)
			}
			p.Price()
		}
		cost, worth, come := 0.0, 0.0, make([]float64, rows)
		for place, k := range p.Basis {
			cost += costs[k] * p.Amounts[place]
			for _, of := range columns[k] {
				come[of.Row] += of.Value * p.Amounts[place]
			}
		}
		for row, need := range needs {
			worth += need * p.Prices[row]
			if math.Abs(come[row]-need) > close {
				t.Errorf("seed %d: row %d comes to %v, and needs %v", seed, row, come[row], need)
			}
		}
		if math.Abs(cost-worth) > close*(1+cost) || math.Abs(cost-p.Cost()) > close*(1+cost) {
			t.Errorf("seed %d: columns cost %v, or %v, and rows are worth %v", seed, cost, p.Cost(), worth)
		}
	}
}

// Where more and more of a column makes all cheaper it does not enter; what a column in use costs may change.
func TestNoEnd(t *testing.T) {
	p := simplex.New[string](1)
	p.Begin(0, "one", 1, 5, 2)
	if p.Enter("minus", -10, []simplex.Entry{{Row: 0, Value: -1}}) {
		t.Error("a column entered without an end")
	}
	p.Charge(0, 7)
	if p.Price(); p.Prices[0] != 7 || p.Cost() != 14 {
		t.Errorf("prices of %v and a cost of %v", p.Prices, p.Cost())
	}
}
