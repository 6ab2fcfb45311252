package assignment

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/solve/budget"
)

// Search looks for an assignment of all items in time, or for why there is none.
type Search struct {
	p     *Problem
	table *table
	rand  *rand.Rand
	// reward is what items are worth in the whole, once that was looked at.
	reward []int64
	// plan is the first one that was found.
	plan model.Schedule
	// priced are cells that prices of cores are worth, exchanged those of exchanges, kept the rewards in the argument, of so many passes.
	priced, exchanged, kept, passes int
	steps                           steps
	// linear are rewards of a state to begin with.
	linear func(ctx context.Context, st *state) []int64
	// did is by group what a core did at the rewards before, does room for what it does.
	did, does [][]int32
	// spent is what was charged to the budget so far.
	spent int
}

// Answer is what a search has come to.
type Answer uint8

// The answers.
const (
	Open Answer = iota
	Found
	None
)

// NewSearch begins a search. Equal seeds make equal choices.
func NewSearch(p *Problem, seed uint64) *Search {
	s := &Search{p: p, table: newTable(p), rand: rand.New(rand.NewPCG(seed, 0x61736769)), steps: steps{200, 25, 12}}
	s.linear = s.first
	return s
}

// Cells is the work done so far, in cells of tables, of which 10⁹ take about a second.
func (s *Search) Cells() int { return s.table.cells + s.priced + s.exchanged }

// cellsPerUnit is the number of cells that count as one unit of a budget: at 100 tasks they take about
// as long as a construction.
const cellsPerUnit = 1 << 17

// spend charges what was done since the last time.
func (s *Search) spend(ctx context.Context) {
	if units := (s.Cells() - s.spent) / cellsPerUnit; units > 0 {
		s.spent += units * cellsPerUnit
		budget.Spend(ctx, units)
	}
}

// Plan is what was found.
func (s *Search) Plan() model.Schedule { return s.plan }

// Rewards are what tasks are worth, by TaskID, in the whole: what another search may begin with.
func (s *Search) Rewards() []int64 {
	if s.reward == nil {
		return nil
	}
	return s.byTask(s.reward)
}

func (s *Search) byTask(reward []int64) []int64 {
	out := make([]int64, len(s.p.js.Tasks))
	for i, t := range s.p.tasks {
		out[t] = reward[i]
	}
	return out
}

// steps of rewards: in the whole, in a part, and once places were ruled out.
type steps struct{ whole, part, again int }

// mostKept bounds the rewards in an argument, so that a line of a proof file holds them.
const mostKept = 1 << 21

// Limits bound a search: Cells the work in the tree, none for the whole alone, and Exchanges that of
// local search in the whole. From, by TaskID, are rewards to begin with, or nil.
type Limits struct {
	Cells, Exchanges int
	From             []int64
}

// Run searches. The argument is there if the answer is None.
func (s *Search) Run(ctx context.Context, l Limits) (Answer, *Argument) {
	st := s.p.whole()
	s.reward = s.linear(ctx, st)
	steps, factor := s.steps.whole, 1.0
	if l.From != nil && s.keepTighter(st, l.From) {
		steps, factor = (steps+2)/3, 0.3 // they are good already
	}
	for i, n := range st.options {
		if n == 0 {
			clear(s.reward)
			s.reward[i] = 1
			return None, &Argument{p: s.p, rewards: slices.Clone(s.reward), item: -1}
		}
	}
	end := math.MaxInt
	if l.Cells > 0 {
		end = s.Cells() + l.Cells
	}
	n := &node{Search: s, ctx: ctx, end: end, deep: l.Cells > 0}
	return n.visit(st, slices.Clone(s.reward), l.Exchanges, steps, factor)
}

// keepTighter has rewards by TaskID be those to begin with if they say more of the whole, and reports whether they do.
func (s *Search) keepTighter(st *state, by []int64) bool {
	other, missing := make([]int64, len(s.reward)), make([]float64, len(s.reward))
	for i, t := range s.p.tasks {
		other[i] = by[t]
	}
	s.forget(st)
	a, b := s.evaluate(st, s.reward, missing), s.evaluate(st, other, missing)
	if b.tightness() <= a.tightness() {
		return false
	}
	s.reward = other
	return true
}

