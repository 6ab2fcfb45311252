package naive

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
)

// randomSet is a small job set with every refinement in it somewhere. All jobs are
// best-effort; see setDeadlines.
func randomSet(r *rand.Rand) *model.JobSet {
	for {
		js := &model.JobSet{
			Name:      "random",
			Heartbeat: 1 + model.Time(r.IntN(4)),
			Fetch:     model.FetchMode(r.IntN(2)),
			FIFO:      r.IntN(2) == 0,
		}
		js.Named = []string{"gpu", "memory"}[:r.IntN(3)]
		for i := range 1 + r.IntN(3) {
			s := randomSlave(r, fmt.Sprintf("s%d", i+1))
			for range js.Named {
				s.Units = append(s.Units, r.Int64N(5))
			}
			js.Slaves = append(js.Slaves, s)
		}
		randomPools(r, js)
		jobs := r.Perm(1 + r.IntN(3))
		for i := range jobs {
			job := model.Job{Name: fmt.Sprintf("j%d", i+1), Release: model.Time(r.IntN(6)), Weight: 1 + r.Int64N(3)}
			job.After = earlier[model.JobID](r, jobs, i, 3)
			job.Stages = randomStages(r, js)
			if r.IntN(4) == 0 {
				job.AtMost = 1 + r.Int64N(3)
			}
			js.Jobs = append(js.Jobs, job)
		}
		if js.Assemble() == nil { // it fails where a task is barred everywhere
			return js
		}
	}
}

// randomPools are none, or up to two whose amounts change, and are enough for all in the end.
func randomPools(r *rand.Rand, js *model.JobSet) {
	for i := range max(0, r.IntN(4)-1) {
		p := model.Pool{Name: fmt.Sprintf("pool%d", i+1), Levels: []model.Level{{Amount: r.Int64N(6)}}}
		for from := model.Time(0); r.IntN(2) == 0; {
			from += 1 + model.Time(r.IntN(12))
			p.Levels = append(p.Levels, model.Level{From: from, Amount: r.Int64N(6)})
		}
		p.Levels[len(p.Levels)-1].Amount = 4 + r.Int64N(3)
		js.Pools = append(js.Pools, p)
	}
}

// randomStages are one to three, half of them in a row, half after each other at random.
func randomStages(r *rand.Rand, js *model.JobSet) (stages []model.Stage) {
	order, row := r.Perm(1+r.IntN(3)), r.IntN(2) == 0
	for k := range order {
		st := model.Stage{Name: fmt.Sprintf("p%d", k+1), Slot: model.SlotKind(r.IntN(2))}
		for range 1 + r.IntN(2) {
			needs := model.Needs{Cores: 1 + r.Int64N(4)/3}
			for i := range js.Named {
				needs.Units[i] = r.Int64N(4)
			}
			for i := range js.Pools {
				if r.IntN(2) == 0 {
					needs.TakePool(i, 1+r.Int64N(2))
				}
			}
			st.Groups = append(st.Groups, model.Group{
				Count: 1 + r.IntN(2), Profile: randomProfile(r, len(js.Slaves)).Needing(needs),
			})
		}
		if r.IntN(4) == 0 {
			st.AtMost = 1 + r.Int64N(3)
		}
		st.Gang, st.Apart = r.IntN(4) == 0, r.IntN(4) == 0
		if st.Gang || st.Apart {
			st.Groups = st.Groups[:1] // of equal tasks it is known whether they fit
		}
		if st.Gang {
			st.Groups[0].Count++
		}
		if !row {
			st.After = earlier[int32](r, order, k, 2)
		}
		stages = append(stages, st)
	}
	return stages
}

// earlier lists, ascending, one in n of the items that stand before item i in an order.
func earlier[T ~int32](r *rand.Rand, order []int, i, n int) []T {
	out := []T{}
	for k := range order {
		if slices.Index(order, k) < slices.Index(order, i) && r.IntN(n) == 0 {
			out = append(out, T(k))
		}
	}
	return out
}

func randomSlave(r *rand.Rand, name string) model.Slave {
	s := model.Slave{Name: name, Cores: 1 + r.IntN(3), FirstBeat: model.Time(r.IntN(4))}
	if r.IntN(2) == 0 {
		s.Slots = 1 + r.IntN(3)
	} else {
		s.SplitSlots, s.MapSlots, s.ReduceSlots = true, r.IntN(3), r.IntN(3)
	}
	for range r.IntN(3) {
		start := model.Time(r.IntN(30))
		s.Down = append(s.Down, model.Interval{Start: start, End: start + 1 + model.Time(r.IntN(6))})
	}
	return s
}

func randomProfile(r *rand.Rand, slaves int) *model.Profile {
	wcet, transfer := make([]model.Time, slaves), make([]model.Time, slaves)
	for s := range slaves {
		wcet[s], transfer[s] = model.Time(r.IntN(6)), model.Time(r.IntN(4)) // wcet 0 bars
	}
	return model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))
}

