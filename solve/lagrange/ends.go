package lagrange

import (
	"context"
	"encoding/binary"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Ends looks for arguments that no plan that meets the hard deadlines has a weighted
// tardiness of some value or less, by branching on when jobs end. Multipliers alone
// let a job end partly early and partly late, with all of its work at either time, and
// that comes to little lateness; given due times they refute much. So they are tried on
// boxes of ends, as on due times. What jobs pay at multipliers is a table by due times,
// which holds for all boxes (a cut): it refutes others too, or tells that a job ends
// after some time. Then less lateness is left to the others, and they are due earlier.
//
// What is learnt about one value is kept for others. It is not for concurrent use.
type Ends struct {
	prober
	// most is the greatest value that it is made for; impossible tells that some job is
	// later than that by itself.
	most       int64
	impossible bool
	jobs       []endingJob
	cuts       []*costTable
	// tried are the boxes, by their last ends, that multipliers did not refute.
	tried map[string]bool
	// leaves are the boxes in which nothing is left to be split.
	leaves []*endLeaf
	// value is what is to be refuted, share the work for a leaf; planned tells that
	// there is a plan with the value.
	value   int64
	share   int
	planned bool
}

// endingJob is a job of the relaxation: weight is what a tick of lateness counts, 0 for
// hard jobs.
type endingJob struct {
	weight   int64
	deadline model.Time
	// end is a task of its last stage, for splits; first is when it ends at the
	// earliest by itself.
	end   model.TaskID
	first model.Time
}

// box is when jobs end: none before from, which is no less than its deadline where it
// may be in time, and none after last.
type box struct{ from, last []model.Time }

func (b box) clone() box { return box{slices.Clone(b.from), slices.Clone(b.last)} }

// endLeaf is a box that is refuted, or to be refuted, as due times.
type endLeaf struct {
	due    []model.Time
	search *Refutation
	// refuted is the argument, once there is one.
	refuted *proof.Branching
}

// NewEnds prepares searches for values up to most ≥ 0. It is over when ctx is done.
func NewEnds(ctx context.Context, js *model.JobSet, most int64) *Ends {
	e := &Ends{prober: prober{ctx: ctx, thorough: true}, most: most, tried: map[string]bool{}}
	js = query.Series(js)
	pay := inTime(latest(js, most))
	if !pay.fit(ctx, js) {
		e.over = true
		return e
	}
	r, impossible := newRelaxation(ctx, js, pay)
	e.domains, e.impossible = newDomains(r), impossible > 0
	e.over = r.affordable(DefaultSteps) < DefaultSteps
	for j := range r.jobs {
		job := &js.Jobs[r.jobs[j].id]
		at := endingJob{deadline: job.Due(), end: job.Stages[len(job.Stages)-1].First}
		at.first, _ = e.completions(at.end)
		if job.Kind == model.Soft {
			at.weight = job.Weight
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
	if e.over || value > e.most {
		return nil, 0
	}
	if e.impossible {
		return e.empty(), 0
	}
	e.value, e.left, e.share, e.planned = value, work, work/leafPart, false
	e.ask = func(restrict []query.Restriction, last bool) (refuted, planned bool) {
		if ask == nil {
			return false, false
		}
		refuted, planned = ask(restrict, last)
		e.planned = e.planned || planned
		return refuted, planned
	}
	before := e.steps
	whole := box{make([]model.Time, len(e.jobs)), make([]model.Time, len(e.jobs))}
	for j, at := range e.jobs {
		whole.from[j], whole.last[j] = at.deadline, at.deadline
		if at.weight > 0 {
			whole.last[j] += model.Time(value / at.weight)
		}
	}
	c = e.refute(whole)
	return c, e.steps - before
}

// leafPart is the part of the work that may be done for a leaf at a time.
const leafPart = 8

// refute looks for an argument against a box, which it narrows.
func (e *Ends) refute(b box) *proof.Branching {
	n := endNode{Ends: e, box: b}
	n.tighten()
	if n.rest == nil && !e.planned && !e.halted() {
		n.rest = e.byTrying(n.last)
	}
	if n.rest == nil && !e.planned && !e.halted() {
		n.settle()
	}
	if n.rest == nil {
		return nil
	}
	return argument(n.fixings, n.rest)
}

// endNode is a box with what was learnt about it.
type endNode struct {
	*Ends
	box
	fixings []fixing
	rest    *proof.Branching
}

// tighten narrows the box by what lateness is left to each job and by what is known
// from multipliers, until nothing more follows or the box is refuted.
func (n *endNode) tighten() {
	for j := range n.jobs {
		if at := &n.jobs[j]; at.first > n.from[j] {
			n.raise(j, at.first, n.empty())
		}
	}
	for changed := true; changed && n.rest == nil; {
		n.shareLateness()
		changed = n.byCuts()
	}
}

// raise notes that a job ends no earlier than at a time.
func (n *endNode) raise(j int, from model.Time, refuted *proof.Branching) {
	split := proof.Split{Kind: proof.StageEndsBy, Task: n.jobs[j].end, At: from - 1}
	n.fixings = append(n.fixings, fixing{split: split, refuted: refuted})
	n.from[j] = from
}

// shareLateness has each job end by when the least lateness of the others lets it.
func (n *endNode) shareLateness() {
	left := n.value
	for j, at := range n.jobs {
		left -= at.weight * int64(n.from[j]-at.deadline)
	}
	for j, at := range n.jobs {
		if at.weight > 0 && left >= 0 {
			n.last[j] = min(n.last[j], n.from[j]+model.Time(left/at.weight))
		}
		if left < 0 || n.last[j] < n.from[j] {
			n.rest = n.empty()
			return
		}
	}
}

// byCuts narrows the box by each cut, and reports whether that changed anything.
func (n *endNode) byCuts() (changed bool) {
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
// multipliers.
func (e *Ends) byTrying(last []model.Time) *proof.Branching {
	for _, l := range e.leaves {
		if l.refuted != nil && within(last, l.due) {
			return l.refuted
		}
	}
	key := keyOf(last)
	if e.tried[key] {
		return nil
	}
	start, steps, factor := e.multipliers, DefaultSteps, 1.0
	if c := e.tightest(last); c != nil {
		start, steps, factor = c.multipliers, manySteps, warmFactor
	}
	mark := e.mark()
	if !e.endBy(last) {
		e.undo(mark)
		return e.empty()
	}
	best, value := e.ascend(start, steps, factor, 0)
	e.undo(mark)
	if value <= 0 {
		e.tried[key] = true
		return nil
	}
	c := e.newCut(best)
	e.cuts = append(e.cuts, c)
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

// endBy leaves placements that let jobs end by times, if there are any.
func (e *Ends) endBy(last []model.Time) bool {
	for j, at := range e.jobs {
		if !e.narrow(&proof.Split{Kind: proof.StageEndsBy, Task: at.end, At: last[j]}, true) {
			return false
		}
	}
	return true
}

// tightest is the cut that comes closest to refuting a box, nil if there is none.
func (e *Ends) tightest(last []model.Time) (tightest *costTable) {
	least := int64(never)
	for _, c := range e.cuts {
		if slack := c.slack(last); slack < least {
			least, tightest = slack, c
		}
	}
	return tightest
}

// settle splits the box, or refutes it as due times where there is nothing to split.
func (n *endNode) settle() {
	j := n.widest()
	if j < 0 {
		n.rest = n.byLeaf(n.last)
		return
	}
	at := n.from[j] + (n.last[j]-n.from[j])/2
	split := proof.Split{Kind: proof.StageEndsBy, Task: n.jobs[j].end, At: at}
	early, late := n.box.clone(), n.box.clone()
	early.last[j], late.from[j] = at, at+1
	holds, fails := n.refute(early), n.refute(late)
	if holds != nil && fails != nil {
		n.rest = &proof.Branching{Split: split, Holds: holds, Fails: fails}
	}
}

// widest is the job whose lateness may vary most, -1 if none may.
func (n *endNode) widest() int {
	widest, most := -1, int64(0)
	for j, at := range n.jobs {
		if width := at.weight * int64(n.last[j]-n.from[j]); width > most {
			widest, most = j, width
		}
	}
	return widest
}

// byLeaf refutes due times, or finds a plan that keeps to them.
func (e *Ends) byLeaf(due []model.Time) *proof.Branching {
	l := e.leafOf(due)
	if l.search == nil {
		l.search = NewRefutation(e.ctx, e.js, e.dues(due), true)
		mark := e.mark()
		e.endBy(due)
		refuted, planned := e.ask(e.restrictions(), false)
		e.undo(mark)
		if refuted {
			l.refuted = &proof.Branching{Searched: true}
		}
		if refuted || planned {
			return l.refuted
		}
	}
	var steps int
	l.refuted, steps = l.search.Run(min(e.share, e.left), e.ask)
	e.steps += steps
	e.left -= steps * (1 + e.relaxation.size)
	e.trim()
	return l.refuted
}

// leafOf is the leaf of due times, a new one if there is none.
func (e *Ends) leafOf(due []model.Time) *endLeaf {
	for _, l := range e.leaves {
		if slices.Equal(l.due, due) {
			return l
		}
	}
	e.leaves = append(e.leaves, &endLeaf{due: slices.Clone(due)})
	return e.leaves[len(e.leaves)-1]
}

// dues are the due times of the jobs of the relaxation by JobID.
func (e *Ends) dues(due []model.Time) []model.Time {
	out := slices.Repeat([]model.Time{model.Never}, len(e.js.Jobs))
	for j := range due {
		out[e.relaxation.jobs[j].id] = due[j]
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
	if total > maxSize {
		largest.Forget()
	}
}
