package ejection

import (
	"cmp"
	"math"
	"slices"

	"downbeat/model"
)

// step is what one move works with.
type step struct {
	trail
	stages []int32 // of the tasks taken
	queue  []queued
	// slaves are those that the tasks taken were on and some others: where they may go.
	slaves []model.SlaveID
	// wide: they may go anywhere.
	wide bool
	// cut is, for the jobs in cuts, the first stage that had to make way, to be placed
	// last; uncut for all others.
	cut  []int32
	cuts []model.JobID
	// high is, by stage, the greatest key of its tasks in the queue.
	high []int64
}

// queued is a task that waits to be placed: smaller keys go first.
type queued struct {
	key   int64
	stage int32
	task  model.TaskID
}

const uncut = math.MaxInt32

func newStep(js *model.JobSet) step {
	st := step{trail: newTrail(js), cut: make([]int32, len(js.Jobs)), high: slices.Repeat([]int64{math.MinInt64}, js.Stages())}
	for i := range st.cut {
		st.cut[i] = uncut
	}
	return st
}

const (
	// mostRivals is the number of tasks that are taken off for one that is late, most
	// often one or two.
	mostRivals = 4
	// mostLater is the number of tasks taken at most where later stages are taken too.
	mostLater = 48
	// ofLater in so many steps take later stages too, ofWide tasks that may go anywhere.
	ofLater, ofWide = 10, 8
	// moreSlaves is the number of further slaves, at most, that the tasks taken may go to.
	moreSlaves = 4
	// warmth is by how much a step may make things worse on average, in units of
	// typical lengths; poolWarmth where the late jobs are in the pool.
	warmth, poolWarmth = 0.03, 0.1
)

// move tries a neighbour, and keeps it if it costs no more, or little more.
func (s *Search) move() {
	before := s.cost()
	s.step.slaves = s.step.slaves[:0]
	s.destroy()
	s.restage(&s.step.trail)
	s.repair()
	s.restage(&s.step.trail)
	worse := s.cost() - before
	if worse > 0 && float64(worse) > s.warmth()*s.rng.ExpFloat64() {
		s.back(&s.step.trail)
	} else {
		for _, t := range s.step.tasks {
			s.trail.note(t, s.step.was[t])
		}
		s.step.forget()
	}
	for _, i := range s.step.cuts {
		s.step.cut[i] = uncut
	}
	s.step.cuts = s.step.cuts[:0]
}

// warmth is by how much a step may make things worse on average.
func (s *Search) warmth() float64 {
	if s.pooled() {
		return poolWarmth * meanDensity * float64(s.typical)
	}
	return warmth * float64(s.typical)
}

// lift takes a task off the board, unless it is off it, and all others of a gang with it.
func (s *Search) lift(t model.TaskID) {
	st := &s.fig.Stages[s.board.StageOf(t)]
	if !st.Gang {
		s.liftOne(t)
		return
	}
	for _, t := range st.Tasks {
		s.liftOne(t)
	}
}

func (s *Search) liftOne(t model.TaskID) {
	p := s.board.Place[t]
	s.step.note(t, p)
	if p.Slave == model.NoSlave {
		return
	}
	s.remove(t)
	s.mayGo(p.Slave)
	if near := s.near.slaves(s.js.Tasks[t].Profile, len(s.js.Slaves)); len(near) > 0 && s.rng.IntN(2) == 0 {
		s.mayGo(near[s.rng.IntN(len(near))])
	}
}

func (s *Search) mayGo(slave model.SlaveID) {
	if !slices.Contains(s.step.slaves, slave) {
		s.step.slaves = append(s.step.slaves, slave)
	}
}

// destroy takes a late task off the board, and others that stand in its way: those
// that some slaves hold in a window of time in which it would not be late.
func (s *Search) destroy() {
	i := s.late[s.rng.IntN(len(s.late))]
	pivot := s.lateTask(i)
	stage := s.board.StageOf(pivot)
	ready := s.board.Ready(stage)
	window := model.Interval{Start: ready, End: max(ready+1, s.caps[stage])}
	s.lift(pivot)
	most := 1 + int(mostRivals*s.rng.Float64()*s.rng.Float64())
	reach := s.typical * model.Time(1+s.rng.IntN(4)) / 2
	at := window.Start + model.Time(s.rng.Int64N(int64(window.Len())))
	window = model.Interval{Start: at - reach, End: at + reach}
	for most > 0 {
		most -= max(1, s.liftWindow(s.slaveFor(pivot), window, 1+s.rng.IntN(most)))
	}
	if s.rng.IntN(ofLater) == 0 {
		s.liftLater()
	}
	s.step.wide = s.rng.IntN(ofWide) == 0
	for range s.rng.IntN(moreSlaves + 1) {
		s.mayGo(s.slaveFor(pivot))
	}
}

// lateTask is a task of a job by chance, more likely than not one beyond its cap.
func (s *Search) lateTask(i model.JobID) model.TaskID {
	job := &s.js.Jobs[i]
	var t model.TaskID
	for range 8 {
		t = job.First + model.TaskID(s.rng.IntN(int(job.End-job.First)))
		if p := s.board.Place[t]; p.Slave != model.NoSlave && s.js.Finish(t, p) > s.caps[s.board.StageOf(t)] {
			break
		}
	}
	return t
}

// slaveFor is a slave on which a task may run, by chance; of two the faster for it.
func (s *Search) slaveFor(t model.TaskID) model.SlaveID {
	task := &s.js.Tasks[t]
	best, length := s.fig.Best(t).Slave, model.Never
	for range 2 {
		slave := model.SlaveID(s.rng.IntN(len(s.js.Slaves)))
		if e := task.WCET(slave); e > 0 && e+task.Transfer(slave) < length {
			best, length = slave, e+task.Transfer(slave)
		}
	}
	return best
}

