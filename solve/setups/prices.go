package setups

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Prices are what beams choose beginnings by that learn from those before: for each number of jobs left what each of them costs that is left, and a tick that machines,
// together, or the server stand idle. Beginnings of which some are left a few jobs later are told from others by a linear discriminant, one job at a time (Fisher, 1936), and
// prices move along it, from beam to beam.
//
// In the first half of an order hardly anything has to stand idle, so that beginnings differ by which jobs are left; with the last ones it tells which were needed.
type Prices struct {
	// left has for each number of jobs left the prices by job, and then those of ticks of machines and of the server.
	left [][]int64
}

const (
	// partsOfPrice are those in which prices are counted.
	partsOfPrice = 1 << 20
	// learntAfter are the jobs after which beginnings have lived on.
	learntAfter = 8
	// learntFaster is by how many times the discriminant prices move: of setups-40x6-2 within 447, beams of 20,000, 12 beginnings have two jobs left without prices, after five beams 55
	// with 0.3 and 134 with 1, and with 2 the fourth one finds an order.
	learntFaster = 2
	// fewLiving are so few that half of what they tell is believed, leastVariance is added to each variance.
	fewLiving, leastVariance = 50, 0.02
	// machinesPrice and serverPrice are those of a tick at first, as in [Beam], drawnPrice what that of a job is drawn up to.
	machinesPrice, serverPrice, drawnPrice = partsOfPrice * 11 / 10, partsOfPrice * 6 / 10, partsOfPrice * 3 / 10
)

// NewPrices begins with small ones.
func NewPrices(p *Problem, rng *rand.Rand) *Prices {
	n := len(p.jobs)
	prices := &Prices{left: make([][]int64, n)}
	for left := range prices.left {
		of := make([]int64, n, n+2)
		for k := range of {
			of[k] = rng.Int64N(drawnPrice)
		}
		prices.left[left] = append(of, machinesPrice, serverPrice)
	}
	return prices
}

// before is what jobs that are left cost once one of them is not, with the price of that one. It is 0 where there are no prices.
func (s *Prices) before(left uint64) (sum int64) {
	if s == nil {
		return 0
	}
	of := s.left[bits.OnesCount64(left)-1]
	for ; left != 0; left &= left - 1 {
		sum += of[bits.TrailingZeros64(left)]
	}
	return sum
}

// after is what a beginning costs that ends with a job, where before is told of the one before it: it leaves some jobs, and so much idle.
func (s *Prices) after(before int64, left uint64, job int, idle spare) int64 {
	of := s.left[bits.OnesCount64(left)]
	n := len(of) - 2
	return before - of[job] + int64(idle.machines)*of[n] + int64(idle.server)*of[n+1]
}

// below are those of some jobs after which a beginning may cost less than dear, by how long server and machine wait for each other alone, backward on the machine on which that costs
// least, where before is told of it. It is all of them where what is idle costs less than nothing.
func (s *Prices) below(p *Problem, backward bool, here *state, r *remaining, jobs uint64, before, dear int64) uint64 {
	of := s.left[bits.OnesCount64(r.left)-1]
	n := len(of) - 2
	if of[n] < 0 || of[n+1] < 0 || r.left&(r.left-1) == 0 {
		return jobs
	}
	idle := p.idle(here, r.setups, r.work)
	before += int64(idle.machines)*of[n] + int64(idle.server)*of[n+1]
	cost := func(wait ticks) int64 { return max(int64(wait)*of[n+1], -int64(wait)*of[n]) } // of the server, or of a machine below zero
	for rest := jobs; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		j, least := &p.jobs[k], int64(math.MaxInt64)
		if !backward {
			least = cost(here.wait(j, p.machines))
		} else {
			for machine := here.waits(j, p.machines); machine < p.machines; machine++ {
				wait := here.free[machine] + j.run - here.server
				if least = min(least, cost(wait)); wait >= 0 {
					break // the next ones are done later
				}
			}
		}
		if before-of[k]+least >= dear {
			jobs &^= 1 << k
		}
	}
	return jobs
}

// chosen is a beginning that a beam has gone on with.
type chosen struct {
	left   uint64
	idle   spare
	before int32
}

// learn moves prices along what tells beginnings that have lived on from the others of a layer.
func (s *Prices) learn(layers [][]chosen) {
	for at := range layers {
		s.discriminate(layers[at], livingFrom(layers, at, min(at+learntAfter, len(layers)-1)))
	}
}

// livingFrom are those of the beginnings of a layer to which some of a later one go back.
func livingFrom(layers [][]chosen, at, last int) (living []bool) {
	living = make([]bool, len(layers[last]))
	for k := range living {
		living[k] = true
	}
	for ; last > at; last-- {
		before := make([]bool, len(layers[last-1]))
		for k, lives := range living {
			if lives {
				before[layers[last][k].before] = true
			}
		}
		living = before
	}
	return living
}

// discriminate moves the prices of a layer.
func (s *Prices) discriminate(layer []chosen, living []bool) {
	of := s.left[bits.OnesCount64(layer[0].left)]
	n := len(of) - 2
	// sums over all, of squares, and over those that live on
	sums, squares, lives, count := make([]float64, n+2), make([]float64, n+2), make([]float64, n+2), 0
	for k := range layer {
		add := func(feature int, value float64) {
			sums[feature] += value
			squares[feature] += float64(value * value)
			if living[k] {
				lives[feature] += value
			}
		}
		c := &layer[k]
		for left := c.left; left != 0; left &= left - 1 {
			add(bits.TrailingZeros64(left), 1)
		}
		add(n, float64(c.idle.machines-layer[0].idle.machines)) // such that squares are small
		add(n+1, float64(c.idle.server-layer[0].idle.server))
		if living[k] {
			count++
		}
	}
	all, believed := float64(len(layer)), float64(count)/float64(count+fewLiving)
	for f := range of {
		mean := sums[f] / all
		variance := max(0, squares[f]/all-float64(mean*mean))
		apart := (lives[f]/float64(count) - mean) / (variance + leastVariance)
		of[f] -= int64(learntFaster * partsOfPrice * apart * believed)
	}
}
