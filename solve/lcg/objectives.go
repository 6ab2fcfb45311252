package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// limited is what keeps to a limit: the weight of the jobs that a plan decides of is most at most, and of delays
// that of each end is a variable. The limit is more by base.
type limited struct {
	most   *int64
	base   int64
	delays []query.Delay
	ends   []core.View
}

// mostPartial bounds the literals of partial sums, of some 50 bytes each.
const mostPartial = 200_000

func (p *problem) addObjectives() {
	for _, limit := range p.Limits {
		if limit.Objective.Shape().Counts() {
			p.limitMisses(limit)
		} else {
			p.limitDelays(limit)
		}
	}
}

// limitMisses bounds the weight, or number, of the jobs that are not placed, or placed and late.
func (p *problem) limitMisses(limit query.Limit) {
	rule, shape := limit.Objective.InProofs(), limit.Objective.Shape()
	jobs, base := p.Missable(shape)
	p.because(rule)
	if limit.Most < base {
		p.Refute()
		return
	}
	var missed []core.Lit
	var weights []int64
	for _, i := range jobs {
		missed = append(missed, p.missed(i))
		weights = append(weights, shape.Weight(&p.JS.Jobs[i]))
	}
	p.because(rule)
	most := postSum(p.Solver, missed, weights, limit.Most-base)
	p.limited = append(p.limited, limited{most: most, base: base})
}

// missed is a literal that holds if a job is missed that can be.
func (p *problem) missed(i model.JobID) core.Lit {
	if p.Role[i] == query.May {
		return p.on[i].Not()
	}
	job := &p.JS.Jobs[i]
	late := p.NewBool()
	p.called(late.Not(), atom{'e', int32(i), int32(job.Due())})
	p.because("job", int(i))
	p.TryFirst(late.Not())
	for _, f := range p.lastFinishes(job) {
		p.AddClause(late, p.Le(f, int32(job.Due())))
	}
	return late
}

// limitDelays bounds a sum that grows with the finishes of jobs that must be placed.
func (p *problem) limitDelays(limit query.Limit) {
	shape := limit.Objective.Shape()
	delays, base := p.Delayable(shape)
	var of terms
	for _, d := range delays {
		job := &p.JS.Jobs[d.Job]
		end := p.NewInt(int32(d.First), int32(d.Last))
		p.calledInt(end, 'e', int(d.Job))
		p.because("job", int(d.Job))
		postPrecedence(p.Solver, p.lastFinishes(job), end)
		of.ends, of.bases, of.weights = append(of.ends, end), append(of.bases, int32(d.First)), append(of.weights, shape.Weight(job))
	}
	p.because(limit.Objective.InProofs())
	if limit.Most < base {
		p.Refute()
		return
	}
	ends, most := of.ends, limit.Most-base
	if p.names == nil && most < mostPartial/int64(max(1, len(ends))) {
		of = pairwise(p.Solver, of, int32(most))
	}
	p.limited = append(p.limited, limited{postLateness(p.Solver, of, most), base, delays, ends})
}
