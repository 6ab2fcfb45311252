package query

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// Tasks of one stage, jobs and slaves that are alike differ in their numbers only, so
// that an engine may order them:
//
//	(a) tasks t before u of one stage with equal figures everywhere: R_t ≤ R_u;
//	    with fifo, or where R = S − C on every slave, S_t ≤ S_u. Jobs of a single
//	    stage that have to be in by the same time, and of which nothing else is
//	    asked, count as one stage if they are released together and come before and
//	    after the same jobs, and nothing but their times ties their tasks to each other.
//	(a') the first tasks t before u of two jobs of several stages that are equal in
//	    everything: the same
//	(b) slaves i before i+1 of a group of equal slaves: a task may run on i+1
//	    only if a task of lower number runs on i
//
// Nothing is lost. If a valid schedule violates (a), exchange the whole
// placements (slave, A, R, S) of t and u: the stage, and so C3, C7, C8 and C10,
// are the same for both, the slaves see the same fetches, holds and runs, pools and the
// caps of stage and job the same holds, gangs the same starts, and the
// vector (R_1, R_2, …), or that of the S, is lexicographically smaller, so the
// exchanges end. For (a') exchange the jobs as wholes, task by task: what (a) orders
// stays in order. Equal slaves can be renamed in order of first use; renaming
// changes neither R nor S, so it does not disturb (a).
//
// Ordering tasks that are equal on one slave only (same C and E there, other
// replicas elsewhere) is sound too, and was tried with formulas: proofs of
// infeasibility took several times as long (20 to 40 tasks, six questions, three
// clause orders each: 138 s against 43 s, of which 4 were cut off at 20 s).

// EqualSlaves groups slaves that none of the given tasks can tell apart; groups
// of one are left out. Restrictions and fixed tasks make slaves differ.
func (q *Question) EqualSlaves(tasks []model.TaskID) [][]model.SlaveID {
	if q.Restrict != nil || q.Fixed != nil {
		return nil
	}
	var profiles []*model.Profile
	seen := map[*model.Profile]bool{}
	for _, t := range tasks {
		if p := q.JS.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			profiles = append(profiles, p)
		}
	}
	byKey := map[string]int{}
	var groups [][]model.SlaveID
	for s := range model.SlaveID(len(q.JS.Slaves)) {
		slave := q.JS.Slaves[s]
		slave.Name, slave.Class, slave.Cost = "", "", 0
		key := fmt.Appendf(nil, "%v", slave)
		for _, p := range profiles {
			key = fmt.Appendf(key, " %d:%d", p.WCET(s), p.Transfer(s))
		}
		i, ok := byKey[string(key)]
		if !ok {
			i = len(groups)
			byKey[string(key)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	out := groups[:0]
	for _, g := range groups {
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// EqualPairs yields pairs of tasks to be ordered: of a stage with equal figures and
// domains, neighbours in number, and the first of equal jobs.
func (l *Layout) EqualPairs(yield func(t, u model.TaskID) bool) {
	type equal struct {
		pool
		*model.Profile
	}
	lastTask, lastJob := map[equal]model.TaskID{}, map[string]model.JobID{}
	for _, u := range l.Included {
		task := &l.JS.Tasks[u]
		same := equal{l.poolOf(task), task.Profile}
		if t, ok := lastTask[same]; ok && l.SameDomain(t, u) && !yield(t, u) {
			return
		}
		lastTask[same] = u
		if job := &l.JS.Jobs[task.Job]; u == job.First && len(job.Stages) > 1 && l.Role[task.Job] == Must {
			key := l.jobKey(task.Job)
			if i, ok := lastJob[key]; ok && l.sameDomains(i, task.Job) && !yield(l.JS.Jobs[i].First, u) {
				return
			}
			lastJob[key] = task.Job
		}
	}
}

// pool of tasks that are equal if their profiles are: a stage, or all jobs of a single
// stage between the same times (job is -1).
type pool struct {
	job          model.JobID
	stage        int32
	slot         model.SlotKind
	release, due model.Time
	links        string
}

func (l *Layout) poolOf(task *model.Task) pool {
	job := &l.JS.Jobs[task.Job]
	if len(job.Stages) > 1 || l.Role[task.Job] != Must || l.measured(task.Job) || ties(job) {
		return pool{job: task.Job, stage: task.Stage}
	}
	return pool{job: -1, slot: task.Slot, release: job.Release, due: l.Cap[task.Job], links: l.links(task.Job)}
}

// ties reports whether the tasks of a job of a single stage have a cap, start together or are apart.
func ties(job *model.Job) bool {
	st := &job.Stages[0]
	return job.AtMost > 0 || st.AtMost > 0 || st.Gang || st.Apart
}

// links tells which stages of other jobs those of a job come after and before; empty if
// there are none.
func (l *Layout) links(i model.JobID) string {
	var key []byte
	for k := range l.JS.Jobs[i].Stages {
		st := l.JS.Jobs[i].FirstStage + model.StageID(k)
		for side, linked := range [][]model.StageID{l.JS.Before(st), l.JS.Next(st)} {
			for _, other := range linked {
				if _, job := l.JS.Stage(other); job != i {
					key = fmt.Appendf(key, " %d.%d:%d", k, side, other)
				}
			}
		}
	}
	return string(key)
}

// measured reports whether more is asked of the finish of a Must job than to keep to
// its cap.
func (l *Layout) measured(i model.JobID) bool {
	job := &l.JS.Jobs[i]
	return slices.ContainsFunc(l.Limits, func(of Limit) bool {
		return l.Cap[i] > min(job.Due(), of.Objective.Shape().From(job))
	})
}

// jobKey is the same for Must jobs that differ in their names only.
func (l *Layout) jobKey(i model.JobID) string {
	job := &l.JS.Jobs[i]
	key := fmt.Appendf(nil, "%d %d %d %d %d%s", job.Kind, job.Release, job.Deadline, job.Weight, l.Cap[i], l.links(i))
	for k := range job.Stages {
		st := &job.Stages[k]
		key = fmt.Appendf(key, " %v", st.After)
		if l.JS.Coupled() {
			key = fmt.Appendf(key, " %d %v %t %t %d", st.AtMost, st.Reserved, st.Gang, st.Apart, st.StartAt)
		}
	}
	if l.JS.Coupled() {
		key = fmt.Appendf(key, " %d %v", job.AtMost, job.Reserved)
	}
	for t := job.First; t < job.End; t++ {
		task := &l.JS.Tasks[t]
		key = fmt.Appendf(key, " %d %d %p", task.Stage, task.Slot, task.Profile)
	}
	return string(key)
}

// sameDomains reports whether the tasks of two equal jobs are restricted alike.
func (l *Layout) sameDomains(i, k model.JobID) bool {
	shift := l.JS.Jobs[k].First - l.JS.Jobs[i].First
	for t := l.JS.Jobs[i].First; t < l.JS.Jobs[i].End; t++ {
		if !l.SameDomain(t, t+shift) {
			return false
		}
	}
	return true
}
