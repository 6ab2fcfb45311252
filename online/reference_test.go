package online_test

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// reference plays a job set tick by tick, by the letter of the package comment:
// every slave that is there and has a free slot is asked at each of its
// heartbeats, fetch lines and cores move by themselves, and whether a task is
// done before an absence is found out by playing the slave on at worst-case
// times. It shares no code with the engine but the draws of chance.
type reference struct {
	js      *model.JobSet
	policy  string
	opts    online.Options
	outages [][]model.Interval
	now     model.Time
	tasks   []refTask
	// held lists what each slave holds in the order of assignment, given what was handed out so
	// far in its order.
	held  [][]model.TaskID
	given []model.TaskID
	lost  []online.Attempt
}

type refTask struct {
	place    model.Placement // Slave is NoSlave while it waits
	assigned model.Time
	fetched  model.Time // Never until the fetch has begun
	started  bool
	length   model.Time
	attempt  int32
	end      model.Time // Never until it has ended
}

// longest is the tick at which the reference gives up.
const longest = 20_000

func newReference(js *model.JobSet, policy string, opts online.Options) *reference {
	r := &reference{js: js, policy: policy, opts: opts, tasks: make([]refTask, len(js.Tasks)), held: make([][]model.TaskID, len(js.Slaves))}
	for i := range r.tasks {
		r.tasks[i] = refTask{place: model.Placement{Slave: model.NoSlave}, end: model.Never}
	}
	for i := range js.Slaves {
		r.outages = append(r.outages, online.Outages(opts, i, longest))
	}
	return r
}

// run plays to the end; false if that is further than longest.
func (r *reference) run() bool {
	for ; r.now < longest; r.now++ {
		r.endTasks()
		for s := range r.held {
			r.failSlave(model.SlaveID(s))
		}
		for i := range r.js.Shared() {
			r.fall(model.SharedID(i))
		}
		for s := range r.held {
			if id := model.SlaveID(s); r.beats(id) {
				r.heartbeat(id)
			}
		}
		for s := range r.held {
			r.move(r.held[s], r.now, &r.js.Slaves[s])
		}
		if !slices.ContainsFunc(r.tasks, func(t refTask) bool { return t.end == model.Never }) {
			return true
		}
	}
	return false
}

func (r *reference) endTasks() {
	for s, list := range r.held {
		r.held[s] = slices.DeleteFunc(list, func(id model.TaskID) bool {
			t := &r.tasks[id]
			if !t.started || t.place.Start+t.length != r.now {
				return false
			}
			t.end = r.now
			return true
		})
	}
}

// failSlave takes from a slave what it holds when it fails or an absence begins.
func (r *reference) failSlave(s model.SlaveID) {
	for _, out := range slices.Concat(r.outages[s], r.js.Slaves[s].Down) {
		if out.Start != r.now {
			continue
		}
		for _, id := range r.held[s] {
			r.lose(id)
		}
		r.held[s] = nil
	}
}

// lose lists the attempt at a task as lost, and lets it wait.
func (r *reference) lose(id model.TaskID) {
	t := &r.tasks[id]
	if t.fetched == model.Never {
		t.place.Fetch = model.Never
	}
	if !t.started {
		t.place.Start = model.Never
	}
	r.lost = append(r.lost, online.Attempt{Task: id, Placement: t.place, End: r.now, Length: t.length})
	*t = refTask{place: model.Placement{Slave: model.NoSlave}, end: model.Never, attempt: t.attempt + 1}
}

// holds tells whether a slave holds a task.
func (r *reference) holds(id model.TaskID) bool {
	return r.tasks[id].place.Slave != model.NoSlave && r.tasks[id].end == model.Never
}

// units is what a task takes of a limit.
func (r *reference) units(id model.TaskID, of model.SharedID) int64 {
	for _, take := range r.js.Takes(id) {
		if take.Shared == of {
			return take.Units
		}
	}
	return 0
}

// fall takes what is held beyond what there is now from those who got it last.
func (r *reference) fall(of model.SharedID) {
	for {
		held, last := int64(0), model.TaskID(-1)
		for _, id := range r.given {
			if n := r.units(id, of); n > 0 && r.holds(id) {
				held, last = held+n, id
			}
		}
		if held <= r.js.Shared()[of].At(r.now) {
			return
		}
		at := r.tasks[last].place.Slave
		r.held[at] = slices.DeleteFunc(r.held[at], func(id model.TaskID) bool { return id == last })
		r.lose(last)
		r.given = slices.DeleteFunc(r.given, func(id model.TaskID) bool { return id == last })
	}
}

