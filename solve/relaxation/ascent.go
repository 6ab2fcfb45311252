package relaxation

import (
	"context"
	"math"
)

// Ascent improves the multipliers of a relaxation by subgradient steps: what is used too
// much gets dearer, what is left over cheaper. A step goes along the mean of the latest
// subgradients, which damps zigzags (Camerini, Fratta and Maffioli, 1975), and is Polyak's
// times a factor that falls geometrically: returning to the best multipliers after each
// failure, or letting the factor fall with failures only, took ten times the steps or got
// stuck at 0.
//
// Where there are few multipliers plain steps of Polyak's do, which need not be damped
// ([Polyak]).
type Ascent struct {
	r *Relaxation
	// Best are the multipliers of the greatest value so far, which is Value; Latest is
	// that of the multipliers as they are.
	Best          []int64
	Value, Latest int64
	// Taken is how many steps were taken.
	Taken int
	// Factor scales Polyak's step: 1 at first, less where multipliers are good already.
	Factor float64
	// decay is by how much it falls each time, direction the running mean of use over
	// capacity.
	decay     float64
	direction []float64
	// moving are the rows of which the direction is not 0.
	moving []int32
	// squares is the running mean, row by row, of the squares of use over capacity.
	squares []float64
}

// lastFactor is the factor after all steps, memory the weight of the past in the
// running mean.
const (
	lastFactor = 1e-3
	memory     = 0.7
)

// Ascend begins an ascent of a number of steps at the multipliers as they are.
func (r *Relaxation) Ascend(steps int) *Ascent {
	a := &Ascent{r: r, Factor: 1, decay: math.Pow(lastFactor, 1/float64(max(1, steps))), direction: make([]float64, len(r.Multipliers))}
	a.Best = append(a.Best, r.Multipliers...)
	a.Value = r.Value()
	return a
}

// Run takes steps until the value is enough, or ctx is done. target is a guess of
// what can be reached. It reports whether more steps may be of use.
func (a *Ascent) Run(ctx context.Context, steps int, enough, target int64) (more bool) {
	for range steps {
		if a.Value >= enough || ctx.Err() != nil || !a.step(target) {
			return false
		}
		a.Factor *= a.decay
		a.look()
	}
	return a.Value < enough
}

// step moves the multipliers and reports whether anything was left to be moved.
// Products are rounded one by one, so that all machines come to the same figures.
func (a *Ascent) step(target int64) bool {
	norm, capacity, multipliers, direction := 0.0, a.r.Capacity, a.r.Multipliers, a.direction
	a.moving = a.moving[:0]
	for k, use := range a.r.Use {
		over, free := use-capacity[k], multipliers[k] == 0
		if free && over <= 0 {
			if direction[k] == 0 {
				continue // most rows, where ticks are fine
			}
			over = 0
		}
		d := float64(memory*direction[k]) + float64((1-memory)*float64(over))
		if free && d < 0 {
			d = 0
		}
		if direction[k] = d; d != 0 {
			a.moving = append(a.moving, int32(k))
			norm += float64(d * d)
		}
	}
	gap := float64(target - a.Value)
	if norm == 0 || gap <= 0 {
		return false
	}
	length := a.Factor * gap / norm
	for _, k := range a.moving {
		multipliers[k] = min(a.r.Largest, max(0, multipliers[k]+int64(math.Round(length*direction[k]))))
	}
	return true
}

// Scaled steps weigh the past by scaledMemory, and fall to lastScaled of the first. A row
// that was in question by no more than steady of its capacity moves as little as that tells.
const (
	scaledMemory = 0.95
	steady       = 1e-3
	lastScaled   = 1e-2
)

// RunScaled takes steps in which each multiplier moves by a length of its own: by about
// length, which falls geometrically, where its row is used too much, or too little, time
// and again, and by less where that alternates (Adam; Kingma and Ba, 2015). It takes no
// guess of what can be reached. It ends as Run does.
func (a *Ascent) RunScaled(ctx context.Context, steps int, enough int64, length float64) {
	decay := math.Pow(lastScaled, 1/float64(max(1, steps)))
	a.squares = make([]float64, len(a.direction))
	for range steps {
		if a.Value >= enough || ctx.Err() != nil {
			return
		}
		a.scaledStep(length)
		length *= decay
		a.look()
	}
}

// scaledStep moves the multipliers.
func (a *Ascent) scaledStep(length float64) {
	for k, use := range a.r.Use {
		capacity, free := a.r.Capacity[k], a.r.Multipliers[k] == 0
		over := float64(use-capacity) / float64(max(1, capacity))
		if free {
			over = max(0, over)
		}
		d := float64(scaledMemory*a.direction[k]) + float64((1-scaledMemory)*over)
		if free {
			d = max(0, d)
		}
		a.direction[k] = d
		a.squares[k] = float64(scaledMemory*a.squares[k]) + float64((1-scaledMemory)*float64(over*over))
		if d != 0 {
			by := float64(length*d) / (math.Sqrt(a.squares[k]) + steady)
			a.r.Multipliers[k] = min(a.r.Largest, max(0, a.r.Multipliers[k]+int64(math.Round(by))))
		}
	}
}

// look ends a step: it works the value out at the multipliers as they are, and keeps them if it is the best.
func (a *Ascent) look() {
	a.Taken++
	if a.Latest = a.r.Value(); a.Latest > a.Value {
		a.Value = a.Latest
		copy(a.Best, a.r.Multipliers)
	}
}

// Polyak moves multipliers along a subgradient of a concave function by Polyak's step: to
// where it would gain so much if it rose everywhere as it does here. Multipliers stay
// between 0 and most. It reports whether there is anything to gain.
func Polyak(multipliers, subgradient []float64, gain, most float64) bool {
	norm := 0.0
	for _, g := range subgradient {
		norm += float64(g * g)
	}
	if gain <= 0 || norm == 0 {
		return false
	}
	for k, g := range subgradient {
		multipliers[k] = min(most, max(0, multipliers[k]+float64(g*gain)/norm))
	}
	return true
}

// Project sets to 0 what of a subgradient is below 0 where the multiplier is 0, so that a
// step of [Polyak]'s goes further. That is not better everywhere: with it bounds on covers were a tenth
// lower on random cuts.
func Project(multipliers, subgradient []float64) {
	for k, g := range subgradient {
		if g < 0 && multipliers[k] == 0 {
			subgradient[k] = 0
		}
	}
}
