package inference

import (
	"fmt"

	"downbeat/model"
)

// exceeded fails unless jobs that end too late are more than a limit allows.
func (st *state) exceeded(o model.Objective) error {
	shape, sum, most := o.Shape(), int64(0), st.q.limits[o]
	for k := range st.jobs {
		j := &st.jobs[k]
		spec := &st.js.Jobs[j.job]
		late := int64(st.is[j.end].first - shape.From(spec))
		switch {
		case late <= 0 || !shape.Jobs.Has(spec.Kind):
		case shape.Counts():
			sum = plus(sum, shape.Weight(spec))
		case j.role == must:
			sum = plus(sum, times(shape.Weight(spec), late))
		}
	}
	if sum <= most {
		return fmt.Errorf("%s may be %d, of at most %d", o.InProofs(), sum, most)
	}
	return nil
}
