package heuristics

import (
	"slices"

	"downbeat/model"
)

// step says that the level holds from time at until the next step.
type step struct {
	at    model.Time
	level int32
}

// steps is a step function of time. The first step is at 0 or earlier than any
// query, neighbours differ in level, and the last level, which holds for ever,
// is below every capacity that the function is asked about. Sorted arrays and
// memmove beat trees here: a slave rarely has more than some hundred steps.
type steps []step

// index is the position of the step that holds at time t.
func (f steps) index(t model.Time) int {
	lo, hi := 0, len(f)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if f[mid].at <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// firstFree is the earliest t ≥ from such that the level stays below capacity
// during [t, t+length), length ≥ 1.
func (f steps) firstFree(from, length model.Time, capacity int32) model.Time {
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

// lastFree is the latest t ≤ latest such that the level stays below capacity
// during [t, t+length), length ≥ 1. The caller knows that there is one.
func (f steps) lastFree(latest, length model.Time, capacity int32) model.Time {
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

// fullUntil is the end of the last stretch at capacity that meets [from, to),
// -1 if there is none. Levels never exceed capacity, so a stretch is one step.
func (f steps) fullUntil(from, to model.Time, capacity int32) model.Time {
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
func (f steps) add(from, to model.Time, delta int32) steps {
	if from >= to || delta == 0 {
		return f
	}
	i := f.index(from)
	if f[i].at != from {
		i++
		f = slices.Insert(f, i, step{from, f[i-1].level})
	}
	j := i
	for ; j < len(f) && f[j].at < to; j++ {
		f[j].level += delta
	}
	switch {
	case j == len(f) || f[j].at != to:
		f = slices.Insert(f, j, step{to, f[j-1].level - delta})
	case f[j].level == f[j-1].level:
		f = slices.Delete(f, j, j+1)
	}
	if i > 0 && f[i].level == f[i-1].level {
		f = slices.Delete(f, i, i+1)
	}
	return f
}
