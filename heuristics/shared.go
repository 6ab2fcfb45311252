package heuristics

import "downbeat/model"

// sharedNeed is a number of units > 0 of a limit that tasks on all slaves have in common (C11).
type sharedNeed struct {
	line  *use
	units int64
}

// sharedLines is how much of what tasks on all slaves share is in use over time, by
// [model.SharedID]. What there is less than the most at a time, by the levels of the limit, counts as
// in use.
type sharedLines struct {
	js    *model.JobSet
	uses  []use
	empty []steps
	// known has what tasks take; those that take the same of the same have one list in the set.
	known map[*model.Take][]sharedNeed
}

func newSharedLines(js *model.JobSet) *sharedLines {
	shared := js.Shared()
	l := &sharedLines{js: js, uses: make([]use, len(shared)), empty: make([]steps, len(shared)), known: map[*model.Take][]sharedNeed{}}
	for i := range shared {
		most := shared[i].Most()
		l.uses[i].units = most
		for _, level := range shared[i].Levels {
			l.empty[i] = append(l.empty[i], step{level.From, most - level.Amount})
		}
	}
	l.reset()
	return l
}

// reset takes all tasks out.
func (l *sharedLines) reset() {
	for i := range l.uses {
		l.uses[i].level = append(l.uses[i].level[:0], l.empty[i]...)
	}
}

// of is what task t takes of what is shared, nil for nothing.
func (l *sharedLines) of(t model.TaskID) []sharedNeed {
	takes := l.js.Takes(t)
	if len(takes) == 0 {
		return nil
	}
	found, seen := l.known[&takes[0]]
	if !seen {
		for _, take := range takes {
			found = append(found, sharedNeed{&l.uses[take.Shared], take.Units})
		}
		l.known[&takes[0]] = found
	}
	return found
}

// sharedShort is the end of the last stretch that meets [from, to) in which one of these needs is
// not met, -1 if there is none.
func sharedShort(needs []sharedNeed, from, to model.Time) model.Time {
	until := model.Time(-1)
	for _, n := range needs {
		until = max(until, n.line.level.fullUntil(from, to, n.line.limit(n.units)))
	}
	return until
}

// sharedFree is the earliest t ≥ from such that all these needs are met during [t, t+length),
// length ≥ 1.
func sharedFree(needs []sharedNeed, from, length model.Time) model.Time {
	for {
		before := from
		for _, n := range needs {
			from = n.line.level.firstFree(from, length, n.line.limit(n.units))
		}
		if len(needs) <= 1 || from == before {
			return from
		}
	}
}

// addShared raises the levels by delta times the needs during [from, to).
func addShared(needs []sharedNeed, from, to model.Time, delta int64) {
	for _, n := range needs {
		n.line.level = n.line.level.add(from, to, delta*n.units)
	}
}
