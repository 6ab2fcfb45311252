package lagrange

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"downbeat/model"
	"downbeat/model/proof"
)

// Refutation is a search for an argument that not all jobs can finish by their due
// times: multipliers, or where those prove nothing, branching with multipliers at
// each leaf. It stops when its work is done and goes on where it was.
//
// It shaves first (Carlier and Pinson, 1994; Martin and Shmoys, 1996): if
// multipliers refute that a stage ends as early, or as late, as it might, the windows
// around shrink, and with smaller windows multipliers refute more. When no edge gives
// way any more it branches on a window, depth first; where the ends of all stages are
// settled it shaves where and when tasks run. What is left then it asks about.
type Refutation struct {
	ctx      context.Context
	js       *model.JobSet
	due      []model.Time
	thorough bool
	// size is that of what it holds, in multipliers.
	size atomic.Int64

	mu        sync.Mutex
	tree      *tree // nil if it has not begun
	tightness float64
}

// NewRefutation prepares a search for due (absolute, by JobID; model.Never for
// jobs that play no part). It is over when ctx is done.
func NewRefutation(ctx context.Context, js *model.JobSet, due []model.Time, thorough bool) *Refutation {
	return &Refutation{ctx: ctx, js: js, due: due, thorough: thorough}
}

// Run goes on with the search, with some more work: in starts looked at, of which
// 10⁸ take about a second; 0 rules out branching. ask, which may be nil, is what it
// asks. c is nil if it found no argument, for whatever reason. steps is how many
// steps it took with multipliers. It does nothing while another call is at it.
func (r *Refutation) Run(work int, ask Ask) (c *proof.Branching, steps int) {
	if !r.mu.TryLock() {
		return nil, 0
	}
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return nil, 0
	}
	if r.tree == nil {
		r.tree = &tree{prober: prober{ctx: r.ctx, thorough: r.thorough}, fewest: fewestSteps}
	}
	t := r.tree
	before := t.steps
	t.left, t.ask = work, ask
	c = t.run(r.js, r.due)
	steps, size := t.steps-before, t.size
	r.tightness = t.whole
	if t.over {
		r.tree = &tree{prober: prober{over: true}}
	}
	if t.over && c == nil {
		size = 0
	}
	r.size.Store(int64(size))
	return c, steps
}

// Tightness tells how close multipliers of the whole came to refuting it: the part of
// what all capacities cost that the jobs pay, 1 being as much as there is. It is 0
// before the first call of Run, and no more than what the steps came to. Of several
// choices of jobs the least tight one mostly has a plan if any has.
func (r *Refutation) Tightness() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tightness
}

// Size bounds what the search holds to go on from, in multipliers of 48 bytes.
func (r *Refutation) Size() int { return int(r.size.Load()) }

// Forget has the search begin anew, unless a call is at it.
func (r *Refutation) Forget() {
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	r.tree = nil
	r.size.Store(0)
}

// Effort is what may be done by branching.
type Effort struct {
	// Work is after how much of it to give up, in starts looked at: 10⁸ take about
	// a second; 0 rules out branching.
	Work int
	// Thorough shaves tasks in every part, not only where the ends of all stages
	// are settled, and splits their windows where nothing else is left to be split.
	// It refutes what is not refuted otherwise, but it comes much later to where it
	// asks, which is where plans are found.
	Thorough bool
}

// tree is a search under way: the nodes from the root to the one that it is at.
type tree struct {
	prober
	stack         []*node
	stages, tasks []target
	// fewest steps with the whole make it no use to begin; large tells that so few can be
	// taken, or that it does not fit.
	fewest int
	large  bool
}

// run goes on with the search. It is over as soon as it has an argument.
func (t *tree) run(js *model.JobSet, due []model.Time) (c *proof.Branching) {
	if t.domains == nil && !t.over {
		c = t.relax(js, due)
	}
	if c == nil && !t.halted() {
		if t.stack == nil {
			t.stages, t.tasks = t.stageTargets(), t.taskTargets()
			t.push(0)
		}
		c = t.branch()
	}
	t.over = t.over || c != nil
	return c
}

// relax tries multipliers of the whole.
func (t *tree) relax(js *model.JobSet, due []model.Time) *proof.Branching {
	pay := inTime(due)
	if !pay.fit(t.ctx, js) {
		t.over, t.large = true, true
		return nil
	}
	r := newLagrangian(t.ctx, js, pay)
	t.domains = newDomains(r)
	if r.Base > 0 {
		return t.empty()
	}
	steps := r.affordable(DefaultSteps)
	if steps < t.fewest {
		t.over, t.large = true, true
		return nil
	}
	return t.byMultipliers(r.Multipliers, steps, 1)
}

