package export

import (
	"errors"
	"time"

	"downbeat/cmd/internal/report/summary"
	"downbeat/model"
)

// Clock is a plan whose ticks are points in time, as engines want them.
type Clock struct {
	*summary.Summary
	origin time.Time
}

// ErrNoClock is that of a job set whose times an engine cannot be told.
var ErrNoClock = errors.New("engines go by the clock: the job set needs a time_unit, and an origin or one that --origin names")

// ClockOf is the clock of a plan; origin is tick 0 where that is not zero, else the origin of
// the job set. Without either, or without a time unit, the error is [ErrNoClock].
func ClockOf(s *summary.Summary, origin time.Time) (Clock, error) {
	if origin.IsZero() {
		origin = s.Clock.Origin
	}
	if _, fits := s.Clock.Duration(max(s.End, 1)); !fits || origin.IsZero() {
		return Clock{}, ErrNoClock
	}
	return Clock{s, origin}, nil
}

// At is a point in time on the clock; t is at most the end of the plan.
func (c Clock) At(t model.Time) time.Time { return c.origin.Add(c.Length(t)) }

// Length is a length of time, at most that of the plan.
func (c Clock) Length(t model.Time) time.Duration {
	d, _ := c.Clock.Duration(t) // ClockOf has looked at the last time that counts
	return d
}
