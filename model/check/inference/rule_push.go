package inference

import (
	"fmt"

	"downbeat/model"
)

func (st *state) pushedOut(a []int64) error {
	t, s, r := int32(a[0]), model.SlaveID(a[1]), model.ResourceID(a[2])
	k := st.placeOn(t, s)
	if k < 0 || st.on(k) != yes {
		return fmt.Errorf("task %d need not be on slave %d", st.tasks[t].id, s)
	}
	p := &st.places[k]
	left, ok := st.fit(p, st.among(p))
	for _, n := range a[3:] {
		at := model.Time(n)
		units, err := st.supply(s, r, at)
		need := st.need(p, r)
		begin, _, until := p.use(r.Hold(), &left)
		switch {
		case err != nil || !ok:
			return err
		case need == 0 || plus(st.held(s, r, at, t), need) <= units:
			return fmt.Errorf("there is enough of resource %d on slave %d at %d for task %d", r, s, at, st.tasks[t].id)
		case until <= at:
			return fmt.Errorf("task %d may be over by %d", st.tasks[t].id, at)
		}
		begin.first = max(begin.first, at+st.step(r.Hold()))
		left, ok = st.fit(p, left)
	}
	if ok {
		return fmt.Errorf("task %d still fits on slave %d, starting from %d to %d", st.tasks[t].id, s, left.start.first, left.start.last)
	}
	return nil
}
