package lagrange

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Ends looks for arguments that no plan that meets the hard deadlines has a weighted
// tardiness of some value or less, by branching on when jobs end. What is learnt about one value is kept for others.
// Several workers may be at it.
type Ends struct {
	// Begun, if set, is told when a run is under way that others can help with.
	Begun func()

	ctx context.Context
	// in is how the set is looked at: all ends are in its ticks, what the lateness comes to is in those of the set.
	in *coarse
	// most is the greatest value that it is made for; possible tells that no job is
	// later than that by itself.
	most     int64
	possible bool
	// lanes tells that tasks of first stages run in lanes, but in leaves, where that refutes hardly more.
	lanes bool
	// latest is by when jobs end, by JobID, in ticks of the set.
	latest []model.Time
	jobs   []endsJob
	// nothing is the argument against a box in which a job has no end left.
	nothing *proof.Branching

	// value is what the run is to refute, share the work that may be done for a leaf at a time,
	// left that which may still be done; planned tells that there is a plan with the value.
	value   int64
	paid    *lateness
	share   int
	alive   context.Context
	left    atomic.Int64
	planned atomic.Bool

	// mu guards what is below; changed tells that there is more to take, or that a part has come to an end.
	mu      sync.Mutex
	changed sync.Cond
	cuts    []*cut
	// size is that of the cuts, and of what helpers try boxes with, in multipliers.
	size int
	// tried are the boxes, by their last ends, that multipliers did not refute.
	tried map[string]bool
	// rates tell by parts which boxes multipliers are worth being tried on: where few of them
	// are refuted a split is cheaper; againRates are of those tried before, for other values.
	rates, payRates, againRates [len(cutParts) + 1]successRate
	// tree is what is kept of the box of all, kept the size of what all are cut by there that is not among the cuts.
	tree keptBox
	kept int
	// leaves are the boxes in which nothing is left to be split.
	leaves []*leaf
	// leader is the worker of Run, nil if there is nothing or too much to try; spare are those of
	// Help that nobody is at the moment.
	leader *endsWorker
	spare  []*endsWorker
	// led tells that a call of Run is at it, helpers counts the others that are, ended tells them to
	// leave.
	led, ended bool
	helpers    int
	// open are parts that nobody has taken, in the order in which they came up: those at the root come first.
	open []*endsPart
}

// endsWorker is one of those at a search.
type endsWorker struct {
	*Ends
	dues *dueTimes
	// known are the cuts in an order of the worker's own, charged the work of dues that has been
	// taken off what is left.
	known   []*cut
	charged int
	ask     Ask
	steps   int     // of leaves
	helped  leafRun // the last one that it had part in
}

// endsPart is one side of a split, that any worker may take.
type endsPart struct {
	box
	of      *keptBox
	from    *endsNode
	done    bool
	refuted *proof.Branching
}

// cutParts are parts of what a cut leaves of the box of all: of what it leaves of another one.
var cutParts = [...]float64{0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5}

// endsJob is one that is due: weight is what a tick of lateness counts, 0 for hard jobs.
type endsJob struct {
	weight int64
	// due is its deadline, and deadline that in ticks as the set is looked at.
	due, deadline model.Time
	// first is when it ends at the earliest by itself.
	first model.Time
}

// box is when jobs end: none before from, which is no less than its deadline where it
// may be in time, and none after last.
type box struct{ from, last []model.Time }

func (b box) clone() box { return box{slices.Clone(b.from), slices.Clone(b.last)} }

// leaf is a box that is refuted, or to be refuted, as due times.
type leaf struct {
	due    []model.Time
	search *Refutation
	// refuted is the argument, once there is one, which holds up to the times of until; taken tells that a worker is at it, runs counts how
	// often one has been.
	refuted *proof.Branching
	until   []model.Time
	taken   bool
	runs    int
	// value is the greatest for which what is refuted is so, as questions are about values, too: within coarse ticks ends may come to more than one or to less.
	value int64
}

