package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
)

func (p *problem) addObjectives() {
	if p.MissLimit >= 0 {
		p.limitMisses(model.Soft, p.MissLimit-p.softBase)
	}
	if p.HardMissLimit >= 0 {
		p.limitMisses(model.Hard, p.HardMissLimit-p.hardBase)
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
	for i := range p.JS.Jobs {
		if job := &p.JS.Jobs[i]; job.Kind == kind {
			if missed := p.missed(model.JobID(i)); missed != no {
				r.lits = append(r.lits, missed)
				r.weights = append(r.weights, missWeight(job))
			}
		}
	}
	id := p.addRule(r)
	for _, m := range r.lits {
		p.onTrue(m, id)
	}
}

// missWeight is what a missed job counts.
func missWeight(job *model.Job) int64 {
	if job.Kind == model.Hard {
		return 1
	}
	return job.Weight
}

// missed is a literal that holds if the job is missed; no if that is settled.
func (p *problem) missed(i model.JobID) lit {
	job := &p.JS.Jobs[i]
	switch {
	case p.role[i] == query.May:
		return p.on[i].not()
	case p.role[i] == query.Out, p.due[i] <= job.Due(), p.windows.CriticalPath[i] > job.Due():
		return no
	}
	late := p.newBool()
	p.phase[late.index()] = -1
	for _, f := range p.finishes(&job.Stages[len(job.Stages)-1]) {
		p.addClause(late, p.le(f, int32(job.Due())))
	}
	return late
}

// limitDelays bounds the weighted lateness of the soft jobs that must be placed.
func (p *problem) limitDelays() {
	r := &delayRule{limit: p.WeightedLimit}
	for i := range p.JS.Jobs {
		job := &p.JS.Jobs[i]
		if job.Kind != model.Soft || p.role[i] != query.Must {
			continue
		}
		first := max(job.Due(), p.windows.CriticalPath[i])
		r.limit -= job.Weight * int64(first-job.Due())
		if first >= p.due[i] {
			continue
		}
		end := p.newInt(int32(first), int32(p.due[i]))
		p.addOrder(p.finishes(&job.Stages[len(job.Stages)-1]), end)
		r.ends = append(r.ends, end)
		r.bases = append(r.bases, int32(first))
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
