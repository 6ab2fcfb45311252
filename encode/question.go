package encode

import (
	"downbeat/model"
	"downbeat/model/query"
	"downbeat/model/window"
)

// layout is what a question comes to before any variable is made.
type layout struct {
	query.Question
	windows *window.Windows
	// impossible is a Must job that is late alone, or -1.
	impossible model.JobID
	// refuted tells that the tasks bound to some slave do not fit there.
	refuted  bool
	tasks    []taskLayout // by TaskID; no slaves for tasks left out
	included []model.TaskID
	// bySlave lists the included tasks that can run on each slave.
	bySlave [][]candidate
	gates   []gate
	// stageGate is the gate after each task's stage and before it, -1 for none.
	gateAfter, gateBefore []int32
	// missBase is what jobs that are missed whatever happens add to Misses and
	// HardMisses.
	missBase, hardMissBase int64
}

type taskLayout struct {
	slaves []slaveLayout
	// start and fetch bound S and R over all slaves; assign lists the beats
	// that A can take (fifo only, see listBeats).
	start, fetch bounds
	freeFetch    bool
	assign       []model.Time
}

// slaveLayout is one task on one slave that it can run on in time.
type slaveLayout struct {
	slave          model.SlaveID
	wcet, transfer model.Time
	firstFetch     model.Time
	lastStart      model.Time
	// tied: R = S − C here.
	tied bool
}

func (s *slaveLayout) firstStart() model.Time { return s.firstFetch + s.transfer }
func (s *slaveLayout) lastFetch() model.Time  { return s.lastStart - s.transfer }
func (s *slaveLayout) lastFinish() model.Time { return s.lastStart + s.wcet }

// candidate points from a slave to a task that can run there.
type candidate struct {
	task  model.TaskID
	index int // into taskLayout.slaves
}

// gate stands between two stages of a job: the times at which the later stage
// can be handed out.
type gate struct {
	after *model.Stage
	beats []model.Time // see listBeats
	// sole is the task of the stage before, if there is but one and it has one
	// slave left: its finish says what the gate's own literals would. Else -1.
	sole model.TaskID
}

type bounds struct{ lo, hi model.Time }

func newLayout(q query.Question) *layout {
	l := layJobs(q)
	l.refuted = !l.tighten()
	l.listCandidates()
	return l
}

// layJobs makes a layout with the windows of jobs alone.
func layJobs(q query.Question) *layout {
	js := q.JS
	l := &layout{
		Question:   q,
		impossible: -1,
		tasks:      make([]taskLayout, len(js.Tasks)),
		bySlave:    make([][]candidate, len(js.Slaves)),
		gateAfter:  make([]int32, len(js.Tasks)),
		gateBefore: make([]int32, len(js.Tasks)),
	}
	l.Role = append([]query.Role(nil), q.Role...)
	l.windows = window.Compute(js, q.Due())
	for i := range js.Jobs {
		l.placeJob(model.JobID(i))
	}
	return l
}

func (l *layout) listCandidates() {
	for _, t := range l.included {
		for k := range l.tasks[t].slaves {
			s := l.tasks[t].slaves[k].slave
			l.bySlave[s] = append(l.bySlave[s], candidate{t, k})
		}
	}
}

func (l *layout) placeJob(id model.JobID) {
	job := &l.JS.Jobs[id]
	late := l.windows.IsLate(id)
	switch {
	case l.Role[id] == query.Must && late:
		if l.impossible < 0 {
			l.impossible = id
		}
		l.Role[id] = query.Out
	case l.Role[id] == query.May && late:
		l.Role[id] = query.Out
		l.addMissed(job)
	case l.Role[id] == query.Must && l.windows.CriticalPath[id] > job.Due():
		l.addMissed(job)
	}
	for t := job.First; t < job.End; t++ {
		l.gateAfter[t], l.gateBefore[t] = -1, -1
		if l.Role[id] != query.Out {
			l.included = append(l.included, t)
			l.tasks[t] = l.layTask(t)
		}
	}
	if l.Role[id] == query.Out {
		return
	}
	for si := 0; si+1 < len(job.Stages); si++ {
		before, after := &job.Stages[si], &job.Stages[si+1]
		for t := after.First; t < after.End; t++ {
			l.gateBefore[t] = int32(len(l.gates))
		}
		for t := before.First; t < before.End; t++ {
			l.gateAfter[t] = int32(len(l.gates))
		}
		sole := model.TaskID(-1)
		if before.End == before.First+1 && len(l.tasks[before.First].slaves) == 1 {
			sole = before.First
		}
		l.gates = append(l.gates, gate{after: after, sole: sole})
	}
}

