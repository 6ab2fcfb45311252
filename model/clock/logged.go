package clock

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// loggedForm is a date and a time of day as programs log them, and people type them.
var loggedForm = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{1,2}:[0-9]{2})(:[0-9]{2})?([.,][0-9]+)? ?(Z|z|UTC|[+-][0-9]{2}:?[0-9]{2})?$`)

// errForm is that of [Clock.Logged] for a text that is no time.
var errForm = errors.New("not a time")

// Logged reads when something happened, as programs log it and people type it: what [Parse]
// reads, a date and a time of day with or without an offset, and seconds, milli-, micro- or
// nanoseconds since 1970. What has no offset is the clock's own; of a bare time of day, and
// of a time that clocks show twice, it is the first at or after from.
func (c Clock) Logged(s string, from time.Time) (time.Time, error) {
	if at, ok := sinceEpoch(s); ok {
		return at.In(c.Origin.Location()), nil
	}
	if t, ok := Parse(s); ok {
		at, err := c.Resolve(t, from, false)
		if err == nil && !t.Bare && !t.isPoint && t.offset == "" {
			at = c.later(at, from)
		}
		return at, err
	}
	m := loggedForm.FindStringSubmatch(written(s))
	if m == nil {
		if better, ok := c.Better(s); ok {
			return time.Time{}, fmt.Errorf("not a time; write %s", better)
		}
		return time.Time{}, errForm
	}
	second, fraction, offset := m[3], strings.Replace(m[4], ",", ".", 1), strings.ToUpper(m[5])
	if second == "" {
		second = ":00"
	}
	if offset == "UTC" {
		offset = "Z"
	}
	text := m[1] + " " + m[2] + second + fraction
	if offset != "" {
		offset = strings.Replace(offset, ":", "", 1)
		at, err := time.Parse("2006-01-02 15:04:05Z0700", text+offset)
		if err != nil {
			return time.Time{}, errForm
		}
		return at.In(c.Origin.Location()), nil
	}
	reading, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		return time.Time{}, errForm
	}
	when, gap := shown(reading, c.Origin.Location())
	if gap != nil {
		return time.Time{}, gap
	}
	return c.later(when[0], from), nil
}

// later is the other time at which clocks show the same as at, if at is before from and the
// other one is not.
func (c Clock) later(at, from time.Time) time.Time {
	if !at.Before(from) {
		return at
	}
	when, _ := shown(reading(at), c.Origin.Location())
	for _, w := range when {
		if !w.Before(from) {
			return w
		}
	}
	return at
}

// sinceEpoch reads a count since 1970 that is no tick: ticks have at most ten digits, and
// 1,000,000,000 seconds have passed by 2001.
func sinceEpoch(s string) (time.Time, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(whole) < 10 || len(whole) > 19 || strings.Trim(whole+fraction, "0123456789") != "" || len(fraction) > 9 {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n <= 1_000_000_000 {
		return time.Time{}, false
	}
	switch {
	case len(whole) <= 11: // seconds, until the year 5138
		nanos, _ := strconv.Atoi((fraction + "000000000")[:9]) // digits
		return time.Unix(n, int64(nanos)), true
	case len(whole) <= 14:
		return time.UnixMilli(n), true
	case len(whole) <= 17:
		return time.UnixMicro(n), true
	}
	return time.Unix(0, n), true
}
