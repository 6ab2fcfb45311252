package lagrange

import (
	"context"
	"math"
)

// ascent improves multipliers by subgradient steps: what is used too much gets
// dearer, what is left over cheaper. A step goes along the mean of the latest
// subgradients, which damps zigzags (Camerini, Fratta and Maffioli, 1975), and is
// Polyak's times a factor that falls geometrically: returning to the best
// multipliers after each failure, or letting the factor fall with failures only,
// took ten times the steps or got stuck at 0.
type ascent struct {
	r *relaxation
	// best multipliers so far, their value, and the value of the latest.
	best          []int64
	value, latest int64
	// direction is the running mean of use over capacity.
	direction []float64
	// factor scales Polyak's step, decay is by how much it falls each time.
	factor, decay float64
}

// lastFactor is the factor after all steps, memory the weight of the past in
// the running mean.
const (
	lastFactor = 1e-3
	memory     = 0.7
)

func newAscent(r *relaxation, steps int) *ascent {
	a := &ascent{r: r, factor: 1, decay: math.Pow(lastFactor, 1/float64(max(1, steps))), direction: make([]float64, len(r.multipliers))}
	a.best = append(a.best, r.multipliers...)
	a.value = r.value()
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
		if a.latest = a.r.value(); a.latest > a.value {
			a.value = a.latest
			copy(a.best, a.r.multipliers)
		}
	}
}

// step moves the multipliers and reports whether anything was left to be moved.
// Products are rounded one by one, so that all machines come to the same figures.
func (a *ascent) step(target int64) bool {
	norm := 0.0
	for k, use := range a.r.use {
		over, free := float64(use-a.r.capacity[k]), a.r.multipliers[k] == 0
		if free {
			over = max(0, over)
		}
		d := float64(memory*a.direction[k]) + float64((1-memory)*over)
		if free {
			d = max(0, d)
		}
		a.direction[k] = d
		norm += float64(d * d)
	}
	gap := float64(target - a.value)
	if norm == 0 || gap <= 0 {
		return false
	}
	length := a.factor * gap / norm
	for k, d := range a.direction {
		if d != 0 {
			a.r.multipliers[k] = min(a.r.largest, max(0, a.r.multipliers[k]+int64(math.Round(length*d))))
		}
	}
	return true
}