// node is a visit of the tree that may end early.
type node struct {
	*Search
	ctx  context.Context
	end  int
	deep bool
	// top is the argument of the whole, nil before that is looked at.
	top *Argument
}

func (n *node) over() bool {
	return n.ctx.Err() != nil || n.Cells() >= n.end || n.kept > mostKept || n.passes >= inference.MostPasses
}

// visit is the answer about a state.
func (n *node) visit(st *state, reward []int64, exchanges, steps int, factor float64) (Answer, *Argument) {
	top := &Argument{p: n.p, item: -1}
	at := top
	var losses [][]int64
	whole := n.top == nil
	if whole {
		n.top = top
	}
	for again := false; ; again = true {
		b := n.ascend(n.ctx, st, reward, steps, factor)
		if whole && !again { // then nothing is settled yet, which would be worth nothing
			n.reward = slices.Clone(reward)
		}
		if b.refuted() {
			return n.none(top, at, reward)
		}
		took := 0
		if losses, took = n.narrow(st, reward, &b); took < 0 {
			return n.none(top, at, reward)
		}
		if took > 0 {
			at.rewards = slices.Clone(reward)
			n.keep(at)
			next := &Argument{p: n.p, item: -1}
			at.cases = []*Argument{next}
			at = next
		}
		if took*10 < st.pairs() || again && took*4 < st.pairs() {
			break
		}
		steps, factor = n.steps.again, 0.3
	}
	x := n.begin(st, losses)
	found := x.run(n.ctx, exchanges)
	n.exchanged += x.cells
	if n.spend(n.ctx); found {
		n.plan = n.p.schedule(x.assignment())
		return Found, nil
	}
	if !n.deep || n.over() {
		return Open, nil
	}
	item, groups := n.branch(st, losses)
	if item < 0 { // all is settled, so that the bound has seen it
		return Open, nil
	}
	at.item, at.cases = item, make([]*Argument, len(groups))
	order := slices.Clone(groups)
	slices.SortStableFunc(order, func(g, h int) int {
		return int(min(1, max(-1, lossOf(st, losses, g, item)-lossOf(st, losses, h, item))))
	})
	for _, g := range order {
		k := slices.Index(groups, g)
		child := n.p.give(st, item, g, groups[:k])
		answer, why := n.visit(child, slices.Clone(reward), partExchanges*n.p.cells(), n.steps.part, 0.5)
		if answer != None {
			return answer, nil
		}
		at.cases[k] = why
	}
	return None, top
}

// partExchanges times the cells of one exchange is what local search is given in a part.
const partExchanges = 20

// cells is about what one exchange takes.
func (p *Problem) cells() int { return int(p.kinds[0].capacity) * (1 + 2*len(p.tasks)/p.cores()) }

func (p *Problem) cores() (n int) {
	for k := range p.kinds {
		n += len(p.kinds[k].cores)
	}
	return n
}

// keep counts what an argument has.
func (n *node) keep(a *Argument) { n.kept, n.passes = n.kept+len(a.rewards), n.passes+1 }

// none is an argument that ends with rewards.
func (n *node) none(top, at *Argument, reward []int64) (Answer, *Argument) {
	at.rewards, at.cases = slices.Clone(reward), nil
	n.keep(at)
	return None, top
}

// pairs is the number of places that are left to items.
func (st *state) pairs() (n int) {
	for _, o := range st.options {
		n += int(o)
	}
	return n
}

// branch chooses the item of which the parts that it makes are the nearest to being refuted.
func (n *node) branch(st *state, losses [][]int64) (item int32, groups []int) {
	missing := 1.0
	for g := range st.groups {
		for _, l := range losses[g] {
			missing = max(missing, float64(l))
		}
	}
	size := make([]float64, len(n.p.tasks))
	for g := range st.groups {
		for k, e := range st.groups[g].items {
			size[e.item] += math.Exp2(-6 * float64(losses[g][k]) / missing)
		}
	}
	item = -1
	for i := range size {
		if st.open(int32(i)) && (item < 0 || size[i] < size[item]) {
			item = int32(i)
		}
	}
	if item < 0 {
		return -1, nil
	}
	return item, st.groupsOf(item)
}

func lossOf(st *state, losses [][]int64, g int, item int32) int64 {
	k := slices.IndexFunc(st.groups[g].items, func(e entry) bool { return e.item == item })
	return losses[g][k]
}
