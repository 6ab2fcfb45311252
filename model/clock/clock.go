// Package clock turns ticks into what people and other programs read on a clock, and
// readings of clocks back into points in time, over changes of clocks in a zone.
package clock

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"downbeat/model"
)

// Clock writes ticks: as they are, as durations where there is a unit, and points in
// time by the clock where there is an origin too.
type Clock struct {
	// Unit is the length of a tick, 0 if it is not known.
	Unit time.Duration
	// Origin is tick 0, in the zone whose time people read; zero if it is not known.
	Origin time.Time
}

// Of is the clock of a job set.
func Of(js *model.JobSet) Clock { return Clock{js.TimeUnit, js.Origin} }

// Legend says how to read the clock, "" where times are plain ticks.
func (c Clock) Legend() string {
	switch {
	case c.Unit == 0:
		return ""
	case c.Origin.IsZero():
		return "1 tick = " + FormatDuration(c.Unit)
	default:
		return fmt.Sprintf("1 tick = %s, tick 0 = %s", FormatDuration(c.Unit), c.Origin.Format("2006-01-02 15:04:05 MST"))
	}
}

// At is when a tick is; ok is false without unit and origin, and beyond what fits.
func (c Clock) At(t model.Time) (at time.Time, ok bool) {
	d, ok := c.Duration(t)
	if !ok || c.Origin.IsZero() {
		return time.Time{}, false
	}
	return c.Origin.Add(d), true
}

// Point writes a point in time for people: a clock time (with "+1d" on the day after
// that of the origin, and with its offset from UTC if the clock shows it for the second
// time), the duration since tick 0, or the tick. [Parse] reads it.
func (c Clock) Point(t model.Time) string {
	at, ok := c.At(t)
	if !ok {
		return c.Span(t)
	}
	layout := "15:04:05"
	switch {
	case c.Unit%time.Minute == 0 && c.Origin.Second() == 0 && c.Origin.Nanosecond() == 0:
		layout = "15:04"
	case c.Unit%time.Second != 0 || c.Origin.Nanosecond() != 0:
		layout = "15:04:05.000"
	}
	if again(at) {
		layout += "-07:00"
	}
	text := at.Format(layout)
	if days := Days(c.Origin, at); days != 0 {
		text = fmt.Sprintf("%+dd %s", days, text)
	}
	return text
}

// Stamp writes a point in time for programs, as RFC 3339 has it in the origin's zone;
// "" where [Clock.At] knows none.
func (c Clock) Stamp(t model.Time) string {
	at, ok := c.At(t)
	if !ok {
		return ""
	}
	return Stamp(at)
}

// Stamp writes a point in time as RFC 3339 has it, in its own zone.
func Stamp(at time.Time) string {
	if _, offset := at.Zone(); offset%60 != 0 {
		at = at.UTC() // the format has whole minutes
	}
	return at.Format(time.RFC3339Nano)
}

// Span writes a length of time: a duration, or a number of ticks.
func (c Clock) Span(t model.Time) string {
	if d, ok := c.Duration(t); ok {
		return FormatDuration(d)
	}
	return strconv.FormatInt(int64(t), 10)
}

// Length is Span where the unit must be told: 1 tick, 30 ticks.
func (c Clock) Length(t model.Time) string {
	switch {
	case c.Unit != 0:
		return c.Span(t)
	case t == 1:
		return "1 tick"
	}
	return fmt.Sprintf("%d ticks", t)
}

// Duration is the length of t ticks; ok is false without a unit, and where the
// duration would not fit.
func (c Clock) Duration(t model.Time) (d time.Duration, ok bool) {
	if c.Unit == 0 || int64(t) > math.MaxInt64/int64(c.Unit) || int64(t) < math.MinInt64/int64(c.Unit) {
		return 0, false
	}
	return time.Duration(t) * c.Unit, true
}

// Days counts the midnights from a to b in their common zone.
func Days(a, b time.Time) int {
	noon := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	}
	return int(noon(b).Sub(noon(a)).Hours() / 24)
}

// Value writes the value of an objective, by its name, for people: a count, a point in time, or a
// length of it.
func (c Clock) Value(objective string, value int64) string {
	switch o, err := model.ParseReported(objective); {
	case err == nil && !o.Shape().Timed():
		return strconv.FormatInt(value, 10)
	case err == nil && o.Shape().Point():
		return c.Point(model.Time(value))
	}
	return c.Span(model.Time(value))
}

// Stretch says when a stretch of time is: from 22:05 to 23:05, or in [5, 65) where times are
// plain ticks.
func (c Clock) Stretch(iv model.Interval) string {
	if c.Unit == 0 {
		return fmt.Sprintf("in [%d, %d)", iv.Start, iv.End)
	}
	return fmt.Sprintf("from %s to %s", c.Point(iv.Start), c.Point(iv.End))
}

// workUnits are what people count work in, the largest first.
var workUnits = [...]struct {
	name string
	of   time.Duration
}{
	{"hours", time.Hour}, {"minutes", time.Minute}, {"seconds", time.Second}, {"milliseconds", time.Millisecond},
}

// Work writes so many ticks of something that is there or held for a while: 280 core-minutes, or
// core-ticks where times are plain ticks or their unit is none that people count in.
func (c Clock) Work(ticks int64, of string) string {
	for _, u := range workUnits {
		each := int64(c.Unit / u.of)
		if c.Unit == 0 || c.Unit%u.of != 0 || ticks > math.MaxInt64/each {
			continue
		}
		return fmt.Sprintf("%d %s-%s", ticks*each, of, u.name)
	}
	return fmt.Sprintf("%d %s-ticks", ticks, of)
}
