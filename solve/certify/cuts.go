package certify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/relaxation"
)

// byCuts refutes a question that limits which jobs may be missed, by cuts on late jobs: a
// branch and bound over the choice of these jobs. A node ends by the limit alone, by cuts
// added up, each so many times, or by a set of jobs that cannot all be in time. It is nil
// where the cuts do not do, one that is needed has no argument, it gets too long, or ctx is done.
func byCuts(ctx context.Context, js *model.JobSet, q query.Question, cuts []proof.Cut, again Search) *proof.Refutation {
	c := &choice{steps: steps{ctx: ctx}, js: js, q: &q, again: again, limit: query.Limit{Most: math.MaxInt64}}
	for _, l := range q.Limits {
		if l.Objective.Shape().Counts() {
			c.limit = l
		}
	}
	if c.limit.Most > mostWeight {
		return nil
	}
	c.take(cuts)
	c.state = make([]verdict, len(js.Jobs))
	if _, ok := c.search(make([]float64, len(c.rows))); !ok {
		return nil
	}
	out := c.refutation(&q)
	out.Uses = c.uses
	return out
}

// choice is the search for jobs to be late.
type choice struct {
	steps
	js          *model.JobSet
	q           *query.Question
	limit       query.Limit // on late jobs
	jobs        []model.JobID
	rows        []row
	sets        []clash
	state       []verdict // by JobID
	again       Search
	uses        []*proof.Refutation
	nodes       int
	evaluations int
}

// row is a cut that says what jobs that are in time pay at the least, and what all is
// worth.
type row struct {
	of    []proof.Multiplier
	jobs  []model.JobID // ascending
	pays  []int64       // parallel to jobs
	worth int64
	// charges are what of pays is for which jobs; nil where each pays for itself.
	charges []proof.Charge
	scale   float64 // what all is worth, or the most that a job pays, is 1 in these units
}

// clash is a cut that says that jobs cannot all be in time.
type clash struct {
	jobs []model.JobID
	by   func() *proof.Refutation
	used int // 1 + its index in uses, 0 before
}

// verdict is what a node has decided about a job.
type verdict uint8

const (
	open verdict = iota
	inTime
	late
)

// mostNodes and mostEvaluations, of jobs of cuts, bound a search; mostWeight is of limits, and
// keeps sums within an int64.
const (
	mostNodes       = 20_000
	mostEvaluations = 300_000_000
	mostWeight      = 1 << 20
)

// due is by when a job is in time.
func (c *choice) due(i model.JobID) model.Time { return min(c.q.Cap[i], c.js.Jobs[i].Due()) }

// says is the statement that a job is in time.
func (c *choice) says(i model.JobID) atom { return atom{of: 'e', id: int32(i), at: c.due(i)} }

// weight is what a job counts that is late.
func (c *choice) weight(i model.JobID) int64 { return c.limit.Objective.Shape().Weight(&c.js.Jobs[i]) }

// take reads cuts.
func (c *choice) take(cuts []proof.Cut) {
	known := map[model.JobID]bool{}
	for k := range cuts {
		cut := &cuts[k]
		r := row{of: cut.Multipliers, jobs: cut.Jobs, pays: cut.Coefficients, worth: -cut.RHS}
		most := int64(1)
		for n, i := range cut.Jobs {
			if !known[i] {
				known[i] = true
				c.jobs = append(c.jobs, i)
			}
			r.worth += cut.Coefficients[n]
			most = max(most, cut.Coefficients[n])
		}
		r.scale = float64(max(most, r.worth))
		switch {
		case cut.Multipliers != nil:
			c.rows = append(c.rows, r)
		case cut.Overload != nil:
			r.of, r.charges = pricesOf(c.js, cut.Overload), cut.Overload.Charges
			c.rows = append(c.rows, r)
		case cut.Refutation != nil:
			c.sets = append(c.sets, clash{jobs: cut.Jobs, by: func() *proof.Refutation { return cut.Refutation }})
		case cut.Branching != nil:
			c.sets = append(c.sets, clash{jobs: cut.Jobs, by: func() *proof.Refutation {
				return byBranching(c.ctx, c.js, c.without(cut.Jobs), cut.Branching, c.again)
			}})
		}
	}
	slices.Sort(c.jobs)
}

