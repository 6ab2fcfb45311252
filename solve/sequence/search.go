package sequence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/solve/memory"
)

// Search looks for the order of least cost, and for the argument that no plan costs less.
type Search struct {
	*Problem
	// orders is nil where there are too many machines, or jobs may be let go, and value what the best plan costs, or what less is asked for than.
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
	// columns has rewards for several lines and not too many jobs, where the ascent has none; else nil.
	columns *columns
	// most is how many nodes walks may have, mostPasses and mostParted what there may be of passes, and of points and steps that are
	// left before open splits; stuck: there would be more, or there is nothing left to be counted or split.
	most, mostPasses, mostParted int
	stuck                        bool
	// starts is how many starts of jobs were evaluated for the rewards to begin with.
	starts int
	tree   tree
	// must tells of each job whether it has to run, be it that letting it go costs too much.
	must []bool
	// settled: see Settled; probed counts the links of walks that were for choosing splits.
	settled bool
	probed  int
}

// relaxed are walks through time.
type relaxed interface {
	// size is what it takes to go through them once.
	size() int
	// forward is what the cheapest walk costs at rewards, with its jobs from the last to the first.
	forward(rewards []int64) (least int64, runs []run)
	// left is the graph of what is on a walk that costs at most so much.
	left(rewards []int64, most int64) graph
}

// pass has rewards by job, and the jobs that are counted from it on. What is left may be split before it, or it is the first of the
// other part.
type pass struct {
	rewards []int64
	counted []int
	split   *split
	other   bool
}

// finest is the finest unit of prices.
const finest = 1 << 10

// rewardBytes is what a reward takes in a proof file, at the most.
const rewardBytes = 32

// NewSearch begins with a plan, which costs as much as is asked to be less, or more.
func NewSearch(ctx context.Context, p *Problem, plan model.Schedule, seed uint64) *Search {
	n := len(p.Jobs)
	s := &Search{Problem: p, value: p.below, bits: make([]uint64, n), best: slices.Repeat([]int64{1}, n), total: math.MinInt64, unit: finest, most: nodesIn(ctx), mostPasses: min(inference.MostPasses, inference.MaxLine/(rewardBytes*n)), mostParted: inference.MostParted / 2}
	if !p.optional {
		s.orders = newOrders(ctx, p, seed, p.Order(plan))
		s.take()
	}
	for k := range p.Jobs {
		s.must = append(s.must, p.Jobs[k].LetGo == 0)
		if !s.must[k] {
			s.unit = min(s.unit, mostPrice/p.Jobs[k].LetGo)
		}
	}
	s.unit = min(s.unit, mostPrice/max(1, p.besideMost)) // proofs count no more of what a job pays
	for _, l := range p.lines {
		for k := range l.at {
			if l.at[k].length > 0 {
				s.unit = min(s.unit, mostPrice/max(1, l.cost(int32(k), l.lastStart(k))))
			}
		}
		s.graphs = append(s.graphs, l.firstGraph())
	}
	s.on = s.times()
	if s.ascent = p.newAscent(timesOfOne); !p.only() {
		s.ascent = p.newAscent(timesOfMany)
		var rewards []int64
		rewards, s.starts = p.rewards(ctx, s.unit, s.value)
		if s.best = rewards; n <= mostColumns && !p.optional {
			s.columns = &columns{Problem: p}
			s.columns.begin(s.best, s.isLeft())
		}
		for k, r := range rewards {
			s.ascent.at[k] = float64(r)
		}
	}
	return s
}

// Starts is how many starts of jobs were evaluated to begin with.
func (s *Search) Starts() int { return s.starts }

// Value is what the best plan costs.
func (s *Search) Value() int64 { return s.value + s.beside }

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
	if s.tight && s.orders != nil {
		s.value = min(s.value, s.orders.value)
	}
}

// Bound is what no plan costs less than, which Refutation shows.
func (s *Search) Bound() int64 { return s.bound + s.beside }

