package lagrange

import (
	"context"
	"slices"
	"sync/atomic"

	"downbeat/model"
	"downbeat/model/proof"
)

// Refutation is a search for an argument that not all jobs can finish by their due
// times: multipliers, or where those prove nothing, branching with multipliers at
// each leaf. It stops when its work is done and goes on where it was. Several workers
// may be at it.
//
// It shaves first (Carlier and Pinson, 1994; Martin and Shmoys, 1996): if
// multipliers refute that a stage ends as early, or as late, as it might, the windows
// around shrink, and with smaller windows multipliers refute more. When no edge gives
// way any more it branches on a window, depth first; where the ends of all stages are
// settled it shaves where and when tasks run. What is left then it asks about.
type Refutation struct {
	// Begun, if set, is told when a run is under way that others can help with.
	Begun func()
	// Extent is how far the ascent of the whole goes, to be set before the first run.
	Extent Extent

	ctx      context.Context
	thorough bool
	// coarse is how the set is looked at; due are its due times, in ticks of its own.
	coarse *coarse
	due    []model.Time
	// held is the size of what it holds, in multipliers, while no worker is at it.
	held atomic.Int64

	workers
	// led tells that a call of Run is at it, helpers counts the others that are; tightness is
	// as of the last call. mu guards all of it.
	led       bool
	helpers   int
	tightness float64
}

// NewRefutation prepares a search for due (absolute, by JobID; model.Never for
// jobs that play no part). It is over when ctx is done.
func NewRefutation(ctx context.Context, js *model.JobSet, due []model.Time, thorough bool) *Refutation {
	return newRefutationIn(ctx, coarsened(js, due), due, thorough)
}

// newRefutationIn is NewRefutation with the set looked at in some way.
func newRefutationIn(ctx context.Context, in *coarse, due []model.Time, thorough bool) *Refutation {
	r := &Refutation{ctx: ctx, thorough: thorough, coarse: in, due: due}
	r.changed.L = &r.mu
	return r
}

// Run goes on with the search, with some more work: in starts looked at, of which
// 10⁸ take about a second; 0 rules out branching. ask, which may be nil, is what it
// asks. c is nil if it found no argument, for whatever reason. steps is how many
// steps it took with multipliers, without those of helpers. While another call is at it, it helps
// that one.
func (r *Refutation) Run(work int, ask Ask) (c *proof.Branching, steps int) {
	c, steps = r.run(work, r.coarse.ask(ask))
	return r.coarse.branching(c), steps
}

// run is Run with answers and argument in ticks as the set is looked at.
func (r *Refutation) run(work int, ask Ask) (c *proof.Branching, steps int) {
	if !r.lead(work) {
		return nil, r.help(ask)
	}
	if r.Begun != nil {
		r.Begun()
	}
	steps = r.labour(ask)
	return r.finish(), steps
}

// Help takes parts of the search off the call of Run that is at it, until that ends: open
// nodes, or probes. It says how many steps it took with multipliers. What it has to ask it asks
// itself.
func (r *Refutation) Help(ask Ask) (steps int) { return r.help(r.coarse.ask(ask)) }

// help is Help as run is Run.
func (r *Refutation) help(ask Ask) (steps int) {
	r.mu.Lock()
	if !r.led {
		r.mu.Unlock()
		return 0
	}
	r.helpers++
	r.mu.Unlock()
	steps = r.labour(ask)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.helpers--
	r.changed.Broadcast()
	return steps
}

// lead begins a run, unless another is under way.
func (r *Refutation) lead(work int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.led {
		return false
	}
	r.led, r.ended = true, r.over.Load() || r.ctx.Err() != nil
	r.left.Store(int64(work))
	if r.trees == nil {
		r.trees = []*tree{{prober: prober{ctx: r.ctx, workers: &r.workers, thorough: r.thorough}, extent: &r.Extent, fewest: fewestSteps}}
	}
	return true
}

// finish ends the run once nobody is at it any more: what it has come to.
func (r *Refutation) finish() *proof.Branching {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.helpers > 0 {
		r.changed.Wait()
	}
	r.dropSpare()
	c, size := r.argument, r.size.Load()
	r.led, r.tightness, r.argument = false, r.whole, nil
	if r.over.Load() {
		if r.trees = []*tree{}; c == nil {
			size = 0
		}
	}
	r.held.Store(size)
	return c
}

// Tightness tells how close multipliers of the whole came to refuting it: the part of
// what all capacities cost that the jobs pay, 1 being as much as there is. It is 0
// before the first call of Run has ended, and no more than what the steps came to. Of several
// choices of jobs the least tight one mostly has a plan if any has.
func (r *Refutation) Tightness() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tightness
}

