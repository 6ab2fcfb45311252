package minizinc

import (
	"math"
	"slices"

	"downbeat/model"
)

// Horizon is a time by which, for every valid schedule, there is one that ends
// and has no job finishing later than in the first. So for every list of
// objectives an optimum lies within.
//
// Take the schedule and move every task as early as it goes, keeping slaves and the orders of
// assignments, fetches and starts on each slave. Let T be the last release, first heartbeat or
// end of an absence, or the start of one without an end. In any tick after T in which nothing
// runs or fetches, all slaves wait for the next assignment, and that waits for nothing but its
// heartbeat: fewer than h ticks. All other ticks are counted by the transfers and execution
// times.
//
// Where slaves share something, what is before T stays, and nothing moves from after it to before;
// tasks that are not held at one time do not come to be, and a gang moves as one. T is no earlier
// than the last change of a pool or cap, so that what fits still does, and a task of a gang that
// waits for another one waits for its transfer, or for what runs on its core.
func Horizon(js *model.JobSet) model.Time {
	end := quietFrom(js)
	for t := range js.Tasks {
		end += longest(js, model.TaskID(t))
	}
	return end
}

// Horizon is a time by which some optimum of the question ends, if there is a
// schedule at all. It is [Horizon] of the set or, where hard deadlines hold,
// the least of the following.
//
// After the last hard deadline no task of a hard job runs. If T above is taken
// to be no earlier than that, only the tasks of other jobs are left to count.
//
// The others lie within a time L if they are laid out one after the other on an
// empty cluster (see tail), and so does any part of them. Let S be a best
// schedule, and Q the last release, first heartbeat, end of an absence or hard
// deadline.
//   - Without objectives, or for makespan: lay all of them out from Q on. Either
//     S ends by Q + L, or the new schedule is as good and does.
//   - For misses: lay out from T on, the latest of Q and the soft deadlines,
//     the jobs that S has not finished by then. They are late as before.
//   - For tardiness, perhaps with misses: that new schedule ends by T + L, so no
//     job is later than V = T + L − the first soft deadline. Either it is as good
//     as S, or in S no soft job ends after the last soft deadline + V, and
//     best-effort jobs can be laid out after that. For tardiness alone, Q takes
//     the place of T.
//
// Where jobs come after others, slaves go for good, or tasks on all slaves share something or start
// together, nothing is laid out.
func (q *Question) Horizon(js *model.JobSet) model.Time {
	general := Horizon(js)
	if q.Relaxed {
		return general
	}
	var softDue []model.Time
	lastHard, others := model.Time(0), false
	for i := range js.Jobs {
		switch job := &js.Jobs[i]; job.Kind {
		case model.Hard:
			lastHard = max(lastHard, job.Due())
		case model.Soft:
			softDue = append(softDue, job.Due())
			others = true
		case model.BestEffort:
			others = true
		}
	}
	if !others {
		return min(general, lastHard)
	}
	quiet := max(lastHard, quietFrom(js))
	end := quiet
	for t := range js.Tasks {
		if js.Jobs[js.Tasks[t].Job].Kind != model.Hard {
			end += longest(js, model.TaskID(t))
		}
	}
	end = min(end, general)
	if laid, ok := q.laidOut(js, quiet, softDue); ok {
		end = min(end, laid)
	}
	return end
}

// laidOut is the horizon by laying out tasks; there is none for some lists of
// objectives.
func (q *Question) laidOut(js *model.JobSet, quiet model.Time, softDue []model.Time) (model.Time, bool) {
	if js.JobsLinked() || js.AnyGone() || js.Coupled() {
		return 0, false // what is laid out later may be what others wait for, or find no slave or too little that is shared
	}
	var misses, tardiness, makespan bool
	for _, o := range q.objectives() {
		switch shape := o.Shape(); {
		case shape.OfHard(), shape.Sums():
			return 0, false
		case shape.Counts():
			misses = true
		case shape.Measure == model.Delay:
			tardiness = true
		default:
			makespan = true
		}
	}
	if makespan && (misses || tardiness) {
		return 0, false
	}
	length := tail(js, model.Soft, model.BestEffort)
	if makespan || len(softDue) == 0 || !misses && !tardiness {
		return quiet + length, true
	}
	first, last := slices.Min(softDue), slices.Max(softDue)
	if misses {
		quiet = max(quiet, last)
	}
	if !tardiness {
		return quiet + length, true
	}
	return last + (quiet + length - first) + tail(js, model.BestEffort), true
}

