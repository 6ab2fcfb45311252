package sequence

import (
	"context"
	"slices"

	"downbeat/solve/relaxation"
)

// priced is the relaxation in which each job begins by itself when it is cheapest, with a price on each tick of each line. Its
// subgradients say of each tick by how much it is used too often or too seldom, those of walks of each job how often it runs: on
// several lines many times or never. So a few steps come to rewards that walks may begin with.
type priced struct {
	*Problem
	*relaxation.Relaxation
	unit int64
	// from is where the ticks of each line begin among all, and sums what those before each cost.
	from []int
	sums []int64
	// evaluated counts the starts of jobs of which the cost was worked out.
	evaluated int
}

// pricedSteps is the number of subgradient steps.
const pricedSteps = 1000

// rewards are those that prices come to: what each job pays at least, prices included. With them walks cost no less than prices say, all
// rewards paid. unit is the price of a unit of the weighted lateness, and target a guess of what this can come to. evaluated is how many
// starts of jobs that took.
func (p *Problem) rewards(ctx context.Context, unit, target int64) (rewards []int64, evaluated int) {
	var rows relaxation.Rows
	of := &priced{Problem: p, unit: unit}
	for _, l := range p.lines {
		of.from = append(of.from, len(rows.Capacity))
		rows.Capacity = append(rows.Capacity, slices.Repeat([]int64{l.count}, int(l.most-l.first))...)
	}
	of.sums = make([]int64, len(rows.Capacity)+1)
	of.Relaxation = relaxation.New(ctx, &rows, unit, of)
	of.Largest = mostPrice
	ascent := of.Ascend(pricedSteps)
	ascent.Run(ctx, pricedSteps, unit*target, unit*target)
	copy(of.Multipliers, ascent.Best)
	of.Price()
	for k := range p.Jobs {
		cost, _, _ := of.cheapest(k)
		if letGo := unit * p.Jobs[k].LetGo; letGo > 0 {
			cost = min(cost, letGo)
		}
		rewards = append(rewards, min(mostPrice, max(1, cost)))
	}
	return rewards, of.evaluated
}

// Price implements relaxation.Columns.
func (p *priced) Price() {
	for k, price := range p.Multipliers {
		p.sums[k+1] = p.sums[k] + price
	}
}

// Jobs implements relaxation.Columns.
func (p *priced) Jobs() int { return len(p.Problem.Jobs) }

// Pay implements relaxation.Columns.
func (p *priced) Pay(k int) int64 {
	cost, l, at := p.cheapest(k)
	if letGo := p.unit * p.Problem.Jobs[k].LetGo; letGo > 0 && cost >= letGo {
		return letGo
	}
	if l != nil {
		for t := range int(l.at[k].length) {
			p.Use[at+t]++
		}
	}
	return cost
}

// cheapest is where a job costs least, and the row of the tick at which it begins there.
func (p *priced) cheapest(k int) (least int64, on *line, row int) {
	least = unreached
	for n, l := range p.lines {
		at := &l.at[k]
		if at.length == 0 {
			continue
		}
		last := l.lastStart(k)
		p.evaluated += int(max(0, last+1-at.first))
		for t := at.first; t <= last; t++ {
			from := p.from[n] + int(t-l.first)
			if cost := p.unit*l.cost(int32(k), t) + p.sums[from+int(at.length)] - p.sums[from]; cost < least {
				least, on, row = cost, l, from
			}
		}
	}
	return least, on, row
}
