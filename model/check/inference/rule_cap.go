package inference

import (
	"fmt"

	"downbeat/model"
)

func (st *state) overfull(a []int64) error {
	s, r, at := model.SlaveID(a[0]), model.ResourceID(a[1]), model.Time(a[2])
	units, err := st.supply(s, r, at)
	if err != nil {
		return err
	}
	if sum := st.held(s, r, at, -1); sum <= units {
		return fmt.Errorf("%d units of resource %d of slave %d are surely held at %d, of %d", sum, r, s, at, units)
	}
	return nil
}
