// Package ends proves that the weighted tardiness cannot go below a value, by branching
// on when jobs end.
//
// Multipliers alone let a job end partly early and partly late, with all of its work at
// either time, and that comes to little lateness; given due times they refute much. So
// they are tried on boxes of ends, as on due times. What jobs pay at multipliers is a
// table by due times, which holds for all boxes (a cut): it refutes others too, or tells
// that a job ends after some time. Then less lateness is left to the others, and they are
// due earlier. Where nothing is left to be split it is asked about, and branched in as
// due times are.
package ends

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lagrange"
	"downbeat/solve/lagrange/success"
)

// Search looks for arguments that no plan that meets the hard deadlines has a weighted
// tardiness of some value or less. What is learnt about one value is kept for others. It
// is not for concurrent use.
type Search struct {
	ctx context.Context
	js  *model.JobSet
	// most is the greatest value that it is made for; possible tells that no job is
	// later than that by itself.
	most     int64
	possible bool
	dues     *lagrange.DueTimes // nil if there is nothing or too much to try
	jobs     []job
	// nothing is the argument against a box in which a job has no end left.
	nothing *proof.Branching
	cuts    []*costTable
	// size is that of the cuts, in multipliers.
	size int
	// tried are the boxes, by their last ends, that multipliers did not refute.
	tried map[string]bool
	// rates tell by parts which boxes multipliers are worth being tried on: where few of them
	// are refuted a split is cheaper.
	rates [len(parts) + 1]success.Rate
	// leaves are the boxes in which nothing is left to be split.
	leaves []*leaf
	// value is what is to be refuted, left the work that may still be done, share that for
	// a leaf; planned tells that there is a plan with the value.
	value       int64
	left, share int
	ask         lagrange.Ask
	planned     bool
	steps       int // of leaves
}

// parts of what a cut leaves of the box of all: of what it leaves of another one.
var parts = [...]float64{0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5}

// job is one that is due: weight is what a tick of lateness counts, 0 for hard jobs.
type job struct {
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
	search *lagrange.Refutation
	// refuted is the argument, once there is one.
	refuted *proof.Branching
}

// New prepares searches for values up to most ≥ 0. They are over when ctx is done.
func New(ctx context.Context, js *model.JobSet, most int64) *Search {
	e := &Search{ctx: ctx, js: js, most: most, tried: map[string]bool{}}
	for k := range e.rates {
		e.rates[k] = success.Hopeful()
	}
	latest := lagrange.Latest(js, most)
	e.dues, e.possible = lagrange.NewDueTimes(ctx, js, latest)
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
	for j, id := range e.dues.Jobs {
		at := job{deadline: js.Jobs[id].Due(), first: e.dues.First(j)}
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
func (e *Search) Run(value int64, work int, ask lagrange.Ask) (c *proof.Branching, steps int) {
	switch {
	case value > e.most:
		return nil, 0
	case !e.possible:
		return e.nothing, 0
	case e.dues == nil:
		return nil, 0
	}
	before, done := e.steps+e.dues.Steps(), e.dues.Work()
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
	return c, e.steps + e.dues.Steps() - before
}

// leafPart is the part of the work that may be done for a leaf at a time.
const leafPart = 8

// work is how much may still be done.
func (e *Search) work() int { return e.left - e.dues.Work() }

// halted reports whether to stop here: for now, for good, or since there is a plan.
func (e *Search) halted() bool {
	return e.planned || e.work() <= 0 || e.size > mostMultipliers || e.ctx.Err() != nil
}

// refute looks for an argument against a box, which it narrows.
func (e *Search) refute(b box) *proof.Branching {
	n := node{Search: e, box: b}
	n.tighten()
	if n.rest == nil && !e.halted() {
		n.rest = e.byTrying(n.last, n.widest() < 0)
	}
	if n.rest == nil && !e.halted() {
		n.settle()
	}
	return n.argument()
}

// node is a box with what was learnt about it.
type node struct {
	*Search
	box
	fixings []fixing
	rest    *proof.Branching
}

// fixing tells that a split does not hold, and why.
type fixing struct {
	split   proof.Split
	refuted *proof.Branching
}

// argument is that against the box as it was, nil if there is none.
func (n *node) argument() *proof.Branching {
	rest := n.rest
	for k := len(n.fixings) - 1; k >= 0 && rest != nil; k-- {
		rest = &proof.Branching{Split: n.fixings[k].split, Holds: n.fixings[k].refuted, Fails: rest}
	}
	return rest
}

// tighten narrows the box by what lateness is left to each job and by what is known
// from multipliers, until nothing more follows or the box is refuted.
func (n *node) tighten() {
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
func (n *node) raise(j int, from model.Time, refuted *proof.Branching) {
	n.fixings = append(n.fixings, fixing{n.dues.EndsBy(j, from-1), refuted})
	n.from[j] = from
}

// shareLateness has each job end by when the least lateness of the others lets it.
func (n *node) shareLateness() {
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
func (n *node) byCuts() (changed bool) {
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
func (e *Search) byTrying(last []model.Time, anyhow bool) (refuted *proof.Branching) {
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
		rate := &e.rates[sort.SearchFloat64s(parts[:], part)]
		if !anyhow && !rate.Worth() {
			return nil
		}
		near = c.multipliers
		defer func() { rate.Note(refuted != nil) }()
	}
	multipliers := e.dues.Refute(last, near)
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
func (e *Search) nearest(last []model.Time) (nearest *costTable, part float64) {
	for _, c := range e.cuts {
		if p := float64(c.slack(last)) / float64(max(1, c.most)); nearest == nil || p < part {
			nearest, part = c, p
		}
	}
	return nearest, part
}

// settle splits the box, or refutes it as due times where there is nothing to split.
func (n *node) settle() {
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
		n.rest = &proof.Branching{Split: n.dues.EndsBy(j, at), Holds: holds, Fails: fails}
	}
}

// widest is the job whose lateness may vary most, -1 if none may.
func (n *node) widest() int {
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
func (e *Search) byLeaf(due []model.Time) *proof.Branching {
	l := e.leafOf(due)
	if l.search == nil {
		l.search = lagrange.NewRefutation(e.ctx, e.js, e.byID(due), true)
		if e.branch(l, briefly*(1+e.dues.Size()), nil); l.refuted != nil {
			return l.refuted
		}
		refuted, planned := e.ask(e.dues.Restrictions(due), false)
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
func (e *Search) branch(l *leaf, work int, ask lagrange.Ask) {
	var steps int
	l.refuted, steps = l.search.Run(min(work, e.work()), ask)
	e.steps += steps
	e.left -= steps * (1 + e.dues.Size())
	e.trim()
}

// leafOf is the leaf of due times, a new one if there is none.
func (e *Search) leafOf(due []model.Time) *leaf {
	for _, l := range e.leaves {
		if slices.Equal(l.due, due) {
			return l
		}
	}
	e.leaves = append(e.leaves, &leaf{due: slices.Clone(due)})
	return e.leaves[len(e.leaves)-1]
}

// byID are due times by JobID.
func (e *Search) byID(due []model.Time) []model.Time {
	out := slices.Repeat([]model.Time{model.Never}, len(e.js.Jobs))
	for j, id := range e.dues.Jobs {
		out[id] = due[j]
	}
	return out
}

// trim has the leaf that holds most begin anew if all together hold too much.
func (e *Search) trim() {
	total := 0
	var largest *lagrange.Refutation
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
