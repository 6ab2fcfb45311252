package strategy

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Kinds of neighbourhood, all around a job that costs something.
const (
	aroundTime = iota
	someSlaves
	someJobs
	neighbourhoodKinds
)

// pivot is a job, by chance, that adds to the value and need not do so.
func (n *neighbours) pivot() (model.JobID, bool) {
	chosen, seen := model.JobID(-1), 0
	for i := range n.w.JS.Jobs {
		if n.costs(model.JobID(i)) {
			if seen++; n.rng.IntN(seen) == 0 {
				chosen = model.JobID(i)
			}
		}
	}
	return chosen, chosen >= 0
}

func (n *neighbours) costs(i model.JobID) bool {
	job := &n.w.JS.Jobs[i]
	switch shape := n.w.Goal[n.w.P].Shape(); {
	case !shape.Jobs.Has(job.Kind):
		return false
	case shape.Max:
		return shape.Cost(job, n.finishes[i]) == n.values[n.w.P]
	default:
		return shape.Cost(job, n.finishes[i]) > 0
	}
}

// choose sets the pivot free and other tasks with it, up to a number.
func (n *neighbours) choose(pivot model.JobID, kind, wanted int) {
	clear(n.free)
	clear(n.loose)
	n.list = n.list[:0]
	n.release(pivot)
	n.releaseBefore(pivot, wanted/2)
	switch kind {
	case aroundTime:
		n.chooseTasks(pivot, wanted)
	case someSlaves:
		n.chooseSlaves(pivot, wanted)
	case someJobs:
		n.chooseJobs(pivot, wanted)
	}
	n.slaves = n.slaves[:0]
	for _, t := range n.list {
		n.slaves = append(n.slaves, n.plan[t].Slave)
	}
	slices.Sort(n.slaves)
	n.slaves = slices.Compact(n.slaves)
	if n.rng.IntN(2) == 0 {
		n.loosen(4 * wanted)
	}
	slices.Sort(n.list)
}

// loosen lets other tasks of the same slaves make way a little, those first
// that hold slots nearest to the free ones.
func (n *neighbours) loosen(wanted int) {
	n.slack = 1 + n.typical/[...]model.Time{4, 2, 1}[n.rng.IntN(3)]
	js := n.w.JS
	around := model.Interval{Start: model.Never}
	for _, t := range n.list {
		if i := js.Tasks[t].Job; n.lifted(i) {
			around.Start, around.End = min(around.Start, n.span(i).Start), max(around.End, n.span(i).End)
			continue
		}
		around.Start = min(around.Start, js.Assigned(n.plan[t]))
		around.End = max(around.End, js.Finish(t, n.plan[t]))
	}
	for _, t := range n.nearest(around, wanted) {
		_, shared := slices.BinarySearch(n.slaves, n.plan[t].Slave)
		if _, together := n.together(t); shared && !together {
			n.releaseTask(t)
			n.loose[t] = true
		}
	}
}

// span is the time in which a job could do better.
func (n *neighbours) span(i model.JobID) model.Interval {
	job := &n.w.JS.Jobs[i]
	end := n.finishes[i]
	if n.lifted(i) {
		end = job.Due()
	}
	return model.Interval{Start: job.Release, End: max(end, job.Release+1)}
}

// release sets all tasks of a job free.
func (n *neighbours) release(i model.JobID) {
	for t := n.w.JS.Jobs[i].First; t < n.w.JS.Jobs[i].End; t++ {
		n.releaseTask(t)
	}
}

// releaseBefore sets jobs free that one comes after, the nearest first, as long as the
// number of free tasks stays within what is wanted: where they keep their places it can
// hardly do better.
func (n *neighbours) releaseBefore(i model.JobID, wanted int) {
	jobs := n.w.JS.Jobs
	next := slices.Clone(jobs[i].After)
	for at := 0; at < len(next); at++ {
		before := &jobs[next[at]]
		if !n.free[before.First] && len(n.list)+int(before.End-before.First) <= wanted {
			n.release(next[at])
			next = append(next, before.After...)
		}
	}
}

// releaseTask sets a task free, and those that it starts with or is apart from.
func (n *neighbours) releaseTask(t model.TaskID) {
	if n.free[t] {
		return
	}
	from, to := t, t+1
	if st, together := n.together(t); together {
		from, to = st.First, st.End
	}
	for ; from < to; from++ {
		n.free[from] = true
		n.list = append(n.list, from)
	}
}

// chooseTasks sets tasks free, those first that run nearest to a moment in the
// pivot's span.
func (n *neighbours) chooseTasks(pivot model.JobID, wanted int) {
	span := n.span(pivot)
	at := span.Start + model.Time(n.rng.Int64N(int64(span.Len())))
	for _, t := range n.nearest(model.Interval{Start: at, End: at}, wanted-len(n.list)) {
		n.releaseTask(t)
	}
}

// nearest lists up to a number of tasks that could be set free, those first that
// hold slots nearest to an interval.
func (n *neighbours) nearest(to model.Interval, wanted int) []model.TaskID {
	var tasks []model.TaskID
	for t := range n.plan {
		if !n.free[t] && !n.lifted(n.w.JS.Tasks[t].Job) {
			tasks = append(tasks, model.TaskID(t))
		}
	}
	return nearestOf(n.w.JS, n.plan, tasks, to, wanted)
}

// nearestOf sorts tasks of a plan, those first that hold slots nearest to an interval, of those that are as near
// those that came first, and gives up to a number of them.
func nearestOf(js *model.JobSet, plan model.Schedule, tasks []model.TaskID, to model.Interval, wanted int) []model.TaskID {
	distance := make([]model.Time, len(plan))
	for _, t := range tasks {
		distance[t] = max(js.Assigned(plan[t])-to.End, to.Start-js.Finish(t, plan[t]), 0)
	}
	slices.SortStableFunc(tasks, func(a, b model.TaskID) int { return cmp.Compare(distance[a], distance[b]) })
	return tasks[:max(0, min(wanted, len(tasks)))]
}

// chooseSlaves sets all tasks free that some slaves hold in the pivot's span.
func (n *neighbours) chooseSlaves(pivot model.JobID, wanted int) {
	js, span := n.w.JS, n.span(pivot)
	on := make([][]model.TaskID, len(js.Slaves))
	for t := range n.plan {
		p := n.plan[t]
		hold := model.Interval{Start: js.Assigned(p), End: js.Finish(model.TaskID(t), p)}
		if !n.free[t] && !n.lifted(js.Tasks[t].Job) && hold.Overlaps(span) {
			on[p.Slave] = append(on[p.Slave], model.TaskID(t))
		}
	}
	for _, s := range n.rng.Perm(len(on)) {
		if len(n.list)+len(on[s]) > wanted {
			continue
		}
		for _, t := range on[s] {
			n.releaseTask(t)
		}
	}
}

// chooseJobs sets whole jobs free that overlap the pivot's span.
func (n *neighbours) chooseJobs(pivot model.JobID, wanted int) {
	span := n.span(pivot)
	for _, k := range n.rng.Perm(len(n.w.JS.Jobs)) {
		i := model.JobID(k)
		if len(n.list) >= wanted {
			return
		}
		if i != pivot && !n.lifted(i) && n.span(i).Overlaps(span) {
			n.release(i)
		}
	}
}
