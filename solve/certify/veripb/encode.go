package veripb

import (
	"fmt"
	"maps"
	"slices"

	"downbeat/model"
)

// layOut makes the variables.
func (f *Formula) layOut() {
	js := f.Set
	none := func(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
	f.jobOf, f.stageOf, f.taskOf = none(len(js.Jobs)), none(js.Stages()), none(len(js.Tasks))
	for i := range js.Tasks {
		f.mostCores = max(f.mostCores, js.Tasks[i].Cores(), 1)
	}
	for k, a := range f.Jobs {
		spec := &js.Jobs[a.Job]
		f.jobOf[a.Job] = int32(k)
		j := job{Asked: a, spec: spec, in: True, first: int32(len(f.stages))}
		if a.Role == "may" {
			j.in = f.add(fmt.Sprintf("in%d", a.Job), 1, 0, 0)
		}
		ends := model.Time(0)
		for n := range spec.Stages {
			st := f.layOutStage(&j, int32(k), n)
			ends = max(ends, st.ends.lo)
			f.stages = append(f.stages, st)
		}
		if j.end = int32(len(f.stages)); j.end == j.first+1 {
			j.ends = f.stages[j.first].ends
		} else {
			j.ends = f.newScale(fmt.Sprintf("e%d", a.Job), ends, a.By, 1, j.in)
		}
		f.jobs = append(f.jobs, j)
	}
}

// layOutStage makes the variables of the n-th stage of a job.
func (f *Formula) layOutStage(j *job, of int32, n int) stage {
	st := stage{Stage: &j.spec.Stages[n], id: j.spec.FirstStage + model.StageID(n), job: of, first: int32(len(f.tasks))}
	f.stageOf[st.id] = int32(len(f.stages))
	least := model.Time(0)
	for id := st.First; id < st.End && !f.stopped(); id++ {
		f.taskOf[id] = int32(len(f.tasks))
		t := task{id: id, job: of, stage: int32(len(f.stages)), first: int32(len(f.places))}
		first := j.By
		for s := range model.SlaveID(len(f.Set.Slaves)) {
			if p, ok := f.layOutPlace(j, id, s); ok {
				p.task = int32(len(f.tasks))
				f.places = append(f.places, p)
				first = min(first, p.start.lo+p.run)
			}
		}
		t.end = int32(len(f.places))
		f.tasks = append(f.tasks, t)
		least = max(least, first)
	}
	st.end = int32(len(f.tasks))
	st.ends = f.newScale(fmt.Sprintf("g%d", st.id), min(least, j.By), j.By, 1, j.in)
	if st.IsGang() {
		lo, last := j.By, model.Time(0)
		for _, p := range f.places[f.tasks[st.first].first:] {
			lo, last = min(lo, p.start.lo), max(last, p.start.last())
		}
		st.starts = f.newScale(fmt.Sprintf("t%d", st.id), min(lo, last), last, 1, j.in)
	}
	return st
}

// layOutPlace makes the variables of a task on a slave; false where it cannot be there between the release and the
// time of its job, or when the slave is gone for good.
func (f *Formula) layOutPlace(j *job, t model.TaskID, s model.SlaveID) (p place, ok bool) {
	js, task := f.Set, &f.Set.Tasks[t]
	slave := &js.Slaves[s]
	if !task.Eligible(s) {
		return p, false
	}
	p = place{slave: s, run: task.WCET(s), fetch: task.Transfer(s)}
	by := min(j.By, slave.GoneFrom())
	_, beat := js.BeatAtOrAfter(s, j.spec.Release)
	if beat+p.fetch+p.run > by {
		return p, false
	}
	_, last := js.BeatAtOrBefore(s, by-p.run-p.fetch)
	p.on = f.add(fmt.Sprintf("x%d_%d", t, s), 1, 0, 0)
	p.tied = f.tied(t, s)
	of := fmt.Sprintf("%d_%d", t, s)
	p.start = f.newScale("s"+of, beat+p.fetch, by-p.run, 1, p.on)
	p.get = *p.start.later(-p.fetch)
	if !p.tied {
		p.get = f.newScale("r"+of, beat, by-p.run-p.fetch, 1, p.on)
	}
	p.hand = f.newScale("a"+of, beat, last, js.Heartbeat, p.on)
	return p, true
}

// tied reports whether R = S − C may be assumed of a task on a slave: what fetches it holds no fetch line, or tasks
// never wait for cores there (docs/proof.md, tied places).
func (f *Formula) tied(t model.TaskID, s model.SlaveID) bool {
	js, slave := f.Set, &f.Set.Slaves[s]
	if js.Fetch == model.FetchConcurrent || js.Tasks[t].Transfer(s) == 0 {
		return true
	}
	_, gang := js.GangOf(t)
	return len(slave.Reservations) == 0 && int64(slave.TotalSlots())*f.mostCores <= int64(slave.Cores) && !js.FIFO && !gang
}

// state states all constraints.
func (f *Formula) state() {
	for t := range f.tasks {
		f.stateTask(&f.tasks[t])
	}
	for p := range f.places {
		f.statePlace(&f.places[p])
	}
	for k := range f.stages {
		f.stateStage(int32(k))
	}
	for k := range f.jobs {
		f.stateJob(&f.jobs[k])
	}
	f.stateLines()
	f.stateSymmetries()
	f.stateLimits()
}

// stateTask: a task of a job that is in is on one slave (C0).
func (f *Formula) stateTask(t *task) {
	var some Constraint
	in := f.jobs[t.job].in
	some.add(-1, in)
	for p := t.first; p < t.end; p++ {
		some.add(1, f.places[p].on)
	}
	most := Constraint{Least: -some.Least}
	for _, term := range some.Terms {
		most.add(-term.Coefficient, term.Literal)
	}
	t.some = f.emit(some)
	t.most = f.emit(most)
}

// statePlace: S ≥ R + C (C2), R ≥ A (C3), and the slave is there from A to F.
func (f *Formula) statePlace(p *place) {
	f.rising(&p.start)
	p.get.rises = p.start.rises
	if !p.tied {
		f.rising(&p.get)
		for i := range p.start.n - 1 {
			if id := f.implies(p.start.nth(i), p.get.nth(i)); i == 0 {
				p.fetched = id
			}
		}
	}
	f.rising(&p.hand)
	for i := range p.hand.n - 1 {
		if id := f.implies(p.get.at(p.hand.value(i+1)-1), p.hand.nth(i)); i == 0 {
			p.handed = id
		}
	}
	for _, d := range f.Set.Slaves[p.slave].Down {
		if id := f.implies(p.hand.at(d.End-1), p.finish().at(d.Start)); id > 0 {
			p.away = append(p.away, away{d, id})
		}
	}
}

// stateStage: when it ends; that its tasks come after other stages (C7, C10), start together or are apart (C12).
func (f *Formula) stateStage(k int32) {
	st := &f.stages[k]
	in := f.jobs[st.job].in
	f.rising(&st.ends)
	for t := st.first; t < st.end; t++ {
		for i := range st.ends.n - 1 {
			c := f.finishedBy(t, st.ends.value(i))
			c.add(-1, st.ends.nth(i))
			if id := f.emit(c); i == 0 {
				f.tasks[t].finished = id
			}
		}
	}
	for i := range st.ends.n - 1 {
		c := Constraint{}
		c.add(1, st.ends.nth(i))
		c.add(int64(st.end-st.first)-1, in)
		for t := st.first; t < st.end; t++ {
			for _, term := range f.finishedBy(t, st.ends.value(i)).Terms {
				c.add(-1, term.Literal)
			}
		}
		f.emit(c)
	}
	for _, id := range f.Set.Before(st.id) {
		if b := f.stageOf[id]; b >= 0 {
			for t := st.first; t < st.end && !f.stopped(); t++ {
				f.stateAfter(&f.tasks[t], b)
			}
		}
	}
	if st.IsGang() {
		f.stateGang(st)
	}
	if st.IsApart() {
		f.stateApart(st)
	}
}

// finishedBy is the number of places at which a task has finished by a time.
func (f *Formula) finishedBy(t int32, at model.Time) (c Constraint) {
	for p := f.tasks[t].first; p < f.tasks[t].end; p++ {
		c.add(1, f.places[p].finish().at(at))
	}
	return c
}

// stateAfter: a task is handed out after a stage has ended.
func (f *Formula) stateAfter(t *task, b int32) {
	beats := map[model.Time]bool{}
	for p := t.first; p < t.end; p++ {
		for i := range f.places[p].hand.n {
			beats[f.places[p].hand.value(i)] = true
		}
	}
	a := after{stage: b}
	for _, at := range slices.Sorted(maps.Keys(beats)) {
		var c Constraint
		c.add(1, f.stages[b].ends.at(at))
		for p := t.first; p < t.end; p++ {
			c.add(-1, f.places[p].hand.at(at))
		}
		a.times, a.ids = append(a.times, at), append(a.ids, f.emit(c))
	}
	t.after = append(t.after, a)
}

// stateGang: all tasks start at the same time, the one at which others of the gang do that were handed out before.
func (f *Formula) stateGang(st *stage) {
	f.rising(&st.starts)
	for t := st.first; t < st.end; t++ {
		for i := range st.starts.n - 1 {
			for _, sign := range [...]int64{1, -1} {
				var c Constraint
				c.add(-sign, st.starts.nth(i))
				for p := f.tasks[t].first; p < f.tasks[t].end; p++ {
					c.add(sign, f.places[p].start.at(st.starts.value(i)))
				}
				f.emit(c)
			}
		}
		for p := f.tasks[t].first; p < f.tasks[t].end && st.StartAt > 0; p++ {
			s := &f.places[p].start
			f.implies(f.places[p].on, s.at(st.StartAt))
			f.implies(s.at(st.StartAt-1), False)
		}
	}
}

// stateApart: no two tasks are on one slave.
func (f *Formula) stateApart(st *stage) {
	for s := range model.SlaveID(len(f.Set.Slaves)) {
		c := Constraint{Least: -1}
		for p := f.tasks[st.first].first; p < f.tasks[st.end-1].end; p++ {
			if f.places[p].slave == s {
				c.add(-1, f.places[p].on)
			}
		}
		f.emit(c)
	}
}

// stateJob: when it ends.
func (f *Formula) stateJob(j *job) {
	if j.end == j.first+1 {
		j.ends = f.stages[j.first].ends
		return
	}
	f.rising(&j.ends)
	j.ended = make([][]int64, j.end-j.first)
	for i := range j.ends.n - 1 {
		all := Constraint{}
		all.add(1, j.ends.nth(i))
		all.add(int64(j.end-j.first)-1, j.in)
		for k := j.first; k < j.end; k++ {
			ended := f.stages[k].ends.at(j.ends.value(i))
			j.ended[k-j.first] = append(j.ended[k-j.first], f.implies(j.ends.nth(i), ended))
			all.add(-1, ended)
		}
		f.emit(all)
	}
}

// stateLines: what there is of resources suffices at all times (C4 to C6, C9, C11).
func (f *Formula) stateLines() {
	onSlave := make([][]int32, len(f.Set.Slaves))
	for p := range f.places {
		onSlave[f.places[p].slave] = append(onSlave[f.places[p].slave], int32(p))
	}
	for s := range model.SlaveID(len(f.Set.Slaves)) {
		for _, has := range f.Set.Supplies(s) {
			l := line{slave: s, resource: has.Resource}
			for _, p := range onSlave[s] {
				if need := f.Set.Need(&f.Set.Tasks[f.tasks[f.places[p].task].id], s, has.Resource); need > 0 {
					l.users = append(l.users, user{p, need})
				}
			}
			changes := map[model.Time]bool{}
			for _, taken := range f.Set.Slaves[s].Reservations {
				changes[taken.Start] = true
			}
			f.stateLine(&l, changes, func(at model.Time) int64 {
				units := has.Units
				for _, taken := range f.Set.Slaves[s].Reservations {
					if taken.Resource == has.Resource && taken.Start <= at && at < taken.End {
						units = max(0, units-taken.Units)
					}
				}
				return units
			})
		}
	}
	for n := range model.SharedID(len(f.Set.Shared())) {
		sh := &f.Set.Shared()[n]
		l, changes := line{slave: model.NoSlave, shared: n}, map[model.Time]bool{}
		for _, id := range sh.Tasks {
			if t := f.taskOf[id]; t >= 0 {
				for p := f.tasks[t].first; p < f.tasks[t].end; p++ {
					l.users = append(l.users, user{p, f.Set.Taken(id, n)})
				}
			}
		}
		for _, level := range sh.Levels {
			changes[level.From] = true
		}
		f.stateLine(&l, changes, func(at model.Time) int64 { return max(0, sh.At(at)) })
	}
}

// stateLine states at each point at which a use may begin, or there may be less from then on, that all uses together
// keep to what there is.
func (f *Formula) stateLine(l *line, points map[model.Time]bool, units func(model.Time) int64) {
	for _, u := range l.users {
		begin, _ := f.places[u.place].hold(l.hold())
		for i := range begin.n {
			points[begin.value(i)] = true
		}
	}
	for _, at := range slices.Sorted(maps.Keys(points)) {
		c := Constraint{Least: -units(at)}
		for _, u := range l.users {
			begin, end := f.places[u.place].hold(l.hold())
			c.add(-u.units, begin.at(at))
			c.add(u.units, end.at(at))
		}
		if f.stopped() {
			return
		}
		l.points, l.ids, l.units = append(l.points, at), append(l.ids, f.emit(c)), append(l.units, units(at))
	}
	f.lines = append(f.lines, *l)
}

// stateSymmetries: what is assumed of equal tasks and slaves.
func (f *Formula) stateSymmetries() {
	for _, pair := range f.Order {
		values := map[model.Time]bool{}
		for _, id := range pair {
			t := &f.tasks[f.taskOf[id]]
			for p := t.first; p < t.end; p++ {
				for i := range f.places[p].get.n {
					values[f.places[p].get.value(i)] = true
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(values)) {
			c := f.fetchedBy(pair[0], at, 1)
			c.Terms = append(c.Terms, f.fetchedBy(pair[1], at, -1).Terms...)
			f.emit(c)
		}
	}
	for _, a := range f.First {
		var c Constraint
		for p := range f.places {
			of := &f.places[p]
			switch id := f.tasks[of.task].id; {
			case id < a.Task && of.slave == a.Before:
				c.add(1, of.on)
			case id == a.Task && of.slave == a.After:
				c.add(-1, of.on)
			}
		}
		f.emit(c)
	}
}

// fetchedBy is the number of places at which the fetch of a task begins by a time, with a sign.
func (f *Formula) fetchedBy(id model.TaskID, at model.Time, sign int64) (c Constraint) {
	t := &f.tasks[f.taskOf[id]]
	for p := t.first; p < t.end; p++ {
		c.add(sign, f.places[p].get.at(at))
	}
	return c
}

// stateLimits: the limits of the question are kept to.
func (f *Formula) stateLimits() {
	f.limited = map[model.Objective]int64{}
	for _, o := range slices.Sorted(maps.Keys(f.Limits)) {
		shape, c := o.Shape(), Constraint{Least: -f.Limits[o]}
		for k := range f.jobs {
			j := &f.jobs[k]
			from := shape.From(j.spec)
			switch weight := shape.Weight(j.spec); {
			case !shape.Jobs.Has(j.spec.Kind) || j.By < from || j.By == from && j.in == True:
			case shape.Counts():
				c.add(-weight, -j.ends.at(from))
			case j.Role == "must":
				first := max(from, j.ends.lo) // it has not ended before
				c.add(-weight*int64(first-from), True)
				for at := first; at < j.By && !f.stopped(); at++ {
					c.add(-weight, -j.ends.at(at))
				}
			}
		}
		f.limited[o] = f.emit(c)
	}
}