// setDeadlines gives jobs their kinds; hard ones get deadlines that they meet.
func setDeadlines(r *rand.Rand, js *model.JobSet, finish []model.Time) {
	for i := range js.Jobs {
		job := &js.Jobs[i]
		took := finish[i] - job.Release
		job.Kind = model.JobKind(r.IntN(3))
		switch job.Kind {
		case model.Hard:
			job.Deadline = took + model.Time(r.IntN(3))
		case model.Soft:
			job.Deadline = max(1, took-2+model.Time(r.IntN(5)))
		}
	}
}

// lister schedules task after task, each on a random slave at the first place
// that the literal rules accept. The lines go to tasks and lost.
type lister struct {
	js       *model.JobSet
	rand     *rand.Rand
	executed bool
	// timed lines have durations, which may be longer than declared.
	timed bool
	lines []line
}

// list gives a valid plan of a job set without deadlines: stage after stage, drawn from
// those that wait for none of the rest.
func (l *lister) list(t testing.TB) {
	type item struct {
		job   int
		stage int32
	}
	end := map[item]model.Time{} // of the stages that are done
	var rest []item
	for j := range l.js.Jobs {
		for k := range l.js.Jobs[j].Stages {
			rest = append(rest, item{j, int32(k)})
		}
	}
	for len(rest) > 0 {
		i := l.rand.IntN(len(rest))
		it, job := rest[i], &l.js.Jobs[rest[i].job]
		ready, open := job.Release, false
		for _, other := range append(slices.Clone(rest), slices.Collect(maps.Keys(end))...) {
			before := other.job == it.job && slices.Contains(job.Stages[it.stage].After, other.stage)
			if before || slices.Contains(job.After, model.JobID(other.job)) {
				open = open || slices.Contains(rest, other)
				ready = max(ready, end[other])
			}
		}
		if open {
			continue
		}
		rest = slices.Delete(rest, i, i+1)
		end[it] = ready
		if job.Stages[it.stage].IsGang() {
			end[it] = l.listGang(t, &job.Stages[it.stage], ready)
			continue
		}
		for task := job.Stages[it.stage].First; task < job.Stages[it.stage].End; task++ {
			end[it] = max(end[it], l.listTask(t, task, ready))
		}
	}
}

// listTask places a task after perhaps losing some attempts of it, and gives
// its finish.
func (l *lister) listTask(t testing.TB, task model.TaskID, ready model.Time) model.Time {
	for l.executed && l.rand.IntN(4) == 0 {
		a := l.placeTask(t, task, ready)
		a.lost = true
		a.finish = a.assigned + l.rand.Int64N(a.finish-a.assigned+1)
		l.lines = append(l.lines, a)
		ready = max(ready, model.Time(a.finish))
	}
	a := l.placeTask(t, task, ready)
	if l.executed && !l.timed {
		a.finish = a.start + 1 + l.rand.Int64N(a.finish-a.start)
	}
	l.lines = append(l.lines, a)
	return model.Time(a.finish)
}

// listGang places a gang, perhaps after losing it some times, and gives its last finish.
func (l *lister) listGang(t testing.TB, st *model.Stage, ready model.Time) (end model.Time) {
	for l.executed && l.rand.IntN(4) == 0 {
		gang := l.placeGang(t, st, ready)
		from, by := int64(0), int64(math.MaxInt64)
		for _, a := range gang {
			from, by = max(from, a.assigned), min(by, a.finish)
		}
		loss := from + l.rand.Int64N(by-from+1)
		for _, a := range gang {
			a.lost, a.finish = true, loss
			l.lines = append(l.lines, a)
		}
		ready = model.Time(loss)
	}
	for _, a := range l.placeGang(t, st, ready) {
		if l.executed && !l.timed {
			a.finish = a.start + 1 + l.rand.Int64N(a.finish-a.start)
		}
		l.lines = append(l.lines, a)
		end = max(end, model.Time(a.finish))
	}
	return end
}

// placeGang finds places for all tasks of a gang with one start, each on a random slave.
func (l *lister) placeGang(t testing.TB, st *model.Stage, ready model.Time) []line {
	for start := int64(ready); start < int64(ready)+2000; start++ {
		gang := []line{}
		for task := st.First; task < st.End; task++ {
			if a, ok := l.placeMember(task, ready, start, gang); ok {
				gang = append(gang, a)
			}
		}
		if len(gang) == int(st.End-st.First) {
			return gang
		}
	}
	t.Fatalf("no place for the gang of %s among %v", l.js.TaskName(st.First), l.lines)
	return nil
}

// placeMember finds a place for a task of a gang that starts at the given time.
func (l *lister) placeMember(task model.TaskID, ready model.Time, start int64, gang []line) (line, bool) {
	duration := 1 + l.rand.Int64N(9)
	for _, s := range l.rand.Perm(len(l.js.Slaves)) {
		slave := model.SlaveID(s)
		wcet, transfer := int64(l.js.Tasks[task].WCET(slave)), int64(l.js.Tasks[task].Transfer(slave))
		if wcet == 0 {
			continue
		}
		a := line{task: task, slave: slave, start: start, finish: start + wcet, came: math.MaxInt64}
		if l.timed {
			a.duration, a.finish = duration, start+duration
		}
		gamma, _ := l.js.BeatAtOrAfter(slave, ready)
		for ; int64(l.js.BeatTime(slave, gamma)) <= start-transfer; gamma++ {
			a.beat, a.assigned = int64(gamma), int64(l.js.BeatTime(slave, gamma))
			for a.fetch = a.assigned; a.fetch <= start-transfer; a.fetch++ {
				if len(literal(l.js, slices.Concat(l.lines, gang, []line{a}), l.executed)) == 0 {
					return a, true
				}
			}
		}
	}
	return line{}, false
}

