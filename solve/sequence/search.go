package sequence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
)

// Search looks for the order of least cost, and for the argument that none costs less.
type Search struct {
	*Problem
	orders *orders
	// unit is the price of a unit of the weighted tardiness.
	unit int64
	// graph has what is left, and on its walks; bits are those of the jobs that are counted.
	graph   graph
	on      relaxed
	bits    []uint64
	counted int
	// best are the rewards at which the cheapest walk costs most, and total what it does then, all rewards paid.
	best   []int64
	total  int64
	bound  int64
	passes []pass
	ascent ascent
	stuck  bool
}

// relaxed are walks through time.
type relaxed interface {
	// size is what it takes to go through them once.
	size() int
	// forward is what the cheapest walk costs at rewards, with its jobs from the last to the first.
	forward(rewards []int64) (least int64, jobs []int32)
	// left is the graph of what is on a walk that costs at most so much.
	left(rewards []int64, most int64) graph
}

// pass has rewards by job, and the jobs that are counted from it on.
type pass struct {
	rewards []int64
	counted []int
}

// finest is the finest unit of prices.
const finest = 1 << 10

// NewSearch begins with an order of the jobs.
func NewSearch(p *Problem, order []int, seed uint64) *Search {
	n := len(p.Jobs)
	s := &Search{Problem: p, orders: newOrders(p, seed, order), bits: make([]uint64, n), best: make([]int64, n), total: math.MinInt64, unit: finest}
	for k := range p.Jobs {
		if most := p.most(k); most > 0 {
			s.unit = min(s.unit, mostPrice/most)
		}
	}
	s.graph = p.firstGraph()
	s.on = p.timesOf(s.graph, s.unit)
	s.ascent = newAscent(n, timesSteps, timesFirst, timesLast)
	return s
}

// Value is what the best order costs, and Order is it. A hard job may be late in it.
func (s *Search) Value() int64 { return s.orders.value }

// Order is the best order, by index of the jobs of the problem.
func (s *Search) Order() []int { return s.orders.best }

// Bound is what no order costs less than, which Refutation shows.
func (s *Search) Bound() int64 { return s.bound }

// all are the passes that show the bound.
func (s *Search) all() []pass {
	all := s.passes[:len(s.passes):len(s.passes)]
	if n := len(all); n == 0 || !slices.Equal(all[n-1].rewards, s.best) {
		all = append(all, pass{rewards: s.best})
	}
	return all
}

// busy reports whether a walk is never idle.
func (p *Problem) busy() bool { return p.latest == p.first }

// looksOfJobs is how many jobs local search looks at first, for the square of their number.
const looksOfJobs = 5000

// First improves the order by local search; it returns how many jobs were looked at.
func (s *Search) First() int {
	n := len(s.Jobs)
	s.orders.run(s.bound, looksOfJobs*n*n)
	return s.orders.looked
}

// most is what a walk may cost at rewards that has the value of a better order.
func (s *Search) most() int64 { return s.unit * (s.orders.value - 1) }

// Run goes on for about as much work, in links of walks, until the bound is the value, or ctx is
// done. It returns what it took.
func (s *Search) Run(ctx context.Context, work int) (took int) {
	for took < work && s.bound < s.orders.value && !s.stuck && ctx.Err() == nil {
		took += s.on.size()
		if !s.step() {
			took += s.next(ctx)
		}
	}
	return took
}