// playOn is when a slave has done each of some tasks at worst-case times.
func (r *reference) playOn(s model.SlaveID, held []model.TaskID) map[model.TaskID]model.Time {
	kept := r.tasks
	defer func() { r.tasks = kept }()
	r.tasks = slices.Clone(r.tasks)
	ends := map[model.TaskID]model.Time{}
	held = slices.Clone(held)
	for now := r.now; len(held) > 0; now++ {
		held = slices.DeleteFunc(held, func(h model.TaskID) bool {
			done := r.tasks[h].started && now >= max(r.now+1, r.tasks[h].place.Start+r.js.Tasks[h].WCET(s))
			if done {
				ends[h] = now
			}
			return done
		})
		r.move(held, now, &r.js.Slaves[s])
	}
	return ends
}

// isThere tells whether there is what a task takes of limits at each tick until it ends on slave s, beside
// what others hold by then, all at worst-case times (C11).
func (r *reference) isThere(s model.SlaveID, id model.TaskID) bool {
	if r.js.Takes(id) == nil {
		return true
	}
	was := r.tasks[id]
	r.tasks[id] = refTask{place: model.Placement{Slave: s}, fetched: model.Never}
	ends := map[model.TaskID]model.Time{}
	for o := range r.held {
		held := r.held[o]
		if model.SlaveID(o) == s {
			held = append(slices.Clone(held), id)
		}
		for h, end := range r.playOn(model.SlaveID(o), held) {
			ends[h] = end
		}
	}
	r.tasks[id] = was
	for _, take := range r.js.Takes(id) {
		for at := r.now; at < ends[id]; at++ {
			sum := int64(0)
			for h, end := range ends {
				if end > at {
					sum += r.units(h, take.Shared)
				}
			}
			if sum > r.js.Shared()[take.Shared].At(at) {
				return false
			}
		}
	}
	return true
}

// keepsApart tells whether slave s may have a task of a stage whose tasks are apart, and the others still
// find slaves, by trying all (C12).
func (r *reference) keepsApart(s model.SlaveID, id model.TaskID) bool {
	st := &r.js.Jobs[r.js.Tasks[id].Job].Stages[r.js.Tasks[id].Stage]
	if !st.IsApart() {
		return true
	}
	used := map[model.SlaveID]bool{}
	var rest []model.TaskID
	for t := st.First; t < st.End; t++ {
		if at := r.tasks[t].place.Slave; at != model.NoSlave {
			used[at] = true
		} else if t != id {
			rest = append(rest, t)
		}
	}
	if used[s] {
		return false
	}
	used[s] = true
	return r.findSlaves(rest, used)
}

func (r *reference) findSlaves(rest []model.TaskID, used map[model.SlaveID]bool) bool {
	if len(rest) == 0 {
		return true
	}
	for s := range model.SlaveID(len(r.js.Slaves)) {
		if !used[s] && r.js.Tasks[rest[0]].Eligible(s) {
			used[s] = true
			if r.findSlaves(rest[1:], used) {
				return true
			}
			used[s] = false
		}
	}
	return false
}

func within(spans []model.Interval, t model.Time) bool {
	return slices.ContainsFunc(spans, func(iv model.Interval) bool { return iv.Start <= t && t < iv.End })
}

// beats tells whether slave s has a heartbeat now and is there.
func (r *reference) beats(s model.SlaveID) bool {
	slave := &r.js.Slaves[s]
	since := r.now - slave.FirstBeat
	return since >= 0 && since%r.js.Heartbeat == 0 && !within(slave.Down, r.now) && !within(r.outages[s], r.now)
}

// move lets a slave begin what it can at tick now: fetches in the order of
// assignment, one at a time unless concurrent, and starts in the same order.
func (r *reference) move(held []model.TaskID, now model.Time, slave *model.Slave) {
	lineFree, running, ahead := true, int64(0), true
	for _, id := range held {
		t := &r.tasks[id]
		switch {
		case t.fetched != model.Never && t.fetched > now:
			lineFree = false
		case t.fetched == model.Never && (lineFree || r.js.Fetch == model.FetchConcurrent):
			t.place.Fetch = now
			t.fetched = now + r.js.Tasks[id].Transfer(t.place.Slave)
			lineFree = t.fetched <= now
		}
		if t.started {
			running += r.js.Tasks[id].Cores()
		}
	}
	for _, id := range held {
		t := &r.tasks[id]
		if t.started {
			continue
		}
		need := r.js.Tasks[id].Cores()
		if ahead = ahead && t.fetched <= now && running+need <= int64(slave.Cores); ahead {
			t.place.Start, t.started = now, true
			running += need
		}
	}
}

// ended tells whether all of some tasks have ended.
func (r *reference) ended(first, end model.TaskID) bool {
	return !slices.ContainsFunc(r.tasks[first:end], func(t refTask) bool { return t.end == model.Never })
}

