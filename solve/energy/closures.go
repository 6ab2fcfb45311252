package energy

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/window"
)

// closure is a job that is to be in time, with all that it comes after, directly or not: what these need, and by when, if it alone
// is due (a closure of the precedence order, as in the maximum closure problem; Picard, 1976).
type closure struct {
	job  model.JobID
	jobs []model.JobID // of the problem, ascending
	of   *problem
}

// mostClosed bounds the tasks of all closures together, each of some 300 bytes: of a chain of jobs that are all due these are as many as
// tasks times half the jobs.
const mostClosed = 200_000

// closures are those of all hard jobs and of some soft ones, none of which is late alone; nil where ctx ends, or they have too many tasks.
func (p *prover) closures(soft []model.JobID) []closure {
	js, tasks := p.js, 0
	due := p.dues(soft, make([]model.Time, len(js.Jobs)), 0)
	var out []closure
	for i := range js.Jobs {
		if due[i] >= model.Never {
			continue
		}
		if p.steps <= 0 || tasks > mostClosed {
			return nil
		}
		c := closure{job: model.JobID(i), jobs: js.WithBefore([]model.JobID{model.JobID(i)})}
		sub := js.Subset(c.jobs)
		only := slices.Repeat([]model.Time{model.Never}, len(c.jobs))
		at, _ := slices.BinarySearch(c.jobs, c.job)
		only[at] = due[i]
		w := window.TogetherUntil(p.ctx, sub, only)
		if w == nil || len(w.Late) > 0 {
			return nil
		}
		c.of = newProblem(p.ctx, sub, only, w)
		p.steps -= len(sub.Tasks) * len(sub.Slaves)
		tasks += len(sub.Tasks)
		out = append(out, c)
	}
	if p.ctx.Err() != nil {
		return nil
	}
	return out
}

// needing lists what jobs of the closure, numbered as in js, need of what an overload of js is about.
func (c *closure) needing(js *model.JobSet, sh *proof.Overload) []part {
	own := *sh
	if sh.Resource == proof.SharedTicks {
		own.Shared = model.SharedID(slices.IndexFunc(c.of.js.Shared(), func(sub model.Shared) bool { return js.SharedLike(&sub, c.jobs) == sh.Shared }))
		if own.Shared < 0 {
			return nil
		}
	}
	parts := c.of.needing(&own)
	for k := range parts {
		parts[k].job = c.jobs[parts[k].job]
	}
	return parts
}

// charged is the cut of an overload in which each job's need is charged to jobs that are due, itself or such as come after it: it is there
// if any of them is in time. Hard ones take all that they can, then soft ones that are not in late, each so that it has as much by weight as
// others; what none of these needs goes to late ones. The greatest bound of one interval is where all that jobs are charged for is in proportion to their
// weights, as far as that goes: charges are a flow from jobs to those that come after them (dual of the maximum closure problem).
func charged(js *model.JobSet, closures []closure, sh *proof.Overload, late []model.JobID) proof.Cut {
	layers := layersOf(js, closures, sh)
	slices.SortStableFunc(layers, func(a, b layer) int { return cmp.Compare(len(a.to), len(b.to)) })
	has, at := make([]int64, len(js.Jobs)), map[[2]model.JobID]int{}
	whole := &proof.Overload{Slaves: sh.Slaves, Resource: sh.Resource, Shared: sh.Shared, Interval: sh.Interval, Have: sh.Have}
	for _, l := range layers {
		to := first(js, l.to, late)
		part := max(1, l.ticks/int64(chargesEach*len(to)))
		for left := l.ticks; left > 0; left -= part {
			part = min(part, left)
			least := slices.MinFunc(to, func(a, b model.JobID) int {
				return cmp.Compare(float64(has[a])/float64(js.Jobs[a].Weight), float64(has[b])/float64(js.Jobs[b].Weight))
			})
			has[least] += part
			k, seen := at[[2]model.JobID{l.job, least}]
			if !seen {
				k = len(whole.Charges)
				at[[2]model.JobID{l.job, least}] = k
				whole.Charges = append(whole.Charges, proof.Charge{Job: l.job, To: least})
			}
			whole.Charges[k].Ticks += part
		}
	}
	return cutOf(js, whole)
}

// first are, of some jobs that are due, hard ones, or else soft ones not in late, or else all.
func first(js *model.JobSet, jobs, late []model.JobID) []model.JobID {
	hard := func(i model.JobID) bool { return js.Jobs[i].Kind == model.Hard }
	if k := slices.IndexFunc(jobs, hard); k >= 0 {
		return jobs[k : k+1]
	}
	if rest := without(jobs, late); len(rest) > 0 {
		return rest
	}
	return jobs
}

// chargesEach is in how many parts a job's need is charged to each job that it may be charged to, all equal.
const chargesEach = 8

// cutOf is that of an overload with charges, of which it completes the sums.
func cutOf(js *model.JobSet, whole *proof.Overload) proof.Cut {
	slices.SortFunc(whole.Charges, func(a, b proof.Charge) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.To, b.To)) })
	has := make([]int64, len(js.Jobs))
	for _, c := range whole.Charges {
		whole.Need += c.Ticks
		whole.Jobs = append(whole.Jobs, c.Job, c.To)
		has[c.To] += c.Ticks
	}
	slices.Sort(whole.Jobs)
	whole.Jobs = slices.Compact(whole.Jobs)
	r := proof.Cut{Overload: whole, RHS: whole.Need - whole.Have}
	for i, ticks := range has {
		if ticks > 0 && js.Jobs[i].Kind == model.Soft {
			r.Jobs = append(r.Jobs, model.JobID(i))
			r.Coefficients = append(r.Coefficients, ticks)
		}
	}
	return r
}

// violated is a cut that speaks against the late jobs of a choice, with which the others are due; none where Refute knows of none, or what these
// need for each other is more than all that is charged.
func (p *prover) violated(closures []closure, late []model.JobID, due []model.Time) (r proof.Cut, found bool) {
	sh := p.refute(due)
	if sh == nil || sh.Resource == proof.CriticalPath {
		return r, false
	}
	r = charged(p.js, closures, sh, late)
	sum := int64(0)
	for n, i := range r.Jobs {
		if _, isLate := slices.BinarySearch(late, i); isLate {
			sum += r.Coefficients[n]
		}
	}
	return r, len(r.Jobs) > 0 && sum < r.RHS
}

// layer is what a job needs if any of some jobs is in time.
type layer struct {
	job   model.JobID
	ticks int64
	to    []model.JobID
}

// layersOf takes what jobs need for each of those that come after them, and themselves, apart: the least of that they need for any of these, what
// the next one needs beyond that for this one and those that need more, and so on.
func layersOf(js *model.JobSet, closures []closure, sh *proof.Overload) []layer {
	needs := make([][]part, len(js.Jobs))
	for k := range closures {
		for _, of := range closures[k].needing(js, sh) {
			needs[of.job] = append(needs[of.job], part{job: closures[k].job, need: of.need})
		}
	}
	var out []layer
	for i, of := range needs {
		slices.SortStableFunc(of, func(a, b part) int { return cmp.Compare(a.need, b.need) })
		below := int64(0)
		for k, least := range of {
			if least.need > below {
				out = append(out, layer{model.JobID(i), least.need - below, jobsOf(of[k:])})
				below = least.need
			}
		}
	}
	return out
}
