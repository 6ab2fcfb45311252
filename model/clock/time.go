package clock

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Time is a clock time as people write it: a time of day, perhaps of a day counted from
// that of the origin and with an offset from UTC, or a point in time.
type Time struct {
	// Bare tells a time of day of no particular day.
	Bare bool

	of     time.Duration // time of day
	day    int
	offset string // as -07:00, empty if none is given

	isPoint bool
	at      time.Time
}

var (
	timeForm  = regexp.MustCompile(`^(?:\+([0-9]{1,6})d )?([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,9})?))?([+-][0-9]{2}:[0-9]{2})?$`)
	colonless = regexp.MustCompile(`^([01][0-9]|2[0-3])([0-5][0-9])$`)
	stampForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`)
)

// Colonless is the time of day that ticks look like without its colon, 23:40 of 2340, where so many are not likely, or begin with 0 as in
// 0130; empty where they look like none, or the clock knows no times of day.
func (c Clock) Colonless(ticks string, likely bool) string {
	if _, known := c.At(0); !known || !colonless.MatchString(ticks) || likely && ticks[0] != '0' {
		return ""
	}
	return colonless.ReplaceAllString(ticks, "$1:$2")
}

// ParseStamp reads RFC 3339, and nothing else that time.Parse takes for it.
func ParseStamp(s string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil && stampForm.MatchString(s)
}

// Parse reads 23:30, 23:30:15, +1d 00:15 (of the day after that of the origin), either
// of these with an offset as in 02:30+01:00, and RFC 3339.
func Parse(s string) (Time, bool) {
	if at, ok := ParseStamp(s); ok {
		return Time{isPoint: true, at: at}, true
	}
	m := timeForm.FindStringSubmatch(s)
	if m == nil {
		return Time{}, false
	}
	second, _ := time.ParseDuration(m[4] + "s") // digits, by the form, or none: then 0
	return Time{
		Bare: m[1] == "", day: digits(m[1]), offset: m[5],
		of: time.Duration(digits(m[2]))*time.Hour + time.Duration(digits(m[3]))*time.Minute + second,
	}, true
}

// Resolve is when the clock's origin and zone have that time. A bare one is the first at
// or after from, or the first after it; of another that clocks show twice it is the
// earlier. The error, a *[Gap] or another, says why there is none.
func (c Clock) Resolve(t Time, from time.Time, after bool) (time.Time, error) {
	zone := c.Origin.Location()
	if t.isPoint {
		return t.at.In(zone), nil
	}
	if !t.Bare {
		return t.on(c.Origin, t.day, time.Time{})
	}
	if after {
		from = from.Add(1)
	}
	from = from.In(zone)
	for day := 0; ; day++ {
		at, err := t.on(from, day, from)
		if gap, is := err.(*Gap); is && gap.Until.Before(from) {
			continue
		}
		if err != nil || !at.IsZero() {
			return at, err
		}
	}
}

// on is the first time, not before from, at which clocks show t some days after the day
// of at; zero if they do so before from only.
func (t Time) on(at time.Time, day int, from time.Time) (time.Time, error) {
	y, m, d := at.Date()
	when, gap := shown(time.Date(y, m, d+day, 0, 0, 0, 0, time.UTC).Add(t.of), at.Location())
	if gap != nil {
		return time.Time{}, gap
	}
	var other error
	for _, w := range when {
		offset := w.Format("-07:00")
		switch {
		case w.Before(from):
		case t.offset == "" || t.offset == offset:
			return w, nil
		default:
			other = fmt.Errorf("clocks are %s off UTC then, not %s", offset, t.offset)
		}
	}
	return time.Time{}, other
}

var (
	otherTime  = regexp.MustCompile(`^(?:\+?([0-9]{1,6}) ?d(?:ays?)?,? ?)?([0-9]{1,2})[:.h]?([0-5][0-9])?(:[0-5][0-9])? ?([ap]\.?m\.?|o'?clock|h|uhr)?$`)
	otherStamp = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{1,2}:[0-9]{2})(:[0-9]{2})? ?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$`)
	slashed    = regexp.MustCompile(`^([0-9]{4})/([0-9]{2})/([0-9]{2})\b`)
	dotted     = regexp.MustCompile(`^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b`)
)

// written is a text with its date, if it begins with one, in the order of RFC 3339.
func written(s string) string {
	s = slashed.ReplaceAllString(strings.TrimSpace(s), "$1-$2-$3")
	m := dotted.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return fmt.Sprintf("%s-%02d-%02d%s", m[3], digits(m[2]), digits(m[1]), s[len(m[0]):])
}

// Better is the proper form of common other ways to write a clock time.
func (c Clock) Better(s string) (string, bool) {
	s = written(s)
	if m := otherStamp.FindStringSubmatch(s); m != nil {
		return c.betterStamp(m[1], m[2], m[3], m[4])
	}
	m := otherTime.FindStringSubmatch(strings.ToLower(s))
	if m == nil || !strings.ContainsAny(s, ":.hH") && m[5] == "" && m[1] == "" {
		return "", false
	}
	hour, minute := digits(m[2]), digits(m[3])
	switch {
	case (hour == 24 && minute > 0 || hour > 24) && hour < 48 && m[1] == "": // into the next day
		return fmt.Sprintf("+1d %02d:%02d%s", hour-24, minute, m[4]), true
	case strings.HasPrefix(m[5], "p") && hour < 12:
		hour += 12
	case strings.HasPrefix(m[5], "a") && hour == 12, hour == 24 && minute == 0:
		hour = 0
	}
	text := fmt.Sprintf("%02d:%02d%s", hour, minute, m[4])
	if m[1] != "" {
		text = fmt.Sprintf("+%dd %s", digits(m[1]), text)
	}
	_, ok := Parse(text)
	return text, ok
}

// betterStamp gives a point in time that lacks something the origin's zone.
func (c Clock) betterStamp(date, hour, second, offset string) (string, bool) {
	if len(hour) == len("9:30") {
		hour = "0" + hour
	}
	if second == "" {
		second = ":00"
	}
	if offset == "" {
		at, err := time.Parse("2006-01-02 15:04:05", date+" "+hour+second)
		if err != nil || c.Origin.IsZero() {
			return "", false
		}
		when, _ := shown(at, c.Origin.Location())
		if len(when) == 0 {
			return "", false
		}
		return Stamp(when[0]), true
	}
	switch len(offset) {
	case len("+0100"):
		offset = offset[:3] + ":" + offset[3:]
	case len("+01"):
		offset += ":00"
	}
	text := date + "T" + hour + second + offset
	_, ok := Parse(text)
	return text, ok
}