// Size bounds what the search holds to go on from, in multipliers of 48 bytes.
func (r *Refutation) Size() int { return int(r.held.Load()) }

// Forget has the search begin anew, unless a call is at it.
func (r *Refutation) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.led {
		return
	}
	r.trees, r.whole = nil, 0
	r.over.Store(false)
	r.size.Store(0)
	r.held.Store(0)
	r.success = successRates{}
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

// tree is a search under way, of the whole or of a part that was taken off another tree: the
// nodes from its root to the one that it is at. One worker at a time is at a tree.
type tree struct {
	prober
	stack         []*node
	stages, tasks []target
	// fewest steps with the whole make it no use to begin; large tells that so few can be
	// taken, or that it does not fit.
	fewest int
	large  bool
	// extent is that of the ascent of the whole.
	extent *Extent
	// part is what it is about, nil for the whole; state is guarded by workers.mu, as the
	// stack is where it changes.
	part  *part
	state treeState
}

// run goes on with the search, and reports whether it waits for a part of it that others are
// at. c is the argument, once there is one.
func (t *tree) run(in *coarse, due []model.Time) (c *proof.Branching, waits bool) {
	switch {
	case t.stack != nil || t.halted() && (t.part != nil || t.over.Load()):
	case t.part != nil:
		c = t.enterPart()
	case t.domains == nil:
		c = t.relax(in, due)
	}
	if c == nil && !t.halted() {
		if t.stack == nil {
			t.target()
			t.push(0)
		}
		c, waits = t.branch()
	}
	return c, waits
}

// target lists what is to be shaved.
func (t *tree) target() { t.stages, t.tasks = t.stageTargets(), t.taskTargets() }

// relax tries multipliers of the whole.
func (t *tree) relax(in *coarse, due []model.Time) *proof.Branching {
	t.extent.Done = 0 // not that of an ascent before it
	pay := inTime(due)
	if !pay.fit(t.ctx, in.of) {
		t.over.Store(true)
		t.large = true
		return nil
	}
	r := newLagrangian(t.ctx, in.js, in.charges(pay))
	r.slack = in.slack()
	t.domains = newDomains(r)
	if r.Base > 0 {
		return t.empty()
	}
	t.extent.takeUp(r, in.step)
	steps := r.affordable(t.extent)
	if steps < t.fewest {
		t.over.Store(true)
		t.large = true
		return nil
	}
	factor, before := 1.0, t.steps
	if t.extent.left != nil {
		factor = warmFactor
	}
	c := t.byMultipliers(r.Multipliers, steps, factor)
	t.extent.Done = (t.steps - before) * (1 + r.size)
	t.extent.leave(r, in.step)
	t.whole = r.Tightness
	return c
}

// branch settles node by node until the root is refuted, it is halted, or it waits for a part
// that others are at.
func (t *tree) branch() (c *proof.Branching, waits bool) {
	for {
		n := t.stack[len(t.stack)-1]
		switch {
		case !n.settle() || n.rest == nil && n.holds == nil && t.halted():
			return nil, false
		case n.rest == nil:
			switch other, refuted := t.begin(n); {
			case other == nil:
				t.enter(n, n.holds == nil)
			case refuted == nil:
				return nil, true
			default:
				n.take(refuted)
			}
		default:
			t.pop()
			c := n.argument()
			if len(t.stack) == 0 {
				return c, false
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
	n := &node{mark: mark}
	n.tree, n.basis = t, basis{prober: &t.prober, start: slices.Clone(t.Multipliers)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stack = append(t.stack, n)
}

// pop takes back the last node.
func (t *tree) pop() {
	last := len(t.stack) - 1
	t.undo(t.stack[last].mark)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stack = t.stack[:last]
}

// node is a part of the plans that is to be refuted.
type node struct {
	shaving
	// mark is the trail's before the node was entered.
	mark int
	// step is how far it has been settled.
	step int
	// split is what to branch on, if there is some, and open tells to do so.
	split      proof.Split
	some, open bool
	// holds is the argument against the side where the split holds, once there is one.
	holds *proof.Branching
	// sides counts those that were begun, guarded by workers.mu; other is the one where the split
	// does not hold, once another worker has taken it.
	sides int
	other *part
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
		n.deep.Store(true)
		var planned bool
		refuted, planned = n.ask(n.restrictions(), !n.some)
		if planned {
			n.over.Store(true)
		}
	}
	switch n.open = n.some; {
	case refuted:
		n.rest = &proof.Branching{Searched: true}
	case !n.open:
		n.left.Store(0)
	}
	return n.rest != nil || n.open
}

// take keeps the argument against a side of the split, where it holds first.
func (n *node) take(c *proof.Branching) {
	n.tree.deep.Store(true)
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
