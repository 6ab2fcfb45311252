package inference

import (
	"fmt"

	"downbeat/model"
)

// overdrawn: in an interval tasks surely hold more of a limit, in units and ticks, than there is.
func (st *state) overdrawn(a []int64) error {
	sh, from, to := st.limits[a[0]], model.Time(a[1]), model.Time(a[2])
	if sh == nil || from >= to {
		return fmt.Errorf("%d is no limit, or nothing is between %d and %d", a[0], from, to)
	}
	sum := int64(0)
	for _, id := range sh.Tasks {
		if t := st.local['T'][id]; t >= 0 && st.in(st.tasks[t].job) && !st.dead {
			sum = plus(sum, times(st.units(sh, id), int64(st.leastHeld(t, model.HoldStay, from, to))))
		}
	}
	if have := amountIn(sh, from, to); sum <= have {
		return fmt.Errorf("limit %d is surely held for %d from %d to %d, of %d", a[0], sum, from, to, have)
	}
	return nil
}

// leastHeld is for how long a task whose job is in holds something in an interval at the least, of stays from R on.
func (st *state) leastHeld(t int32, h model.Hold, from, to model.Time) model.Time {
	least := to - from
	some := false
	for k := st.tasks[t].place; k < st.tasks[t].end; k++ {
		p := &st.places[k]
		if left, ok := st.fit(p, st.among(p)); ok && st.on(k) != no {
			begin, length, _ := p.use(h, &left)
			least, some = max(0, min(least, length, begin.first+length-from, to-begin.last)), true
		}
	}
	st.dead = st.dead || !some
	return least
}