// leafRun is a worker's run at a leaf.
type leafRun struct {
	*leaf
	number int
}

// NewEnds prepares searches for values up to most ≥ 0. They are over when ctx is done. lanes tells that the tasks of
// a job's first stage run in lanes (see [proof.DualBound.Base]), where ticks are not fine.
func NewEnds(ctx context.Context, js *model.JobSet, most int64, lanes bool) *Ends {
	return newEndsIn(ctx, coarsened(js, latestEnds(js, most)), most, lanes)
}

// newEndsIn is NewEnds with the set looked at in some way.
func newEndsIn(ctx context.Context, in *coarse, most int64, lanes bool) *Ends {
	js, latest := in.of, latestEnds(in.of, most)
	e := &Ends{ctx: ctx, in: in, most: most, lanes: lanes, latest: latest, paid: newLateness(in, most), tried: map[string]bool{}}
	e.changed.L = &e.mu
	for k := range e.rates {
		e.rates[k], e.payRates[k], e.againRates[k] = hopefulRate(), hopefulRate(), hopefulRate()
	}
	dues, possible := newDueTimes(ctx, in, e.latest, lanes)
	e.possible = possible
	penalty := make([]int64, len(e.latest))
	for i, at := range e.latest {
		if at < model.Never {
			penalty[i] = 1
		}
	}
	e.nothing = &proof.Branching{Bound: &proof.DualBound{Penalty: penalty}}
	if dues == nil {
		return e
	}
	e.leader = &endsWorker{Ends: e, dues: dues}
	for j, id := range dues.jobs {
		at := endsJob{due: js.Jobs[id].Due(), deadline: js.Jobs[id].Due() / in.step, first: dues.first(j)}
		if js.Jobs[id].Kind == model.Soft {
			at.weight = js.Jobs[id].Weight
		}
		e.jobs = append(e.jobs, at)
	}
	return e
}

// Coarse reports whether arguments are made in ticks coarser than those of the set.
func (e *Ends) Coarse() bool { return e.in.step > 1 }

// Run goes on with the search for an argument against a value ≥ 0, until ctx is done, with some more
// work: in starts looked at, of which 10⁸ take about a second. ask, which may be nil, is
// what it asks about what multipliers do not refute. c is nil if it found no argument,
// for whatever reason; steps is how many steps it took with multipliers, without those of helpers. While
// another call is at it, whatever the value, it does nothing.
func (e *Ends) Run(ctx context.Context, value int64, work int, ask Ask) (c *proof.Branching, steps int) {
	switch {
	case value > e.most:
		return nil, 0
	case !e.possible:
		e.left.Store(int64(work))
		return e.in.branching(e.nothing), 0
	}
	if !e.lead(ctx, value, work) {
		return nil, 0
	}
	if e.Begun != nil {
		e.Begun()
	}
	w := e.leader
	steps = w.have(ask, func() { c = w.refute(e.whole(), &e.tree, nil) })
	e.finish()
	return e.in.branching(c), steps
}

// Left is what the last call of Run, which has ended, has left of its work.
func (e *Ends) Left() int { return max(0, int(e.left.Load())) }

// Help takes parts of the search off the call of Run that is at it, until that ends. It says how many steps
// it took with multipliers. What it has to ask it asks itself.
func (e *Ends) Help(ask Ask) (steps int) {
	w := e.join()
	if w == nil {
		return 0
	}
	if w.dues == nil {
		w.dues, _ = newDueTimes(e.ctx, e.in, e.latest, e.lanes)
	}
	if w.dues != nil {
		steps = w.have(ask, func() { w.helpUntil(&e.ended) })
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spare = append(e.spare, w)
	e.helpers--
	e.changed.Broadcast()
	return steps
}

// lead begins a run, unless another is under way or there is nothing to try with.
func (e *Ends) lead(ctx context.Context, value int64, work int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.led || e.leader == nil {
		return false
	}
	e.led, e.ended = true, false
	e.alive, e.value, e.share = ctx, value, work/leafPart
	e.paid.allowed = scaled(value, e.paid.shift)
	e.left.Store(int64(work))
	e.planned.Store(false)
	return true
}

// finish ends a run once all helpers have left.
func (e *Ends) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	e.changed.Broadcast()
	for e.helpers > 0 {
		e.changed.Wait()
	}
	e.led = false
}