// open tells whether tasks of a stage may be handed out: all stages and jobs that it
// comes after have ended (C7, C10).
func (r *reference) open(j *model.Job, st *model.Stage) bool {
	for _, k := range j.After {
		if before := &r.js.Jobs[k]; !r.ended(before.First, before.End) {
			return false
		}
	}
	for _, k := range st.After {
		if before := &j.Stages[k]; !r.ended(before.First, before.End) {
			return false
		}
	}
	return j.Release <= r.now
}

// waiting lists the tasks of a job that could be handed out: equal tasks of a stage
// together, by the first of them in the file.
func (r *reference) waiting(j *model.Job) []model.TaskID {
	var list []model.TaskID
	for si := range j.Stages {
		if r.open(j, &j.Stages[si]) {
			list = append(list, r.waitingOf(&j.Stages[si])...)
		}
	}
	return list
}

// waitingOf lists those of an open stage.
func (r *reference) waitingOf(st *model.Stage) []model.TaskID {
	first := map[*model.Profile]model.TaskID{}
	var list []model.TaskID
	for id := st.First; id < st.End; id++ {
		p := r.js.Tasks[id].Profile
		if _, ok := first[p]; !ok {
			first[p] = id
		}
		if r.tasks[id].place.Slave == model.NoSlave {
			list = append(list, id)
		}
	}
	slices.SortStableFunc(list, func(a, b model.TaskID) int {
		return cmp.Compare(first[r.js.Tasks[a].Profile], first[r.js.Tasks[b].Profile])
	})
	return list
}

// freeSlots counts the slots of slave s that a task of the kind could take.
func (r *reference) freeSlots(s model.SlaveID, k model.SlotKind) int {
	slave := &r.js.Slaves[s]
	free := slave.Slots
	if slave.SplitSlots {
		free = []int{slave.MapSlots, slave.ReduceSlots}[k]
	}
	for _, id := range r.held[s] {
		if !slave.SplitSlots || r.js.Tasks[id].Slot == k {
			free--
		}
	}
	return free
}

// fits tells whether slave s can take a task now.
func (r *reference) fits(s model.SlaveID, id model.TaskID) bool {
	task := &r.js.Tasks[id]
	return task.Eligible(s) && r.freeSlots(s, task.Slot) > 0 && r.hasUnits(s, id) && r.doneBeforeAbsence(s, id) &&
		r.keepsApart(s, id) && r.isThere(s, id)
}

// hasUnits tells whether slave s has enough left of every named resource for a task.
func (r *reference) hasUnits(s model.SlaveID, id model.TaskID) bool {
	for i := range r.js.Named {
		units := r.js.Tasks[id].Units(i)
		for _, h := range r.held[s] {
			units += r.js.Tasks[h].Units(i)
		}
		if units > r.js.Slaves[s].Offers(i) && r.js.Tasks[id].Units(i) > 0 {
			return false
		}
	}
	return true
}

// doneBeforeAbsence plays slave s on at worst-case times, on a copy; what has used up
// its own ends at the next tick.
func (r *reference) doneBeforeAbsence(s model.SlaveID, id model.TaskID) bool {
	slave := &r.js.Slaves[s]
	away := model.Never
	for _, d := range slave.Down {
		if d.Start > r.now {
			away = min(away, d.Start)
		}
	}
	if away == model.Never {
		return true
	}
	kept := slices.Clone(r.tasks)
	defer func() { r.tasks = kept }()
	r.tasks = slices.Clone(r.tasks)
	held := append(slices.Clone(r.held[s]), id)
	r.tasks[id] = refTask{place: model.Placement{Slave: s}, fetched: model.Never}
	for now := r.now; now <= away; now++ {
		held = slices.DeleteFunc(held, func(h model.TaskID) bool {
			return r.tasks[h].started && now >= max(r.now+1, r.tasks[h].place.Start+r.js.Tasks[h].WCET(s))
		})
		if !slices.Contains(held, id) {
			return true
		}
		r.move(held, now, slave)
	}
	return false
}

// local tells whether slave s has the least transfer time for a task, and some
// other slave has more.
func (r *reference) local(s model.SlaveID, id model.TaskID) bool {
	task := &r.js.Tasks[id]
	least, most := model.Never, model.Time(-1)
	for o := range model.SlaveID(len(r.js.Slaves)) {
		if task.Eligible(o) {
			least, most = min(least, task.Transfer(o)), max(most, task.Transfer(o))
		}
	}
	return least < most && task.Transfer(s) == least
}

// pick is what slave s gets of a job: the first local task that fits, or the
// first that does; -1 if none does.
func (r *reference) pick(s model.SlaveID, j *model.Job) model.TaskID {
	any := model.TaskID(-1)
	for _, id := range r.waiting(j) {
		if !r.fits(s, id) {
			continue
		}
		if r.local(s, id) {
			return id
		}
		if any < 0 {
			any = id
		}
	}
	return any
}

