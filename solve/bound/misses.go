package bound

import (
	"context"
	"slices"

	"downbeat/model"
)

// Misses is a lower bound on the weight of the soft jobs that are late. It
// finds sets of soft jobs that cannot all be in time: first the jobs late alone,
// then, as long as Refute can tell, sets that the cheapest choice of late jobs
// so far leaves whole. The bound is the least
// weight of a choice that takes one job from each set (implicit hitting sets;
// Moreno-Centeno, Karp 2013). It is 0 with an empty certificate if the hard
// deadlines are refuted themselves. When ctx ends it returns what is proved by
// then.
func Misses(ctx context.Context, js *model.JobSet) (int64, *Certificate) {
	c := &Certificate{Objective: model.Misses}
	p := newProver(ctx, js)
	if !p.feasible() {
		return 0, c
	}
	none := make([]model.Time, len(js.Jobs))
	cores := p.lateAlone()
	var value int64
	var choice []model.JobID
	for {
		v, chosen, exact := cheapest(js, cores)
		if !exact {
			break
		}
		value, choice = v, chosen
		found := p.coresWithout(choice, none)
		if len(found) == 0 {
			break
		}
		cores = append(cores, found...)
	}
	c.Value = value
	for _, core := range needed(js, cores, value) {
		c.add(core.shortage, 0)
	}
	return c.Value, c
}

// core is a set of soft jobs that cannot all be in time.
type core struct {
	jobs     []model.JobID
	shortage *model.Shortage
}

// lateAlone makes a core of each soft job that is late alone.
func (p *prover) lateAlone() []core {
	var out []core
	for _, i := range p.soft() {
		if late, _ := p.alone(i); late > 0 {
			sh := criticalPath(i, p.longest[i], p.js.Jobs[i].Due())
			out = append(out, core{[]model.JobID{i}, sh})
		}
	}
	return out
}

// coresWithout finds disjoint cores among the soft jobs not chosen to be late.
func (p *prover) coresWithout(choice []model.JobID, floors []model.Time) []core {
	var out []core
	left := without(p.soft(), choice)
	for {
		jobs, sh := p.core(left, floors)
		if sh == nil {
			return out
		}
		out = append(out, core{jobs, sh})
		left = without(left, jobs)
	}
}

// core finds, among the given soft jobs and the hard ones, few soft jobs that
// cannot all be late by no more than their floors. Every job left out of a core
// was tried: without it Refute knows no argument.
func (p *prover) core(among []model.JobID, floors []model.Time) ([]model.JobID, *model.Shortage) {
	sh := p.refuteSoft(p.dues(among, floors, 0))
	if sh == nil {
		return nil, nil
	}
	jobs := softOf(p.js, sh.Jobs)
	for k := 0; k < len(jobs) && len(jobs) > 1; {
		fewer := slices.Delete(slices.Clone(jobs), k, k+1)
		if again := p.refuteSoft(p.dues(fewer, floors, 0)); again != nil {
			sh, jobs, k = again, softOf(p.js, again.Jobs), 0
		} else {
			k++
		}
	}
	return jobs, sh
}

// dues are those of the hard jobs and of some soft ones, late by their floors
// plus grace; the others are never due.
func (p *prover) dues(soft []model.JobID, floors []model.Time, grace model.Time) []model.Time {
	due := hardDues(p.js)
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

// needed drops cores, the latest found first, that the bound does not need.
func needed(js *model.JobSet, cores []core, value int64) []core {
	for k := len(cores) - 1; k >= 0; k-- {
		fewer := slices.Delete(slices.Clone(cores), k, k+1)
		if v, _, exact := cheapest(js, fewer); exact && v == value {
			cores = fewer
		}
	}
	return cores
}