// without asks for what the question asks for but limits, and for jobs that are to be in
// time.
func (c *choice) without(jobs []model.JobID) query.Question {
	q := unlimited(c.q)
	for i := range q.Role {
		if _, in := slices.BinarySearch(jobs, model.JobID(i)); in {
			q.Role[i], q.Cap[i] = query.Must, c.due(model.JobID(i))
		} else if q.Role[i] == query.May {
			q.Role[i] = query.Out
		}
	}
	return q
}

// unlimited asks what a question does but for limits; its roles and times may be changed.
func unlimited(q *query.Question) query.Question {
	out := *q
	out.Role, out.Cap = slices.Clone(q.Role), slices.Clone(q.Cap)
	out.Limits = nil
	return out
}

// search writes a clause that what has been decided speaks against, and gives its ID and
// the statements that it denies; nil with ok if nothing has been decided that matters.
// near are multipliers for cuts from which it is not far to good ones.
func (c *choice) search(near []float64) (end ended, ok bool) {
	if c.nodes++; c.nodes > mostNodes || c.evaluations > mostEvaluations || c.tooLong() {
		return ended{}, false
	}
	if end, ok := c.tooMany(); ok {
		return end, true
	}
	for k := range c.sets {
		if end, ok := c.clashes(&c.sets[k]); ok {
			return end, true
		}
	}
	near = c.ascend(near)
	if end, ok := c.overpaid(near); ok {
		return end, true
	}
	i := c.branch(near)
	if i < 0 {
		return ended{}, false
	}
	defer func() { c.state[i] = open }()
	var sides [2]ended
	for k, v := range [...]verdict{late, inTime} {
		c.state[i] = v
		if sides[k], ok = c.search(near); !ok {
			return ended{}, false
		}
		if !slices.Contains(sides[k].jobs, i) {
			if k == 1 {
				c.drop(sides[0])
			}
			return sides[k], true
		}
	}
	c.state[i] = open
	jobs := slices.Concat(sides[0].jobs, sides[1].jobs)
	slices.Sort(jobs)
	jobs = slices.DeleteFunc(slices.Compact(jobs), func(k model.JobID) bool { return k == i })
	hints := make([]int64, 0, 2)
	for _, side := range sides {
		if len(side.jobs) > 1 {
			hints = append(hints, side.id)
		}
	}
	end = ended{c.nogood(c.denied(jobs), hints...), jobs}
	for _, side := range sides {
		c.drop(side)
	}
	return end, true
}

// ended is a node that has ended: a clause, and the jobs that it is about.
type ended struct {
	id   int64
	jobs []model.JobID
}

// drop forgets a clause, but one that holds for good.
func (c *choice) drop(e ended) {
	if len(e.jobs) > 1 {
		c.forget(e.id)
	}
}

// denied are the literals that deny what has been decided about jobs.
func (c *choice) denied(jobs []model.JobID) []atom {
	var out []atom
	for _, i := range jobs {
		a := c.says(i)
		a.not = c.state[i] == inTime
		out = append(out, a)
	}
	return out
}

// tooMany ends a node in which more weight is late than the limit.
func (c *choice) tooMany() (ended, bool) {
	var jobs []model.JobID
	over := -c.limit.Most
	for _, i := range c.jobs {
		if c.state[i] == late {
			jobs = append(jobs, i)
			over += c.weight(i)
		}
	}
	if over <= 0 {
		return ended{}, false
	}
	slices.SortStableFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(c.weight(a), c.weight(b)) })
	jobs = slices.DeleteFunc(jobs, func(i model.JobID) bool {
		if over <= c.weight(i) {
			return false
		}
		over -= c.weight(i)
		return true
	})
	return ended{c.infer(c.limit.Objective.InProofs(), c.denied(jobs)), jobs}, true
}