// all are the passes that show the bound.
func (s *Search) all() []pass {
	all := s.passes[:len(s.passes):len(s.passes)]
	switch n := len(all); {
	case s.tree.begun && s.bound == s.value:
		all = append(all, s.tree.passes...)
	case !s.tree.begun && (n == 0 || !slices.Equal(all[n-1].rewards, s.best)):
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
		evaluated := s.evaluated()
		took += s.size()
		if !s.step(ctx) {
			took += s.next(ctx)
		}
		took += s.evaluated() - evaluated + s.probed
		s.probed = 0
		if s.columns != nil {
			took += s.columns.cells / cellsPerLink
			s.columns.cells = 0
		}
	}
	return took
}

// evaluated is how many jobs local search has evaluated.
func (s *Search) evaluated() int {
	if s.orders == nil {
		return 0
	}
	return s.orders.evaluated
}

// size is what it takes to go through all walks once, in links.
func (s *Search) size() (n int) {
	for _, on := range s.on {
		n += on.size()
	}
	return n
}

// step asks for walks at rewards once; false if it is the last before what is left is looked at.
func (s *Search) step(ctx context.Context) bool {
	a := &s.ascent
	rewards := a.at
	if s.columns != nil {
		rewards = s.columns.ask(s.best)
	}
	at := s.cheapest(rewards, a.saw)
	if at.total == unreached {
		s.impossible(ctx, at.rewards)
		return true
	}
	if at.total > s.total {
		s.total, s.best = at.total, at.rewards
	}
	a.steps++
	if s.columns == nil && s.tight && s.orders != nil && (a.steps%stepsOfOrder == 0 || !slices.ContainsFunc(at.runs, func(n float64) bool { return n != 1 })) {
		if s.only() {
			s.try(ctx, at.walks[0].runs)
		} else {
			s.tryStarts(ctx)
		}
	}
	if s.total > s.unit*(s.value-1) {
		s.impossible(ctx, s.best)
		return true
	}
	if !s.tree.begun {
		s.bound = max(s.bound, ceil(s.total, s.unit))
	}
	if s.columns == nil {
		return a.move(s, at.runs, float64(s.unit*s.value-at.total))
	}
	if s.columns.move(at.walks, float64(s.total), float64(s.unit*(s.value-1))) {
		a.forget()
		return true
	}
	clear(a.starts)
	s.columns.used(a.saw)
	s.tryStarts(ctx)
	return false
}

// walked is what the cheapest walks cost at rewards, all of these paid, unreached where there is none; the walks, and how often each job is on them.
type walked struct {
	rewards []int64
	total   int64
	runs    []float64
	walks   []walk
}

// cheapest works out the cheapest walks; saw is told of each job on them, and on how many.
func (s *Search) cheapest(at []float64, saw func(l *line, r run, walks float64)) walked {
	of := walked{rewards: make([]int64, len(at)), runs: make([]float64, len(at))}
	for k, r := range at {
		of.rewards[k] = int64(math.Round(r))
		of.total += s.paid(k, of.rewards[k])
	}
	for n, l := range s.lines {
		least, on := s.on[n].forward(of.rewards)
		if least == unreached {
			of.total = unreached
			return of
		}
		of.total += l.count * least
		one := walk{line: n, runs: on}
		for _, r := range on {
			of.runs[r.job] += float64(l.count)
			saw(l, r, float64(l.count))
			one.cost += float64(s.unit * l.cost(r.job, r.start))
		}
		of.walks = append(of.walks, one)
	}
	return of
}

