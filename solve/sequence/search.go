package sequence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/memory"
)

// Search looks for the order of least cost, and for the argument that no plan costs less.
type Search struct {
	*Problem
	// orders is nil where there are too many machines, and value what the best plan costs, or what less is asked for than.
	orders *orders
	value  int64
	// unit is the price of a unit of the weighted tardiness.
	unit int64
	// graphs have what is left on each line, and on their walks; bits are those of the jobs that are counted.
	graphs  []graph
	on      []relaxed
	bits    []uint64
	counted int
	// best are the rewards at which the cheapest walks cost most, and total what they do then, all rewards paid.
	best   []int64
	total  int64
	bound  int64
	passes []pass
	ascent ascent
	// most is how many nodes walks may have; stuck: they would have more.
	most  int
	stuck bool
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

// NewSearch begins with a plan, which costs as much as is asked to be less, or more.
func NewSearch(ctx context.Context, p *Problem, plan model.Schedule, seed uint64) *Search {
	n := len(p.Jobs)
	s := &Search{Problem: p, value: p.below, bits: make([]uint64, n), best: slices.Repeat([]int64{1}, n), total: math.MinInt64, unit: finest, most: nodesIn(ctx)}
	s.orders = newOrders(ctx, p, seed, p.Order(plan))
	s.take()
	for _, l := range p.lines {
		for k := range l.at {
			if l.at[k].length > 0 {
				s.unit = min(s.unit, mostPrice/max(1, l.cost(int32(k), l.lastStart(k))))
			}
		}
		g := l.firstGraph()
		s.graphs, s.on = append(s.graphs, g), append(s.on, nil)
	}
	for n, l := range p.lines {
		s.on[n] = l.timesOf(s.graphs[n], s.unit)
	}
	s.ascent = newAscent(n, timesSteps, timesFirst, timesLast)
	return s
}

// Value is what the best plan costs.
func (s *Search) Value() int64 { return s.value }

// Schedule has the jobs in the best order, and no others, in a schedule of js; nil if there is none. It may not be valid: a hard job
// may be late, and where there is more to find than an order it heeds nothing else.
func (s *Search) Schedule(js *model.JobSet) model.Schedule {
	if s.orders == nil {
		return nil
	}
	return s.orders.schedule(js, s.orders.best)
}

// take has the value be that of the best order, where it is a plan.
func (s *Search) take() {
	if s.tight {
		s.value = min(s.value, s.orders.value)
	}
}

// Bound is what no plan costs less than, which Refutation shows.
func (s *Search) Bound() int64 { return s.bound }

// all are the passes that show the bound.
func (s *Search) all() []pass {
	all := s.passes[:len(s.passes):len(s.passes)]
	if n := len(all); n == 0 || !slices.Equal(all[n-1].rewards, s.best) {
		all = append(all, pass{rewards: s.best})
	}
	return all
}

// evaluationsOfJobs is how many jobs local search evaluates first, for the square of their number, but mostEvaluations in all.
const evaluationsOfJobs, mostEvaluations = 5000, 1 << 28

// First improves the order by local search; it returns how many jobs were evaluated.
func (s *Search) First(ctx context.Context) int {
	if s.orders == nil {
		return 0
	}
	n := len(s.Jobs)
	s.orders.run(ctx, s.bound, min(mostEvaluations, evaluationsOfJobs*n*n))
	s.take()
	return s.orders.evaluated
}

// Run goes on for about as much work, in links of walks, until the bound is the value, or ctx is
// done. It returns what it took.
func (s *Search) Run(ctx context.Context, work int) (took int) {
	for took < work && s.Open() && ctx.Err() == nil {
		took += s.size()
		if !s.step(ctx) {
			took += s.next(ctx)
		}
	}
	return took
}

// size is what it takes to go through all walks once, in links.
func (s *Search) size() (n int) {
	for _, on := range s.on {
		n += on.size()
	}
	return n
}

// step is one of an ascent; false if it is over.
func (s *Search) step(ctx context.Context) bool {
	a := &s.ascent
	rewards := make([]int64, len(a.at))
	total := int64(0)
	for k, r := range a.at {
		rewards[k] = int64(math.Round(r))
		total += rewards[k]
	}
	runs := make([]float64, len(a.at))
	var walk []int32
	for n, l := range s.lines {
		least, jobs := s.on[n].forward(rewards)
		if least == unreached {
			s.bound = s.value
			return true
		}
		total += l.count * least
		for _, k := range jobs {
			runs[k] += float64(l.count)
		}
		walk = jobs
	}
	if total > s.total {
		s.total, s.best = total, rewards
		s.bound = max(s.bound, min(s.value, ceil(total, s.unit)))
	}
	if a.steps++; s.tight && (a.steps%stepsOfOrder == 0 || !slices.ContainsFunc(runs, func(n float64) bool { return n != 1 })) {
		s.try(ctx, walk)
	}
	return a.move(s.Problem, runs, float64(s.unit*s.value-total))
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// Subgradient steps: their factor falls from the first to the last, in so many of them. Every stepsOfOrder
// steps an order is made of the walk.
const (
	timesSteps, timesFirst, timesLast = 600, 1.0, 0.01
	walksSteps, walksFirst, walksLast = 120, 0.5, 0.02

	stepsOfOrder = 20
	past         = 0.5

	still = 1e-6 // no step is to be taken: each job runs once
)

// ascent is the state of subgradient steps: along the mean of the latest subgradients, of Polyak's length times
// a factor that falls geometrically.
type ascent struct {
	at, direction []float64
	factor, decay float64
	left, steps   int
	// violation is by how much each job ran more than once, or not at all, of late.
	violation []float64
}

func newAscent(n, steps int, first, last float64) ascent {
	return ascent{
		at: slices.Repeat([]float64{1}, n), direction: make([]float64, n), violation: make([]float64, n),
		factor: first, decay: math.Pow(last/first, 1/float64(steps)), left: steps,
	}
}

// move takes a step from where jobs run so many times on walks, for a gap; false if it is the last. Rewards stay above 0:
// where a walk is never idle, what is added to them by length all walks are paid alike.
func (a *ascent) move(p *Problem, runs []float64, gap float64) bool {
	norm := 0.0
	for k, run := range runs {
		g := 1 - run
		a.violation[k] = float64(0.9*a.violation[k]) + float64(0.1*math.Abs(g))
		a.direction[k] = float64(past*a.direction[k]) + float64((1-past)*g)
		norm += float64(a.direction[k] * a.direction[k])
	}
	if a.left--; a.left <= 0 || norm < still || gap <= 0 {
		return false
	}
	length := a.factor * gap / norm
	a.factor *= a.decay
	for k := range a.at {
		a.at[k] += float64(length * a.direction[k])
	}
	if l := p.lines[0]; l.busy() {
		lift := 0.0
		for k := range a.at {
			lift = max(lift, (1-a.at[k])/float64(l.at[k].length))
		}
		for k := range a.at {
			a.at[k] += float64(lift * float64(l.at[k].length))
		}
	}
	for k := range a.at {
		a.at[k] = min(mostPrice, max(1, a.at[k]))
	}
	return true
}

// try makes an order of a walk, its last job first: of jobs that it has more than once the first counts, what it
// has not comes by when it is due.
func (s *Search) try(ctx context.Context, jobs []int32) {
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
		l := s.lines[0]
		t, at := l.first, 0
		for at < len(order) && t+l.at[order[at]].length+l.at[k].run <= s.Jobs[k].Due {
			t += l.at[order[at]].length
			at++
		}
		order = slices.Insert(order, at, k)
	}
	s.orders.try(ctx, order)
	s.take()
}

// Walks have mostNodes at most, of about nodeBytes each with its links and all that is made beside them; fewer where memory
// is short, but leastNodes.
const mostNodes, leastNodes, nodeBytes = 1 << 20, 1 << 15, 400

// nodesIn is how many nodes walks may have under the ceiling of ctx.
func nodesIn(ctx context.Context) int {
	return int(min(mostNodes, max(leastNodes, memory.Share(ctx, nodeBytes*mostNodes)/nodeBytes)))
}

// next leaves out what is on no walk that is cheap enough, counts more jobs, and begins another ascent; it returns
// what that took.
func (s *Search) next(ctx context.Context) (took int) {
	s.graphs = s.left(s.on)
	s.passes = append(s.passes, pass{s.best, nil})
	var on []relaxed
	if walks, more := s.on[0].(*walks); !more {
		on = s.walks()
	} else if len(s.lines) == 1 && s.lines[0].count == 1 {
		took, on = s.more(ctx, len(walks.nodes))
	}
	if on == nil {
		memory.Allows(ctx, "more walks through time", nodeBytes*mostNodes)
		s.stuck = true
		return took
	}
	s.on = on
	a := newAscent(len(s.Jobs), walksSteps, walksFirst, walksLast)
	for k, r := range s.best {
		a.at[k] = float64(r)
	}
	a.violation = s.ascent.violation
	s.ascent = a
	return took + s.size()
}

// walks are those of what is left, nil if there are too many.
func (s *Search) walks() (all []relaxed) {
	for n, l := range s.lines {
		walks := l.walksOf(s.graphs[n], s.bits, s.unit, s.most/len(s.lines))
		if walks == nil {
			return nil
		}
		all = append(all, walks)
	}
	return all
}

// left are the graphs of what is on walks that are cheap enough at the best rewards: with which all cost no more than the value of
// a better plan.
func (s *Search) left(on []relaxed) []graph {
	least, total := make([]int64, len(on)), int64(0)
	for _, r := range s.best {
		total += r
	}
	for n := range on {
		least[n], _ = on[n].forward(s.best)
		total += s.lines[n].count * least[n]
	}
	out := make([]graph, len(on))
	for n := range on {
		out[n] = on[n].left(s.best, s.unit*(s.value-1)-(total-least[n]))
	}
	return out
}

// tried is how many jobs are tried before one is counted, enoughMore how many times the nodes there may be after
// some are.
const tried, enoughMore = 6, 2

// more counts further jobs: of those that ran more than once, or not at all, most often, the one with which the
// fewest nodes are left, and so on until there are enough more. It is nil if there is none, or there is not the room.
func (s *Search) more(ctx context.Context, nodes int) (took int, on []relaxed) {
	for most := enoughMore * nodes; s.counted < 64 && ctx.Err() == nil; {
		var best []graph
		job, least := -1, 0
		for _, k := range s.repeated() {
			s.bits[k] = 1 << s.counted
			walks := s.walks()
			s.bits[k] = 0
			if walks == nil {
				continue
			}
			took += 3 * walks[0].size()
			g := s.left(walks)
			if n := g[0].steps(); job < 0 || n < least {
				job, least, best = k, n, g
			}
		}
		if job < 0 || on != nil && least > most {
			return took, on
		}
		s.bits[job] = 1 << s.counted
		s.counted++
		s.graphs = best
		s.passes = append(s.passes, pass{s.best, []int{job}})
		on = s.walks()
	}
	return took, on
}

// repeated are the jobs that are to be tried.
func (s *Search) repeated() []int {
	var left []int
	for k := range s.Jobs {
		if s.bits[k] == 0 && s.ascent.violation[k] > 0 {
			left = append(left, k)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(s.ascent.violation[b], s.ascent.violation[a]) })
	return left[:min(tried, len(left))]
}

func (g graph) steps() (n int) {
	for k := range g {
		n += len(g[k].steps)
	}
	return n
}

// Open reports whether there is anything left to find out, and the room for it.
func (s *Search) Open() bool { return s.bound < s.value && !s.stuck }

// Try takes a plan of a value into account.
func (s *Search) Try(ctx context.Context, plan model.Schedule, value int64) {
	if value >= s.value {
		return
	}
	if s.value = value; s.orders != nil {
		s.orders.try(ctx, s.Problem.Order(plan))
		s.take()
	}
}

// Sentence says to people how the bound was found.
func (s *Search) Sentence(js *model.JobSet) string {
	var names []string
	for _, l := range s.lines {
		names = append(names, js.Slaves[l.slave].Name)
	}
	but := ""
	if s.counted > 0 {
		but = fmt.Sprintf(" that is not one of %d", s.counted)
	}
	return fmt.Sprintf("with a reward for each of %d jobs, every way to fill the time of %s, be it with a job twice%s, costs more than all rewards", len(s.Jobs), proof.Names(names), but)
}