// step is one of an ascent; false if it is over.
func (s *Search) step() bool {
	a := &s.ascent
	rewards := make([]int64, len(a.at))
	total := int64(0)
	for k, r := range a.at {
		rewards[k] = int64(math.Round(r))
		total += rewards[k]
	}
	least, jobs := s.on.forward(rewards)
	if least == unreached {
		s.bound = s.orders.value
		return true
	}
	total += least
	if total > s.total {
		s.total, s.best = total, rewards
		s.bound = max(s.bound, min(s.orders.value, ceil(total, s.unit)))
	}
	if a.steps++; a.steps%stepsOfOrder == 0 {
		s.try(jobs)
	}
	return a.move(s.Problem, jobs, float64(s.unit*s.orders.value-total))
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// Subgradient steps: their factor falls from the first to the last, in so many of them. Every stepsOfOrder
// steps an order is made of the walk.
const (
	timesSteps, timesFirst, timesLast = 600, 1.0, 0.01
	walksSteps, walksFirst, walksLast = 120, 0.5, 0.02

	stepsOfOrder = 20
	past         = 0.5
)

// ascent is the state of subgradient steps: along the mean of the latest subgradients, of Polyak's length times
// a factor that falls geometrically.
type ascent struct {
	at, direction []float64
	factor, decay float64
	left, steps   int
	// excess is by how much each job ran more than once, or not at all, of late.
	excess []float64
}

func newAscent(n, steps int, first, last float64) ascent {
	return ascent{
		at: slices.Repeat([]float64{1}, n), direction: make([]float64, n), excess: make([]float64, n),
		factor: first, decay: math.Pow(last/first, 1/float64(steps)), left: steps,
	}
}

// move takes a step from where a walk has some jobs, for a gap; false if it is the last. Rewards stay above 0: where a walk is
// never idle, what is added to them by length all walks are paid alike.
func (a *ascent) move(p *Problem, jobs []int32, gap float64) bool {
	over := slices.Repeat([]float64{1}, len(a.at))
	for _, k := range jobs {
		over[k]--
	}
	norm := 0.0
	for k, g := range over {
		a.excess[k] = float64(0.9*a.excess[k]) + float64(0.1*math.Abs(g))
		a.direction[k] = float64(past*a.direction[k]) + float64((1-past)*g)
		norm += float64(a.direction[k] * a.direction[k])
	}
	if a.left--; a.left <= 0 || norm == 0 || gap <= 0 {
		return false
	}
	length := a.factor * gap / norm
	a.factor *= a.decay
	lift := 0.0
	for k := range a.at {
		a.at[k] += float64(length * a.direction[k])
		lift = max(lift, (1-a.at[k])/float64(p.Jobs[k].Length))
	}
	for k := range a.at {
		if p.busy() {
			a.at[k] += float64(lift * float64(p.Jobs[k].Length))
		}
		a.at[k] = min(mostPrice, max(1, a.at[k]))
	}
	return true
}

// try makes an order of a walk, its last job first: of jobs that it has more than once the first counts, what it
// has not comes by when it is due.
func (s *Search) try(jobs []int32) {
	seen := make([]bool, len(s.Jobs))
	var order, missing []int
	for _, k := range slices.Backward(jobs) {
		if !seen[k] {
			seen[k] = true
			order = append(order, int(k))
		}
	}
	for k := range seen {
		if !seen[k] {
			missing = append(missing, k)
		}
	}
	slices.SortStableFunc(missing, func(a, b int) int { return cmp.Compare(s.Jobs[a].Due, s.Jobs[b].Due) })
	for _, k := range missing {
		t, at := s.first, 0
		for at < len(order) && t+s.Jobs[order[at]].Length+s.Jobs[k].Length <= s.Jobs[k].Due {
			t += s.Jobs[order[at]].Length
			at++
		}
		order = slices.Insert(order, at, k)
	}
	s.orders.try(order)
}

// mostNodes bounds the nodes of walks.
const mostNodes = 1 << 20

// next leaves out what is on no walk that is cheap enough, counts more jobs, and begins another ascent; it returns
// what that took.
func (s *Search) next(ctx context.Context) (took int) {
	s.reduce(s.on, nil)
	walks, more := s.on.(*walks)
	if !more {
		walks = s.walks()
	} else {
		took, walks = s.more(ctx, len(walks.nodes))
	}
	if walks == nil {
		s.stuck = true
		return took
	}
	s.on = walks
	a := newAscent(len(s.Jobs), walksSteps, walksFirst, walksLast)
	for k, r := range s.best {
		a.at[k] = float64(r)
	}
	a.excess = s.ascent.excess
	s.ascent = a
	return took + walks.size()
}

// walks are those of what is left, nil if there are too many.
func (s *Search) walks() *walks { return s.walksOf(s.graph, s.bits, s.unit, mostNodes) }

// reduce leaves out what is on no walk that is cheap enough at the best rewards, in a pass from which on some jobs
// are counted.
func (s *Search) reduce(on relaxed, counted []int) {
	s.graph = s.leftOf(on)
	s.passes = append(s.passes, pass{s.best, counted})
}

func (s *Search) leftOf(on relaxed) graph {
	sum := int64(0)
	for _, r := range s.best {
		sum += r
	}
	return on.left(s.best, s.most()-sum)
}

// tried is how many jobs are tried before one is counted, enoughMore how many times the nodes there may be after
// some are.
const tried, enoughMore = 6, 2

// more counts further jobs: of those that ran more than once, or not at all, most often, the one with which the
// fewest nodes are left, and so on until there are enough more. It is nil if there is none, or there is not the room.
func (s *Search) more(ctx context.Context, nodes int) (took int, on *walks) {
	for most := enoughMore * nodes; s.counted < 64 && ctx.Err() == nil; {
		var best graph
		job, least := -1, 0
		var left []int
		for k := range s.Jobs {
			if s.bits[k] == 0 && s.ascent.excess[k] > 0 {
				left = append(left, k)
			}
		}
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(s.ascent.excess[b], s.ascent.excess[a]) })
		for _, k := range left[:min(tried, len(left))] {
			s.bits[k] = 1 << s.counted
			walks := s.walks()
			s.bits[k] = 0
			if walks == nil {
				continue
			}
			took += 3 * walks.size()
			g := s.leftOf(walks)
			if n := g.steps(); job < 0 || n < least {
				job, least, best = k, n, g
			}
		}
		if job < 0 {
			return took, on
		}
		if on != nil && least > most {
			return took, on
		}
		s.bits[job] = 1 << s.counted
		s.counted++
		s.graph = best
		s.passes = append(s.passes, pass{s.best, []int{job}})
		s.ascent.excess[job] = 0
		on = s.walks()
	}
	return took, on
}

func (g graph) steps() (n int) {
	for k := range g {
		n += len(g[k].steps)
	}
	return n
}

// Open reports whether there is anything left to find out, and the room for it.
func (s *Search) Open() bool { return s.bound < s.orders.value && !s.stuck }

// Try takes the order of a plan into account.
func (s *Search) Try(plan model.Schedule) {
	if order := s.Problem.Order(plan); s.Problem.Value(order) < s.orders.value {
		s.orders.try(order)
	}
}

// Sentence says to people how the bound was found.
func (s *Search) Sentence(js *model.JobSet) string {
	slave := js.Slaves[s.Slave].Name
	if s.counted == 0 {
		return fmt.Sprintf("with a reward for each of %d jobs, every way to fill the time of %s, be it with a job twice, costs more than all rewards", len(s.Jobs), slave)
	}
	return fmt.Sprintf("with a reward for each of %d jobs, every way to fill the time of %s, be it with a job twice that is not one of %d, costs more than all rewards", len(s.Jobs), slave, s.counted)
}
