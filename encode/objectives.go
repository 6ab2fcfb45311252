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

func predictMisses(l *layout, kind model.JobKind, base, limit, stop int64) int64 {
	if limit < 0 {
		return 0
	}
	total := int64(1)
	var terms [][]int64
	for _, i := range l.Missable(kind) {
		total += lastPlaces(l, i)
		terms = append(terms, []int64{query.MissWeight(&l.JS.Jobs[i])})
	}
	return total + l.predictSum(missesOf(kind), base, terms, limit, stop)
}

// missesOf is the objective that counts missed jobs of a kind.
func missesOf(kind model.JobKind) model.Objective {
	if kind == model.Hard {
		return model.HardMisses
	}
	return model.Misses
}

// predictSum bounds the clauses that keep the sum of an objective within its limit; it stops
// counting above stop.
func (l *layout) predictSum(o model.Objective, base int64, terms [][]int64, limit, stop int64) int64 {
	most, count := base, int64(0)
	for _, values := range terms {
		if n := len(values); n > 0 {
			most, count = most+values[n-1], count+int64(n)
		}
	}
	switch {
	case l.unbounded(o, most, limit):
		return 0
	case l.form.Sums:
		return linearSize(count)
	default:
		return cnf.SumClauses(terms, max(0, limit-base), stop)
	}
}

// unbounded reports whether an objective is minimised, and its limit keeps it from nothing.
func (l *layout) unbounded(o model.Objective, most, limit int64) bool {
	return slices.Contains(l.form.Minimize, o) && limit >= most
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
	total := predictMisses(l, model.Soft, l.MissBase, l.MissLimit, stop)
	total += predictMisses(l, model.Hard, l.HardMissBase, l.HardMissLimit, stop)
	total += predictLatest(l)
	if l.WeightedLimit < 0 || total > stop {
		return total
	}
	delays, base := l.Delayable()
	terms := make([][]int64, len(delays))
	for i, d := range delays {
		span := int64(d.Last - d.First)
		total += product(span, lastPlaces(l, d.Job)+1)
		if total > stop {
			return total
		}
		for q := int64(1); q <= span; q++ {
			terms[i] = append(terms[i], q*l.JS.Jobs[d.Job].Weight)
		}
	}
	return total + l.predictSum(model.WeightedTardiness, base, terms, l.WeightedLimit, stop) + 1
}

func buildObjectives(e *Encoding) {
	if e.MissLimit >= 0 {
		e.Misses = buildMisses(e, model.Soft, e.MissBase, e.MissLimit)
	}
	if e.HardMissLimit >= 0 {
		e.HardMisses = buildMisses(e, model.Hard, e.HardMissBase, e.HardMissLimit)
	}
	if e.WeightedLimit >= 0 {
		e.Weighted = buildWeighted(e)
	}
	buildLatest(e)
}

// buildSum makes the sum of an objective, terms above base, asserts that it is at most limit,
// and keeps what it costs where it is minimised.
func buildSum(e *Encoding, o model.Objective, base int64, terms [][]cnf.Step, limit int64) *cnf.Sum {
	e.addCost(o, base, terms)
	most := base
	for _, steps := range terms {
		if n := len(steps); n > 0 {
			most += steps[n-1].Value
		}
	}
	if e.unbounded(o, most, limit) {
		return nil
	}
	return e.Bound(base, terms, limit)
}

func buildMisses(e *Encoding, kind model.JobKind, base, limit int64) *cnf.Sum {
	var terms [][]cnf.Step
	for _, i := range e.Missable(kind) {
		job, late := &e.JS.Jobs[i], e.on[i].Not()
		if e.Role[i] == query.Must {
			late = e.Lit()
			finishUnless(e, lastTasks(e.layout, i), late, job.Due())
		}
		terms = append(terms, []cnf.Step{{Value: query.MissWeight(job), At: late}})
	}
	return buildSum(e, missesOf(kind), base, terms, limit)
}

func buildWeighted(e *Encoding) *cnf.Sum {
	delays, base := e.Delayable()
	terms := make([][]cnf.Step, len(delays))
	for i, d := range delays {
		job, finish := &e.JS.Jobs[d.Job], e.newScale(bounds{d.First, d.Last})
		e.Chain(finish.first, int(d.Last-d.First))
		last := lastTasks(e.layout, d.Job)
		for at := d.First; at < d.Last; at++ {
			late, above := finish.atMost(at).Not(), int64(at-d.First)+1
			finishUnless(e, last, late, at)
			terms[i] = append(terms[i], cnf.Step{Value: above * job.Weight, At: late})
		}
	}
	return buildSum(e, model.WeightedTardiness, base, terms, e.WeightedLimit)
}

// finishUnless adds: otherwise ∨ every one of some tasks finishes by t.
func finishUnless(e *Encoding, tasks []model.TaskID, otherwise z.Lit, t model.Time) {
	for _, task := range tasks {
		for k, x := range e.vars[task].x {
			e.Add(otherwise, x.Not(), e.finishBy(task, k, t))
		}
	}
}
