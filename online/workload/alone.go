package workload

import "downbeat/model"

// alone is the time from its release that a job of an assembled set needs with
// the cluster to itself and every slave there: the dedicated run time of the
// papers. It is what list scheduling takes, each task in file order on the
// slave where it finishes first; seldom more than the least possible.
func alone(js *model.JobSet, id model.JobID) model.Time {
	places := placeAlone(js, id)
	end := model.Time(0)
	for i, p := range places {
		end = max(end, js.Finish(js.Jobs[id].First+model.TaskID(i), p))
	}
	return end - js.Jobs[id].Release
}

// placeAlone is the schedule behind alone, in the order of the job's tasks.
func placeAlone(js *model.JobSet, id model.JobID) model.Schedule {
	job := &js.Jobs[id]
	lanes := make([]lane, len(js.Slaves))
	for s := range lanes {
		slave := &js.Slaves[s]
		lanes[s].cores = make([]model.Time, slave.Cores)
		for p := range slave.Pools() {
			lanes[s].slots[p] = make([]model.Time, slave.PoolSize(p))
		}
	}
	var places model.Schedule
	ready := job.Release
	for _, st := range job.Stages {
		end := ready
		for t := st.First; t < st.End; t++ {
			var best model.Placement
			finish := model.Never
			for s := range lanes {
				id := model.SlaveID(s)
				if !js.Tasks[t].Eligible(id) {
					continue
				}
				p := lanes[s].fit(js, t, id, ready)
				if f := js.Finish(t, p); f < finish {
					best, finish = p, f
				}
			}
			lanes[best.Slave].put(js, t, best)
			places = append(places, best)
			end = max(end, finish)
		}
		ready = end
	}
	return places
}

// lane is when the parts of a slave are free for good. Tasks are placed at
// heartbeats that never go back, so nothing is fitted in before.
type lane struct {
	slots     [2][]model.Time
	cores     []model.Time
	line      model.Time // the fetch line
	lastStart model.Time
}

func (l *lane) fit(js *model.JobSet, t model.TaskID, s model.SlaveID, ready model.Time) model.Placement {
	task := &js.Tasks[t]
	pool := js.Slaves[s].Pool(task.Slot)
	beat, at := js.BeatAtOrAfter(s, max(ready, l.slots[pool][soonest(l.slots[pool])]))
	fetch := at
	if js.Fetch == model.FetchExclusive && task.Transfer(s) > 0 {
		fetch = max(at, l.line)
	}
	start := max(fetch+task.Transfer(s), l.cores[soonest(l.cores)])
	if js.FIFO {
		start = max(start, l.lastStart)
	}
	return model.Placement{Slave: s, Beat: beat, Fetch: fetch, Start: start}
}

func (l *lane) put(js *model.JobSet, t model.TaskID, p model.Placement) {
	task := &js.Tasks[t]
	finish := js.Finish(t, p)
	slots := l.slots[js.Slaves[p.Slave].Pool(task.Slot)]
	slots[soonest(slots)] = finish
	l.cores[soonest(l.cores)] = finish
	l.line = max(l.line, p.Fetch+task.Transfer(p.Slave))
	l.lastStart = p.Start
}

// soonest is the index of the least time.
func soonest(times []model.Time) int {
	best := 0
	for i, t := range times {
		if t < times[best] {
			best = i
		}
	}
	return best
}