// liftWindow takes up to a number of tasks off that start on a slave in a window.
func (s *Search) liftWindow(slave model.SlaveID, window model.Interval, most int) (lifted int) {
	s.mayGo(slave)
	lo, hi := s.lanes.firstFrom(slave, window.Start), s.lanes.firstFrom(slave, window.End)
	lo += s.rng.IntN(max(1, hi-lo-most+1))
	for range min(most, hi-lo) {
		if lo < len(s.lanes.on[slave]) { // a gang may have taken more along
			s.lift(s.lanes.on[slave][lo])
		}
		lifted++
	}
	return lifted
}

// liftLater takes the later stages of all tasks that were taken off.
func (s *Search) liftLater() {
	for k := 0; k < len(s.step.tasks) && len(s.step.tasks) < mostLater; k++ {
		s.liftStages(s.board.StageOf(s.step.tasks[k])+1, s.js.Tasks[s.step.tasks[k]].Job)
	}
}

// cutBehind takes what may wait for a stage off the board, to be placed last.
func (s *Search) cutBehind(stage int32) {
	for _, rest := range s.fig.Behind(stage) {
		if s.out(rest.Job) {
			continue
		}
		s.step.cut[rest.Job] = rest.From
		s.step.cuts = append(s.step.cuts, rest.Job)
		s.liftStages(rest.From, rest.Job)
	}
}

// liftStages takes a stage of a job and all after it off the board.
func (s *Search) liftStages(from int32, i model.JobID) {
	for st := from; st < s.fig.Base[i+1]; st++ {
		for _, t := range s.fig.Stages[st].Tasks {
			s.lift(t)
		}
		s.board.Finish[st] = 0
	}
}

// repair puts the tasks back.
func (s *Search) repair() {
	s.enqueue()
	s.board.Charge = [...]model.Time{0, 0, 1, 2, 4}[s.rng.IntN(5)]
	for _, q := range s.step.queue {
		if q.stage < s.step.cut[s.fig.Stages[q.stage].Ref.Job] {
			s.restore(q.task, q.stage)
		}
	}
	s.fig.SortJobs(s.step.cuts)
	for k := 0; k < len(s.step.cuts); k++ {
		job := s.step.cuts[k]
		for stage := s.step.cut[job]; stage < s.fig.Base[job+1]; stage++ {
			for _, t := range s.fig.Stages[stage].Tasks {
				if s.board.Place[t].Slave == model.NoSlave {
					s.restore(t, stage)
				}
			}
		}
	}
}

// restore places a task, with its gang if it has one. If it cannot end before tasks on the board that wait for it
// are handed out, all that may wait for it is taken off, to be placed last.
func (s *Search) restore(t model.TaskID, stage int32) {
	ready := s.board.Ready(stage)
	if !s.insert(t, ready, s.board.NextAssigned(stage)+1) {
		s.cutBehind(stage)
		if !s.insert(t, ready, model.Never) {
			s.board.Insert(t, ready, model.Never)
		}
	}
	if st := &s.fig.Stages[stage]; st.Gang {
		for _, t := range st.Tasks {
			s.added(t)
		}
		return
	}
	s.added(t)
}

// insert places a task where the step allows.
func (s *Search) insert(t model.TaskID, ready, limit model.Time) bool {
	if s.step.wide {
		return s.board.Insert(t, ready, limit)
	}
	return s.board.InsertAmong(t, s.step.slaves, ready, limit)
}

// enqueue queues the tasks that were taken by the latest start that their caps allow, with some
// noise. Tasks of a stage come after all tasks of the stage before.
func (s *Search) enqueue() {
	noise := int64(s.typical)*[...]int64{0, 0, 1, 4}[s.rng.IntN(4)] + 1
	s.step.queue = s.step.queue[:0]
	for _, t := range s.step.tasks {
		if s.board.Place[t].Slave == model.NoSlave {
			stage := s.board.StageOf(t)
			if st := &s.fig.Stages[stage]; st.Gang && t != st.Tasks[0] {
				continue // goes with the first
			}
			key := int64(s.caps[stage]-s.fig.Stages[stage].Length) + s.rng.Int64N(noise)
			s.step.queue = append(s.step.queue, queued{key, stage, t})
		}
	}
	slices.SortFunc(s.step.queue, func(a, b queued) int {
		return cmp.Or(cmp.Compare(s.rank[a.stage], s.rank[b.stage]), cmp.Compare(a.key, b.key), cmp.Compare(a.task, b.task))
	})
	s.inSequence()
	slices.SortStableFunc(s.step.queue, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(s.rank[a.stage], s.rank[b.stage]))
	})
}

// inSequence raises the keys of the queue, which is sorted by stage, to those of the
// stages before.
func (s *Search) inSequence() {
	floor, highest := int64(math.MinInt64), int64(math.MinInt64)
	for k := range s.step.queue {
		q := &s.step.queue[k]
		if k > 0 && s.step.queue[k-1].stage != q.stage {
			floor = highest
			if s.fig.Stages[q.stage].Ref.Job != s.fig.Stages[s.step.queue[k-1].stage].Ref.Job {
				floor, highest = math.MinInt64, math.MinInt64
			}
		}
		if s.linked {
			for before := range s.fig.Before(q.stage) {
				floor = max(floor, s.step.high[before])
			}
		}
		q.key = max(q.key, floor)
		highest = max(highest, q.key)
		s.step.high[q.stage] = highest
	}
	for _, q := range s.step.queue {
		s.step.high[q.stage] = math.MinInt64
	}
}
