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
	// holders lists who holds of it, in the order in which it was handed out.
	holders [][]model.TaskID
	// ofGang has what gangs take all together, as far as it was asked for.
	ofGang map[*model.Stage][]model.Take
}

func newLimits(js *model.JobSet) limits {
	n := len(js.Shared())
	return limits{used: make([]int64, n), holders: make([][]model.TaskID, n), ofGang: map[*model.Stage][]model.Take{}}
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
		for _, take := range st.js.Takes(t) {
			if take.Shared == id {
				units += take.Units
			}
		}
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
	for _, take := range st.gangTakes(stage) {
		if !st.isThere(take.Shared, take.Units, until) {
			return false
		}
	}
	return true
}

// gangTakes is what the tasks of a gang take all together.
func (st *state) gangTakes(stage *model.Stage) []model.Take {
	takes, known := st.limits.ofGang[stage]
	if known {
		return takes
	}
	for t := stage.First; t < stage.End; t++ {
		for _, take := range st.js.Takes(t) {
			at := slices.IndexFunc(takes, func(other model.Take) bool { return other.Shared == take.Shared })
			if at < 0 {
				takes = append(takes, take)
			} else {
				takes[at].Units += take.Units
			}
		}
	}
	st.limits.ofGang[stage] = takes
	return takes
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
