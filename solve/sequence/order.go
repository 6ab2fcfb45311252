package sequence

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// late is what a job that has to end by a time pays for each tick after it: more than orders differ by.
const late = 1 << 30

// orders is a local search for the order of least cost: moves of one job and exchanges of two, until none
// gains; then some jobs change places by chance (iterated local search; Lourenço, Martin and Stützle, 2003).
type orders struct {
	*line
	rng *rand.Rand
	// best is the best order so far, and current the one that is changed; ends are when its jobs end.
	best, current []int
	value, cost   int64
	ends          []model.Time
	sums          []int64 // cost up to each position
	// looked counts the jobs that were looked at.
	looked int
}

// price is what a job pays that begins at a time, hard or not.
func (l *line) price(k int, start model.Time) int64 {
	cost := l.cost(int32(k), start)
	if l.Jobs[k].Weight == 0 && start > l.at[k].last {
		cost += late * int64(start-l.at[k].last)
	}
	return cost
}

// Value is what an order costs, where that is all there is to find.
func (p *Problem) Value(order []int) (cost int64) {
	l := p.lines[0]
	t := l.first
	for _, k := range order {
		t = max(t, l.at[k].first)
		cost += l.price(k, t)
		t += l.at[k].length
	}
	return cost
}

func newOrders(ctx context.Context, l *line, seed uint64, from []int) *orders {
	o := &orders{line: l, rng: rand.New(rand.NewPCG(seed, 0))}
	o.ends, o.sums = make([]model.Time, len(from)), make([]int64, len(from))
	o.value = unreached
	o.try(ctx, from)
	o.try(ctx, o.byUrgency())
	return o
}

// try goes down from an order, and goes on from where that leads to.
func (o *orders) try(ctx context.Context, from []int) {
	o.current = slices.Clone(from)
	o.descend(ctx)
	o.keep()
}

func (o *orders) keep() {
	if o.cost < o.value {
		o.value, o.best = o.cost, slices.Clone(o.current)
	}
}

// byUrgency is an order by apparent tardiness costs (Vepsalainen and Morton, 1987): next comes the job with
// the greatest weight by length, the less the more time it has.
func (o *orders) byUrgency() []int {
	left := make([]int, len(o.Jobs))
	for k := range left {
		left[k] = k
	}
	mean := max(1, float64(o.length)/float64(len(left)))
	var order []int
	for t := o.first; len(left) > 0; {
		next, most := 0, -1.0
		for n, k := range left {
			job, at := &o.Jobs[k], &o.at[k]
			slack := float64(max(0, job.Due-at.run-t)+2*max(0, at.first-t)) / (2 * mean)
			if job.Weight == 0 {
				slack = float64(max(0, at.last-t)) / (2 * mean)
			}
			if urgency := float64(max(1, job.Weight)) / float64(at.length) / (1 + slack*(1+slack*(1+slack))); urgency > most {
				next, most = n, urgency
			}
		}
		k := left[next]
		t = max(t, o.at[k].first) + o.at[k].length
		order, left = append(order, k), slices.Delete(left, next, next+1)
	}
	return order
}

// measure works out ends and sums from a position on.
func (o *orders) measure(from int) {
	t, cost := o.first, int64(0)
	if from > 0 {
		t, cost = o.ends[from-1], o.sums[from-1]
	}
	for n := from; n < len(o.current); n++ {
		k := o.current[n]
		t = max(t, o.at[k].first)
		cost += o.price(k, t)
		t += o.at[k].length
		o.ends[n], o.sums[n] = t, cost
	}
	o.cost = cost
}

// gain is by how much an order is better that differs from the current one from one position to another, both
// included, where it has what job gives.
func (o *orders) gain(from, to int, job func(n int) int) int64 {
	t, cost := o.first, int64(0)
	if from > 0 {
		t, cost = o.ends[from-1], o.sums[from-1]
	}
	last := len(o.current) - 1
	for n := from; n <= last; n++ {
		k := o.current[n]
		if n <= to {
			k = job(n)
		}
		t = max(t, o.at[k].first)
		cost += o.price(k, t)
		t += o.at[k].length
		o.looked++
		if n >= to && t == o.ends[n] {
			return o.sums[n] - cost
		}
		if cost >= o.cost {
			return -1
		}
	}
	return o.sums[last] - cost
}

// descend changes the order as long as some move or exchange gains: of the job at each position in turn the
// one that gains most; or until ctx is done.
func (o *orders) descend(ctx context.Context) {
	o.measure(0)
	n := len(o.current)
	for a, idle := 0, 0; idle < n && ctx.Err() == nil; a = (a + 1) % n {
		best, to, moves := int64(0), 0, false
		for b := range n {
			if a == b {
				continue
			}
			from, end := min(a, b), max(a, b)
			if g := o.gain(from, end, func(at int) int { return o.moved(a, b, at) }); g > best {
				best, to, moves = g, b, true
			}
			if g := o.gain(from, end, func(at int) int { return o.exchanged(a, b, at) }); g > best {
				best, to, moves = g, b, false
			}
		}
		idle++
		if best > 0 {
			o.change(a, to, moves)
			idle = 0
		}
	}
}

// moved is what stands at a position if the job at a goes to b.
func (o *orders) moved(a, b, at int) int {
	switch {
	case at == b:
		return o.current[a]
	case a < b:
		return o.current[at+1]
	}
	return o.current[at-1]
}

// exchanged is what stands at a position if the jobs at a and b change places.
func (o *orders) exchanged(a, b, at int) int {
	switch at {
	case a:
		return o.current[b]
	case b:
		return o.current[a]
	}
	return o.current[at]
}

func (o *orders) change(a, b int, moves bool) {
	if moves {
		k := o.current[a]
		o.current = slices.Insert(slices.Delete(o.current, a, a+1), b, k)
	} else {
		o.current[a], o.current[b] = o.current[b], o.current[a]
	}
	o.measure(min(a, b))
}

// kicks is how many jobs change places by chance, with one at most so many positions away.
const kicks, kicked = 4, 8

// run goes on until so many jobs were looked at, the cost is least, or ctx is done.
func (o *orders) run(ctx context.Context, least int64, looks int) {
	n := len(o.current)
	for end := o.looked + looks; o.looked < end && o.value > least && n > 1 && ctx.Err() == nil; {
		o.current = slices.Clone(o.best)
		for range 2 + o.rng.IntN(kicks) {
			a := o.rng.IntN(n)
			b := min(n-1, a+1+o.rng.IntN(kicked))
			o.current[a], o.current[b] = o.current[b], o.current[a]
		}
		o.looked++
		o.descend(ctx)
		o.keep()
	}
}