// objectives are those that the question speaks of.
func (q *Question) objectives() []model.Objective {
	list := slices.Clone(q.Minimize)
	for _, b := range q.AtMost {
		list = append(list, b.Objective)
	}
	return list
}

// lanes are what a slave offers to a layout: each takes one task after the
// other, and no resource is short if as many tasks as there are lanes hold it.
type lanes struct {
	free []model.Time
	line model.Time // when the fetch line is free
}

// tail lays out the tasks of jobs of the given kinds from a time on at which
// everything is released and every slave is there to stay, and tells how long
// that takes. In turn each task goes where it ends first: at a heartbeat when
// lane and fetch line are free, it is fetched at once, and then runs.
func tail(js *model.JobSet, kinds ...model.JobKind) model.Time {
	slaves := make([]lanes, len(js.Slaves))
	for i := range slaves {
		slaves[i].free = make([]model.Time, lanesOf(js, model.SlaveID(i)))
	}
	end := model.Time(0)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if !slices.Contains(kinds, job.Kind) {
			continue
		}
		gate := model.Time(0)
		for _, k := range job.Order() { // one after the other, whether or not they have to be
			done := gate
			for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
				done = max(done, layOut(js, slaves, t, gate))
			}
			gate = done
		}
		end = max(end, gate)
	}
	return end
}

// lanesOf is the number of lanes of slave s, by the needs of the tasks that it can
// run. One that has none of a resource runs no task that needs any.
func lanesOf(js *model.JobSet, s model.SlaveID) int64 {
	n := int64(math.MaxInt32)
	for _, supply := range js.Supplies(s) {
		if supply.Hold == model.HoldFetch || supply.Units == 0 {
			continue
		}
		most := int64(1)
		for t := range js.Tasks {
			if js.Tasks[t].Eligible(s) {
				most = max(most, js.Need(&js.Tasks[t], s, supply.Resource))
			}
		}
		n = min(n, supply.Units/most)
	}
	return n
}

// layOut places a task after its gate, and tells when it ends. A wait for a
// heartbeat is counted in full.
func layOut(js *model.JobSet, slaves []lanes, t model.TaskID, gate model.Time) model.Time {
	task := &js.Tasks[t]
	best, on, lane := model.Never, 0, 0
	for s := range slaves {
		if !task.Eligible(model.SlaveID(s)) {
			continue
		}
		k := 0
		for i, free := range slaves[s].free {
			if free < slaves[s].free[k] {
				k = i
			}
		}
		begin := max(gate, slaves[s].free[k], slaves[s].line) + js.Heartbeat - 1
		if end := begin + task.Transfer(model.SlaveID(s)) + task.WCET(model.SlaveID(s)); end < best {
			best, on, lane = end, s, k
		}
	}
	slaves[on].free[lane] = best
	slaves[on].line = best - task.WCET(model.SlaveID(on))
	return best
}

// quietFrom is when the last job is released, every slave has had its first
// heartbeat, none goes away or comes back any more, and what they share changes no more.
func quietFrom(js *model.JobSet) model.Time {
	from := js.SettledFrom()
	for i := range js.Jobs {
		from = max(from, js.Jobs[i].Release)
	}
	for i := range js.Slaves {
		from = max(from, js.Slaves[i].FirstBeat)
		for _, d := range js.Slaves[i].Down {
			if d.End == model.Never {
				d.End = d.Start
			}
			from = max(from, d.End)
		}
	}
	return from
}

// longest is the time that a task can take at most, the wait for a heartbeat
// included.
func longest(js *model.JobSet, t model.TaskID) model.Time {
	most := model.Time(0)
	for s := range model.SlaveID(len(js.Slaves)) {
		if js.Tasks[t].Eligible(s) {
			most = max(most, js.Tasks[t].Transfer(s)+js.Tasks[t].WCET(s))
		}
	}
	return most + js.Heartbeat
}
