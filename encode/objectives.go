package encode

import (
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// What a job's lateness costs. late means that job i is not wholly finished by
// its deadline; only its last stages can tell, for C7 puts the others before them.
//
//	¬late ∧ x[t,k] → [F_t ≤ due]                   Must jobs with room after due
//	[J ≤ τ] ∧ x[t,k] → [F_t ≤ τ]                   J: finish of job i

// predictCount is for a limit on late jobs.
func predictCount(l *layout, limit query.Limit, stop int64) int64 {
	total, shape := int64(1), limit.Objective.Shape()
	var terms [][]int64
	jobs, base := l.Missable(shape)
	for _, i := range jobs {
		total += lastPlaces(l, i)
		terms = append(terms, []int64{shape.Weight(&l.JS.Jobs[i])})
	}
	return total + l.predictSum(limit, base, terms, stop)
}

// predictSum bounds the clauses that keep a sum within its limit; it stops counting above stop.
func (l *layout) predictSum(limit query.Limit, base int64, terms [][]int64, stop int64) int64 {
	most, count := base, int64(0)
	for _, values := range terms {
		if n := len(values); n > 0 {
			most, count = most+values[n-1], count+int64(n)
		}
	}
	switch {
	case l.unbounded(limit, most):
		return 0
	case l.form.Sums:
		return linearSize(count)
	default:
		return cnf.SumClauses(terms, max(0, limit.Most-base), stop)
	}
}

// unbounded reports whether an objective is minimised, and its limit keeps it from nothing.
func (l *layout) unbounded(limit query.Limit, most int64) bool {
	return slices.Contains(l.form.Minimize, limit.Objective) && limit.Most >= most
}

// lastPlaces counts tasks × slaves of a job's last stages.
func lastPlaces(l *layout, i model.JobID) int64 {
	n := int64(0)
	for _, t := range lastTasks(l, i) {
		n += int64(len(l.Places[t]))
	}
	return n
}

// lastTasks lists the tasks of a job's last stages.
func lastTasks(l *layout, i model.JobID) []model.TaskID {
	var tasks []model.TaskID
	for _, st := range l.JS.Jobs[i].Ends() {
		stage, _ := l.JS.Stage(st)
		for t := stage.First; t < stage.End; t++ {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func predictObjectives(l *layout, stop int64) int64 {
	total := predictLatest(l)
	for _, limit := range l.Limits {
		switch {
		case limit.Objective.Shape().Counts():
			total += predictCount(l, limit, stop)
		case total <= stop:
			total = predictDelays(l, limit, total, stop)
		}
	}
	return total
}

// predictDelays is total with what there is for a limit on a sum that grows with finishes.
func predictDelays(l *layout, limit query.Limit, total, stop int64) int64 {
	shape := limit.Objective.Shape()
	delays, base := l.Delayable(shape)
	terms := make([][]int64, len(delays))
	for i, d := range delays {
		span := int64(d.Last - d.First)
		total += product(span, lastPlaces(l, d.Job)+1)
		if total > stop {
			return total
		}
		for q := int64(1); q <= span; q++ {
			terms[i] = append(terms[i], q*shape.Weight(&l.JS.Jobs[d.Job]))
		}
	}
	return total + l.predictSum(limit, base, terms, stop) + 1
}

func buildObjectives(e *Encoding) {
	for _, limit := range e.Limits {
		if limit.Objective.Shape().Counts() {
			buildCount(e, limit)
		} else {
			buildDelays(e, limit)
		}
	}
	buildLatest(e)
}

// buildSum makes a sum of terms above base, asserts that it keeps to the limit, and keeps what
// the objective costs where it is minimised.
func buildSum(e *Encoding, limit query.Limit, base int64, terms [][]cnf.Step) {
	e.addCost(limit.Objective, base, terms)
	most := base
	for _, steps := range terms {
		if n := len(steps); n > 0 {
			most += steps[n-1].Value
		}
	}
	if !e.unbounded(limit, most) {
		e.sums[limit.Objective] = e.Bound(base, terms, limit.Most)
	}
}

func buildCount(e *Encoding, limit query.Limit) {
	var terms [][]cnf.Step
	shape := limit.Objective.Shape()
	jobs, base := e.Missable(shape)
	for _, i := range jobs {
		job, late := &e.JS.Jobs[i], e.on[i].Not()
		if e.Role[i] == query.Must {
			late = e.Lit()
			finishUnless(e, lastTasks(e.layout, i), late, job.Due())
		}
		terms = append(terms, []cnf.Step{{Value: shape.Weight(job), At: late}})
	}
	buildSum(e, limit, base, terms)
}

func buildDelays(e *Encoding, limit query.Limit) {
	shape := limit.Objective.Shape()
	delays, base := e.Delayable(shape)
	terms := make([][]cnf.Step, len(delays))
	for i, d := range delays {
		weight, finish := shape.Weight(&e.JS.Jobs[d.Job]), e.newScale(bounds{d.First, d.Last})
		e.Chain(finish.first, int(d.Last-d.First))
		last := lastTasks(e.layout, d.Job)
		for at := d.First; at < d.Last; at++ {
			late, above := finish.atMost(at).Not(), int64(at-d.First)+1
			finishUnless(e, last, late, at)
			terms[i] = append(terms[i], cnf.Step{Value: above * weight, At: late})
		}
	}
	buildSum(e, limit, base, terms)
}

// finishUnless adds: otherwise ∨ every one of some tasks finishes by t.
func finishUnless(e *Encoding, tasks []model.TaskID, otherwise z.Lit, t model.Time) {
	for _, task := range tasks {
		for k, x := range e.vars[task].x {
			e.Add(otherwise, x.Not(), e.finishBy(task, k, t))
		}
	}
}