// clashes ends a node in which jobs are in time that cannot all be.
func (c *choice) clashes(k *clash) (ended, bool) {
	if slices.ContainsFunc(k.jobs, func(i model.JobID) bool { return c.state[i] != inTime }) {
		return ended{}, false
	}
	if k.used == 0 {
		by := k.by()
		if by == nil {
			return ended{}, false
		}
		c.uses = append(c.uses, by)
		k.used = len(c.uses)
	}
	return ended{c.infer(byCut(k.used-1), c.denied(k.jobs)), k.jobs}, true
}

// unit is the price of a unit of weight that is late, where cuts are added up: each so many
// times, in whole numbers.
const unit = 1 << 36

// overpaid ends a node by the cuts added up at multipliers: jobs in time pay for that,
// those that are late for being late, and the others what is less.
func (c *choice) overpaid(multipliers []float64) (ended, bool) {
	p := prices{limits: []limitPrice{{c.limit.Objective, unit}}}
	surplus := -c.limit.Most * unit
	pays, charged := map[model.JobID]int64{}, false
	var charges []proof.Charge
	for k := range c.rows {
		r := &c.rows[k]
		n := int64(multipliers[k] * unit / r.scale)
		if n <= 0 {
			continue
		}
		for _, m := range r.of {
			m.Value *= n
			p.of = append(p.of, m)
		}
		surplus -= n * r.worth
		for at, i := range r.jobs {
			pays[i] += n * r.pays[at]
		}
		charged = charged || r.charges != nil
		charges = append(charges, c.chargesOf(r, n)...)
	}
	rule := byPrices
	if charged {
		p.charges, rule = together(charges), byCharges
	}
	var saved []saving
	for _, i := range c.jobs {
		free := int64(0)
		if c.q.Role[i] == query.May {
			free = min(pays[i], c.weight(i)*unit)
		}
		is := free
		switch c.state[i] {
		case inTime:
			is = pays[i]
		case late:
			is = c.weight(i) * unit
		}
		surplus += is
		if c.state[i] != open {
			saved = append(saved, saving{i, is - free})
		}
	}
	if surplus <= 0 {
		return ended{}, false
	}
	slices.SortStableFunc(saved, func(a, b saving) int { return cmp.Compare(a.most, b.most) })
	var jobs []model.JobID
	for _, s := range saved {
		if s.most < surplus {
			surplus -= s.most
		} else {
			jobs = append(jobs, s.job)
		}
	}
	slices.Sort(jobs)
	m := c.multipliers(c.js, &p)
	id := c.infer(rule(m), c.denied(jobs))
	c.forget(m)
	return ended{id, jobs}, true
}

// chargesOf are those of a row n times, to jobs that may be late: others pay for all that comes before them by their windows.
func (c *choice) chargesOf(r *row, n int64) (out []proof.Charge) {
	if r.charges == nil {
		for at, i := range r.jobs {
			out = append(out, proof.Charge{Job: i, To: i, Ticks: n * r.pays[at]})
		}
	}
	for _, of := range r.charges {
		if _, may := slices.BinarySearch(r.jobs, of.To); may {
			out = append(out, proof.Charge{Job: of.Job, To: of.To, Ticks: n * of.Ticks})
		}
	}
	return out
}

// together are charges, ascending, those of a job to the same as one.
func together(all []proof.Charge) (out []proof.Charge) {
	slices.SortFunc(all, func(a, b proof.Charge) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.To, b.To)) })
	for _, of := range all {
		if n := len(out); n > 0 && out[n-1].Job == of.Job && out[n-1].To == of.To {
			out[n-1].Ticks += of.Ticks
		} else {
			out = append(out, of)
		}
	}
	return out
}

