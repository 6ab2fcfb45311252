package encode

import (
	"fmt"
	"sort"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
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
	for _, t := range e.included {
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
	sl := &e.tasks[t].slaves[k]
	p := model.Placement{
		Slave: sl.slave,
		Start: firstTrue(sl.firstStart(), sl.lastStart, func(at model.Time) bool { return isTrue(e.startBy(t, at)) }),
		Fetch: firstTrue(sl.firstFetch, sl.lastFetch(), func(at model.Time) bool { return isTrue(e.fetchBy(t, k, at)) }),
	}
	assigned := p.Fetch
	if e.JS.FIFO {
		assigned = firstTrue(sl.firstFetch, p.Fetch, func(at model.Time) bool { return isTrue(e.assignScaleBy(t, at)) })
	}
	p.Beat, _ = e.JS.BeatAtOrBefore(sl.slave, assigned)
	return p
}

// firstTrue is the first time in [lo, hi] at which an order literal holds.
func firstTrue(lo, hi model.Time, holds func(model.Time) bool) model.Time {
	return lo + model.Time(sort.Search(int(hi-lo), func(i int) bool { return holds(lo + model.Time(i)) }))
}

// Meaning puts a literal of the formula in words, empty for a helper literal
// and for True and False.
func (e *Encoding) Meaning(m z.Lit) string {
	if m == cnf.True || m == cnf.False {
		return "" // also x of a task that must be placed and has one slave left
	}
	if !m.IsPos() {
		if s := e.Meaning(m.Not()); s != "" {
			return "not(" + s + ")"
		}
		return ""
	}
	for i, on := range e.on {
		if e.Role[i] == query.May && on == m {
			return e.JS.Jobs[i].Name + " is placed"
		}
	}
	for _, t := range e.included {
		lay, v := &e.tasks[t], &e.vars[t]
		for k, x := range v.x {
			if x == m {
				return fmt.Sprintf("%s runs on %s", e.JS.TaskName(t), e.JS.Slaves[lay.slaves[k].slave].Name)
			}
		}
		if at, ok := v.start.timeOf(m); ok {
			return fmt.Sprintf("%s starts by %d", e.JS.TaskName(t), at)
		}
		if at, ok := v.fetch.timeOf(m); ok && lay.freeFetch {
			return fmt.Sprintf("%s fetches by %d", e.JS.TaskName(t), at)
		}
	}
	return ""
}

// timeOf is the τ of order literal m, if m is one of the scale's.
func (s *scale) timeOf(m z.Lit) (model.Time, bool) {
	if s.hi <= s.lo || m.Var() < s.first || m.Var() >= s.first+z.Var(s.hi-s.lo) {
		return 0, false
	}
	return s.lo + model.Time(m.Var()-s.first), true
}
