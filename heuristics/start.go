package heuristics

import "downbeat/model"

// FitAt is the place at which the task starts at a given time, handed out at the last heartbeat
// that allows it and fetched as early as possible from there. If there is none, after is a time
// before which the heartbeat of no such place with a later start is, or -1 if the cores are what
// is missing.
//
// The last heartbeat will do: from an earlier one on all that is held for the whole stay would be
// held for longer.
func (tl *timeline) FitAt(start model.Time, r request) (fit Fit, ok bool, after model.Time) {
	fit = Fit{Start: start, Finish: start + r.WCET}
	if tl.shortUntil(r.Needs.run, start, fit.Finish) >= 0 {
		return Fit{}, false, -1
	}
	ready := tl.BeatAtOrAfter(r.Ready)
	latest := start - r.Transfer
	if tl.firstFree(r.Needs.fetch, ready, r.Transfer) > latest {
		return Fit{}, false, ready
	}
	fit.Assigned = tl.beatAtOrBefore(tl.lastFree(r.Needs.fetch, latest, r.Transfer))
	if tl.fifo {
		fit.Assigned = min(fit.Assigned, tl.beatBound(start))
		if earliest := max(ready, tl.passedOver(start)); fit.Assigned < earliest {
			return Fit{}, false, earliest
		}
	}
	if short := tl.stayShort(r.Needs, fit.Assigned, fit.Finish); short >= 0 {
		return Fit{}, false, tl.beatFree(r.Needs, short, r.Transfer+r.WCET)
	}
	fit.Fetch = tl.firstFree(r.Needs.fetch, fit.Assigned, r.Transfer)
	return fit, true, 0
}

// EarliestFrom is the place with the first start at from or later, among those that finish before
// limit; ok is false if there is none.
//
// It is exact: a start that is too early is given up for the first at which what it lacks can be
// there.
func (tl *timeline) EarliestFrom(r request, from, limit model.Time) (fit Fit, ok bool) {
	at := tl.beatFree(r.Needs, r.Ready, r.Transfer+r.WCET)
	start := from
	for {
		r.Ready = at
		start = max(start, tl.firstFree(r.Needs.fetch, at, r.Transfer)+r.Transfer)
		if tl.fifo {
			start = max(start, tl.startAfter(at))
		}
		if start+r.WCET >= limit {
			return Fit{}, false
		}
		start = tl.firstFree(r.Needs.run, start, r.WCET)
		if start+r.WCET >= limit {
			return Fit{}, false
		}
		if fit, ok, at = tl.FitAt(start, r); ok {
			return fit, true
		}
	}
}
