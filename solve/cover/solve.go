// Package cover finds the lightest set of jobs that satisfies every cut: the master problem
// of misses, where they are late, and of minimal infeasible sets, where they are left out.
// That is a set cover with coefficients, a weighted multi-dimensional knapsack cover.
// [Solve] finds such a set by branch and bound, bounded by the Lagrangian relaxation of the
// cuts ([Bound]). What it weighs is checked by inference.Cover, another search, to which
// [Multipliers] gives what it adds cuts up by.
package cover

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// Bounds on one search, and how often ctx is asked, in jobs of cuts looked at: 2^28 take
// a second or two.
const (
	maxNodes = 1 << 15
	maxWork  = 1 << 28
	pollWork = 1 << 18
)

// impossible is more than any sum of weights.
const impossible = int64(1) << 62

// solver searches for the lightest jobs that satisfy all cuts.
type solver struct {
	ctx    context.Context
	weight []int64
	cuts   []proof.Cut
	order  [][]int   // per cut, indices of its jobs, lightest per unit first
	state  []verdict // per job
	// reducedCost is what taking a job costs beyond what the relaxation says, per
	// job, in units.
	reducedCost []int64
	// work counts jobs of cuts looked at, polled is what it was when ctx was asked last.
	nodes, work, polled int
	best                int64
	// jobs attain best.
	jobs []model.JobID
}

type verdict uint8

const (
	open verdict = iota
	taken
	left
)

// Weights are those of the soft jobs of a set, by JobID, and of others what they are given.
func Weights(js *model.JobSet) []int64 {
	out := make([]int64, len(js.Jobs))
	for i := range out {
		out[i] = js.Jobs[i].Weight
	}
	return out
}

// Solve finds the least weight of jobs that satisfy all cuts (the coefficients
// of those chosen add up to the right-hand side at least), and such jobs, ascending.
// If exact is false the search was cut short, by ctx too, and the weight is that of
// some such jobs, or more than that of all.
func Solve(ctx context.Context, weight []int64, cuts []proof.Cut) (least int64, jobs []model.JobID, exact bool) {
	given, cuts := settle(cuts)
	c := &solver{
		ctx: ctx, weight: weight, cuts: cuts, state: make([]verdict, len(weight)), best: impossible, reducedCost: make([]int64, len(weight)),
	}
	all := int64(0)
	for k := range cuts {
		c.order = append(c.order, c.byRelief(&cuts[k]))
	}
	for _, w := range weight {
		all += w
	}
	p := relax(weight, cuts, all)
	for _, job := range p.jobs {
		c.reducedCost[job.id] = job.reducedCost
	}
	spent := int64(0)
	for _, i := range given {
		c.state[i] = taken
		spent += weight[i]
	}
	c.search(spent, p.bound+spent*unit)
	return c.best, c.jobs, c.nodes < maxNodes
}

// settle picks out, ascending, the jobs that a cut names alone, which all covers have,
// and gives the cuts that are left for the others.
func settle(cuts []proof.Cut) (given []model.JobID, rest []proof.Cut) {
	for k := range cuts {
		if len(cuts[k].Jobs) == 1 {
			given = append(given, cuts[k].Jobs[0])
		}
	}
	slices.Sort(given)
	given = slices.Compact(given)
	for k := range cuts {
		left := proof.Cut{RHS: cuts[k].RHS}
		for n, i := range cuts[k].Jobs {
			if _, found := slices.BinarySearch(given, i); found {
				left.RHS -= cuts[k].Coefficients[n]
				continue
			}
			left.Jobs = append(left.Jobs, i)
			left.Coefficients = append(left.Coefficients, cuts[k].Coefficients[n])
		}
		if left.RHS > 0 {
			rest = append(rest, left)
		}
	}
	return given, rest
}

