package report

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"downbeat/model"
	"downbeat/model/jobfile"
)

// Clock writes ticks for people: as they are, as durations where the job set
// has a time unit, and points in time by the clock where it also has an origin.
type Clock struct {
	unit   time.Duration
	origin time.Time
}

// ClockOf is the clock of a job set.
func ClockOf(js *model.JobSet) Clock {
	return Clock{unit: js.TimeUnit, origin: js.Origin}
}

// Legend says how to read the clock, "" where times are plain ticks.
func (c Clock) Legend() string {
	switch {
	case c.unit == 0:
		return ""
	case c.origin.IsZero():
		return "1 tick = " + jobfile.FormatDuration(c.unit)
	default:
		return fmt.Sprintf("1 tick = %s, tick 0 = %s", jobfile.FormatDuration(c.unit), c.origin.Format("2006-01-02 15:04:05 MST"))
	}
}

// Point writes a point in time: a clock time (with "+1d" on the next day), the
// duration since tick 0, or the tick.
func (c Clock) Point(t model.Time) string {
	d, ok := c.duration(t)
	if !ok || c.origin.IsZero() {
		return c.Span(t)
	}
	at := c.origin.Add(d)
	layout := "15:04:05"
	switch {
	case c.unit%time.Minute == 0 && c.origin.Second() == 0 && c.origin.Nanosecond() == 0:
		layout = "15:04"
	case c.unit%time.Second != 0 || c.origin.Nanosecond() != 0:
		layout = "15:04:05.000"
	}
	text := at.Format(layout)
	if days := daysBetween(c.origin, at); days != 0 {
		text = fmt.Sprintf("%+dd %s", days, text)
	}
	return text
}

// Span writes a length of time: a duration, or a number of ticks.
func (c Clock) Span(t model.Time) string {
	if d, ok := c.duration(t); ok {
		return jobfile.FormatDuration(d)
	}
	return strconv.FormatInt(int64(t), 10)
}

// length is Span where the unit must be told.
func (c Clock) length(t model.Time) string {
	if c.unit == 0 {
		return count(int(t), "tick")
	}
	return c.Span(t)
}

// duration is t ticks by the clock; ok is false without a time unit, and where
// the duration would not fit.
func (c Clock) duration(t model.Time) (d time.Duration, ok bool) {
	if c.unit == 0 || int64(t) > math.MaxInt64/int64(c.unit) || int64(t) < math.MinInt64/int64(c.unit) {
		return 0, false
	}
	return time.Duration(t) * c.unit, true
}

// daysBetween counts midnights from a to b in their common time zone.
func daysBetween(a, b time.Time) int {
	noon := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	}
	return int(noon(b).Sub(noon(a)).Hours() / 24)
}

// Mark is a labelled point of a time axis. At may lie between two ticks where
// the clock's round times do.
type Mark struct {
	At    float64
	Label string
}

// clockSteps are the distances between marks that people count in.
var clockSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Axis marks [0, end] at round times, at most limit+1 of them, limit ≥ 1.
func (c Clock) Axis(end model.Time, limit int) []Mark {
	if d, ok := c.duration(end); ok {
		for _, step := range clockSteps {
			if step >= c.unit && int64(d/step) <= int64(limit) {
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
	shift := time.Duration(0) // from the midnight before the origin to the origin
	if !c.origin.IsZero() {
		y, m, d := c.origin.Date()
		shift = c.origin.Sub(time.Date(y, m, d, 0, 0, 0, 0, c.origin.Location()))
	}
	for at := (shift+step-1)/step*step - shift; at <= end; at += step {
		label := jobfile.FormatDuration(at)
		if !c.origin.IsZero() {
			label = c.axisLabel(c.origin.Add(at), step)
		}
		marks = append(marks, Mark{float64(at) / float64(c.unit), label})
	}
	return marks
}

func (c Clock) axisLabel(at time.Time, step time.Duration) string {
	days := daysBetween(c.origin, at)
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
