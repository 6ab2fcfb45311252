package setups

import (
	"context"
	"math"
	"math/rand/v2"

	"downbeat/model"
)

// Annealing is a search for an order of set-ups that ends early, by simulated annealing: jobs change
// places, or one goes to another place. What is minimised is by how many ticks machines are busy after the
// time asked for, together: that the last job ends sooner says nothing of most moves.
type Annealing struct {
	p    *Problem
	rand *rand.Rand
	// order is where the search is, next what is tried, which differs from it nowhere between two moves.
	order, next []int
	// before are the states before each place of order.
	before []state
	// late is by how many ticks machines are busy after a time.
	after, late ticks
	// made counts moves, of which there are to be so many.
	made, moves int
	// first is the temperature of the first ones.
	first float64
}

// NewAnnealing begins with the longest jobs, or at some order, to make a number of moves, of which less and less are for
// the worse.
func NewAnnealing(p *Problem, seed uint64, from []int, moves int) *Annealing {
	a := &Annealing{p: p, moves: moves, first: firstTemperature, rand: rand.New(rand.NewPCG(seed, 0)), order: make([]int, len(p.jobs)), next: make([]int, len(p.jobs)), before: make([]state, len(p.jobs)+1)}
	for k := range a.order {
		a.order[k] = k
	}
	if from != nil {
		a.first = againTemperature
		copy(a.order, from)
	}
	copy(a.next, a.order)
	a.before[0] = p.start
	a.fill(0)
	return a
}

// Temperatures are shares of the mean length of jobs. On draws of 20 to 200 jobs on 3 to 7 machines.
const (
	firstTemperature = 0.13
	againTemperature = 0.03 // from an order that is good
	lastTemperature  = 0.005
	// suffixes: moves are among all jobs, the last half of them, a quarter or an eighth. The latter take less time and
	// disturb less: of two draws of 200 jobs on 4 machines, 2 and 1 over the bound with a budget of 80,000, both are proved.
	suffixes = 4
	// cooledEvery is the number of moves between two temperatures, and two polls of the context.
	cooledEvery = 1024
)

// Run goes on to an order that ends by a time, or returns nil. What is spent is told of in set-ups.
func (a *Annealing) Run(ctx context.Context, by model.Time, spend func(setups int)) []int {
	n := len(a.order)
	a.after = a.p.until(by)
	if a.late = a.before[n].late(a.after, a.p.machines); a.late == 0 {
		return a.order
	}
	if n < 2 {
		return nil
	}
	mean := a.mean()
	first, last := max(1, a.first*mean), max(0.2, lastTemperature*mean)
	for a.made < a.moves && ctx.Err() == nil {
		temperature := first * math.Pow(last/first, float64(a.made)/float64(a.moves))
		setups := 0
		a.made += cooledEvery
		for range cooledEvery {
			from, found := a.move(temperature)
			if setups += n - from; found {
				spend(setups)
				return a.order
			}
		}
		spend(setups)
	}
	return nil
}

// mean is the mean length of a job with its set-up.
func (a *Annealing) mean() float64 {
	sum := 0.0
	for k := range a.p.jobs {
		sum += float64(a.p.jobs[k].setup + a.p.jobs[k].run)
	}
	return sum / float64(len(a.p.jobs))
}

// move tries a move, and tells from which place on.
func (a *Annealing) move(temperature float64) (from int, found bool) {
	n := len(a.order)
	end := max(2, n>>a.rand.IntN(suffixes))
	i, k := n-1-a.rand.IntN(end), n-1-a.rand.IntN(end)
	from, to := min(i, k), max(i, k)
	if from == to {
		return from, false
	}
	switch job := a.next[i]; {
	case a.rand.IntN(2) == 0:
		a.next[i], a.next[k] = a.next[k], job
	case i < k:
		copy(a.next[i:k], a.next[i+1:k+1])
		a.next[k] = job
	default:
		copy(a.next[k+1:i+1], a.next[k:i])
		a.next[k] = job
	}
	at := a.before[from]
	for _, j := range a.next[from:] {
		at.set(&a.p.jobs[j], a.p.machines)
	}
	late := at.late(a.after, a.p.machines)
	if late > a.late && a.rand.Float64() >= math.Exp(float64(a.late-late)/temperature) {
		copy(a.next[from:to+1], a.order[from:to+1])
		return from, false
	}
	copy(a.order[from:to+1], a.next[from:to+1])
	a.late = late
	a.fill(from)
	return from, late == 0
}

// fill works out the states after a place.
func (a *Annealing) fill(from int) {
	for k := from; k < len(a.order); k++ {
		a.before[k+1] = a.before[k]
		a.before[k+1].set(&a.p.jobs[a.order[k]], a.p.machines)
	}
}
