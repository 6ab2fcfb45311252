package tabu

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// removed is how many jobs are taken out of an order at once (Ruiz and Stützle: two to four are about as good; of hybrid flow shops they are, too, and one
	// is a fiftieth worse).
	removed = 3
	// relativeTemperature is the temperature in mean lengths of tasks, of sums times the mean weight, as Ruiz and Stützle have it: sixteen times as warm and a
	// quarter of it come to the same; of hybrid flow shops 0.06 and 0.01 are a twentieth of a hundredth worse.
	relativeTemperature = 0.04
	// orderPatience is how many orders in a row may bring nothing better before tabu search goes on from the best: of 20 jobs on five machines the best
	// permutation schedule mostly comes within twice as many, of 100 on 20 each of the first thousand shortens the plan.
	orderPatience = 300
)

// destruct takes some jobs out of an order by chance, and adds them to out.
func destruct(rng *rand.Rand, order, out []int32) (left, removals []int32) {
	for range min(removed, len(order)) {
		i := rng.IntN(len(order))
		out = append(out, order[i])
		order = slices.Delete(order, i, i+1)
	}
	return order, out
}

// accepts reports whether a search goes on from an order that comes to value, after one that comes to before: if it is no worse, or by chance.
func accepts(rng *rand.Rand, value, before int32, temperature float64) bool {
	return value <= before || rng.Float64() < math.Exp(-float64(value-before)/temperature)
}

// greedy is iterated greedy over orders of jobs (Ruiz and Stützle, 2007, A simple and effective iterated greedy algorithm for the permutation flowshop
// scheduling problem): some jobs are taken out of an order and put in again where each is best (Nawaz, Enscore and Ham, 1983), then all, one by one, until
// none has a better place; what comes of it is gone on from if it is no worse, or by chance.
type greedy struct {
	f           *flow
	rng         *rand.Rand
	temperature float64
	// order is gone on from, and comes to value; best is the best since the last beginning, and comes to least. None is begun where order is empty.
	order, best  []int32
	value, least int32
	// stale is for how many orders there has been none better, work is counted as of tasks whose heads are worked out.
	stale int
	work  int64
	poll  poll
	// trial is an order that is being changed; turn and out are buffers.
	trial, turn, out []int32
}

func newGreedy(f *flow, rng *rand.Rand) *greedy {
	g := &greedy{f: f, rng: rng}
	lengths, weights := 0.0, 1.0
	for _, d := range f.lengths {
		lengths += float64(d)
	}
	if s := f.sh.sum; s != nil && len(s.costs) > 0 {
		weights = 0
		for _, c := range s.costs {
			weights += float64(c.weight) / float64(len(s.costs))
		}
	}
	g.temperature = relativeTemperature * weights * lengths / float64(len(f.sh.js.Tasks))
	for j := range f.jobs {
		g.turn = append(g.turn, int32(j))
	}
	slices.SortStableFunc(g.turn, f.urgent)
	return g
}

// urgent puts jobs that are due before others first, of equal ones those that take longer.
func (f *flow) urgent(a, b int32) int {
	return cmp.Or(cmp.Compare(f.delivery[b], f.delivery[a]), cmp.Compare(f.run(b), f.run(a)))
}

// run is how long a job takes on all machines.
func (f *flow) run(j int32) (sum int32) {
	for _, d := range f.row(f.lengths, int(j)) {
		sum += d
	}
	return sum
}

// begin makes a new order of the jobs in turn, each put where it is best: the most urgent first, and from the second time on as descend left them. Once ctx
// is done jobs go to the end as they come.
func (g *greedy) begin(ctx context.Context) {
	g.trial = g.trial[:0]
	for _, j := range g.turn {
		if g.poll.done(ctx, g.work) {
			g.trial = append(g.trial, j)
		} else {
			g.put(j)
		}
	}
	g.value = g.descend(ctx)
	g.order = append(g.order[:0], g.trial...)
	g.best, g.least, g.stale = append(g.best[:0], g.trial...), g.value, 0
}

// step goes on by one order.
func (g *greedy) step(ctx context.Context) {
	g.trial, g.out = destruct(g.rng, append(g.trial[:0], g.order...), g.out[:0])
	for _, j := range g.out {
		g.put(j)
	}
	value := g.descend(ctx)
	if accepts(g.rng, value, g.value, g.temperature) {
		g.order, g.value = append(g.order[:0], g.trial...), value
	}
	if g.stale++; value < g.least {
		g.best, g.least, g.stale = append(g.best[:0], g.trial...), value, 0
	}
}

// descend moves jobs of the trial one by one until none finds a better place, or ctx is done, and is what it comes to then.
func (g *greedy) descend(ctx context.Context) int32 {
	value := g.f.forward(g.trial)
	for better := true; better; {
		better = false
		g.rng.Shuffle(len(g.turn), func(a, b int) { g.turn[a], g.turn[b] = g.turn[b], g.turn[a] })
		for _, j := range g.turn {
			if g.poll.done(ctx, g.work) {
				return value
			}
			i := slices.Index(g.trial, j)
			g.trial = slices.Delete(g.trial, i, i+1)
			if v := g.put(j); v < value {
				value, better = v, true
			}
		}
	}
	return value
}

// put puts a job into the trial where it is best, and is what that comes to.
func (g *greedy) put(j int32) int32 {
	place, value := g.f.insertion(g.trial, j, g.rng)
	g.trial = slices.Insert(g.trial, place, j)
	rows := int64(len(g.trial))
	if g.f.sh.sum != nil {
		rows *= (rows + 3) / 4 // half of the jobs come behind a place, and nothing but heads is worked out for them
	}
	g.work += rows * int64(g.f.machines)
	return value
}

// save puts the best order into a: machines do tasks in the order in which they are listed.
func (g *greedy) save(a *solution) {
	i := 0
	for _, j := range g.best {
		for _, v := range g.f.row(g.f.tasks, int(j)) {
			if v >= 0 {
				a.order[i], a.machine[v] = v, g.f.sh.options[v][0].machine
				i++
			}
		}
	}
}
