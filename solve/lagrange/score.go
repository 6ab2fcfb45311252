package lagrange

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// basis are multipliers that are good for what the domains leave, to tell without a
// step what narrowing these further would gain.
type basis struct {
	*prober
	start []int64
	// value is what comes of them, at most 0, and cost that of each job.
	value int64
	cost  []int64
	// away tells that the multipliers of the relaxation are others now.
	away bool
}

// memo has what the groups of a job cost by themselves at the multipliers of a basis: what
// a change of one of them makes of the job's cost then takes no more time than that one
// does, of many.
type memo struct {
	of    *basis // nil if the memo has nothing
	job   int32
	state int // of the domains
	// costs are as in subproblem.known, nil if none have been worked out; store is what
	// they are kept in.
	costs [][][]int64
	store []int64
}

// mostKnown bounds the costs that a memo has, at 8 bytes each.
const mostKnown = 4_000_000

// update notes what comes of the multipliers.
func (b *basis) update() {
	copy(b.Multipliers, b.start)
	b.value, b.away = b.Value(), false
	b.memo.of = nil
	b.cost = b.cost[:0]
	for j := range b.jobs {
		b.cost = append(b.cost, b.jobs[j].cost)
	}
}

// gain is the part of what is missing that a side of a split raises the cost of its
// job by: 1 or more refutes it.
func (b *basis) gain(split *proof.Split, holds bool) float64 {
	c := b.concerned(split, holds)
	b.remember(c.job)
	mark := b.mark()
	defer b.undo(mark)
	if !b.narrow(split, holds) {
		return math.Inf(1)
	}
	return float64(b.costBut(c)-b.cost[c.job]) / float64(max(1, -b.value))
}

// costNow is what a job costs at the multipliers, with the domains as they are.
func (b *basis) costNow(j int32) int64 {
	b.back()
	b.jobs[j].solve()
	b.spent += b.lagrangian.size / len(b.jobs)
	return b.jobs[j].cost
}

// costBut is that where the memo, if it has anything, is right but for some groups.
func (b *basis) costBut(c groups) int64 {
	if b.memo.costs != nil {
		all := b.memo.costs[c.stage]
		b.memo.costs[c.stage] = slices.Clone(all)
		clear(b.memo.costs[c.stage][c.from:c.to])
		b.jobs[c.job].known = b.memo.costs
		defer func() { b.jobs[c.job].known, b.memo.costs[c.stage] = nil, all }()
	}
	return b.costNow(c.job)
}

// back has the relaxation at the multipliers of the basis.
func (b *basis) back() {
	if b.away {
		copy(b.Multipliers, b.start)
		b.sum()
		b.away = false
	}
}

// remember has the memo be of a job, and has it know the costs where this is not the first
// time that it is asked for. Of a job that pays for lateness these depend on its end.
func (b *basis) remember(j int32) {
	m, job := &b.memo, &b.jobs[j]
	if m.of != b || m.job != j || m.state != b.state {
		m.of, m.job, m.state, m.costs = b, j, b.state, nil
		return
	}
	if m.costs != nil || job.late > 0 {
		return
	}
	span, n := int(job.last)+1, 0
	for k := range job.stages {
		n += len(job.stages[k].groups)
	}
	if n < 2 || n*span > mostKnown {
		return
	}
	b.back()
	m.store = slices.Grow(m.store[:0], n*span)
	for k := range job.stages {
		var of [][]int64
		for i := range job.stages[k].groups {
			g, single := &job.stages[k].groups[i], []int64(nil)
			if k == len(job.stages)-1 {
				single = job.byBegin(g, b.end)
			} else {
				single = job.byEnd(g, nil)
			}
			m.store = append(m.store, single...)
			of = append(of, m.store[len(m.store)-len(single):])
		}
		m.costs = append(m.costs, of)
	}
}

// target is a part of a domain that may be refuted: that a task is on a slave, or
// that something happens by a time, or after one (side false).
type target struct {
	split  proof.Split
	holds  bool
	domain *domain // for proof.OnSlave
}

