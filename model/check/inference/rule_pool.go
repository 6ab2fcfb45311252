package inference

import (
	"fmt"

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
