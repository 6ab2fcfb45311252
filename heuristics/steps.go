package heuristics

import (
	"slices"

	"downbeat/model"
)

// step says that the level holds from time at until the next step.
type step struct {
	at    model.Time
	level int64
}

// steps is a step function of time. The first step is at 0 or earlier than any
// query, neighbours differ in level, and the last level, which holds for ever,
// is below every capacity that the function is asked about. Sorted arrays and
// memmove beat trees here: a slave rarely has more than some hundred steps.
type steps []step

// during has a level in each of some intervals, which ascend and do not touch, and is 0
// elsewhere.
func during(intervals []model.Interval, level int64) steps {
	if level == 0 {
		return steps{{}}
	}
	f := make(steps, 1, 1+2*len(intervals))
	for _, iv := range intervals {
		if iv.Start == f[len(f)-1].at { // from 0
			f[0].level = level
		} else {
			f = append(f, step{iv.Start, level})
		}
		f = append(f, step{iv.End, 0})
	}
	return f
}

// index is the position of the step that holds at time t. Written so that the
// compiler can do without a branch: the outcomes are as good as random.
func (f steps) index(t model.Time) int {
	at := 0
	for n := len(f); n > 1; {
		half := n / 2
		next := at + half
		if f[next].at <= t {
			at = next
		}
		n -= half
	}
	return at
}

// firstFree is the earliest t ≥ from such that the level stays below capacity
// during [t, t+length), length ≥ 1.
func (f steps) firstFree(from, length model.Time, capacity int64) model.Time {
	i := f.index(from)
	t := from
	for {
		for f[i].level >= capacity {
			i++
			t = f[i].at
		}
		end := t + length
		for i++; i < len(f) && f[i].at < end && f[i].level < capacity; i++ {
		}
		if i == len(f) || f[i].at >= end {
			return t
		}
	}
}

// firstBeat is the first heartbeat t ≥ at such that the level stays below capacity during
// [t, t+length), length ≥ 1; at is a heartbeat. What absences leave no room for is passed
// over at once where they are many.
func (f steps) firstBeat(tl *timeline, at, length model.Time, capacity int64) model.Time {
	i := f.index(at)
	for {
		for ; f[i].level >= capacity || i+1 < len(f) && f[i+1].at <= at; i++ {
			if f[i].level >= capacity {
				at = max(at, tl.BeatAtOrAfter(f[i+1].at))
			}
		}
		next := i + 1
		for next < len(f) && f[next].at < at+length && f[next].level < capacity {
			next++
		}
		if next == len(f) || f[next].at >= at+length {
			return at
		}
		if i = next; tl.presences != nil {
			at = tl.presences.First(tl.slave, f[i].at, length)
			i = f.index(at)
		}
	}
}

// lastFree is the latest t ≤ latest such that the level stays below capacity
// during [t, t+length), length ≥ 1. The caller knows that there is one.
func (f steps) lastFree(latest, length model.Time, capacity int64) model.Time {
	t := latest
	for i := f.index(t + length - 1); ; i-- {
		if f[i].level >= capacity {
			t = f[i].at - length
		}
		if f[i].at <= t {
			return t
		}
	}
}

// fullUntil is the end of the last step at capacity or above that meets [from, to),
// -1 if there is none. What follows may be at capacity too where tasks need more
// than one unit: a hold may begin then or later.
func (f steps) fullUntil(from, to model.Time, capacity int64) model.Time {
	for i := f.index(to - 1); ; i-- {
		if f[i].level >= capacity {
			return f[i+1].at
		}
		if f[i].at <= from {
			return -1
		}
	}
}

// add raises the level by delta, which may be negative, during [from, to). Adding
// -delta later restores the function exactly.
//
// At both ends a step may have to be put in, or may go because the levels before
// and after have become equal. What lies between, and what follows, moves once.
func (f steps) add(from, to model.Time, delta int64) steps {
	if from >= to || delta == 0 {
		return f
	}
	i := f.index(from)
	level := f[i].level + delta // after from
	j := i + 1                  // the first step at to or later
	for ; j < len(f) && f[j].at < to; j++ {
		f[j].level += delta
	}
	end := f[j-1].level // before to
	if j == i+1 {
		end = level
	}
	head, tail := 0, 0 // steps gained at either end
	switch {
	case f[i].at != from:
		head = 1
	case i > 0 && f[i-1].level == level:
		head = -1
	default:
		f[i].level = level
	}
	rest := j // what follows to
	switch {
	case j == len(f) || f[j].at != to:
		tail = 1
	case f[j].level == end:
		tail = -1
		rest++
	}
	f = f.splice(i+1, j, rest, head, tail)
	if head > 0 {
		f[i+1] = step{from, level}
	}
	if tail > 0 {
		f[j+head] = step{to, end - delta}
	}
	return f
}

// splice moves f[lo:hi] by head places and f[rest:] by head+tail places.
func (f steps) splice(lo, hi, rest, head, tail int) steps {
	n := len(f)
	grow := head + tail
	if grow > 0 {
		f = slices.Grow(f, grow)[:n+grow]
		copy(f[rest+grow:], f[rest:n])
	}
	if head != 0 && lo < hi {
		copy(f[lo+head:], f[lo:hi])
	}
	if grow < 0 {
		copy(f[rest+grow:], f[rest:])
		f = f[:n+grow]
	}
	return f
}