func (l *lister) placeTask(t testing.TB, task model.TaskID, ready model.Time) line {
	var slaves []model.SlaveID
	for s := range l.js.Slaves {
		if l.js.Tasks[task].Eligible(model.SlaveID(s)) {
			slaves = append(slaves, model.SlaveID(s))
		}
	}
	if stage := &l.js.Jobs[l.js.Tasks[task].Job].Stages[l.js.Tasks[task].Stage]; stage.Apart {
		slaves = slices.DeleteFunc(slaves, func(s model.SlaveID) bool {
			return slices.ContainsFunc(l.lines, func(x line) bool {
				return x.slave == s && x.task != task && stage.First <= x.task && x.task < stage.End && !x.lost
			})
		})
	}
	s := slaves[l.rand.IntN(len(slaves))]
	slack := l.rand.Int64N(3)
	wcet, transfer := int64(l.js.Tasks[task].WCET(s)), int64(l.js.Tasks[task].Transfer(s))
	duration := int64(0)
	if l.timed {
		duration = 1 + l.rand.Int64N(2*wcet)
		wcet = duration
	}
	gamma, _ := l.js.BeatAtOrAfter(s, ready)
	for ; gamma < 500; gamma++ {
		a := line{task: task, slave: s, beat: int64(gamma), assigned: int64(l.js.BeatTime(s, gamma)), duration: duration, came: math.MaxInt64}
		for wait := int64(0); wait < 8; wait++ {
			a.fetch = a.assigned + wait/2
			a.start = a.fetch + transfer + wait - wait/2 + slack
			a.finish = a.start + wcet
			if len(literal(l.js, append(l.lines[:len(l.lines):len(l.lines)], a), l.executed)) == 0 {
				return a
			}
		}
	}
	t.Fatalf("no place for %s among %v", l.js.TaskName(task), l.lines)
	return line{}
}

// Random is a valid plan with true claims and the job set that it is for.
func Random(t testing.TB, r *rand.Rand, executed bool) (*model.JobSet, *model.Plan) {
	js := randomSet(r)
	l := &lister{js: js, rand: r, executed: executed, timed: executed && r.IntN(2) == 0}
	l.list(t)
	finish := make([]model.Time, len(js.Jobs))
	p := &model.Plan{Version: model.PlanVersion, JobSet: js.Name}
	for _, a := range l.lines {
		job := js.Tasks[a.task].Job
		if a.lost {
			p.Lost = append(p.Lost, result(js, a))
			continue
		}
		p.Tasks = append(p.Tasks, result(js, a))
		finish[job] = max(finish[job], model.Time(a.finish))
	}
	setDeadlines(r, js, finish)
	p.Digest = js.Digest()
	p.Status = model.Feasible.String()
	for i := range js.Jobs {
		job := &js.Jobs[i]
		res := model.JobResult{Job: job.Name, Finish: finish[i], Late: job.Late(finish[i])}
		if job.Kind != model.BestEffort {
			due := job.Due()
			res.Deadline = &due
		}
		p.Jobs = append(p.Jobs, res)
	}
	for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
		p.Objectives = append(p.Objectives, model.ObjectiveValue{Name: o.String(), Value: js.Value(o, finish)})
	}
	if executed {
		p.Kind = model.KindExecuted
		return js, p
	}
	zero := int64(0)
	p.Objectives[0].Bound = &zero
	return js, p
}

// result spells a line out as plan files do.
func result(js *model.JobSet, a line) model.TaskResult {
	task := &js.Tasks[a.task]
	job := &js.Jobs[task.Job]
	return model.TaskResult{
		Job: job.Name, Stage: job.Stages[task.Stage].Name, Task: int(task.Number),
		Slave: js.Slaves[a.slave].Name, Beat: model.Time(a.beat), Assigned: model.Time(a.assigned),
		Fetch: model.Time(a.fetch), Start: model.Time(a.start), Finish: model.Time(a.finish),
		Duration: model.Time(a.duration),
	}
}

// Schedule reads the lines of a plan with good names.
func Schedule(js *model.JobSet, p *model.Plan) model.Schedule {
	s := model.NewSchedule(len(js.Tasks))
	for _, r := range p.Tasks {
		for t := range s {
			if js.TaskName(model.TaskID(t)) != fmt.Sprintf("%s/%s/%d", r.Job, r.Stage, r.Task) {
				continue
			}
			slave := slices.IndexFunc(js.Slaves, func(s model.Slave) bool { return s.Name == r.Slave })
			s[t] = model.Placement{Slave: model.SlaveID(slave), Beat: r.Beat, Fetch: r.Fetch, Start: r.Start}
		}
	}
	return s
}
