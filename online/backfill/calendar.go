package backfill

import (
	"slices"

	"downbeat/model"
)

// amounts are units of what a slave has, or of each pool.
type amounts []int64

// step is what is free from a time on until the next step.
type step struct {
	at   model.Time
	free amounts
}

// calendar is what is free over time: steps ascend, the first at 0.
type calendar []step

func newCalendar(free amounts) calendar { return calendar{{0, slices.Clone(free)}} }

// index is the step that holds at t ≥ 0.
func (c calendar) index(t model.Time) int {
	at, found := slices.BinarySearchFunc(c, t, func(s step, t model.Time) int { return int(s.at - t) })
	if !found {
		at--
	}
	return at
}

// cut makes a step begin at t, and is its index.
func (c *calendar) cut(t model.Time) int {
	i := c.index(t)
	if (*c)[i].at < t {
		i++
		*c = slices.Insert(*c, i, step{t, slices.Clone((*c)[i-1].free)})
	}
	return i
}

// join takes a step away that is like the one before it.
func (c *calendar) join(i int) {
	if i > 0 && i < len(*c) && slices.Equal((*c)[i].free, (*c)[i-1].free) {
		*c = slices.Delete(*c, i, i+1)
	}
}

// take takes amounts off over an interval (sign 1), or gives them back (−1).
func (c *calendar) take(iv model.Interval, need amounts, sign int64) {
	if iv.Start >= iv.End {
		return
	}
	from, to := c.cut(iv.Start), len(*c)
	if iv.End < model.Never {
		to = c.cut(iv.End)
	}
	for i := from; i < to; i++ {
		for r, n := range need {
			(*c)[i].free[r] -= sign * n
		}
	}
	c.join(to)
	c.join(from)
}

// has reports whether a step has room.
func (s *step) has(need amounts) bool {
	for r, n := range need {
		if n > s.free[r] && n > 0 {
			return false
		}
	}
	return true
}

// first is the earliest time, from on, from which there is room for so long; model.Never if there
// never is.
func (c calendar) first(from, length model.Time, need amounts) model.Time {
	start := from
	for i := c.index(from); i < len(c) && c[i].at < start+length; i++ {
		switch {
		case c[i].has(need):
		case i+1 == len(c):
			return model.Never
		default:
			start = c[i+1].at
		}
	}
	return start
}