// join is a worker that helps with the run, nil if there is none or no room for one more.
func (e *Ends) join() *endsWorker {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.led || e.ended {
		return nil
	}
	w := &endsWorker{Ends: e}
	if last := len(e.spare) - 1; last >= 0 {
		w, e.spare = e.spare[last], e.spare[:last]
	} else if held := int(e.leader.dues.p.held()); e.size+held < mostMultipliers/2 {
		e.size += held
	} else {
		return nil
	}
	e.helpers++
	return w
}

// have has a worker do something, and says how many steps with multipliers it took.
func (w *endsWorker) have(ask Ask, do func()) (steps int) {
	before := w.steps + w.dues.steps()
	w.charged = w.dues.work()
	ask = w.in.ask(ask)
	w.ask = func(restrict []query.Restriction, last bool) (refuted, planned bool) {
		if ask == nil {
			return false, false
		}
		refuted, planned = ask(restrict, last)
		if planned {
			w.planned.Store(true)
		}
		return refuted, planned
	}
	do()
	w.charge()
	w.ask = nil
	return w.steps + w.dues.steps() - before
}

// leafPart is the part of the work that may be done for a leaf at a time.
const leafPart = 8

// charge takes the work done with dues off what is left.
func (w *endsWorker) charge() {
	done := w.dues.work()
	w.left.Add(int64(w.charged - done))
	w.charged = done
}

// work is how much may still be done.
func (w *endsWorker) work() int {
	w.charge()
	return int(w.left.Load())
}

// halted reports whether to stop here: for now, for good, or since there is a plan.
func (w *endsWorker) halted() bool {
	return w.planned.Load() || w.work() <= 0 || w.full() || w.ctx.Err() != nil || w.alive.Err() != nil
}

// full reports whether what is kept is as much as may be.
func (e *Ends) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size > mostMultipliers
}

// whole is the box of all that the value leaves.
func (e *Ends) whole() box {
	whole := box{make([]model.Time, len(e.jobs)), make([]model.Time, len(e.jobs))}
	for j, at := range e.jobs {
		whole.from[j], whole.last[j] = at.deadline, at.deadline
		if at.weight > 0 {
			whole.last[j] = (at.due + model.Time(e.value/at.weight)) / e.in.step
		}
	}
	return whole
}

// late is how late a job is at least that ends at a time.
func (e *Ends) late(j int, end model.Time) model.Time {
	return max(0, end*e.in.step-e.jobs[j].due)
}

// helpUntil takes parts, or has part in what is done at leaves, until something is so.
func (w *endsWorker) helpUntil(so *bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !*so {
		switch p, l := w.next(); {
		case p != nil:
			w.mu.Unlock()
			refuted := w.refute(p.box, p.of, p.from)
			w.mu.Lock()
			p.done, p.refuted = true, refuted
			w.changed.Broadcast()
		case l != nil:
			w.helped = leafRun{l, l.runs}
			w.mu.Unlock()
			w.pay(l.search.help(w.ask))
			w.mu.Lock()
		default:
			w.changed.Wait()
		}
	}
}

// next is a part that nobody has taken, or else a leaf that another worker is at; w.mu is held.
func (w *endsWorker) next() (*endsPart, *leaf) {
	if len(w.open) > 0 {
		p := w.open[0]
		w.open = w.open[1:]
		return p, nil
	}
	for _, l := range w.leaves {
		if l.taken && w.helped != (leafRun{l, l.runs}) {
			return nil, l
		}
	}
	return nil, nil
}

// offer has others take a box.
func (w *endsWorker) offer(b box, of *keptBox, from *endsNode) *endsPart {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &endsPart{box: b, of: of, from: from}
	w.open = append(w.open, p)
	w.changed.Broadcast()
	return p
}