// byRelief orders a cut's jobs by weight per unit of coefficient, small first.
func (c *solver) byRelief(r *proof.Cut) []int {
	order := make([]int, len(r.Jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(c.weight[r.Jobs[a]]*min(r.Coefficients[b], r.RHS), c.weight[r.Jobs[b]]*min(r.Coefficients[a], r.RHS))
	})
	return order
}

// search extends jobs that weigh spent, with which nothing weighs less than least,
// in units: the job that serves the most expensive cut cheapest is taken or left.
func (c *solver) search(spent, least int64) {
	if inWeight(least) >= c.best {
		return
	}
	if c.nodes++; c.halted() {
		c.nodes = maxNodes
		return
	}
	rest, branch := c.outlook()
	if rest >= c.best-spent {
		return
	}
	if branch < 0 {
		c.best, c.jobs = spent, nil
		for i, v := range c.state {
			if v == taken {
				c.jobs = append(c.jobs, model.JobID(i))
			}
		}
		return
	}
	c.state[branch] = taken
	c.search(spent+c.weight[branch], least+max(0, c.reducedCost[branch]))
	c.state[branch] = left
	c.search(spent, least+max(0, -c.reducedCost[branch]))
	c.state[branch] = open
}

// halted tells that the search has done enough.
func (c *solver) halted() bool {
	if c.nodes >= maxNodes || c.work >= maxWork {
		return true
	}
	if c.work-c.polled < pollWork {
		return false
	}
	c.polled = c.work
	return c.ctx.Err() != nil
}

// outlook is a lower bound on what is still to be spent, and the job to branch
// on, -1 if all cuts are satisfied. Cuts that share no open job add up; they are
// taken from the most expensive down.
func (c *solver) outlook() (least int64, branch model.JobID) {
	type unmet struct {
		cut   int
		least int64
		job   model.JobID
	}
	var unmets []unmet
	for k := range c.cuts {
		weight, job := c.relief(k)
		if weight == impossible {
			return impossible, -1
		}
		if weight > 0 {
			unmets = append(unmets, unmet{k, weight, job})
		}
	}
	if len(unmets) == 0 {
		return 0, -1
	}
	slices.SortStableFunc(unmets, func(a, b unmet) int { return cmp.Compare(b.least, a.least) })
	counted := map[model.JobID]bool{}
	for _, d := range unmets {
		jobs := c.cuts[d.cut].Jobs
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
	return least, unmets[0].job
}

// relief is the least weight that makes up for what cut k still lacks if the last job
// may be taken in part, rounded up, and the first job of those that do.
func (c *solver) relief(k int) (weight int64, first model.JobID) {
	r := &c.cuts[k]
	c.work += len(r.Jobs)
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
		part := min(r.Coefficients[n], r.RHS)
		if part >= lacks {
			// Jobs come in order of weight per unit, so this part is the cheapest.
			return weight + (c.weight[i]*lacks+part-1)/part, first
		}
		weight += c.weight[i]
		lacks -= part
	}
	if lacks > 0 {
		return impossible, -1
	}
	return weight, first
}

// Needed drops cuts, the last ones first, without which the lightest jobs still
// weigh value, while ctx lasts. Of many that name many jobs it drops none.
func Needed(ctx context.Context, weight []int64, cuts []proof.Cut, value int64) []proof.Cut {
	if len(cuts)*entries(cuts) > maxEntries {
		return cuts
	}
	for k := len(cuts) - 1; k >= 0 && ctx.Err() == nil; k-- {
		fewer := slices.Delete(slices.Clone(cuts), k, k+1)
		if v, _, exact := Solve(ctx, weight, fewer); exact && v >= value {
			cuts = fewer
		}
	}
	return cuts
}

// maxEntries bounds the jobs of cuts looked at by Needed before each search.
const maxEntries = 1 << 20

// entries is the number of jobs of all cuts.
func entries(cuts []proof.Cut) int {
	n := 0
	for k := range cuts {
		n += len(cuts[k].Jobs)
	}
	return n
}
