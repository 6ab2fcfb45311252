// Limits has what tasks on all slaves hold of what they share: pools and caps (C11).
//
// A task is handed out only if what it takes is there until it ends at declared times, beside
// what others hold by then. So nothing has to be taken back when an amount falls, unless a task
// overruns; see [engine.fall].

package online

import (
	"slices"

	"downbeat/model"
)

// limits is what is held of each, by model.SharedID.
type limits struct {
	used []int64
	// there is how much there is now.
	there []int64
	// common has by stage what each of its tasks takes at least, or a gang all together.
	common [][]model.Take
	// holders lists who holds of it, in the order in which it was handed out.
	holders [][]model.TaskID
}

func newLimits(js *model.JobSet) limits {
	n := len(js.Shared())
	l := limits{used: make([]int64, n), there: make([]int64, n), holders: make([][]model.TaskID, n)}
	for i := range l.there {
		l.there[i] = js.Shared()[i].At(0)
	}
	if js.Coupled() {
		l.common = make([][]model.Take, js.Stages())
		for id := range l.common {
			st, _ := js.Stage(model.StageID(id))
			l.common[id] = commonTakes(js, st)
		}
	}
	return l
}

// commonTakes is what the tasks of a gang take all together, and of other stages what each takes at
// least.
func commonTakes(js *model.JobSet, st *model.Stage) []model.Take {
	out := slices.Clone(js.Takes(st.First))
	for t := st.First + 1; t < st.End; t++ {
		takes := js.Takes(t)
		if !st.IsGang() {
			out = slices.DeleteFunc(out, func(c model.Take) bool { return unitsOf(takes, c.Shared) == 0 })
			for i := range out {
				out[i].Units = min(out[i].Units, unitsOf(takes, out[i].Shared))
			}
			continue
		}
		for _, take := range takes {
			at := slices.IndexFunc(out, func(c model.Take) bool { return c.Shared == take.Shared })
			if at < 0 {
				out = append(out, take)
			} else {
				out[at].Units += take.Units
			}
		}
	}
	return out
}

// unitsOf is how many units of a limit are among takes.
func unitsOf(takes []model.Take, id model.SharedID) int64 {
	for _, take := range takes {
		if take.Shared == id {
			return take.Units
		}
	}
	return 0
}

// barred reports whether no task of a stage can be handed out now for what others hold of limits.
func (st *state) barred(id model.StageID) bool {
	for _, take := range st.limits.common[id] {
		if st.limits.used[take.Shared]+take.Units > st.limits.there[take.Shared] {
			return true
		}
	}
	return false
}

// allBarred reports whether that is so of all stages of a job that have tasks to hand out.
func (st *state) allBarred(j *Job) bool {
	for k := range j.stages {
		if j.stages[k].ready > 0 && !st.barred(j.spec.FirstStage+model.StageID(k)) {
			return false
		}
	}
	return true
}

// hold takes what a task takes.
func (l *limits) hold(js *model.JobSet, t model.TaskID) {
	for _, take := range js.Takes(t) {
		l.used[take.Shared] += take.Units
		l.holders[take.Shared] = append(l.holders[take.Shared], t)
	}
}

// giveBack is for a task that has ended or is lost.
func (l *limits) giveBack(js *model.JobSet, t model.TaskID) {
	for _, take := range js.Takes(t) {
		l.used[take.Shared] -= take.Units
		at := slices.Index(l.holders[take.Shared], t)
		l.holders[take.Shared] = slices.Delete(l.holders[take.Shared], at, at+1)
	}
}

// isThere reports whether so many units of a limit can be held from now until then, beside what
// is held, at declared times.
func (st *state) isThere(id model.SharedID, units int64, until model.Time) bool {
	sh := &st.js.Shared()[id]
	all := st.limits.used[id] + units
	if all <= sh.Least(model.Interval{Start: st.now, End: until}) {
		return true
	}
	for _, l := range sh.Levels {
		switch {
		case l.From >= until:
			return true
		case l.From <= st.now:
			if sh.At(st.now) < all {
				return false
			}
		case st.usedAt(id, l.From)+units > l.Amount:
			return false
		}
	}
	return true
}

// usedAt is how many units the tasks that are held now still hold at a later time, at declared
// times.
func (st *state) usedAt(id model.SharedID, at model.Time) (units int64) {
	for _, t := range st.limits.holders[id] {
		if st.promisedEnd(t) <= at {
			continue
		}
		units += unitsOf(st.js.Takes(t), id)
	}
	return units
}

// promisedEnd is when a task that is held ends at the latest at declared times.
func (st *state) promisedEnd(t model.TaskID) model.Time {
	for _, e := range st.slaves[st.placed[t].Slave].promised(st.now).ends {
		if e.task == t {
			return e.at
		}
	}
	panic("a task that is held has no promised end")
}

// roomFor reports whether what a task takes can be held from now until then.
func (st *state) roomFor(t model.TaskID, until model.Time) bool {
	for _, take := range st.js.Takes(t) {
		if !st.isThere(take.Shared, take.Units, until) {
			return false
		}
	}
	return true
}

// roomForGang is roomFor for all tasks of a gang at once.
func (st *state) roomForGang(stage *model.Stage, until model.Time) bool {
	for _, take := range st.limits.common[st.stageOf(stage)] {
		if !st.isThere(take.Shared, take.Units, until) {
			return false
		}
	}
	return true
}

// stageOf is the number of a stage.
func (st *state) stageOf(stage *model.Stage) model.StageID {
	task := &st.js.Tasks[stage.First]
	return st.js.Jobs[task.Job].FirstStage + model.StageID(task.Stage)
}

// mostFrom is the largest amount of a limit from a time on.
func mostFrom(sh *model.Shared, from model.Time) int64 {
	most := sh.At(from)
	for _, l := range sh.Levels {
		if l.From > from {
			most = max(most, l.Amount)
		}
	}
	return most
}
