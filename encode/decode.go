package encode

import (
	"sort"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
)

// Decode reads a schedule from a model of the formula. Tasks of jobs that the
// model leaves out are not placed.
func (e *Encoding) Decode(value func(z.Lit) bool) model.Schedule {
	isTrue := func(m z.Lit) bool {
		switch m {
		case cnf.True:
			return true
		case cnf.False:
			return false
		}
		return value(m)
	}
	out := model.NewSchedule(len(e.JS.Tasks))
	for _, t := range e.Included {
		for k, x := range e.vars[t].x {
			if isTrue(x) {
				out[t] = e.placement(t, k, isTrue)
				break
			}
		}
	}
	return out
}

func (e *Encoding) placement(t model.TaskID, k int, isTrue func(z.Lit) bool) model.Placement {
	p := &e.Places[t][k]
	out := model.Placement{
		Slave: p.Slave,
		Start: firstTrue(p.FirstStart(), p.LastStart, func(at model.Time) bool { return isTrue(e.StartBy(t, at)) }),
		Fetch: firstTrue(p.FirstFetch, p.LastFetch(), func(at model.Time) bool { return isTrue(e.fetchBy(t, k, at)) }),
	}
	assigned := out.Fetch
	if e.JS.FIFO {
		assigned = firstTrue(p.FirstFetch, out.Fetch, func(at model.Time) bool { return isTrue(e.assignScaleBy(t, at)) })
	}
	out.Beat, _ = e.JS.BeatAtOrBefore(p.Slave, assigned)
	return out
}

// firstTrue is the first time in [lo, hi] at which an order literal holds.
func firstTrue(lo, hi model.Time, holds func(model.Time) bool) model.Time {
	return lo + model.Time(sort.Search(int(hi-lo), func(i int) bool { return holds(lo + model.Time(i)) }))
}