// key is what the policy ranks a job by, as a fraction, least first.
func (r *reference) key(j *model.Job) (num, den int64) {
	switch r.policy {
	case "fifo":
		return 0, 1
	case "edf":
		return int64(j.Due()), 1
	case "fair":
		return int64(r.running(j)), j.Weight
	case "llf":
		if j.Kind == model.BestEffort {
			return int64(model.Never), 1
		}
		return int64(j.Due() - r.now - r.remaining(j)), 1
	}
	panic(r.policy)
}

func (r *reference) running(j *model.Job) (n int) {
	for id := j.First; id < j.End; id++ {
		if r.tasks[id].place.Slave != model.NoSlave && r.tasks[id].end == model.Never {
			n++
		}
	}
	return n
}

// remaining is the longest way through the stages of a job, each as long as the longest
// of its tasks that have not been handed out, at its quickest.
func (r *reference) remaining(j *model.Job) (most model.Time) {
	for si := range j.Stages {
		most = max(most, r.remainingTo(j, int32(si)))
	}
	return most
}

// remainingTo is the longest way that ends with a stage.
func (r *reference) remainingTo(j *model.Job, si int32) model.Time {
	longest, before := model.Time(0), model.Time(0)
	for id := j.Stages[si].First; id < j.Stages[si].End; id++ {
		if r.tasks[id].place.Slave != model.NoSlave {
			continue
		}
		quickest := model.Never
		for s := range model.SlaveID(len(r.js.Slaves)) {
			if task := &r.js.Tasks[id]; task.Eligible(s) {
				quickest = min(quickest, task.Transfer(s)+task.WCET(s))
			}
		}
		longest = max(longest, quickest)
	}
	for _, k := range j.Stages[si].After {
		before = max(before, r.remainingTo(j, k))
	}
	return before + longest
}

// ranked lists all jobs by the policy's key, then release, then the file.
func (r *reference) ranked() []int {
	type entry struct {
		num, den int64
		release  model.Time
		job      int
	}
	var all []entry
	for i := range r.js.Jobs {
		num, den := r.key(&r.js.Jobs[i])
		all = append(all, entry{num, den, r.js.Jobs[i].Release, i})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.num*b.den, b.num*a.den), cmp.Compare(a.release, b.release), cmp.Compare(a.job, b.job))
	})
	var order []int
	for _, e := range all {
		order = append(order, e.job)
	}
	return order
}

// heartbeat serves the jobs by rank. Fair ranks anew after each task.
func (r *reference) heartbeat(s model.SlaveID) {
	order := r.ranked()
	for i := 0; i < len(order); {
		id := r.pick(s, &r.js.Jobs[order[i]])
		if id < 0 {
			i++
			continue
		}
		t := &r.tasks[id]
		beat := (r.now - r.js.Slaves[s].FirstBeat) / r.js.Heartbeat
		t.place = model.Placement{Slave: s, Beat: beat}
		t.assigned, t.fetched = r.now, model.Never
		t.length = online.Length(r.opts, id, t.attempt, r.js.Tasks[id].WCET(s))
		r.held[s] = append(r.held[s], id)
		r.given = append(slices.DeleteFunc(r.given, func(g model.TaskID) bool { return g == id }), id)
		if r.policy == "fair" {
			order, i = r.ranked(), 0
		}
	}
}

// differs compares with a run; "" if all is the same. When a lost attempt would
// have fetched and run does not count if that lies after its loss.
func (r *reference) differs(out *online.Outcome) string {
	for t := range r.tasks {
		if want := &r.tasks[t]; want.place != out.Schedule[t] || want.end != out.Ends[t] {
			return fmt.Sprintf("%s is %+v ending %d, by the letter %+v ending %d", r.js.TaskName(model.TaskID(t)),
				out.Schedule[t], out.Ends[t], want.place, want.end)
		}
	}
	if len(r.lost) != len(out.Lost) {
		return fmt.Sprintf("%d attempts are lost, by the letter %d", len(out.Lost), len(r.lost))
	}
	// Of what is lost in one tick, on several slaves, neither side says which came first.
	bySlave := func(a, b online.Attempt) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Slave, b.Slave), cmp.Compare(a.Task, b.Task))
	}
	lost, wants := slices.Clone(out.Lost), slices.Clone(r.lost)
	slices.SortStableFunc(lost, bySlave)
	slices.SortStableFunc(wants, bySlave)
	for i, want := range wants {
		got := lost[i]
		if got.Fetch >= got.End {
			got.Fetch = model.Never
		}
		if got.Start >= got.End {
			got.Start = model.Never
		}
		if got != want {
			return fmt.Sprintf("lost %+v, by the letter %+v", got, want)
		}
	}
	return ""
}
