package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
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
	if limit < 0 {
		p.broken = true
		return
	}
	r := &sumRule{limit: limit}
	for _, i := range p.Missable(kind) {
		r.lits = append(r.lits, p.missed(i))
		r.weights = append(r.weights, query.MissWeight(&p.JS.Jobs[i]))
	}
	id := p.addRule(r)
	for _, m := range r.lits {
		p.onTrue(m, id)
	}
}

// missed is a literal that holds if a job is missed that can be.
func (p *problem) missed(i model.JobID) lit {
	if p.Role[i] == query.May {
		return p.on[i].not()
	}
	job := &p.JS.Jobs[i]
	late := p.newBool()
	p.phase[late.index()] = -1
	for _, f := range p.finishes(&job.Stages[len(job.Stages)-1]) {
		p.addClause(late, p.le(f, int32(job.Due())))
	}
	return late
}

// limitDelays bounds the weighted lateness of the soft jobs that must be placed.
func (p *problem) limitDelays() {
	delays, base := p.Delayable()
	r := &delayRule{limit: p.WeightedLimit - base}
	for _, d := range delays {
		job := &p.JS.Jobs[d.Job]
		end := p.newInt(int32(d.First), int32(d.Last))
		p.addOrder(p.finishes(&job.Stages[len(job.Stages)-1]), end)
		r.ends = append(r.ends, end)
		r.bases = append(r.bases, int32(d.First))
		r.weights = append(r.weights, job.Weight)
	}
	if r.limit < 0 {
		p.broken = true
		return
	}
	id := p.addRule(r)
	for _, end := range r.ends {
		p.onLower(end, id, no)
	}
}
