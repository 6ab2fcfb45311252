package change

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
)

// span reads a length of time: ticks, or a duration. ok is false where text is neither.
func span(js *model.JobSet, text string) (t model.Time, ok bool, err error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n < 0 || n > int64(model.MaxTime) {
			return 0, true, fmt.Errorf("%s ticks are out of range", text)
		}
		return model.Time(n), true, nil
	}
	d, is := clock.ParseDuration(text)
	if !is {
		return 0, false, nil
	}
	if js.TimeUnit == 0 {
		return 0, true, fmt.Errorf("%s is a duration, but the job set has no time_unit; write ticks", text)
	}
	return ticks(text, new(big.Rat).Quo(d, new(big.Rat).SetInt64(int64(js.TimeUnit))), js.TimeUnit)
}

func ticks(text string, q *big.Rat, unit time.Duration) (model.Time, bool, error) {
	if !q.IsInt() || !q.Num().IsInt64() || q.Num().Int64() > int64(model.MaxTime) || q.Sign() < 0 {
		return 0, true, fmt.Errorf("%s is not a whole number of ticks of %s in range", text, clock.FormatDuration(unit))
	}
	return model.Time(q.Num().Int64()), true, nil
}

// Length reads a length of time: ticks, or a duration. The error says what would do.
func Length(js *model.JobSet, text string) (model.Time, error) {
	t, ok, err := span(js, text)
	switch {
	case ok:
		return t, err
	case js.TimeUnit == 0:
		return 0, fmt.Errorf("%q is no length of time; write a number of ticks", text)
	}
	return 0, fmt.Errorf("%q is no length of time; write ticks or a duration, like 30m", text)
}

// Point reads a point in time: ticks or a duration from the origin on, or a clock time, as
// far as the job set knows of them. The error says what would do.
func Point(js *model.JobSet, text string) (model.Time, error) {
	if t, ok, err := span(js, text); ok {
		return t, err
	}
	return reading(js, text, 0)
}

// deadline reads the deadline of a job, from its release on: a length of time, or a clock
// time, the first after the release; of a recurring job that of its first instance, and the others
// have as long.
func deadline(js *model.JobSet, name, text string) (model.Time, error) {
	if t, ok, err := span(js, text); ok {
		return t, err
	}
	jobs := jobsOf(js, name)
	if len(jobs) == 0 {
		return 0, unknown(name, "job", jobNames(js))
	}
	release := js.Jobs[jobs[0]].Release
	due, err := reading(js, text, release)
	if err == nil && due <= release {
		err = fmt.Errorf("%s is no later than the release", text)
	}
	return due - release, err
}

// reading is when the clock shows text first, at a tick or later.
func reading(js *model.JobSet, text string, from model.Time) (model.Time, error) {
	t, ok := clock.Parse(text)
	c := clock.Of(js)
	begin, known := c.At(from)
	switch {
	case !ok:
		return 0, fmt.Errorf("%q is not a time; write %s", text, betterTime(js, text))
	case !known:
		return 0, fmt.Errorf("%s is a clock time, but the job set has no origin; write ticks%s, or give the file one, like origin: 2026-11-21T22:00:00Z", text, otherForms(js))
	}
	at, err := c.Resolve(t, begin, from > 0)
	if err != nil {
		return 0, err
	}
	n, _, err := ticks(text, big.NewRat(int64(at.Sub(c.Origin)), int64(c.Unit)), c.Unit)
	return n, err
}

// betterTime is the proper form of common other ways to write a time, as far as the job set
// knows of it, and else what would do.
func betterTime(js *model.JobSet, text string) string {
	if better, ok := clock.BetterDuration(text); ok && js.TimeUnit != 0 {
		return better
	}
	if better, ok := clock.Of(js).Better(text); ok && !js.Origin.IsZero() {
		return better
	}
	return "ticks" + otherForms(js)
}

func otherForms(js *model.JobSet) string {
	switch {
	case js.TimeUnit == 0:
		return ""
	case js.Origin.IsZero():
		return " or a duration, like 90m"
	default:
		return ", a duration, like 90m, or a clock time, like 23:30"
	}
}
