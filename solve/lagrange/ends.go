package lagrange

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Ends looks for arguments that no plan that meets the hard deadlines has a weighted
// tardiness of some value or less, by branching on when jobs end. What is learnt about one value is kept for others. It
// is not for concurrent use.
type Ends struct {
	ctx context.Context
	js  *model.JobSet
	// most is the greatest value that it is made for; possible tells that no job is
	// later than that by itself.
	most     int64
	possible bool
	dues     *dueTimes // nil if there is nothing or too much to try
	jobs     []endsJob
	// nothing is the argument against a box in which a job has no end left.
	nothing *proof.Branching
	cuts    []*cut
	// size is that of the cuts, in multipliers.
	size int
	// tried are the boxes, by their last ends, that multipliers did not refute.
	tried map[string]bool
	// rates tell by parts which boxes multipliers are worth being tried on: where few of them
	// are refuted a split is cheaper.
	rates [len(cutParts) + 1]successRate
	// leaves are the boxes in which nothing is left to be split.
	leaves []*leaf
	// value is what is to be refuted, left the work that may still be done, share that for
	// a leaf; planned tells that there is a plan with the value.
	value       int64
	left, share int
	ask         Ask
	planned     bool
	steps       int // of leaves
}

// cutParts are parts of what a cut leaves of the box of all: of what it leaves of another one.
var cutParts = [...]float64{0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5}

// endsJob is one that is due: weight is what a tick of lateness counts, 0 for hard jobs.
type endsJob struct {
	weight   int64
	deadline model.Time
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
	// refuted is the argument, once there is one.
	refuted *proof.Branching
}

// NewEnds prepares searches for values up to most ≥ 0. They are over when ctx is done.
func NewEnds(ctx context.Context, js *model.JobSet, most int64) *Ends {
	e := &Ends{ctx: ctx, js: js, most: most, tried: map[string]bool{}}
	for k := range e.rates {
		e.rates[k] = hopefulRate()
	}
	latest := latestEnds(js, most)
	e.dues, e.possible = newDueTimes(ctx, js, latest)
	penalty := make([]int64, len(latest))
	for i, at := range latest {
		if at < model.Never {
			penalty[i] = 1
		}
	}
	e.nothing = &proof.Branching{Bound: &proof.DualBound{Penalty: penalty}}
	if e.dues == nil {
		return e
	}
	for j, id := range e.dues.jobs {
		at := endsJob{deadline: js.Jobs[id].Due(), first: e.dues.first(j)}
		if js.Jobs[id].Kind == model.Soft {
			at.weight = js.Jobs[id].Weight
		}
		e.jobs = append(e.jobs, at)
	}
	return e
}

// Run goes on with the search for an argument against a value ≥ 0, with some more
// work: in starts looked at, of which 10⁸ take about a second. ask, which may be nil, is
// what it asks about what multipliers do not refute. c is nil if it found no argument,
// for whatever reason; steps is how many steps it took with multipliers.
func (e *Ends) Run(value int64, work int, ask Ask) (c *proof.Branching, steps int) {
	switch {
	case value > e.most:
		return nil, 0
	case !e.possible:
		return e.nothing, 0
	case e.dues == nil:
		return nil, 0
	}
	before, done := e.steps+e.dues.steps(), e.dues.work()
	e.value, e.share, e.planned = value, work/leafPart, false
	e.left = work + done
	e.ask = func(restrict []query.Restriction, last bool) (refuted, planned bool) {
		if ask == nil {
			return false, false
		}
		refuted, planned = ask(restrict, last)
		e.planned = e.planned || planned
		return refuted, planned
	}
	whole := box{make([]model.Time, len(e.jobs)), make([]model.Time, len(e.jobs))}
	for j, at := range e.jobs {
		whole.from[j], whole.last[j] = at.deadline, at.deadline
		if at.weight > 0 {
			whole.last[j] += model.Time(value / at.weight)
		}
	}
	c = e.refute(whole)
	return c, e.steps + e.dues.steps() - before
}

// leafPart is the part of the work that may be done for a leaf at a time.
const leafPart = 8

// work is how much may still be done.
func (e *Ends) work() int { return e.left - e.dues.work() }

// halted reports whether to stop here: for now, for good, or since there is a plan.
func (e *Ends) halted() bool {
	return e.planned || e.work() <= 0 || e.size > mostMultipliers || e.ctx.Err() != nil
}

// refute looks for an argument against a box, which it narrows.
func (e *Ends) refute(b box) *proof.Branching {
	n := endsNode{Ends: e, box: b}
	n.tighten()
	if n.rest == nil && !e.halted() {
		n.rest = e.byTrying(n.last, n.widest() < 0)
	}
	if n.rest == nil && !e.halted() {
		n.settle()
	}
	return n.argument()
}

// endsNode is a box with what was learnt about it.
type endsNode struct {
	*Ends
	box
	fixings []fixing
	rest    *proof.Branching
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
		changed = n.rest == nil && n.byCuts()
	}
}

// raise notes that a job ends no earlier than at a time.
func (n *endsNode) raise(j int, from model.Time, refuted *proof.Branching) {
	n.fixings = append(n.fixings, fixing{split: n.dues.endsBy(j, from-1), refuted: refuted})
	n.from[j] = from
}

