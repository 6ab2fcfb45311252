package inference

import (
	"fmt"

	"downbeat/model"
)

func (st *state) overloaded(a []int64) error {
	s, r, from, to := model.SlaveID(a[0]), model.ResourceID(a[1]), model.Time(a[2]), model.Time(a[3])
	units, err := st.supply(s, r, -1)
	if err != nil {
		return err
	}
	sum := int64(0)
	for p, left := range st.sure(s, -1) {
		begin, length, _ := p.use(r.Hold(), &left)
		within := max(0, min(length, to-from, begin.first+length-from, to-begin.last))
		sum = plus(sum, times(st.need(p, r), int64(within)))
	}
	if have := times(units, int64(max(0, to-from))); sum <= have {
		return fmt.Errorf("resource %d of slave %d is surely held for %d from %d to %d, of %d", r, s, sum, from, to, have)
	}
	return nil
}
