package inference

import (
	"errors"
	"fmt"
)

func (st *state) refutedBefore(a []int64) error {
	if a[0] < 1 || a[0] > int64(len(st.refuted)) {
		return fmt.Errorf("question %d has not been refuted", a[0])
	}
	q := st.refuted[a[0]-1]
	if q.limits != unlimited {
		return errors.New("that question has limits")
	}
	for _, a := range q.jobs {
		k := st.local['J'][a.job]
		switch {
		case a.role == may:
			return errors.New("that question has jobs that may be let go")
		case k < 0 || !st.in(k):
			return fmt.Errorf("job %d need not be in", a.job)
		case a.role == must && st.is[st.jobs[k].end].last > a.by:
			return fmt.Errorf("job %d may end at %d, after %d", a.job, st.is[st.jobs[k].end].last, a.by)
		}
	}
	return nil
}
