package tabu

import (
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// maxRows bounds tasks times jobs of sums: what a move takes.
const maxRows = 200_000

// sum is an objective that is a sum over jobs: what each costs by its finish. Where late jobs are counted, of which
// hardly any move changes the number, their lateness counts, too, but less than any job.
type sum struct {
	costs []cost
	// of has which of them a task is an end of, -1 for the others.
	of []int32
	// unit is how much a value of 1 is.
	unit int32
}

// cost is what a job costs: so much once it is late, and so much for each of the first ticks after it is due.
type cost struct {
	due, fixed, weight, most int32
	// ends are the tasks of its last stages.
	ends []int32
}

// newSum lists the costs of an objective; nil where they are too large, or jobs too many.
func newSum(js *model.JobSet, o model.Objective) *sum {
	shape, weights, last := o.Shape(), int64(0), oneByOne(js)
	c := &sum{of: slices.Repeat([]int32{-1}, len(js.Tasks)), unit: 1}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if !shape.Jobs.Has(job.Kind) {
			continue
		}
		if weights += shape.Weight(job); weights > math.MaxInt32 {
			return nil
		}
		of := cost{due: int32(shape.From(job)), weight: int32(shape.Weight(job)), most: never}
		for _, id := range job.Ends() {
			stage, _ := js.Stage(id)
			for t := stage.First; t < stage.End; t++ {
				of.ends = append(of.ends, int32(t))
				c.of[t] = int32(len(c.costs))
			}
		}
		c.costs = append(c.costs, of)
	}
	if last >= heuristics.MaxPath || len(c.costs)*len(js.Tasks) > maxRows || !c.scale(shape.Counts(), weights, last) {
		return nil
	}
	return c
}

// scale has jobs that are late cost what is above all lateness where late jobs are counted, and makes sure that sums are not too large.
func (c *sum) scale(counts bool, weights int64, last model.Time) bool {
	if !counts {
		return weights*int64(last) < mostCost
	}
	// All jobs together cost at most weights × (unit + most).
	most := min(int64(last), mostCost/(weights*weights+weights+1)-1)
	c.unit = int32(weights*most + 1)
	for j := range c.costs {
		of := &c.costs[j]
		of.fixed, of.most = of.weight*c.unit, int32(most)
	}
	return most > 0
}

// oneByOne is by when all tasks have run one after the other.
func oneByOne(js *model.JobSet) (end model.Time) {
	for i := range js.Slaves {
		end = max(end, js.Slaves[i].FirstBeat)
	}
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release+js.Heartbeat)
	}
	for t := range js.Tasks {
		run := model.Time(0)
		js.Tasks[t].EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { run = max(run, wcet+transfer) })
		end += run + js.Heartbeat
	}
	return end
}

// Value is that of the objective of a solution so long.
func (sh *shop) Value(length int32) int64 {
	if sh.sum != nil {
		return int64(length / sh.sum.unit)
	}
	return sh.Paths.Value(length)
}

// added is what is added to the finish of a task whose delivery is d: jobs of sums are compared by what they cost.
func (sh *shop) added(d int32) int32 {
	if sh.sum != nil {
		return 0
	}
	return d
}

// at is what a job costs that ends then.
func (c *cost) at(end int32) int32 {
	if end <= c.due {
		return 0
	}
	return c.fixed + c.weight*min(end-c.due, c.most)
}

// endOf is when a job ends.
func (g *graph) endOf(c *cost) int32 {
	end := int32(heuristics.Uncounted)
	for _, v := range c.ends {
		end = max(end, g.nodes[v].head+g.nodes[v].out)
	}
	return end
}

// row has the longest paths from the start of a task to the ends of all jobs that cost something.
func (g *graph) row(v int32) []int32 {
	n := int32(len(g.sh.sum.costs))
	return g.rows[v*n : v*n+n]
}

// addRow works out the row of a task from those of what comes after it.
func (g *graph) addRow(v int32) {
	x, row := &g.nodes[v], g.row(v)
	copy(row, g.row(x.ms))
	g.onward(v, row)
}