// claim is the argument against a box that was offered, if there is one. If nobody has taken it the worker
// does, else it has part in other work until there is an answer.
func (w *endsWorker) claim(p *endsPart) *proof.Branching {
	w.mu.Lock()
	k := slices.Index(w.open, p)
	if k >= 0 {
		w.open = slices.Delete(w.open, k, k+1)
	}
	w.mu.Unlock()
	if k >= 0 {
		return w.refute(p.box, p.of, p.from)
	}
	w.helpUntil(&p.done)
	return p.refuted
}

// refute looks for an argument against a box, which it narrows; of is what is kept of it.
func (w *endsWorker) refute(b box, of *keptBox, parent *endsNode) *proof.Branching {
	if of.refutes(w.value, b) {
		return of.refuted
	}
	entered := b.clone()
	n := endsNode{endsWorker: w, box: b, of: of}
	if parent != nil {
		n.start, n.missing, n.ends = parent.start, parent.missing, parent.ends
	}
	n.tighten()
	if n.rest == nil && of.cut != nil {
		n.recall()
	}
	if n.rest == nil && n.widest() >= 0 && !w.halted() {
		n.byPaying()
	}
	if n.rest == nil && !w.halted() {
		n.rest = w.byTrying(n.box, n.widest() < 0)
	}
	if n.rest == nil && !w.halted() {
		n.settle()
	}
	c := n.argument()
	if c != nil {
		of.box, of.value, of.refuted = entered, w.value, c
	}
	return c
}

// endsNode is a box with what was learnt about it.
type endsNode struct {
	*endsWorker
	box
	fixings []fixing
	rest    *proof.Branching
	// start are multipliers at which jobs pay for lateness, of the box it was split off at first; ends is when jobs end at such multipliers.
	start   []int64
	missing float64
	ends    []meanEnd
	of      *keptBox
}

// argument is that against the box as it was, nil if there is none.
func (n *endsNode) argument() *proof.Branching { return around(n.rest, n.fixings) }

// tighten narrows the box by what lateness is left to each job and by what is known
// from multipliers, until nothing more follows or the box is refuted.
func (n *endsNode) tighten() {
	for j := range n.jobs {
		if at := &n.jobs[j]; at.first > n.from[j] {
			n.raise(j, at.first, n.nothing)
		}
	}
	for changed := true; changed && n.rest == nil; {
		n.shareLateness()
		changed = n.rest == nil && (n.byLeaves() || n.byCuts())
	}
}

// raise notes that a job ends no earlier than at a time.
func (n *endsNode) raise(j int, from model.Time, refuted *proof.Branching) {
	n.fixings = append(n.fixings, fixing{split: n.dues.endsBy(j, from-1), refuted: refuted})
	n.from[j] = from
}

// lower notes that a job ends by a time.
func (n *endsNode) lower(j int, last model.Time, refuted *proof.Branching) {
	n.fixings = append(n.fixings, fixing{split: n.dues.endsBy(j, last), holds: true, refuted: refuted})
	n.last[j] = last
}

// shareLateness has each job end by when the least lateness of the others lets it.
func (n *endsNode) shareLateness() {
	left := n.value
	for j, at := range n.jobs {
		left -= at.weight * int64(n.late(j, n.from[j]))
	}
	for j, at := range n.jobs {
		if at.weight > 0 && left >= 0 {
			n.last[j] = min(n.last[j], (at.due+n.late(j, n.from[j])+model.Time(left/at.weight))/n.in.step)
		}
		if left < 0 || n.last[j] < n.from[j] {
			n.rest = n.nothing
			return
		}
	}
}

