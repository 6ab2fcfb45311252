package inference

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// exhausted: at a point tasks surely hold more of a limit than there is, wherever they run (C11).
func (st *state) exhausted(a []int64) error {
	sh, at := st.limits[a[0]], model.Time(a[1])
	if sh == nil {
		return fmt.Errorf("%d is no limit", a[0])
	}
	if sum := st.taken(sh, at, -1); sum <= max(0, sh.At(at)) {
		return fmt.Errorf("%d units of limit %d are surely held at %d, of %d", sum, a[0], at, sh.At(at))
	}
	return nil
}

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

// pushedOutOfPool: at each point in turn others hold so much of a limit that a task does not fit, which is
// not over by then wherever it runs, so that it is handed out later; after the last point it has
// no place left.
func (st *state) pushedOutOfPool(a []int64) error {
	t, sh := int32(a[0]), st.limits[a[1]]
	of := &st.tasks[t]
	switch {
	case sh == nil:
		return fmt.Errorf("%d is no limit", a[1])
	case !st.in(of.job):
		return fmt.Errorf("job %d need not be in", st.jobs[of.job].job)
	}
	left := map[int32]reach{}
	for k := of.place; k < of.end; k++ {
		if r, ok := st.fit(&st.places[k], st.among(&st.places[k])); ok && st.on(k) != no {
			left[k] = r
		}
	}
	need := int64(0)
	if takes(sh, of.id) {
		need = st.units(sh, of.id)
	}
	for _, n := range a[2:] {
		at := model.Time(n)
		if need == 0 || plus(st.taken(sh, at, t), need) <= sh.At(at) {
			return fmt.Errorf("there is enough of limit %d at %d for task %d", a[1], at, of.id)
		}
		for k, r := range left {
			p := &st.places[k]
			if r.start.first+p.run <= at {
				return fmt.Errorf("task %d may be over by %d", of.id, at)
			}
			r.fetch.first = max(r.fetch.first, st.beatFrom(p.slave, at+1))
			if r, ok := st.fit(p, r); ok {
				left[k] = r
			} else {
				delete(left, k)
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("task %d still fits", of.id)
	}
	return nil
}

// takes reports whether a task takes of a limit.
func takes(sh *model.Shared, t model.TaskID) bool {
	_, found := slices.BinarySearch(sh.Tasks, t)
	return found
}

// overdrawn: in an interval tasks surely hold more of a limit, in units and ticks, than there is.
func (st *state) overdrawn(a []int64) error {
	sh, from, to := st.limits[a[0]], model.Time(a[1]), model.Time(a[2])
	if sh == nil || from >= to {
		return fmt.Errorf("%d is no limit, or nothing is between %d and %d", a[0], from, to)
	}
	sum := int64(0)
	for _, id := range sh.Tasks {
		if t := st.local['T'][id]; t >= 0 && st.in(st.tasks[t].job) && !st.dead {
			sum = plus(sum, times(st.units(sh, id), int64(st.leastHeld(t, from, to))))
		}
	}
	if have := amountIn(sh, from, to); sum <= have {
		return fmt.Errorf("limit %d is surely held for %d from %d to %d, of %d", a[0], sum, from, to, have)
	}
	return nil
}

// leastHeld is for how long a task whose job is in is held in an interval at the least, from R on.
func (st *state) leastHeld(t int32, from, to model.Time) model.Time {
	least := to - from
	some := false
	for k := st.tasks[t].place; k < st.tasks[t].end; k++ {
		p := &st.places[k]
		if left, ok := st.fit(p, st.among(p)); ok && st.on(k) != no {
			length := p.fetch + p.run
			least, some = max(0, min(least, length, left.fetch.first+length-from, to-left.fetch.last)), true
		}
	}
	st.dead = st.dead || !some
	return least
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

// crowded: two tasks of a stage whose tasks are apart are on one slave (C12).
func (st *state) crowded(a []int64) error {
	of := &st.stages[a[0]]
	if !of.IsApart() {
		return fmt.Errorf("tasks %d to %d need not be apart", of.First, of.End-1)
	}
	taken := map[model.SlaveID]bool{}
	for k := st.tasks[of.task].place; k < st.tasks[of.end-1].end; k++ {
		if s := st.places[k].slave; st.on(k) == yes {
			if taken[s] {
				return nil
			}
			taken[s] = true
		}
	}
	return fmt.Errorf("of tasks %d to %d no two are known to be on one slave", of.First, of.End-1)
}
