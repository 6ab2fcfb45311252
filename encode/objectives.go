package encode

import (
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// What a job's lateness costs. late means that job i is not wholly finished by
// its deadline; only the last stage can tell, for C7 puts the others before it.
//
//	¬late ∧ x[t,k] → [F_t ≤ due]                   Must jobs with room after due
//	[J ≤ τ] ∧ x[t,k] → [F_t ≤ τ]                   J: finish of job i
//	[M ≤ τ] ∧ x[t,k] → [F_t ≤ τ]                   M: makespan, all jobs

// missable lists the jobs of a kind that can be on time or not.
func (l *layout) missable(kind model.JobKind) []model.JobID {
	var jobs []model.JobID
	for i := range l.JS.Jobs {
		job, id := &l.JS.Jobs[i], model.JobID(i)
		if job.Kind != kind {
			continue
		}
		canWait := l.Role[i] == query.Must && l.Cap[i] > job.Due() && l.windows.CriticalPath[id] <= job.Due()
		if l.Role[i] == query.May || canWait {
			jobs = append(jobs, id)
		}
	}
	return jobs
}

// missWeight is what a missed job adds to Misses or HardMisses.
func missWeight(job *model.Job) int64 {
	if job.Kind == model.Hard {
		return 1
	}
	return job.Weight
}

// delayable lists the soft Must jobs whose lateness can vary, with the bounds
// of their finish; base is the weighted lateness that no schedule can avoid.
func (l *layout) delayable() (jobs []model.JobID, finish []bounds, base int64) {
	for i := range l.JS.Jobs {
		job, id := &l.JS.Jobs[i], model.JobID(i)
		if job.Kind != model.Soft || l.Role[i] != query.Must {
			continue
		}
		first := max(job.Due(), l.windows.CriticalPath[id])
		base += job.Weight * int64(first-job.Due())
		if first < l.Cap[i] {
			jobs = append(jobs, id)
			finish = append(finish, bounds{first, l.Cap[i]})
		}
	}
	return jobs, finish, base
}

func (l *layout) predictMisses(kind model.JobKind, base, limit, stop int64) int64 {
	if limit < 0 {
		return 0
	}
	total := int64(1)
	var terms [][]int64
	for _, id := range l.missable(kind) {
		total += l.lastStagePlaces(id)
		terms = append(terms, []int64{missWeight(&l.JS.Jobs[id])})
	}
	return total + cnf.SumClauses(terms, max(0, limit-base), stop)
}

// lastStagePlaces counts tasks × slaves of a job's last stage.
func (l *layout) lastStagePlaces(id model.JobID) int64 {
	n := int64(0)
	job := &l.JS.Jobs[id]
	for t := job.Stages[len(job.Stages)-1].First; t < job.End; t++ {
		n += int64(len(l.tasks[t].slaves))
	}
	return n
}

func predictObjectives(l *layout, stop int64) int64 {
	total := int64(0)
	total += l.predictMisses(model.Soft, l.missBase, l.MissLimit, stop)
	total += l.predictMisses(model.Hard, l.hardMissBase, l.HardMissLimit, stop)
	if l.WeightedLimit >= 0 {
		jobs, finish, base := l.delayable()
		terms := make([][]int64, len(jobs))
		for i, id := range jobs {
			span := int64(finish[i].hi - finish[i].lo)
			total += product(span, l.lastStagePlaces(id)+1)
			if total > stop {
				return total
			}
			for q := int64(1); q <= span; q++ {
				terms[i] = append(terms[i], q*l.JS.Jobs[id].Weight)
			}
		}
		total += cnf.SumClauses(terms, max(0, l.WeightedLimit-base), stop) + 1
	}
	if l.MakespanFrom > 0 {
		span := int64(l.horizon() - l.MakespanFrom)
		for i := range l.JS.Jobs {
			if l.Role[i] == query.Must {
				total += product(max(0, span), l.lastStagePlaces(model.JobID(i)))
			}
		}
		total += max(0, span)
	}
	return total
}

// horizon is the largest cap of a job that is not left out.
func (l *layout) horizon() model.Time {
	end := model.Time(0)
	for i, role := range l.Role {
		if role != query.Out {
			end = max(end, l.Cap[i])
		}
	}
	return end
}

func (e *Encoding) buildObjectives() {
	if e.MissLimit >= 0 {
		e.Misses = e.buildMisses(model.Soft, e.missBase, e.MissLimit)
	}
	if e.HardMissLimit >= 0 {
		e.HardMisses = e.buildMisses(model.Hard, e.hardMissBase, e.HardMissLimit)
	}
	if e.WeightedLimit >= 0 {
		e.buildWeighted()
	}
	if e.MakespanFrom > 0 {
		e.makespan = e.newScale(bounds{e.MakespanFrom, max(e.MakespanFrom, e.horizon())})
		e.Chain(e.makespan.first, int(e.makespan.hi-e.makespan.lo))
		for i, role := range e.Role {
			if role == query.Must {
				e.finishScale(model.JobID(i), &e.makespan)
			}
		}
	}
}

// limit makes a sum of terms above base and asserts that it is at most limit.
func (e *Encoding) limit(base int64, terms [][]cnf.Step, limit int64) *cnf.Sum {
	sum := e.NewSum(base, terms, limit)
	e.Add(sum.AtMost(limit))
	return sum
}

func (e *Encoding) buildMisses(kind model.JobKind, base, limit int64) *cnf.Sum {
	var terms [][]cnf.Step
	for _, id := range e.missable(kind) {
		late := e.on[id].Not()
		if e.Role[id] == query.Must {
			late = e.Lit()
			e.finishUnless(id, late, e.JS.Jobs[id].Due())
		}
		terms = append(terms, []cnf.Step{{Value: missWeight(&e.JS.Jobs[id]), At: late}})
	}
	return e.limit(base, terms, limit)
}

func (e *Encoding) buildWeighted() {
	jobs, finish, base := e.delayable()
	terms := make([][]cnf.Step, len(jobs))
	for i, id := range jobs {
		scale := e.newScale(finish[i])
		e.Chain(scale.first, int(scale.hi-scale.lo))
		e.finishScale(id, &scale)
		for at := scale.lo; at < scale.hi; at++ {
			above := int64(at-scale.lo) + 1
			terms[i] = append(terms[i], cnf.Step{Value: above * e.JS.Jobs[id].Weight, At: scale.atMost(at).Not()})
		}
	}
	e.Weighted = e.limit(base, terms, e.WeightedLimit)
}

// finishScale ties a scale to the last stage of a job: [v ≤ τ] → [F ≤ τ].
func (e *Encoding) finishScale(id model.JobID, v *scale) {
	for at := v.lo; at < v.hi; at++ {
		e.finishUnless(id, v.atMost(at).Not(), at)
	}
}

// finishUnless adds: otherwise ∨ every task of the job's last stage finishes by t.
func (e *Encoding) finishUnless(id model.JobID, otherwise z.Lit, t model.Time) {
	job := &e.JS.Jobs[id]
	for task := job.Stages[len(job.Stages)-1].First; task < job.End; task++ {
		for k, x := range e.vars[task].x {
			e.Add(otherwise, x.Not(), e.finishBy(task, k, t))
		}
	}
}