// byCuts narrows the box by each cut, and reports whether that changed anything.
func (n *endsNode) byCuts() (changed bool) {
	n.learn()
	n.left.Add(-int64(len(n.known) * len(n.jobs)))
	for k, c := range n.known {
		if n.byCut(c) {
			changed = true
		}
		if n.rest != nil {
			if k > 0 { // those that refute most come first in time
				n.known[k-1], n.known[k] = n.known[k], n.known[k-1]
			}
			break
		}
	}
	return changed
}

// byCut narrows the box by a cut, and reports whether that changed anything.
func (n *endsNode) byCut(c *cut) (changed bool) {
	slack := c.slack(n.box, n.paid.allowed)
	if slack < 0 {
		n.rest = c.argument
		return true
	}
	for j := range n.last {
		if n.from[j] == n.last[j] {
			continue
		}
		of := &c.jobs[j]
		from, last := of.within(slack+of.leastWithin(n.from[j], n.last[j]), n.from[j], n.last[j])
		if from > n.from[j] {
			n.raise(j, from, c.argument)
			changed = true
		}
		if last < n.last[j] {
			n.lower(j, last, c.argument)
			changed = true
		}
	}
	return changed
}

// byLeaves narrows the box by leaves that are refuted: where all jobs but one end as early as there, that one ends
// later. It reports whether that changed anything.
func (n *endsNode) byLeaves() (changed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.left.Add(-int64(len(n.leaves) * len(n.jobs)))
	for _, l := range n.leaves {
		if l.refuted == nil || n.value > l.value {
			continue
		}
		later, j := laterThan(n.last, l.until)
		switch {
		case later == 0:
			n.rest = l.refuted
			return true
		case later == 1 && n.from[j] <= l.until[j]:
			n.raise(j, l.until[j]+1, l.refuted)
			changed = true
		}
	}
	return changed
}

// laterThan counts the times that are after their limits, up to two, and gives the last one of these.
func laterThan(times, limits []model.Time) (later, at int) {
	for j, t := range times {
		if t > limits[j] {
			if later, at = later+1, j; later == 2 {
				break
			}
		}
	}
	return later, at
}

// learn has the worker know the cuts that others have found.
func (w *endsWorker) learn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = append(w.known, w.cuts[len(w.known):]...)
}

