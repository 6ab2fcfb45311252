package energy

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// maxNodes bounds the search for one choice.
const maxNodes = 1 << 15

// impossible is more than any sum of weights.
const impossible = int64(1) << 62

// chooser searches for the lightest choice of late jobs that covers all rows.
type chooser struct {
	ctx   context.Context
	js    *model.JobSet
	rows  []proof.Cut
	order [][]int   // per row, indices of its jobs, cheapest relief first
	state []verdict // per job
	// margin is what the choice of a job costs beyond what the relaxation in
	// price says, per job, in units.
	margin []int64
	nodes  int
	best   int64
	// choice attains best.
	choice []model.JobID
}

type verdict uint8

const (
	open verdict = iota
	taken
	refused
)

// Choose finds the least weight of a choice of jobs whose needs reach the excess
// of every row, and such a choice, ascending. If exact is false the search was
// cut short, by ctx too, and the weight is that of some choice, or more than all.
func Choose(ctx context.Context, js *model.JobSet, rows []proof.Cut) (weight int64, choice []model.JobID, exact bool) {
	c := &chooser{
		ctx: ctx, js: js, rows: rows, state: make([]verdict, len(js.Jobs)), best: impossible, margin: make([]int64, len(js.Jobs)),
	}
	all := int64(0)
	for k := range rows {
		c.order = append(c.order, c.byRelief(&rows[k]))
	}
	for i := range js.Jobs {
		all += js.Jobs[i].Weight
	}
	p := newPrice(js, rows, all)
	for _, job := range p.jobs {
		c.margin[job.id] = job.margin
	}
	c.search(0, p.bound)
	return c.best, c.choice, c.nodes < maxNodes
}

// byRelief orders a row's jobs by weight per need, small first.
func (c *chooser) byRelief(r *proof.Cut) []int {
	order := make([]int, len(r.Jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(c.js.Jobs[r.Jobs[a]].Weight*min(r.Coefficients[b], r.RHS), c.js.Jobs[r.Jobs[b]].Weight*min(r.Coefficients[a], r.RHS))
	})
	return order
}

// search extends a choice that weighs spent, with which none weighs less than
// least, in units: the job that relieves the most expensive row cheapest is taken
// or refused.
func (c *chooser) search(spent, least int64) {
	if inWeight(least) >= c.best {
		return
	}
	if c.nodes++; c.nodes%256 == 0 && c.ctx.Err() != nil {
		c.nodes = maxNodes
	}
	if c.nodes >= maxNodes {
		return
	}
	rest, branch := c.outlook()
	if rest >= c.best-spent {
		return
	}
	if branch < 0 {
		c.best, c.choice = spent, nil
		for i, v := range c.state {
			if v == taken {
				c.choice = append(c.choice, model.JobID(i))
			}
		}
		return
	}
	c.state[branch] = taken
	c.search(spent+c.js.Jobs[branch].Weight, least+max(0, c.margin[branch]))
	c.state[branch] = refused
	c.search(spent, least+max(0, -c.margin[branch]))
	c.state[branch] = open
}

// outlook is a lower bound on what is still to be spent, and the job to branch
// on, -1 if all rows are covered. Rows that share no open job add up; they are
// taken from the most expensive down.
func (c *chooser) outlook() (least int64, branch model.JobID) {
	type demand struct {
		row   int
		least int64
		job   model.JobID
	}
	var demands []demand
	for k := range c.rows {
		weight, job := c.relief(k)
		if weight == impossible {
			return impossible, -1
		}
		if weight > 0 {
			demands = append(demands, demand{k, weight, job})
		}
	}
	if len(demands) == 0 {
		return 0, -1
	}
	slices.SortStableFunc(demands, func(a, b demand) int { return cmp.Compare(b.least, a.least) })
	counted := map[model.JobID]bool{}
	for _, d := range demands {
		jobs := c.rows[d.row].Jobs
		if slices.ContainsFunc(jobs, func(i model.JobID) bool { return counted[i] }) {
			continue
		}
		least += d.least
		for _, i := range jobs {
			if c.state[i] == open {
				counted[i] = true
			}
		}
	}
	return least, demands[0].job
}

// relief is the least weight that covers what row k still lacks if the last job
// may be taken in part, rounded up, and the first job of that cover.
func (c *chooser) relief(k int) (weight int64, first model.JobID) {
	r := &c.rows[k]
	lacks := r.RHS
	for n, i := range r.Jobs {
		if c.state[i] == taken {
			lacks -= r.Coefficients[n]
		}
	}
	first = -1
	for _, n := range c.order[k] {
		if lacks <= 0 {
			return weight, first
		}
		i := r.Jobs[n]
		if c.state[i] != open {
			continue
		}
		if first < 0 {
			first = i
		}
		need := min(r.Coefficients[n], r.RHS)
		if need >= lacks {
			// Jobs come in order of weight per need, so this part is the cheapest.
			return weight + (c.js.Jobs[i].Weight*lacks+need-1)/need, first
		}
		weight += c.js.Jobs[i].Weight
		lacks -= need
	}
	if lacks > 0 {
		return impossible, -1
	}
	return weight, first
}