// branch settles node by node until the root is refuted, or it is halted.
func (t *tree) branch() *proof.Branching {
	for {
		n := t.stack[len(t.stack)-1]
		switch {
		case !n.settle() || n.rest == nil && n.holds == nil && t.halted():
			return nil
		case n.rest == nil:
			t.enter(n, n.holds == nil)
		default:
			t.undo(n.mark)
			t.stack = t.stack[:len(t.stack)-1]
			c := n.argument()
			if len(t.stack) == 0 {
				return c
			}
			t.stack[len(t.stack)-1].take(c)
		}
	}
}

// enter takes one side of a node's split: multipliers refute it, or it becomes a
// node of its own.
func (t *tree) enter(n *node, holds bool) {
	mark := t.mark()
	c := t.empty()
	if t.narrow(&n.split, holds) {
		c = t.byMultipliers(n.start, manySteps, warmFactor)
	}
	if c == nil {
		t.push(mark)
		return
	}
	t.undo(mark)
	n.take(c)
}

// push makes a node of what the domains leave, from the multipliers as they are.
func (t *tree) push(mark int) {
	n := &node{tree: t, mark: mark}
	n.basis = basis{prober: &t.prober, start: slices.Clone(t.Multipliers)}
	t.stack = append(t.stack, n)
}

// node is a part of the plans that is to be refuted.
type node struct {
	shaving
	tree *tree
	// mark is the trail's before the node was entered.
	mark int
	// step is how far it has been settled.
	step int
	// split is what to branch on, if there is some, and open tells to do so.
	split      proof.Split
	some, open bool
	// holds is the argument against the side where the split holds, once there is one.
	holds *proof.Branching
}

// The steps in which a node is settled; each reports whether it has finished.
var (
	briefSteps    = []func(*node) bool{(*node).shaveStages, (*node).splitStage, (*node).shaveTasks, (*node).askRest}
	thoroughSteps = []func(*node) bool{(*node).shaveStages, (*node).shaveTasks, (*node).splitStage, (*node).splitTask, (*node).askRest}
)

// settle goes on until the node is refuted or to be split, and reports whether that
// is so.
func (n *node) settle() bool {
	steps := briefSteps
	if n.thorough {
		steps = thoroughSteps
	}
	for n.rest == nil && !n.open {
		if !steps[n.step](n) {
			return false
		}
		n.step++
	}
	return true
}

func (n *node) shaveStages() bool { return n.pass(n.tree.stages, stageEfforts) }

func (n *node) shaveTasks() bool {
	if n.thorough {
		return n.pass(n.tree.tasks, thoroughEfforts)
	}
	return n.pass(n.tree.tasks, taskEfforts)
}

func (n *node) splitStage() bool {
	n.split, n.open = n.choose(n.tree.stages)
	return true
}

func (n *node) splitTask() bool {
	n.split, n.some = n.choose(n.tree.tasks)
	return true
}

// askRest asks about what is left, and then branches, or stops where there is
// nothing to branch on: it may be known when there is more time for it.
func (n *node) askRest() bool {
	refuted := false
	if n.ask != nil {
		if n.halted() {
			return false
		}
		var planned bool
		refuted, planned = n.ask(n.restrictions(), !n.some)
		n.over = n.over || planned
	}
	switch n.open = n.some; {
	case refuted:
		n.rest = &proof.Branching{Searched: true}
	case !n.open:
		n.left = 0
	}
	return n.rest != nil || n.open
}

// take keeps the argument against a side of the split, where it holds first.
func (n *node) take(c *proof.Branching) {
	if n.holds == nil {
		n.holds = c
		return
	}
	n.rest = &proof.Branching{Split: n.split, Holds: n.holds, Fails: c}
}

// argument is that against the node as it was entered.
func (n *node) argument() *proof.Branching { return around(n.rest, n.fixings) }

// around puts fixings around an argument about what they leave, if there is one.
func around(rest *proof.Branching, fixings []fixing) *proof.Branching {
	for k := len(fixings) - 1; k >= 0 && rest != nil; k-- {
		f := &fixings[k]
		c := &proof.Branching{Split: f.split, Holds: f.refuted, Fails: rest}
		if f.holds {
			c.Holds, c.Fails = rest, f.refuted
		}
		rest = c
	}
	return rest
}
