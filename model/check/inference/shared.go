package inference

import (
	"slices"

	"downbeat/model"
)

// taken is what tasks but one surely hold of a limit at a point, whatever they do within reach.
func (st *state) taken(sh *model.Shared, at model.Time, but int32) (sum int64) {
	for _, id := range sh.Tasks {
		if t := st.local['T'][id]; t >= 0 && t != but && st.in(st.tasks[t].job) && !st.dead && st.surelyHeld(t, at) {
			sum = plus(sum, st.units(sh, id))
		}
	}
	return sum
}

// surelyHeld reports whether a task whose job is in is held at a point wherever it can be: it is handed
// out by then at the last heartbeat at R or before, and has not finished. If it can be nowhere the
// state is dead.
func (st *state) surelyHeld(t int32, at model.Time) bool {
	some := false
	for k := st.tasks[t].place; k < st.tasks[t].end; k++ {
		p := &st.places[k]
		if st.on(k) == no || st.stopped() {
			continue
		}
		left, ok := st.fit(p, st.among(p))
		if !ok {
			continue
		}
		some = true
		if beat, handed := st.beatUntil(p.slave, left.fetch.last); !handed || beat > at || left.start.first+p.run <= at {
			return false
		}
	}
	st.dead = st.dead || !some
	return some
}

// units is what a task takes of a limit.
func (st *state) units(sh *model.Shared, t model.TaskID) int64 {
	if sh.Pool < 0 {
		return 1
	}
	needs := st.js.Tasks[t].Profile.Needs()
	return needs.Pooled(int(sh.Pool))
}

// takes reports whether a task takes of a limit.
func takes(sh *model.Shared, t model.TaskID) bool {
	_, found := slices.BinarySearch(sh.Tasks, t)
	return found
}

// amountIn is what there is of a limit in an interval, in units and ticks; what is below 0 counts as
// nothing.
func amountIn(sh *model.Shared, from, to model.Time) (sum int64) {
	for i, l := range sh.Levels {
		end := to
		if i+1 < len(sh.Levels) {
			end = min(to, sh.Levels[i+1].From)
		}
		if begin := max(from, l.From); begin < end {
			sum = plus(sum, times(max(0, l.Amount), int64(end-begin)))
		}
	}
	return sum
}