// stageTargets are the ends of all stages but the last ones.
func (ds *domains) stageTargets() []target {
	var out []target
	for j := range ds.jobs {
		stages := ds.js.Jobs[ds.jobs[j].id].Stages
		for k := range stages[:len(stages)-1] {
			out = appendEdges(out, proof.StageEndsBy, stages[k].First)
		}
	}
	return out
}

// taskTargets are the slaves and times of tasks that are alone in their group.
func (ds *domains) taskTargets() []target {
	var out []target
	for t := range ds.at {
		id := model.TaskID(t)
		if !ds.single(id) {
			continue
		}
		g := ds.group(id)
		for k := range g.domains {
			split := proof.Split{Kind: proof.OnSlave, Task: id, Slave: model.SlaveID(g.domains[k].slave)}
			out = append(out, target{split, true, &g.domains[k]})
		}
		out = appendEdges(out, proof.TaskEndsBy, id)
		out = appendEdges(out, proof.FetchedBy, id)
	}
	return out
}

func appendEdges(out []target, kind proof.SplitKind, t model.TaskID) []target {
	split := proof.Split{Kind: kind, Task: t}
	return append(out, target{split: split, holds: true}, target{split: split})
}

// window is when it may happen what a target that is no slave is about.
func (ds *domains) window(t *target) (first, last model.Time) {
	switch t.split.Kind {
	case proof.StageEndsBy:
		return ds.completions(t.split.Task)
	case proof.TaskEndsBy:
		return ds.finishes(ds.group(t.split.Task))
	default:
		return ds.fetches(ds.group(t.split.Task))
	}
}

func (b *basis) score(split *proof.Split, width model.Time) score {
	holds, fails := b.gain(split, true), b.gain(split, false)
	return score{least: min(holds, fails), most: max(holds, fails), width: width, rising: fails >= holds}
}

// choose finds the split among targets that gains most on either side: in the widest
// window if none gains anything anywhere.
func (b *basis) choose(targets []target) (proof.Split, bool) {
	var c choice
	for k := range targets {
		switch t := &targets[k]; {
		case t.split.Kind == proof.OnSlave:
			if n := b.slavesLeft(t.split.Task); n > 1 && b.possible(t.domain) {
				c.weigh(t.split, b.score(&t.split, n))
			}
		case t.holds:
			first, last := b.window(t)
			b.chooseTime(&c, t.split, first, last)
		}
	}
	return c.split, c.some
}

// slavesLeft counts the slaves that a task may be on.
func (ds *domains) slavesLeft(t model.TaskID) (n model.Time) {
	g := ds.group(t)
	for k := range g.domains {
		if ds.possible(&g.domains[k]) {
			n++
		}
	}
	return n
}

// chooseTime looks at when something happens: the later the split, the less is
// gained where it happens by then, and the more where it happens after. It is the
// first one at which the latter is as great, or the one before; the middle where
// there is no gain in either.
func (b *basis) chooseTime(c *choice, split proof.Split, first, last model.Time) {
	if last <= first {
		return
	}
	width := last - first
	at := func(t model.Time) score {
		s := split
		s.At = t
		return b.score(&s, width)
	}
	k := sort.Search(int(width)-1, func(k int) bool { return at(first + model.Time(k)).rising })
	best, t := at(first+model.Time(k)), first+model.Time(k)
	if k > 0 {
		if sc := at(t - 1); sc.above(best) {
			best, t = sc, t-1
		}
	}
	if split.At = t; best.most <= 0 {
		split.At = (first + last) / 2
	}
	c.weigh(split, best)
}

// choice is the best of splits; some tells that there was one.
type choice struct {
	split proof.Split
	score score
	some  bool
}

// weigh keeps the split with the best score.
func (c *choice) weigh(split proof.Split, sc score) {
	if !c.some || sc.above(c.score) {
		*c = choice{split, sc, true}
	}
}

// score is the branching score: the lesser and the greater gain of its sides, and
// the width of the window, in ticks, or in slaves.
type score struct {
	least, most float64
	width       model.Time
	// rising tells that there is no less gain in the side where it fails.
	rising bool
}

// above reports whether a split is better than another.
func (a score) above(b score) bool {
	return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.most, b.most), cmp.Compare(a.width, b.width)) > 0
}
