package lagrange

import (
	"context"
	"math"
)

// ascent improves prices by subgradient steps: what is bought too much of gets
// dearer, what is left over cheaper. A step goes along the mean of the latest
// differences, which damps zigzags (Camerini, Fratta and Maffioli, 1975), and is
// Polyak's times a factor that falls geometrically: returning to the best prices
// after each failure, or letting the factor fall with failures only, took ten
// times the steps or got stuck at 0.
type ascent struct {
	m *market
	// best prices so far, their value, and the value of the latest.
	best          []int64
	value, latest int64
	// excess is the running mean of what was bought over what there is.
	excess []float64
	// bought is, per job of the market, the part of the latest steps in which it
	// bought its way and was not refused.
	bought []float64
	// factor scales Polyak's step, decay is by how much it falls each time.
	factor, decay float64
}

// lastFactor is the factor after all steps, memory the weight of the past in
// the running mean.
const (
	lastFactor = 1e-3
	memory     = 0.7
	recall     = 0.98 // for what jobs bought
)

func newAscent(m *market, steps int) *ascent {
	a := &ascent{m: m, factor: 1, decay: math.Pow(lastFactor, 1/float64(max(1, steps))), excess: make([]float64, len(m.price)), bought: make([]float64, len(m.jobs))}
	a.best = append(a.best, m.price...)
	a.value = m.value()
	return a
}

// run takes steps until the value is enough, or ctx is done. target is a guess
// of what can be reached.
func (a *ascent) run(ctx context.Context, steps int, enough, target int64) {
	for range steps {
		if a.value >= enough || ctx.Err() != nil || !a.step(target) {
			return
		}
		a.factor *= a.decay
		if a.latest = a.m.value(); a.latest > a.value {
			a.value = a.latest
			copy(a.best, a.m.price)
		}
		for k := range a.bought {
			now := 0.0
			if a.m.jobs[k].bought {
				now = 1
			}
			a.bought[k] = float64(recall*a.bought[k]) + float64((1-recall)*now)
		}
	}
}

// step moves the prices and reports whether anything was left to be moved.
// Products are rounded one by one, so that all machines come to the same prices.
func (a *ascent) step(target int64) bool {
	norm := 0.0
	for g, n := range a.m.usage {
		over, free := float64(int64(n)-a.m.capacity[g]), a.m.price[g] == 0
		if free {
			over = max(0, over)
		}
		e := float64(memory*a.excess[g]) + float64((1-memory)*over)
		if free {
			e = max(0, e)
		}
		a.excess[g] = e
		norm += float64(e * e)
	}
	gap := float64(target - a.value)
	if norm == 0 || gap <= 0 {
		return false
	}
	length := a.factor * gap / norm
	for g, e := range a.excess {
		if e != 0 {
			a.m.price[g] = min(a.m.dearest, max(0, a.m.price[g]+int64(math.Round(length*e))))
		}
	}
	return true
}