// paid is what of the reward of a job is paid whatever walks it is on, and all of it if it is on one: no more than what it costs let go, if it may be.
func (s *Search) paid(k int, reward int64) int64 {
	if s.must[k] {
		return reward
	}
	return min(reward, s.unit*s.Jobs[k].LetGo)
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// pace is that of subgradient steps: how many there are, in which their factor falls from the first to the last, and the part of
// their direction that stays.
type pace struct {
	steps             int
	first, last, past float64
}

// A single walk begins with rewards of nothing, several with what prices of ticks come to, from which large steps only lead away; and as a
// walk that stands for several is about each job all or nothing, they take more of a mean. Parts of a split need many steps: with 80 in
// place of 160 two and four times as many were split in turn, of two sets of 40 jobs, with 40 ten and 26 times.
var (
	timesOfOne, timesOfMany = pace{600, 1, 0.01, 0.5}, pace{600, 0.1, 0.002, 0.9}
	walksOfOne, walksOfMany = pace{120, 0.5, 0.02, 0.5}, pace{120, 0.1, 0.005, 0.9}
	walksOfPart             = pace{200, 0.1, 0.01, 0.9}
	// Where jobs may be let go rewards are bounded, and larger steps lead to the best in fewer.
	walksOfLate, probes = pace{200, 0.5, 0.01, 0.8}, pace{20, 0.3, 0.075, 0.5}
)

const (
	// Every stepsOfOrder steps an order is made of the walks.
	stepsOfOrder = 20
	// ofLate is the part that stays of what is known of when jobs began.
	ofLate = 0.95

	still = 1e-6 // no step is to be taken: each job runs once
)

// ascent is the state of subgradient steps: along the mean of the latest subgradients, of Polyak's length times
// a factor that falls geometrically.
type ascent struct {
	at, direction []float64
	factor, decay float64
	past          float64 // the part of the mean that stays
	left, steps   int
	// violation is by how much each job ran more than once, or not at all, of late; starts are when it did.
	violation []float64
	starts    []starts
}

// starts are those of a job of late, and what it paid for them: the older ones count less.
type starts struct{ at, paid sample }

// sample is of so many figures: their sum and that of their squares.
type sample struct{ number, sum, squares float64 }

func (s *sample) add(figure, times float64) {
	s.number, s.sum, s.squares = s.number+times, s.sum+float64(times*figure), s.squares+float64(times*figure*figure)
}

func (s *sample) fade(part float64) {
	*s = sample{float64(part * s.number), float64(part * s.sum), float64(part * s.squares)}
}

func (s *sample) mean() float64     { return s.sum / s.number }
func (s *sample) variance() float64 { return s.squares/s.number - float64(s.mean()*s.mean()) }

// saw takes note of a job on so many walks of a line.
func (a *ascent) saw(l *line, r run, times float64) {
	s := &a.starts[r.job]
	s.at.add(float64(r.start), times)
	s.paid.add(float64(l.cost(r.job, r.start)), times)
}

// forget has what was seen before count less.
func (a *ascent) forget() {
	for k := range a.starts {
		a.starts[k].at.fade(ofLate)
		a.starts[k].paid.fade(ofLate)
	}
}

func (p *Problem) newAscent(by pace) ascent {
	n := len(p.Jobs)
	return ascent{
		at: slices.Repeat([]float64{1}, n), direction: make([]float64, n), violation: make([]float64, n), starts: make([]starts, n),
		factor: by.first, decay: math.Pow(by.last/by.first, 1/float64(by.steps)), left: by.steps, past: by.past,
	}
}

// move takes a step from where jobs run so many times on walks, for a gap; false if it is the last. Rewards stay above 0:
// where a walk is never idle, what is added to them by length all walks are paid alike.
func (a *ascent) move(s *Search, runs []float64, gap float64) bool {
	a.forget()
	norm := 0.0
	for k, run := range runs {
		g := 1 - run
		if g > 0 && !s.must[k] && a.at[k] >= s.mostPaid(k) {
			g = 0 // it is let go
		}
		a.violation[k] = float64(0.9*a.violation[k]) + float64(0.1*math.Abs(g))
		a.direction[k] = float64(a.past*a.direction[k]) + float64((1-a.past)*g)
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
	if l := s.lines[0]; s.only() && l.busy() && l.needed == l.length {
		lift := 0.0
		for k := range a.at {
			lift = max(lift, (1-a.at[k])/float64(l.at[k].length))
		}
		for k := range a.at {
			a.at[k] += float64(lift * float64(l.at[k].length))
		}
	}
	for k := range a.at {
		a.at[k] = min(s.mostPaid(k), max(1, a.at[k]))
	}
	return true
}

// try makes an order of a walk, its last job first: of jobs that it has more than once the first counts, what it
// has not comes by when it is due.
func (s *Search) try(ctx context.Context, runs []run) {
	seen := make([]bool, len(s.Jobs))
	var order, missing []int
	for _, r := range slices.Backward(runs) {
		if !seen[r.job] {
			seen[r.job] = true
			order = append(order, int(r.job))
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

// tryStarts makes an order of when jobs began of late.
func (s *Search) tryStarts(ctx context.Context) {
	if s.tight && s.orders != nil {
		s.orders.try(ctx, s.byStart())
		s.take()
	}
}

// byStart is an order by when jobs began in the mean of late; those that did not by when they are due.
func (s *Search) byStart() []int {
	order, at := make([]int, len(s.Jobs)), make([]float64, len(s.Jobs))
	for k := range order {
		order[k] = k
		if of := &s.ascent.starts[k].at; of.number > 0 {
			at[k] = of.mean()
		} else {
			at[k] = float64(s.Jobs[k].Due)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return order
}

// Walks have mostNodes at most, of about nodeBytes each with its links and all that is made beside them; fewer where memory
// is short, but leastNodes.
const mostNodes, leastNodes, nodeBytes = 1 << 20, 1 << 15, 400

// nodesIn is how many nodes walks may have under the ceiling of ctx.
func nodesIn(ctx context.Context) int {
	return int(min(mostNodes, max(leastNodes, memory.Share(ctx, nodeBytes*mostNodes)/nodeBytes)))
}

// next leaves out what is on no walk that is cheap enough; then walks know the job before, or more jobs are counted, or what is left is
// split, and another ascent begins. It returns what that took.
func (s *Search) next(ctx context.Context) (took int) {
	s.graphs = s.left(s.on)
	s.settled = s.only() || len(s.undecided()) == 0
	s.require()
	s.add(pass{rewards: s.best})
	walks, more := s.on[0].(*walks)
	var on []relaxed
	switch {
	case !more:
		on = s.walks()
	case s.only() && !s.tree.begun:
		took, on = s.more(ctx, len(walks.nodes))
	case s.tight:
		on = s.split()
	}
	s.goOn(ctx, on)
	return took + s.size()
}

// goOn begins another ascent from the best rewards, on walks; the search ends where there are none, or as many passes as
// proofs may have.
func (s *Search) goOn(ctx context.Context, on []relaxed) {
	if len(s.passes)+len(s.tree.passes) >= s.mostPasses {
		s.stuck = true
		return
	}
	if on == nil {
		memory.Allows(ctx, "more walks through time", nodeBytes*mostNodes)
		s.stuck = true
		return
	}
	s.on = on
	if s.columns != nil {
		s.columns.begin(s.best, s.isLeft())
	}
	pace := walksOfMany
	switch {
	case s.only():
		pace = walksOfOne
	case s.optional:
		pace = walksOfLate
	case s.tree.begun:
		pace = walksOfPart
	}
	a := s.newAscent(pace)
	from, _ := s.spans()
	for k, r := range s.best {
		a.at[k] = float64(r)
		if from[k] == model.Never {
			a.at[k] = s.mostPaid(k) // it is on no walk
		}
	}
	a.violation = s.ascent.violation
	s.ascent = a
}

// isLeft tells of a walk whether all of its jobs may still begin when they do.
func (s *Search) isLeft() func(w *walk) bool {
	left := make([]map[run]bool, len(s.graphs))
	for n, g := range s.graphs {
		left[n] = map[run]bool{}
		for k := range g {
			for _, step := range g[k].steps {
				left[n][run{step.job, g[k].time}] = true
			}
		}
	}
	return func(w *walk) bool {
		return !slices.ContainsFunc(w.runs, func(r run) bool { return !left[w.line][r] })
	}
}

// mostPaid is the most that the reward of a job is of use for.
func (s *Search) mostPaid(k int) float64 {
	if s.must[k] {
		return mostPrice
	}
	return float64(s.unit * s.Jobs[k].LetGo)
}

// times are the walks of what is left that know nothing of the job before.
func (s *Search) times() (all []relaxed) {
	for n, l := range s.lines {
		all = append(all, l.timesOf(s.graphs[n], s.unit))
	}
	return all
}

// walks are those of what is left, nil if there are too many.
func (s *Search) walks() (all []relaxed) {
	s.allowed = max(0, s.bound-1)
	needed := uint64(0)
	for k, b := range s.bits {
		if s.must[k] {
			needed |= b
		}
	}
	for n, l := range s.lines {
		walks := l.walksOf(s.graphs[n], s.bits, needed, s.unit, s.most/len(s.lines))
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
	for k, r := range s.best {
		total += s.paid(k, r)
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

// require has jobs run that would cost too much let go, at the best rewards.
func (s *Search) require() {
	for k, r := range s.best {
		if !s.must[k] && s.total+s.unit*s.Jobs[k].LetGo-s.paid(k, r) > s.unit*(s.value-1) {
			s.must[k] = true
		}
	}
}

// tried is how many jobs are tried before one is counted, enoughMore how many times the nodes there may be after
// some are.
const tried, enoughMore = 6, 2

// more counts further jobs: of those that ran more than once, or not at all, most often, the one with which the
// fewest nodes are left, and so on until there are enough more. It is nil if there is none, or not the memory for it.
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
			for _, w := range walks {
				took += 3 * w.size()
			}
			g := s.left(walks)
			if n := steps(g); job < 0 || n < least {
				job, least, best = k, n, g
			}
		}
		if job < 0 || on != nil && least > most {
			return took, on
		}
		s.bits[job] = 1 << s.counted
		s.counted++
		s.graphs = best
		s.add(pass{rewards: s.best, counted: []int{job}})
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

func steps(of []graph) (n int) {
	for _, g := range of {
		for k := range g {
			n += len(g[k].steps)
		}
	}
	return n
}

// Ask goes on with what costs less than a value, of jobs that may be let go: from the beginning, but for the rewards that were
// found so far. Less is left where less is asked for.
func (s *Search) Ask(ctx context.Context, value int64) {
	s.value, s.stuck = value-s.beside, false
	s.passes, s.tree, s.counted, s.total = nil, tree{}, 0, math.MinInt64
	clear(s.bits)
	for n, l := range s.lines {
		s.graphs[n] = l.firstGraph()
	}
	for k := range s.must {
		s.must[k] = s.Jobs[k].LetGo == 0
	}
	s.on = s.times()
	s.goOn(ctx, s.on)
	s.ascent.left = againSteps
}

// againSteps are those of the first ascent where rewards are known.
const againSteps = 40

// Optional reports whether some jobs may be let go.
func (p *Problem) Optional() bool { return p.optional }

// Passed is how many ascents are over.
func (s *Search) Passed() int { return len(s.passes) + len(s.tree.passes) }

// Open reports whether there is anything left to find out, and the memory for it.
func (s *Search) Open() bool { return s.bound < s.value && !s.stuck }

// Try takes a plan of a value into account.
func (s *Search) Try(ctx context.Context, plan model.Schedule, value int64) {
	if value -= s.beside; value >= s.value {
		return
	}
	if s.value = value; s.orders != nil {
		s.orders.try(ctx, s.Problem.Order(plan))
		s.take()
	}
}

// Sentence says to people how the bound was found.
func (s *Search) Sentence(js *model.JobSet) string {
	var slaves []model.SlaveID
	for _, l := range s.lines {
		slaves = append(slaves, l.slaves...)
	}
	slices.Sort(slaves)
	on := js.MachineNames(slices.Compact(slaves))
	but := ""
	if s.counted > 0 {
		but = fmt.Sprintf(" that is not one of %d", s.counted)
	}
	parts := ""
	if s.tree.splits > 0 && s.bound == s.value {
		by := "when jobs begin"
		if s.optional {
			by = "which jobs are late and when others begin"
		}
		parts = fmt.Sprintf(", in each of %d parts by %s", 1+s.tree.splits, by)
	}
	if s.optional {
		return fmt.Sprintf("with a reward for each of %d jobs, of those that may be late no more than what that costs, every way to fill the time of %s, be it with a job twice%s, leaves so much of all rewards, or more%s", len(s.Jobs), on, but, parts)
	}
	return fmt.Sprintf("with a reward for each of %d jobs, every way to fill the time of %s, be it with a job twice%s, costs more than all rewards%s", len(s.Jobs), on, but, parts)
}
