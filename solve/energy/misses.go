package energy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/cover"
)

// Misses is a lower bound on the weight of the soft jobs that are late. Every
// overload says that enough jobs must be late to relieve it. Starting from the
// jobs late alone, it chooses the cheapest jobs to be late that satisfy all
// overloads found so far, and asks Refute about the rest, until Refute knows
// nothing against it (implicit hitting sets, Moreno-Centeno and Karp 2013, with
// covering constraints in place of sets). Where jobs come after others, what these need counts, too (see [charged]). The bound is the weight of the last
// choice; where choosing gets too hard, a relaxation's. It is 0 with an empty
// certificate if the hard deadlines are refuted themselves. When ctx ends it
// returns what is proved by then.
func Misses(ctx context.Context, js *model.JobSet) (int64, *proof.EnergyBound) {
	c := &proof.EnergyBound{Objective: model.Misses}
	p := newProver(ctx, js)
	if !p.feasible() {
		return 0, c
	}
	none := make([]model.Time, len(js.Jobs))
	rows, weights := p.lateAlone(), cover.Weights(js)
	var closures []closure
	if js.JobsLinked() {
		closures = p.closures(without(p.soft(), jobsOfCuts(rows)))
	}
	p.pressing = closures != nil
	var all *problem
	if js.Coupled() {
		if all = p.allInTime(rows); all != nil {
			rows = append(rows, all.capped(ctx)...)
		}
	}
	for {
		weight, choice, exact := cover.Solve(ctx, weights, rows)
		if !exact {
			c.Value = max(c.Value, cover.Bound(weights, rows, weight))
			break
		}
		c.Value = weight
		others := without(p.soft(), choice)
		if closures != nil {
			r, found := p.violated(closures, choice, p.dues(others, none, 0))
			if !found {
				break
			}
			rows = append(rows, r)
			continue
		}
		sh := p.refuteSoft(others, p.dues(others, none, 0))
		if sh == nil {
			break
		}
		if all == nil {
			if all = p.allInTime(rows); all == nil {
				break
			}
		}
		rows = append(rows, all.row(sh))
	}
	for _, r := range cover.Needed(ctx, weights, rows, c.Value) {
		c.Add(r.Overload, 0)
	}
	return c.Value, c
}

// jobsOfCuts are those of cuts of one job each, ascending.
func jobsOfCuts(rows []proof.Cut) (jobs []model.JobID) {
	for _, r := range rows {
		jobs = append(jobs, r.Jobs...)
	}
	return jobs
}

// lateAlone makes a row of each soft job that is late alone.
func (p *prover) lateAlone() []proof.Cut {
	var out []proof.Cut
	for _, i := range p.soft() {
		if late, _ := p.alone(i); late > 0 {
			sh := criticalPath(i, p.longest[i], p.js.Jobs[i].Due())
			out = append(out, proof.Cut{Jobs: []model.JobID{i}, Coefficients: []int64{1}, RHS: 1, Overload: sh})
		}
	}
	return out
}

// allInTime is the problem of finishing all hard jobs, and all soft ones but
// those late alone, by their deadlines; nil where there is no time for it.
func (p *prover) allInTime(alone []proof.Cut) *problem {
	due := p.dues(without(p.soft(), jobsOfCuts(alone)), make([]model.Time, len(p.js.Jobs)), 0)
	w := window.ByJobUntil(p.ctx, p.js, due)
	if w == nil {
		return nil
	}
	all := newProblem(p.ctx, p.js, due, w)
	if p.ctx.Err() != nil {
		return nil
	}
	return all
}

// row turns a overload of some of the jobs into that of all jobs that need any
// of the same resource, slaves and interval, or of the same limit.
func (p *problem) row(sh *proof.Overload) proof.Cut {
	whole := &proof.Overload{Slaves: sh.Slaves, Resource: sh.Resource, Shared: sh.Shared, Interval: sh.Interval, Have: sh.Have}
	r := proof.Cut{Overload: whole}
	for _, part := range p.needing(sh) {
		whole.Jobs = append(whole.Jobs, part.job)
		whole.Need += part.need
		if p.js.Jobs[part.job].Kind == model.Soft {
			r.Jobs = append(r.Jobs, part.job)
			r.Coefficients = append(r.Coefficients, part.need)
		}
	}
	r.RHS = whole.Need - whole.Have
	return r
}

// needing lists what jobs need of what an overload is about.
func (p *problem) needing(sh *proof.Overload) []part {
	if sh.Resource == proof.SharedTicks {
		return p.partsOf(sh.Shared, sh.Interval)
	}
	slaves := newMask(len(p.js.Slaves))
	for _, s := range sh.Slaves {
		slaves.add(s)
	}
	return p.parts(slaves, sh.Resource, sh.Interval)
}

// core finds, among the given soft jobs and the hard ones, few soft jobs that
// cannot all be late by no more than their floors. Every job left out of a core
// was tried: without it Refute knows no argument.
func (p *prover) core(among []model.JobID, floors []model.Time) ([]model.JobID, *proof.Overload) {
	sh := p.refuteSoft(among, p.dues(among, floors, 0))
	if sh == nil {
		return nil, nil
	}
	jobs := proof.SoftOf(p.js, sh.Jobs)
	for k := 0; k < len(jobs) && len(jobs) > 1; {
		fewer := slices.Delete(slices.Clone(jobs), k, k+1)
		if again := p.refuteSoft(fewer, p.dues(fewer, floors, 0)); again != nil {
			sh, jobs, k = again, proof.SoftOf(p.js, again.Jobs), 0
		} else {
			k++
		}
	}
	return jobs, sh
}

// dues are those of the hard jobs and of some soft ones, late by their floors
// plus grace; the others are never due.
func (p *prover) dues(soft []model.JobID, floors []model.Time, grace model.Time) []model.Time {
	due := query.HardDues(p.js)
	for _, i := range soft {
		due[i] = p.js.Jobs[i].Due() + floors[i] + grace
	}
	return due
}

// without is jobs less those in out; both ascend.
func without(jobs, out []model.JobID) []model.JobID {
	var rest []model.JobID
	for _, i := range jobs {
		if _, found := slices.BinarySearch(out, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// Recheck has separate code recompute a bound (see [inference.Energy]), to which it gives
// multipliers for cuts on late jobs.
func Recheck(ctx context.Context, js *model.JobSet, b *proof.EnergyBound) (value int64, cuts []proof.Cut, err error) {
	return inference.Energy(ctx, js, b, func(cuts []proof.Cut) []int64 { return cover.Multipliers(cover.Weights(js), cuts, b.Value) })
}
