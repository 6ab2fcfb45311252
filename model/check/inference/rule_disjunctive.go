package inference

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// outOfTurn fails unless a task, of those that cannot overlap, has to begin after others when it cannot any more, or
// to end before others when it cannot yet.
func (st *state) outOfTurn(a []int64) error {
	s, r, t := model.SlaveID(a[0]), model.ResourceID(a[1]), int32(a[2])
	units, err := st.supply(s, r, -1)
	if err != nil {
		return err
	}
	var all []held
	for p, left := range st.sure(s, -1) {
		if begin, length, _ := p.use(r.Hold(), &left); length > 0 && 2*st.need(p, r) > units {
			all = append(all, held{*begin, length, p.task == t})
		}
	}
	for range 2 {
		if late(all) {
			return nil
		}
		for k, h := range all { // time runs backwards
			all[k].begin = span{-h.begin.last - h.length, -h.begin.first - h.length}
		}
	}
	return fmt.Errorf("task %d need not come too late or too early among those on slave %d that hold more than half of resource %d", st.tasks[t].id, s, r)
}

// held is when a task can begin to hold a resource, for how long it does at the least, and whether it is asked about.
type held struct {
	begin  span
	length model.Time
	asked  bool
}

// late tells that the task that is asked about begins, after all that it cannot come before, later than it can.
func late(all []held) bool {
	k := slices.IndexFunc(all, func(h held) bool { return h.asked })
	if k < 0 {
		return false
	}
	this, end := all[k], model.Time(-latest)
	slices.SortFunc(all, func(a, b held) int { return int(a.begin.first - b.begin.first) })
	for _, h := range all {
		if !h.asked && this.begin.first+this.length > h.begin.last {
			end = max(end, h.begin.first) + h.length
		}
	}
	return end > this.begin.last
}