// onward makes a row of what comes next on the machine that of a task before it.
func (g *graph) onward(v int32, row []int32) {
	x := &g.nodes[v]
	for j, t := range g.row(x.js) {
		row[j] = max(row[j], t)
	}
	if !g.sh.Chain {
		for _, u := range g.sh.After[v] {
			for j, t := range g.row(u) {
				row[j] = max(row[j], t)
			}
		}
	}
	for j := range row {
		row[j] += x.length
	}
	if j := g.sh.sum.of[v]; j >= 0 {
		row[j] = max(row[j], x.out)
	}
}

// total is what all jobs cost.
func (g *graph) total() (value int32) {
	for i := range g.sh.sum.costs {
		c := &g.sh.sum.costs[i]
		value += c.at(g.endOf(c))
	}
	return value
}

// late draws a job that pays something, the more often the more it does; -1 where none does.
func (s *Search) late() (drawn int) {
	seen := int32(0)
	drawn = -1
	for j, pays := range s.pays {
		if pays > 0 {
			if seen += pays; s.rng.Int32N(seen) < pays {
				drawn = j
			}
		}
	}
	return drawn
}

// shifted estimates taking the first of some tasks of a critical block behind the last, or, backward, the last in front of
// the first.
func (s *Search) shifted(first, last int32, backward bool) move {
	g, nodes := s.g, s.g.nodes
	m := move{v: first, machine: nodes[first].machine, behind: last}
	s.tasks = s.tasks[:0]
	if backward {
		m.v, m.behind = last, nodes[first].mp
		s.tasks = append(s.tasks, last)
	}
	for w := first; ; w = nodes[w].ms {
		switch {
		case w == m.v:
		case backward:
			s.tasks = append(s.tasks, w)
			m.forbidden = m.forbidden || s.isForbidden(hashed(last, w))
		default:
			s.tasks = append(s.tasks, w)
			m.forbidden = m.forbidden || s.isForbidden(hashed(w, first))
		}
		if w == last {
			break
		}
	}
	if !backward {
		s.tasks = append(s.tasks, first)
	}
	s.noneDone()
	m.estimate = s.summed(s.tasks, g.end(nodes[first].mp), nodes[last].ms)
	return m
}

// elsewhereSum estimates taking a task to behind another on another machine.
func (s *Search) elsewhereSum(v int32, o option, behind int32) int32 {
	g := s.g
	x := &g.nodes[v]
	s.noneDone()
	if g.isTask(x.ms) {
		from := max(g.ready(x.ms), g.end(x.mp))
		for j, t := range g.row(x.ms) {
			s.done[j] = from + t
		}
	}
	length, out := x.length, x.out
	if x.length = o.length; g.sh.sum.of[v] >= 0 {
		x.out = o.run
	}
	s.tasks = append(s.tasks[:0], v)
	estimate := s.summed(s.tasks, g.end(behind), g.nodes[behind].ms)
	x.length, x.out = length, out
	return estimate
}

// noneDone has no job end at any time besides.
func (s *Search) noneDone() {
	for j := range s.done {
		s.done[j] = heuristics.Uncounted
	}
}

// summed is nearly what all jobs cost once some tasks follow each other on a machine, after what ends at a time and before
// another node; s.done has when jobs end at least besides. Jobs to whose ends no longest path leads through one of these tasks
// end no sooner than now.
func (s *Search) summed(tasks []int32, end, next int32) (value int32) {
	g := s.g
	s.heads = s.heads[:0]
	for _, w := range tasks {
		h := max(end, g.ready(w))
		s.heads = append(s.heads, h)
		end = h + g.nodes[w].length
	}
	copy(s.row, g.row(next))
	for i, w := range slices.Backward(tasks) {
		g.onward(w, s.row)
		for j, t := range s.row {
			s.done[j] = max(s.done[j], s.heads[i]+t)
		}
	}
	for j := range s.done {
		end := s.done[j]
		if now := s.now[j]; end < now && !slices.ContainsFunc(tasks, func(w int32) bool { return g.nodes[w].head+g.row(w)[j] == now }) {
			end = now
		}
		value += g.sh.sum.costs[j].at(end)
	}
	return value
}
