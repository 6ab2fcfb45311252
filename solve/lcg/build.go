package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
	"downbeat/solve/lcg/propagate"
)

// lastTime bounds the times of a question: sums of a few of them stay within 32 bits.
const lastTime model.Time = 1 << 28

func build(q query.Question, opt *Options) (*problem, error) {
	js := q.JS
	if js.FIFO {
		return nil, ErrFIFO
	}
	p := &problem{
		Layout: query.NewLayout(q), Solver: core.New(opt.Seed),
		on: make([]core.Lit, len(js.Jobs)), tasks: make([]propagate.Task, len(js.Tasks)),
	}
	jobs := p.byDue()
	if err := p.affordable(jobs, opt.MaxLiterals); err != nil {
		return nil, err
	}
	if p.Impossible >= 0 {
		p.Refute()
	}
	p.PlaceTasks()
	for _, i := range jobs {
		p.addJob(i)
	}
	p.addResources()
	p.addObjectives()
	if !q.NoSymmetry {
		p.addSymmetry()
	}
	if opt.Like != nil {
		p.stayNear(opt.Like)
	}
	return p, nil
}

// byDue lists the jobs that are not left out, the most urgent first.
func (p *problem) byDue() []model.JobID {
	var jobs []model.JobID
	for i, role := range p.Role {
		if role != query.Out {
			jobs = append(jobs, model.JobID(i))
		}
	}
	slices.SortStableFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(p.Cap[a], p.Cap[b]) })
	return jobs
}

// affordable bounds the literals for some jobs, and the points of the time tables
// by an eighth of them, before any is made.
func (p *problem) affordable(jobs []model.JobID, limit int64) error {
	if limit == 0 {
		limit = DefaultMaxLiterals
	}
	need, first, last := int64(0), model.Never, model.Time(0)
	for _, i := range jobs {
		job := &p.JS.Jobs[i]
		first = min(first, job.Release)
		last = max(last, p.Cap[i])
		for t := job.First; t < job.End; t++ {
			span := p.Windows.Tasks[t]
			need += 3 * int64(span.LastFinish-span.FirstAssign)
			need += int64(len(p.JS.Slaves))
		}
	}
	if need > 0 {
		need += int64(len(p.JS.Slaves)) * int64((last-first)/8)
	}
	if need > limit || last > lastTime {
		return &TooLarge{need, limit}
	}
	return nil
}
