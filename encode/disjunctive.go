// Disjunctive narrows the windows of a question where tasks are bound to
// slaves with one core. Windows look at each job alone; here the tasks of such a
// slave are a unary resource (a machine of a job shop): any two of them are
// disjoint in time. What follows from that alone is deduced before an engine
// makes any variable:
//
//   - Edge finding (Carlier and Pinson 1989; here as Vilím 2004 puts it): if
//     tasks Θ and t cannot all end by the last end of Θ, t comes after all of Θ.
//   - Detectable precedences (Vilím 2004): so it does after every task that
//     has to start before t can have ended.
//   - Shaving (Martin and Shmoys 1996): if a task cannot start in the first k
//     ticks of its window by these rules, it starts later; likewise at the end.
//
// Every plan that the question asks for keeps to what is deduced, so nothing is
// lost. Values of the makespan that are far from the least are refuted in this
// way, without a formula.

package encode

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// TightenDisjunctive narrows the places of tasks that are bound to slaves; false means that
// the question is refuted. Questions with fifo are left alone, and so are parts of
// plans, which are small and not worth it.
func TightenDisjunctive(l *query.Layout) bool {
	if l.JS.FIFO || l.Restrict != nil || l.Fixed != nil {
		return true
	}
	r := relax(l)
	if !slices.Contains(r.stale, true) {
		return true
	}
	if !r.propagate() || !r.shave() {
		return false
	}
	for i := range r.activities {
		a := &r.activities[i]
		narrow(l.JS, &l.Places[a.task][0], a)
	}
	return true
}

// narrow gives a place the window of its activity.
func narrow(js *model.JobSet, p *query.Place, a *activity) {
	if p.Tied {
		_, at := js.BeatAtOrBefore(p.Slave, a.first-p.Transfer)
		p.FirstFetch = max(p.FirstFetch, at)
	}
	p.LastStart = a.last
}

// shave cuts off both ends of windows what the rules refute, until nothing
// changes or no steps are left; false means that nothing remains of one.
func (r *relaxation) shave() bool {
	for changed := true; changed; {
		changed = false
		for i := range r.activities {
			for _, early := range []bool{true, false} {
				cut, ok := r.shaveEnd(&r.activities[i], early)
				if !ok {
					return false
				}
				changed = changed || cut
			}
		}
	}
	return true
}

// shaveEnd tries parts of one window that double after every success and
// become a quarter after every failure.
func (r *relaxation) shaveEnd(a *activity, early bool) (cut, ok bool) {
	for k := model.Time(1); k > 0 && r.steps > 0 && a.first < a.last; {
		k = min(k, (a.last-a.first+1)/2)
		r.saved = append(r.saved[:0], r.activities...)
		if early {
			r.setLast(a, a.first+k-1)
		} else {
			r.setFirst(a, a.last-k+1)
		}
		possible := r.propagate()
		copy(r.activities, r.saved)
		clear(r.stale)
		if possible {
			k /= 4
			continue
		}
		cut = true
		if early {
			r.setFirst(a, a.first+k)
		} else {
			r.setLast(a, a.last-k)
		}
		if !r.propagate() {
			return true, false
		}
		k *= 2
	}
	return cut, true
}
