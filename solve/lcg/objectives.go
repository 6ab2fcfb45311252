package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

func (p *problem) addObjectives() {
	if p.MissLimit >= 0 {
		p.limitMisses(model.Soft, p.MissLimit-p.MissBase)
	}
	if p.HardMissLimit >= 0 {
		p.limitMisses(model.Hard, p.HardMissLimit-p.HardMissBase)
	}
	if p.WeightedLimit >= 0 {
		p.limitDelays()
	}
}

// limitMisses bounds the weight of the jobs of a kind that are not placed, or
// placed and late.
func (p *problem) limitMisses(kind model.JobKind, limit int64) {
	rule := "misses"
	if kind == model.Hard {
		rule = "hard-misses"
	}
	p.because(rule)
	if limit < 0 {
		p.Refute()
		return
	}
	var missed []core.Lit
	var weights []int64
	for _, i := range p.Missable(kind) {
		missed = append(missed, p.missed(i))
		weights = append(weights, query.MissWeight(&p.JS.Jobs[i]))
	}
	p.because(rule)
	postSum(p.Solver, missed, weights, limit)
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

// limitDelays bounds the weighted lateness of the soft jobs that must be placed.
func (p *problem) limitDelays() {
	delays, base := p.Delayable()
	limit := p.WeightedLimit - base
	var ends []core.View
	var bases []int32
	var weights []int64
	for _, d := range delays {
		job := &p.JS.Jobs[d.Job]
		end := p.NewInt(int32(d.First), int32(d.Last))
		p.calledInt(end, 'e', int(d.Job))
		p.because("job", int(d.Job))
		postPrecedence(p.Solver, p.lastFinishes(job), end)
		ends = append(ends, end)
		bases = append(bases, int32(d.First))
		weights = append(weights, job.Weight)
	}
	p.because("weighted")
	if limit < 0 {
		p.Refute()
		return
	}
	postLateness(p.Solver, ends, bases, weights, limit)
}