func (l *layout) addMissed(job *model.Job) {
	switch job.Kind {
	case model.Soft:
		l.missBase += job.Weight
	case model.Hard:
		l.hardMissBase++
	}
}

func (l *layout) layTask(t model.TaskID) taskLayout {
	task := &l.JS.Tasks[t]
	var out taskLayout
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		wcet := task.WCET(s)
		if wcet == 0 || !l.windows.Possible(t, s) {
			continue
		}
		span := l.Narrow(t, s, l.windows.Span(t, s))
		if span == window.None {
			continue
		}
		sl := slaveLayout{
			slave: s, wcet: wcet, transfer: task.Transfer(s),
			firstFetch: span.FirstFetch, lastStart: span.LastStart,
		}
		sl.tied = l.tied(s, sl.transfer)
		out.freeFetch = out.freeFetch || !sl.tied
		if len(out.slaves) == 0 {
			out.start = bounds{sl.firstStart(), sl.lastStart}
			out.fetch = bounds{sl.firstFetch, sl.lastFetch()}
		}
		out.start = out.start.extend(sl.firstStart(), sl.lastStart)
		out.fetch = out.fetch.extend(sl.firstFetch, sl.lastFetch())
		out.slaves = append(out.slaves, sl)
	}
	return out
}

// listBeats fills in the heartbeats of gates and, with fifo, of tasks. There
// may be as many as the horizon has ticks, so a formula's size is predicted
// without them.
func (l *layout) listBeats() {
	for i := range l.gates {
		if g := &l.gates[i]; g.sole < 0 {
			g.beats = l.beats(g.after.First, g.after.End)
		}
	}
	if l.JS.FIFO {
		for _, t := range l.included {
			l.tasks[t].assign = l.beats(t, t+1)
		}
	}
}

// countBeats bounds the number of heartbeats that can hand out one of the tasks
// [first, end): slaves with the same beats count once, from the first beat of
// any to the last.
func (l *layout) countBeats(first, end model.TaskID) int64 {
	phases := map[model.Time]bounds{}
	for t := first; t < end; t++ {
		for k := range l.tasks[t].slaves {
			sl := &l.tasks[t].slaves[k]
			_, lo := l.JS.BeatAtOrAfter(sl.slave, sl.firstFetch)
			_, hi := l.JS.BeatAtOrBefore(sl.slave, sl.lastFetch())
			span, seen := phases[lo%l.JS.Heartbeat]
			if !seen {
				span = bounds{lo, hi}
			}
			phases[lo%l.JS.Heartbeat] = span.extend(lo, hi)
		}
	}
	total := int64(0)
	for _, span := range phases {
		total += int64((span.hi-span.lo)/l.JS.Heartbeat) + 1
	}
	return total
}

func (b bounds) extend(lo, hi model.Time) bounds {
	return bounds{min(b.lo, lo), max(b.hi, hi)}
}

// tied reports whether R = S − C loses nothing on slave s (see the package
// comment).
func (l *layout) tied(s model.SlaveID, transfer model.Time) bool {
	if transfer == 0 || l.JS.Fetch == model.FetchConcurrent {
		return true
	}
	return l.coresNeverShort(s) && !l.JS.FIFO
}

func (l *layout) coresNeverShort(s model.SlaveID) bool {
	slave := &l.JS.Slaves[s]
	return slave.TotalSlots() <= slave.Cores
}

// slaveBeats lists the heartbeats that can hand the task to the slave.
func (l *layout) slaveBeats(sl *slaveLayout) []model.Time {
	var beats []model.Time
	_, at := l.JS.BeatAtOrAfter(sl.slave, sl.firstFetch)
	for ; at <= sl.lastFetch(); at += l.JS.Heartbeat {
		beats = append(beats, at)
	}
	return beats
}

// beats lists the heartbeats that can hand out one of the tasks [first, end).
func (l *layout) beats(first, end model.TaskID) []model.Time {
	var beats []model.Time
	for t := first; t < end; t++ {
		for k := range l.tasks[t].slaves {
			beats = append(beats, l.slaveBeats(&l.tasks[t].slaves[k])...)
		}
	}
	return sortedUnique(beats)
}