// shareLateness has each job end by when the least lateness of the others lets it.
func (n *endsNode) shareLateness() {
	left := n.value
	for j, at := range n.jobs {
		left -= at.weight * int64(n.from[j]-at.deadline)
	}
	for j, at := range n.jobs {
		if at.weight > 0 && left >= 0 {
			n.last[j] = min(n.last[j], n.from[j]+model.Time(left/at.weight))
		}
		if left < 0 || n.last[j] < n.from[j] {
			n.rest = n.nothing
			return
		}
	}
}

// byCuts narrows the box by each cut, and reports whether that changed anything.
func (n *endsNode) byCuts() (changed bool) {
	n.left -= len(n.cuts) * len(n.jobs)
	for k, c := range n.cuts {
		slack := c.slack(n.last)
		if slack < 0 {
			if k > 0 { // those that refute most come first in time
				n.cuts[k-1], n.cuts[k] = n.cuts[k], n.cuts[k-1]
			}
			n.rest = c.argument
			return true
		}
		for j := range n.last {
			if n.from[j] == n.last[j] {
				continue
			}
			most := slack + c.jobs[j].at(n.last[j])
			if from := c.jobs[j].firstWithin(most, n.last[j]); from > n.from[j] {
				n.raise(j, from, c.argument)
				changed = true
			}
		}
	}
	return changed
}

// byTrying refutes a box by its last ends: as one that others include, or with new
// multipliers, if these are worth a try, or it is to be tried anyhow.
func (e *Ends) byTrying(last []model.Time, anyhow bool) (refuted *proof.Branching) {
	for _, l := range e.leaves {
		if l.refuted != nil && within(last, l.due) {
			return l.refuted
		}
	}
	key := keyOf(last)
	if e.tried[key] {
		return nil
	}
	var near []int64
	if c, part := e.nearest(last); c != nil {
		rate := &e.rates[sort.SearchFloat64s(cutParts[:], part)]
		if !anyhow && !rate.worth() {
			return nil
		}
		near = c.multipliers
		defer func() { rate.note(refuted != nil) }()
	}
	multipliers := e.dues.refute(last, near)
	if multipliers == nil {
		e.tried[key] = true
		return nil
	}
	c := newCut(e.dues, multipliers, e.jobs)
	e.cuts = append(e.cuts, c)
	e.size += c.size()
	return c.argument
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
func (e *Ends) nearest(last []model.Time) (nearest *cut, part float64) {
	for _, c := range e.cuts {
		if p := float64(c.slack(last)) / float64(max(1, c.most)); nearest == nil || p < part {
			nearest, part = c, p
		}
	}
	return nearest, part
}

// settle splits the box, or refutes it as due times where there is nothing to split.
func (n *endsNode) settle() {
	j := n.widest()
	if j < 0 {
		n.rest = n.byLeaf(n.last)
		return
	}
	at := n.from[j] + (n.last[j]-n.from[j])/2
	early, late := n.box.clone(), n.box.clone()
	early.last[j], late.from[j] = at, at+1
	holds, fails := n.refute(early), n.refute(late)
	if holds != nil && fails != nil {
		n.rest = &proof.Branching{Split: n.dues.endsBy(j, at), Holds: holds, Fails: fails}
	}
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
// the value. Most leaves are refuted by a little branching, few by a question.
func (e *Ends) byLeaf(due []model.Time) *proof.Branching {
	l := e.leafOf(due)
	if l.search == nil {
		l.search = NewRefutation(e.ctx, e.js, e.byID(due), true)
		if e.branch(l, briefly*(1+e.dues.size()), nil); l.refuted != nil {
			return l.refuted
		}
		refuted, planned := e.ask(e.dues.restrictions(due), false)
		if refuted {
			l.refuted = &proof.Branching{Searched: true}
		}
		if refuted || planned {
			return l.refuted
		}
	}
	e.branch(l, e.share, e.ask)
	return l.refuted
}

// briefly is the branching, in steps, before a question: of 180 leaves of fifty jobs 172 were
// refuted by as much, none by 3,840 conflicts, and of 104 of forty about all.
const briefly = 6_000

// branch goes on with the search of a leaf.
func (e *Ends) branch(l *leaf, work int, ask Ask) {
	var steps int
	l.refuted, steps = l.search.Run(min(work, e.work()), ask)
	e.steps += steps
	e.left -= steps * (1 + e.dues.size())
	e.trim()
}

// leafOf is the leaf of due times, a new one if there is none.
func (e *Ends) leafOf(due []model.Time) *leaf {
	for _, l := range e.leaves {
		if slices.Equal(l.due, due) {
			return l
		}
	}
	e.leaves = append(e.leaves, &leaf{due: slices.Clone(due)})
	return e.leaves[len(e.leaves)-1]
}

// byID are due times by JobID.
func (e *Ends) byID(due []model.Time) []model.Time {
	out := slices.Repeat([]model.Time{model.Never}, len(e.js.Jobs))
	for j, id := range e.dues.jobs {
		out[id] = due[j]
	}
	return out
}

// trim has the leaf that holds most begin anew if all together hold too much.
func (e *Ends) trim() {
	total := 0
	var largest *Refutation
	for _, l := range e.leaves {
		if l.refuted != nil || l.search == nil {
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
