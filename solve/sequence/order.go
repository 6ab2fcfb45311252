package sequence

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// late is what a job that has to end by a time pays for each tick after it: more than orders differ by.
const late = 1 << 30

// orders is a local search for the order of least cost, in which jobs begin one after the other where they end first: moves of
// one job and exchanges of two, until none gains; then some jobs change places by chance (iterated local search; Lourenço,
// Martin and Stützle, 2003).
type orders struct {
	*Problem
	machines []*line // one by one, each of a slave
	slaves   []model.SlaveID
	rng      *rand.Rand
	// best is the best order so far, and current the one that is changed.
	best, current []int
	value, cost   int64
	// free are when machines are free after each position, and sums the cost up to there; now is for looking at changes.
	free [][]model.Time
	now  []model.Time
	sums []int64
	// evaluated counts the jobs whose moves were evaluated.
	evaluated int
}

// price is what a job pays that begins at a time, hard or not.
func (l *line) price(k int, start model.Time) int64 {
	cost := l.cost(int32(k), start)
	if l.Jobs[k].Weight == 0 && start > l.at[k].last {
		cost += late * int64(start-l.at[k].last)
	}
	return cost
}

// mostMachines bounds those that orders are for.
const mostMachines = 16

// newOrders begins with an order; nil if there are too many machines.
func newOrders(ctx context.Context, p *Problem, seed uint64, from []int) *orders {
	o := p.noOrders()
	if len(o.machines) > mostMachines {
		return nil
	}
	o.rng = rand.New(rand.NewPCG(seed, 0))
	o.try(ctx, from)
	o.try(ctx, o.byUrgency())
	return o
}

// noOrders has none yet.
func (p *Problem) noOrders() *orders {
	o := &orders{Problem: p, value: unreached, sums: make([]int64, len(p.Jobs))}
	for _, l := range p.lines {
		for n := range int(l.count) {
			o.machines, o.slaves = append(o.machines, l), append(o.slaves, l.slaves[n/int(l.each)])
		}
	}
	o.now = make([]model.Time, len(o.machines))
	for range p.Jobs {
		o.free = append(o.free, make([]model.Time, len(o.machines)))
	}
	return o
}

// begin has a job begin on the machine where it ends first, by when they are free, and gives what it pays.
func (o *orders) begin(free []model.Time, k int) (machine int, start model.Time, cost int64) {
	machine, end := -1, model.Never
	for n, l := range o.machines {
		if at := &l.at[k]; at.length > 0 {
			if from := max(free[n], at.first); from+at.run < end {
				machine, start, end = n, from, from+at.run
			}
		}
	}
	l := o.machines[machine]
	free[machine] = start + l.at[k].length
	return machine, start, l.price(k, start)
}

// before has when machines are free before a position, and gives the cost up to there.
func (o *orders) before(n int, free []model.Time) int64 {
	if n > 0 {
		copy(free, o.free[n-1])
		return o.sums[n-1]
	}
	for k, l := range o.machines {
		free[k] = l.first
	}
	return 0
}

// Value is what an order costs.
func (p *Problem) Value(order []int) (sum int64) {
	o := p.noOrders()
	o.before(0, o.now)
	for _, k := range order {
		_, _, cost := o.begin(o.now, k)
		sum += cost
	}
	return sum
}

// schedule has the jobs begin in an order, as soon as they can, and no others, in a schedule of js.
func (o *orders) schedule(js *model.JobSet, order []int) model.Schedule {
	plan := model.NewSchedule(len(js.Tasks))
	o.before(0, o.now)
	for _, k := range order {
		machine, start, _ := o.begin(o.now, k)
		l, slave, task := o.machines[machine], o.slaves[machine], o.Jobs[k].Task
		at := model.Placement{Slave: slave, Fetch: start, Start: start}
		if transfer := js.Tasks[task].Transfer(slave); l.tight {
			at.Start += transfer
		} else {
			at.Fetch -= transfer
		}
		at.Beat, _ = js.BeatAtOrBefore(slave, at.Fetch)
		plan[task] = at
	}
	return plan
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
	sum := model.Time(0)
	for k := range left {
		sum += o.anywhere(k).length
	}
	mean := max(1, float64(sum)/float64(len(left)))
	var order []int
	for o.before(0, o.now); len(left) > 0; {
		t := slices.Min(o.now)
		next, most := 0, -1.0
		for n, k := range left {
			job, at := &o.Jobs[k], o.anywhere(k)
			slack := float64(max(0, job.Due-at.run-t)+2*max(0, at.first-t)) / (2 * mean)
			if job.Weight == 0 {
				slack = float64(max(0, at.last-t)) / (2 * mean)
			}
			if urgency := float64(max(1, job.Weight)) / float64(at.length) / (1 + slack*(1+slack*(1+slack))); urgency > most {
				next, most = n, urgency
			}
		}
		k := left[next]
		o.begin(o.now, k)
		order, left = append(order, k), slices.Delete(left, next, next+1)
	}
	return order
}

// anywhere is a job on the first machine where it can run.
func (o *orders) anywhere(k int) *place {
	n := slices.IndexFunc(o.machines, func(l *line) bool { return l.at[k].length > 0 })
	return &o.machines[n].at[k]
}

// measure works out the cost from a position on.
func (o *orders) measure(from int) {
	cost := o.before(from, o.now)
	for n := from; n < len(o.current); n++ {
		_, _, own := o.begin(o.now, o.current[n])
		cost += own
		copy(o.free[n], o.now)
		o.sums[n] = cost
	}
	o.cost = cost
}

// gain is by how much an order is better that differs from the current one from one position to another, both
// included, where it has what job gives.
func (o *orders) gain(from, to int, job func(n int) int) int64 {
	cost, last := o.before(from, o.now), len(o.current)-1
	for n := from; n <= last; n++ {
		k := o.current[n]
		if n <= to {
			k = job(n)
		}
		_, _, own := o.begin(o.now, k)
		cost += own
		o.evaluated++
		if n >= to && slices.Equal(o.now, o.free[n]) {
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

// run goes on until so many jobs were evaluated, the cost is least, or ctx is done.
func (o *orders) run(ctx context.Context, least int64, evaluations int) {
	n := len(o.current)
	for end := o.evaluated + evaluations; o.evaluated < end && o.value > least && n > 1 && ctx.Err() == nil; {
		o.current = slices.Clone(o.best)
		for range 2 + o.rng.IntN(kicks) {
			a := o.rng.IntN(n)
			b := min(n-1, a+1+o.rng.IntN(kicked))
			o.current[a], o.current[b] = o.current[b], o.current[a]
		}
		o.evaluated++
		o.descend(ctx)
		o.keep()
	}
}