// byTrying refutes a box by its last ends: as one that others include, or with new
// multipliers, if these are worth a try, or it is to be tried anyhow.
func (w *endsWorker) byTrying(b box, anyhow bool) *proof.Branching {
	last := b.last
	key := keyOf(last)
	refuted, tried := w.tellOf(last, key)
	if refuted != nil || tried {
		return refuted
	}
	var near []int64
	var rate *successRate
	if c, part := w.nearest(b); c == nil && !anyhow {
		return nil
	} else if c != nil {
		rate = &w.rates[sort.SearchFloat64s(cutParts[:], part)]
		if !anyhow && !w.worth(rate, leastRate) {
			return nil
		}
		near = c.multipliers
	}
	var c *cut
	if multipliers, base := w.dues.refute(last, near); multipliers != nil {
		c = newCut(w.dues, multipliers, base, w.jobs, nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if rate != nil {
		rate.note(c != nil)
	}
	if c == nil {
		w.tried[key] = true
		return nil
	}
	w.keep(c)
	return c.argument
}

// keep has all know of a cut; e.mu is held.
func (e *Ends) keep(c *cut) {
	e.cuts = append(e.cuts, c)
	e.size += c.size()
}

// byPaying refutes the box by multipliers at which jobs pay for lateness, or narrows it by them, if they are worth a try.
func (n *endsNode) byPaying() {
	var rate *successRate
	if n.start != nil {
		if n.of.open && n.value >= n.of.failed {
			return
		}
		rates := &n.payRates
		if n.of.cut != nil {
			rates = &n.againRates
		}
		rate = &rates[sort.SearchFloat64s(cutParts[:], n.missing)]
		if !n.worth(rate, leastPaying) {
			return
		}
	}
	multipliers, base, value, ends := n.dues.ascendLateness(n.box, n.paid, n.start)
	n.start, n.ends, n.missing = multipliers, ends, 1-float64(value)/float64(max(1, n.paid.allowed))
	refuted := value > n.paid.allowed
	c := newCut(n.dues, multipliers, base, n.jobs, n.paid)
	n.mu.Lock()
	if rate != nil {
		rate.note(refuted)
	}
	if refuted {
		n.keep(c)
	} else {
		n.kept += c.size()
	}
	if n.kept < mostMultipliers/2 {
		n.of.cut, n.of.ends, n.of.open, n.of.failed = c, ends, !refuted, n.value
	}
	n.mu.Unlock()
	if refuted {
		n.rest = c.argument
	} else if n.byCut(c) && n.rest == nil {
		n.tighten()
	}
}

// leastPaying is the success rate from which multipliers at which jobs pay for lateness are worth a try: they tell where to split, too.
const leastPaying = 0.1

// tellOf is an argument against a box that includes one with these last ends, if there is one; tried
// tells that multipliers were tried on that before.
func (e *Ends) tellOf(last []model.Time, key string) (refuted *proof.Branching, tried bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.leaves {
		if l.refuted != nil && e.value <= l.value && within(last, l.until) {
			return l.refuted, false
		}
	}
	return nil, e.tried[key]
}

// worth tells whether to try multipliers where they have such a rate, if that is no less than least.
func (e *Ends) worth(rate *successRate, least float64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return rate.atLeast(least)
}

// within reports that no time is after its limit.
func within(times, limits []model.Time) bool {
	for j, t := range times {
		if t > limits[j] {
			return false
		}
	}
	return true
}

func keyOf(times []model.Time) string {
	var key []byte
	for _, t := range times {
		key = binary.AppendVarint(key, int64(t))
	}
	return string(key)
}

// nearest is the cut that comes closest to refuting a box, nil if there are none, and the
// part of what it leaves of the box of all that it leaves of this one.
func (w *endsWorker) nearest(b box) (nearest *cut, part float64) {
	for _, c := range w.known {
		if c.multipliers == nil {
			continue
		}
		if p := float64(c.slack(b, 0)) / float64(max(1, c.most)); nearest == nil || p < part {
			nearest, part = c, p
		}
	}
	return nearest, part
}

// settle splits the box, or refutes it as due times where there is nothing to split.
func (n *endsNode) settle() {
	if n.widest() < 0 {
		n.rest = n.byLeaf(n.last)
		return
	}
	of := n.of
	if of.sides == nil {
		of.job, of.at = n.split()
		of.sides = &[2]keptBox{}
	}
	j, at := of.job, of.at
	switch { // what is left of a narrower box may be on one side
	case n.last[j] <= at:
		n.rest = n.refute(n.box, &of.sides[0], n)
		return
	case n.from[j] > at:
		n.rest = n.refute(n.box, &of.sides[1], n)
		return
	}
	early, late := n.box.clone(), n.box.clone()
	early.last[j], late.from[j] = at, at+1
	other := n.offer(late, &of.sides[1], n)
	holds, fails := n.refute(early, &of.sides[0], n), n.claim(other)
	if holds != nil && fails != nil {
		n.rest = &proof.Branching{Split: n.dues.endsBy(j, at), Holds: holds, Fails: fails}
	}
}

// split is the job, and the time, to split the box at: where what it is late varies most at multipliers at which jobs pay for
// that, in the mean. It is the middle of the widest one where there are no such multipliers.
func (n *endsNode) split() (j int, at model.Time) {
	j = n.widest()
	if n.ends == nil {
		return j, n.from[j] + (n.last[j]-n.from[j])/2
	}
	most := int64(-1)
	for i, job := range n.jobs {
		mean, spread := n.ends[i].at, n.ends[i].spread
		if spread *= job.weight; n.from[i] < n.last[i] && spread > most {
			j, most, at = i, spread, min(max(mean, n.from[i]), n.last[i]-1)
		}
	}
	if most == 0 { // all are settled but for what multipliers cannot tell
		j = n.widest()
		at = min(max(at, n.from[j]), n.last[j]-1)
	}
	return j, at
}

// widest is the job whose lateness may vary most, -1 if none may.
func (n *endsNode) widest() int {
	widest, most := -1, int64(0)
	for j, at := range n.jobs {
		if width := at.weight * int64(n.last[j]-n.from[j]); width > most {
			widest, most = j, width
		}
	}
	return widest
}

// byLeaf refutes due times, or finds a plan that keeps to them. All ends are settled, so
// that what the value leaves to them is no less than they take: an answer holds whatever
// the value, but of coarse ticks, for no greater ones. Most leaves are refuted by a little branching, few by a question.
func (w *endsWorker) byLeaf(due []model.Time) *proof.Branching {
	l, fresh := w.leafOf(due)
	if fresh {
		if c := w.branch(l, briefly*(1+w.dues.size()), nil); c != nil {
			return c
		}
		refuted, planned := w.ask(w.dues.restrictions(due), false)
		switch {
		case refuted:
			return w.settleLeaf(l, &proof.Branching{Searched: true}, due)
		case planned:
			return nil
		}
	}
	return w.branch(l, w.share, w.ask)
}

// briefly is the branching, in steps, before a question: of 180 leaves of fifty jobs 172 were
// refuted by as much, none by 3,840 conflicts, and of 104 of forty about all.
const briefly = 6_000

// branch goes on with the search of a leaf. What is refuted is so up to due times as late as may be: of neighbouring
// leaves most need no search of their own then.
func (w *endsWorker) branch(l *leaf, work int, ask Ask) *proof.Branching {
	c, steps := l.search.run(min(work, w.work()), ask)
	w.pay(steps)
	if c != nil {
		c, until := w.dues.raised(c, l.due, w.halted)
		return w.settleLeaf(l, c, until)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.taken = false
	w.trim()
	return l.refuted
}

// pay charges steps at a leaf.
func (w *endsWorker) pay(steps int) {
	w.steps += steps
	w.left.Add(-int64(steps * (1 + w.dues.size())))
}

// settleLeaf notes the argument against a leaf, and all up to some times.
func (e *Ends) settleLeaf(l *leaf, refuted *proof.Branching, until []model.Time) *proof.Branching {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.taken, l.refuted, l.until = false, refuted, until; refuted.Proof() != model.LCGProof {
		l.value = math.MaxInt64
	}
	return refuted
}

// leafOf is the leaf of due times, a fresh one if there is none.
func (e *Ends) leafOf(due []model.Time) (l *leaf, fresh bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.leaves {
		if slices.Equal(l.due, due) && e.value <= l.value {
			if l.refuted == nil && e.in.step > 1 {
				l.value = e.value
			}
			return l, false
		}
	}
	l = &leaf{due: slices.Clone(due), value: math.MaxInt64}
	if e.in.step > 1 {
		l.value = e.value
	}
	l.search = newRefutationIn(e.ctx, e.in, e.byID(due), true)
	l.search.Begun = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		l.taken = true
		l.runs++
		e.changed.Broadcast()
	}
	e.leaves = append(e.leaves, l)
	return l, true
}

// byID are due times by JobID, in ticks of the set.
func (e *Ends) byID(due []model.Time) []model.Time {
	out := slices.Repeat([]model.Time{model.Never}, len(e.in.of.Jobs))
	for j, id := range e.leader.dues.jobs {
		out[id] = e.in.last(due[j])
	}
	return out
}

// trim has the leaf that holds most begin anew if all together hold too much; e.mu is held.
func (e *Ends) trim() {
	total := 0
	var largest *Refutation
	for _, l := range e.leaves {
		if l.refuted != nil {
			continue
		}
		if total += l.search.Size(); largest == nil || l.search.Size() > largest.Size() {
			largest = l.search
		}
	}
	if total > mostMultipliers {
		largest.Forget()
	}
}

// mostMultipliers bounds what cuts hold together, and what leaves do, each at about
// 400 MB.
const mostMultipliers = 8_000_000