// saving is by how much a job may pay less if nothing had been decided about it.
type saving struct {
	job  model.JobID
	most int64
}

// ascents is how many steps multipliers are improved by at a node.
const ascents = 100

// ascend looks for multipliers, in units of rows, at which all pay more than all is worth,
// by Polyak's steps from those near. What jobs pay is a weight.
func (c *choice) ascend(near []float64) []float64 {
	at, best, bestValue := slices.Clone(near), near, math.Inf(-1)
	for range ascents {
		value, slope := c.value(at)
		if value > bestValue {
			best, bestValue = slices.Clone(at), value
		}
		relaxation.Project(at, slope)
		if value > enough || !relaxation.Polyak(at, slope, 2*enough-value, mostWeight) {
			break
		}
	}
	return best
}

// enough is a surplus that is not lost by rounding.
const enough = 0.01

// value is what all pay at multipliers beyond what all is worth, and its slope.
func (c *choice) value(at []float64) (value float64, slope []float64) {
	pays, value := c.paid(at), -float64(c.limit.Most)
	full := make([]bool, len(pays)) // those that pay for more if it costs more
	for _, i := range c.jobs {
		switch weight := float64(c.weight(i)); {
		case c.state[i] == late, c.mayBeLate(i) && pays[i] > weight:
			value += weight
		case c.state[i] == inTime, c.mayBeLate(i):
			value += pays[i]
			full[i] = true
		}
	}
	slope = make([]float64, len(at))
	for k := range c.rows {
		r := &c.rows[k]
		slope[k] = -float64(r.worth) / r.scale
		value += at[k] * slope[k]
		for n, i := range r.jobs {
			if full[i] {
				slope[k] += float64(r.pays[n]) / r.scale
			}
		}
	}
	return value, slope
}

// mayBeLate reports whether a job pays for being late, or in time, whichever is less, where
// nothing has been decided.
func (c *choice) mayBeLate(i model.JobID) bool {
	return c.state[i] == open && c.q.Role[i] == query.May
}

// paid is what jobs pay at multipliers if they are in time.
func (c *choice) paid(at []float64) []float64 {
	pays := make([]float64, len(c.state))
	for k := range c.rows {
		r := &c.rows[k]
		c.evaluations += len(r.jobs)
		for n, i := range r.jobs {
			pays[i] += at[k] * float64(r.pays[n]) / r.scale
		}
	}
	return pays
}

// branch is the job to decide about: the one for which either costs most nearly the same,
// of those of cuts that the cheaper decisions break; -1 if nothing has to be decided.
func (c *choice) branch(at []float64) model.JobID {
	pays := c.paid(at)
	least, best := math.Inf(1), model.JobID(-1)
	in := func(i model.JobID) bool {
		return c.state[i] == inTime || c.state[i] == open && pays[i] <= float64(c.weight(i))
	}
	consider := func(jobs []model.JobID) {
		for _, i := range jobs {
			weight := float64(c.weight(i))
			if gap := math.Abs(pays[i]-weight) / weight; c.state[i] == open && gap < least {
				least, best = gap, i
			}
		}
	}
	for k := range c.sets {
		if !slices.ContainsFunc(c.sets[k].jobs, func(i model.JobID) bool { return !in(i) }) {
			consider(c.sets[k].jobs)
		}
	}
	for k := range c.rows {
		r := &c.rows[k]
		sum := int64(0)
		for n, i := range r.jobs {
			if in(i) {
				sum += r.pays[n]
			}
		}
		if sum > r.worth {
			consider(r.jobs)
		}
	}
	weight := int64(0)
	for _, i := range c.jobs {
		if !in(i) {
			weight += c.weight(i)
		}
	}
	if best < 0 && weight > c.limit.Most {
		consider(c.jobs)
	}
	return best
}
