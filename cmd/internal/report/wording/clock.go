package wording

import (
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
)

// Clock writes ticks for people, and marks axes.
type Clock struct{ clock.Clock }

// ClockOf is the clock of a job set.
func ClockOf(js *model.JobSet) Clock { return Clock{clock.Of(js)} }

// Mark is a labelled point of a time axis. At may lie between two ticks where
// the clock's round times do.
type Mark struct {
	At    float64
	Label string
}

const day = 24 * time.Hour

// clockSteps are those of AxisSteps.
var clockSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 364 * day,
}

// AxisSteps are the distances between marks of an axis that people count in, ascending.
func AxisSteps() []time.Duration { return slices.Clone(clockSteps) }

// Axis marks [0, end] at round times, at most limit+1 of them, limit ≥ 1.
func (c Clock) Axis(end model.Time, limit int) []Mark {
	if d, ok := c.Duration(end); ok {
		for _, step := range clockSteps {
			if step >= c.Unit && int64(d/step) <= int64(limit) {
				return c.clockAxis(d, step)
			}
		}
	}
	step := model.Time(1)
	for factor := 0; int64(end/step) > int64(limit); factor++ {
		step = step / [...]model.Time{1, 2, 5}[factor%3] * [...]model.Time{2, 5, 10}[factor%3]
	}
	var marks []Mark
	for t := model.Time(0); t <= end; t += step {
		marks = append(marks, Mark{float64(t), c.Span(t)})
	}
	return marks
}

// clockAxis marks [0, end] at whole steps by the clock.
func (c Clock) clockAxis(end, step time.Duration) []Mark {
	var marks []Mark
	if c.Origin.IsZero() {
		for at := time.Duration(0); at <= end; at += step {
			marks = append(marks, Mark{float64(at) / float64(c.Unit), clock.FormatDuration(at)})
		}
		return marks
	}
	y, m, d := c.Origin.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, c.Origin.Location()) // before the origin
	for n := (c.Origin.Sub(midnight) + step - 1) / step; ; n++ {
		when := midnight.Add(n * step)
		if step > time.Hour { // where clocks are put back or forward, as they show it
			var err error
			when, err = clock.Later(time.Date(y, m, d, 0, 0, 0, int(n*step%day), c.Origin.Location()), int(n*step/day))
			if err != nil {
				continue // a time that clocks skip
			}
		}
		at := when.Sub(c.Origin)
		if at > end {
			return marks
		}
		if at >= 0 {
			marks = append(marks, Mark{float64(at) / float64(c.Unit), c.axisLabel(when, step)})
		}
	}
}

func (c Clock) axisLabel(at time.Time, step time.Duration) string {
	days := clock.Days(c.Origin, at)
	switch {
	case step%(24*time.Hour) == 0:
		return fmt.Sprintf("%+dd", days)
	case days != 0 && at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0:
		return fmt.Sprintf("%+dd 00:00", days)
	case step%time.Minute == 0:
		return at.Format("15:04")
	case step%time.Second == 0:
		return at.Format("15:04:05")
	default:
		return at.Format("15:04:05.000")
	}
}
