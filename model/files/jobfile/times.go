// Times reads times in job sets: lengths and points in time, in ticks, as
// durations, and as clock times.

package jobfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// TimeReader reads times. What says how is read first: TimeUnit, then Zone, then Origin.
type TimeReader struct {
	*document.Reader
	// JS gets the unit, the zone and the origin.
	JS *model.JobSet

	badUnit     bool           // time_unit is faulty, so durations cannot be judged
	unitMissing bool           // a duration without time_unit was reported
	zone        *time.Location // nil if there is none
	badOrigin   bool           // origin or zone is faulty, so clock times cannot be judged
	noOrigin    bool           // a clock time without origin was reported
}

const durationAdvice = "write a duration with h, m, s, ms, us or ns, like 90s or 1h30m"

// TimeUnit reads the length of a tick.
func (r *TimeReader) TimeUnit(f document.Field) {
	r.badUnit = true
	v, ok := r.Scalar(f, "time_unit", "a duration like 1s")
	if !ok {
		return
	}
	d, ok := clock.ParseDuration(v.Value)
	switch {
	case !ok && document.IsDigits(v.Value) && strings.Trim(v.Value, "0") != "":
		r.Fault(f, fmt.Sprintf("time_unit is %s without a unit", document.Shorten(v.Value)), fmt.Sprintf("write %ss for seconds", document.Shorten(strings.TrimLeft(v.Value, "0"))))
	case !ok:
		advice := durationAdvice
		for _, text := range []string{v.Value, "1 " + v.Value} { // a minute is one
			if better, known := clock.BetterDuration(text); known {
				advice = "write " + better
				break
			}
		}
		r.Fault(f, fmt.Sprintf("time_unit is %q, not a duration", document.Shorten(v.Value)), advice)
	case d.Sign() <= 0:
		r.Fault(f, "time_unit is 0", "write the length of a tick, like 1s")
	case !d.IsInt() || !d.Num().IsInt64():
		r.Fault(f, fmt.Sprintf("time_unit is %s", v.Value), "write a whole number of nanoseconds, less than 292 years")
	default:
		r.JS.TimeUnit, r.badUnit = time.Duration(d.Num().Int64()), false
	}
}

// offsetForm are zones of people who think of hours off UTC.
var offsetForm = regexp.MustCompile(`^[A-Za-z]{0,4}[+-][0-9]{1,2}(:?[0-9]{2})?$`)

// Zone reads the zone of clock times.
func (r *TimeReader) Zone(f document.Field, hasOrigin bool) {
	v, ok := r.Scalar(f, "zone", "the name of a zone like Europe/Berlin")
	if !ok {
		r.badOrigin = true
		return
	}
	zone, near, ok := clock.Zone(v.Value)
	switch {
	case !ok:
		r.badOrigin = true
		advice := "write a name of the zone database like Europe/Berlin or UTC"
		switch {
		case near != "":
			advice = fmt.Sprintf("did you mean %s?", near)
		case offsetForm.MatchString(v.Value):
			advice += ", or leave it out and let origin say how far clocks are off UTC, like 2026-11-21T22:00:00+01:00"
		}
		r.Fault(f, fmt.Sprintf("zone is %s, which is not known", document.Describe(v)), advice)
	case !hasOrigin:
		r.Fault(f, "zone is given without origin, so ticks have no place on the clock", "add origin, like origin: 2026-11-21T22:00:00Z")
	default:
		r.zone, r.JS.Zone = zone, v.Value
	}
}

// Origin reads tick 0 on the clock.
func (r *TimeReader) Origin(f document.Field, hasUnit bool) {
	v, ok := r.Scalar(f, "origin", "a point in time like 2026-11-21T22:00:00Z")
	if !ok {
		r.badOrigin = true
		return
	}
	at, ok := clock.ParseStamp(v.Value)
	if !ok {
		r.badOrigin = true
		r.Fault(f, fmt.Sprintf("origin is %q, not a point in time", document.Shorten(v.Value)), r.betterOrigin(v.Value))
		return
	}
	if !hasUnit {
		r.Fault(f, "origin is given without time_unit, so ticks have no place on the clock", "add time_unit, like time_unit: 1s")
	}
	if r.zone != nil {
		at = at.In(r.zone)
	}
	r.JS.Origin = at
}

// betterOrigin says what to write in place of an origin that is no point in time. A date
// alone begins at midnight, without a zone that of the job set holds, or UTC.
func (r *TimeReader) betterOrigin(text string) string {
	zone := r.zone
	if zone == nil {
		zone = time.UTC
	}
	c := clock.Clock{Origin: time.Unix(0, 0).In(zone)}
	for _, end := range []string{"", " 00:00"} {
		better, _ := c.Better(text + end)
		if _, ok := clock.ParseStamp(better); !ok { // a time of day is none
			continue
		}
		switch _, zoned := (clock.Clock{}).Better(text + end); {
		case zoned || r.zone != nil:
			return "write " + better
		case end != "":
			return fmt.Sprintf("write %s if midnight in UTC is meant", better)
		}
		return fmt.Sprintf("write %s if UTC is meant", better)
	}
	return "write date, time and zone like 2026-11-21T22:00:00Z"
}

// length is what is expected of a length of time.
func (r *TimeReader) length() string {
	if r.JS.TimeUnit != 0 {
		return "a number of ticks, like 4, or a duration, like 90s"
	}
	return document.WholeNumber
}

// Time reads a number of ticks in [low, MaxTime], or a duration if the job set says how
// long a tick is. One that is too short is explained by the hint, if there is one.
func (r *TimeReader) Time(f document.Field, what string, low model.Time, hint string) (model.Time, bool) {
	return r.time(f, what, low, hint, r.length())
}

// time is Time where expected may stand.
func (r *TimeReader) time(f document.Field, what string, low model.Time, hint, expected string) (model.Time, bool) {
	n := document.Deref(f.Value)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if d, ok := clock.ParseDuration(n.Value); ok {
			return r.ticks(f, what, n.Value, d, low, hint)
		}
		if d, ok := clock.ParseDuration(strings.TrimPrefix(n.Value, "-")); ok && d.Sign() != 0 {
			r.Fault(f, fmt.Sprintf("%s is %s, less than %d", what, n.Value, low), cmp.Or(hint, fmt.Sprintf("write at least %d", low)))
			return 0, false
		}
		if better := betterLength(n.Value); better != "" {
			if r.JS.TimeUnit == 0 && !r.badUnit {
				better += ", with a time_unit, like time_unit: 1s, or a number of ticks"
			}
			r.Fault(f, fmt.Sprintf("%s is %q, not a duration", what, n.Value), "write "+better)
			return 0, false
		}
	}
	if r.IsClockTime(f) {
		r.Fault(f, fmt.Sprintf("%s is the clock time %s, where a length of time is expected", what, n.Value), "write "+expected)
		return 0, false
	}
	v, ok := r.Number(f, what, expected)
	if !ok {
		return 0, false
	}
	v, ok = r.InRange(f, what, v, int64(low), int64(model.MaxTime), hint)
	return model.Time(v), ok
}

var (
	coloned  = regexp.MustCompile(`^0?([0-9]{1,3}):([0-5][0-9])$`)
	coloned3 = regexp.MustCompile(`^0?([0-9]{1,4}):([0-5][0-9]):([0-5][0-9])$`)
)

// betterLength is the proper form of common other ways to write a duration; empty where it is
// none, or a clock time.
func betterLength(text string) string {
	if better, ok := clock.BetterDuration(text); ok {
		return better
	}
	if _, ok := clock.Parse(text); ok {
		return ""
	}
	if m := coloned.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%sh%sm or %sm%ss", m[1], m[2], m[1], m[2])
	}
	if m := coloned3.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%sh%sm%ss", m[1], m[2], m[3])
	}
	return ""
}

// IsClockTime reports whether a field looks like a clock time.
func (r *TimeReader) IsClockTime(f document.Field) bool {
	n := document.Deref(f.Value)
	if n.Kind != yaml.ScalarNode {
		return false
	}
	_, ok := clock.Parse(n.Value)
	return ok
}

// ticks turns a duration into ticks.
func (r *TimeReader) ticks(f document.Field, what, written string, d *big.Rat, low model.Time, hint string) (model.Time, bool) {
	switch {
	case r.badUnit:
		return 0, false
	case r.JS.TimeUnit == 0:
		if !r.unitMissing {
			r.unitMissing = true
			r.Fault(f, fmt.Sprintf("%s is the duration %s, but the job set has no time_unit", what, written), "add time_unit, like time_unit: 1s, or write a number of ticks")
		}
		return 0, false
	}
	unit := clock.FormatDuration(r.JS.TimeUnit)
	q := new(big.Rat).Quo(d, new(big.Rat).SetInt64(int64(r.JS.TimeUnit)))
	if !q.IsInt() {
		below := new(big.Int).Quo(q.Num(), q.Denom())
		r.Fault(f, fmt.Sprintf("%s is %s, not a whole number of ticks of %s", what, written, unit), r.neighbours(below, low))
		return 0, false
	}
	if q.Num().Cmp(big.NewInt(int64(model.MaxTime))) > 0 {
		r.Fault(f, fmt.Sprintf("%s is %s, more than %d ticks of %s", what, written, model.MaxTime, unit), "choose a longer time_unit")
		return 0, false
	}
	if t := model.Time(q.Num().Int64()); t >= low {
		return t, true
	}
	r.Fault(f, fmt.Sprintf("%s is %s, less than %s", what, written, document.Plural(int(low), "tick")), cmp.Or(hint, "write a longer time"))
	return 0, false
}

// neighbours advises the whole ticks on both sides of a duration.
func (r *TimeReader) neighbours(below *big.Int, low model.Time) string {
	if below.Cmp(big.NewInt(int64(model.MaxTime))) >= 0 {
		return "choose another time_unit"
	}
	t := model.Time(below.Int64())
	unit := r.JS.TimeUnit
	if t < low || time.Duration(t+1) > math.MaxInt64/unit {
		return fmt.Sprintf("write %d ticks or choose a shorter time_unit", t+1)
	}
	return fmt.Sprintf("write %s or %s", clock.FormatDuration(unit*time.Duration(t)), clock.FormatDuration(unit*time.Duration(t+1)))
}

// since says which of the times that a clock shows again and again is meant.
type since struct {
	// Tick is the earliest that it can be, or with After the latest that it cannot be.
	Tick  model.Time
	After bool
}

// Point reads a point in time in [0, MaxTime]: a time as Time does, counted from tick 0,
// or a clock time.
func (r *TimeReader) Point(f document.Field, what string, since since) (model.Time, bool) {
	n := document.Deref(f.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!int" && document.IsPlainDecimal(n.Value) {
		return r.time(f, what, 0, "", r.point(n))
	}
	t, ok := clock.Parse(n.Value)
	if ok && !r.hasOrigin(f, what) {
		return 0, false
	}
	c := clock.Of(r.JS)
	if !ok {
		if better := r.betterPoint(n); better != "" {
			r.Fault(f, fmt.Sprintf("%s is %q, not a clock time", what, document.Shorten(n.Value)), "write "+better)
			return 0, false
		}
		return r.time(f, what, 0, "", r.point(n))
	}
	from, fits := c.At(since.Tick)
	if !fits {
		r.Fault(f, fmt.Sprintf("%s is a clock time far from the origin", what), "write a number of ticks")
		return 0, false
	}
	at, err := c.Resolve(t, from, since.After)
	if err != nil {
		advice := "write another time"
		var gap *clock.Gap
		if errors.As(err, &gap) {
			advice = fmt.Sprintf("write one from %s on", gap.To.Format("15:04"))
		}
		r.Fault(f, fmt.Sprintf("%s is %s: %s", what, n.Value, err), advice)
		return 0, false
	}
	return r.Tick(f, what+" is "+n.Value, at)
}

// point is what is expected of a point in time in place of a node.
func (r *TimeReader) point(n *yaml.Node) string {
	switch {
	case n.Tag == "!!int" || n.Tag == "!!bool" || document.IsNull(n):
		return r.length()
	case r.badOrigin || !r.JS.Origin.IsZero():
		return "a clock time, like 23:30 or +1d 00:15, a number of ticks, like 4, or a duration from the origin on, like 90m"
	case r.JS.TimeUnit != 0:
		return r.length() + "; clock times, like 23:30, need an origin, like origin: 2026-11-21T22:00:00Z"
	}
	return r.length() + "; clock times, like 23:30, need time_unit: 1m and an origin, like origin: 2026-11-21T22:00:00Z"
}

var (
	militaryForm = regexp.MustCompile(`^0[0-9][0-5][0-9]$`)
	bothForm     = regexp.MustCompile(`^[0-9]{1,2}[hH][0-9]+$`) // a clock time to some, a length to others
	tomorrowForm = regexp.MustCompile(`^(?i:tomorrow|next day)[ ,T]*([0-9:.apm ]+)$`)
)

// betterPoint is the proper form of common other ways to write a clock time; empty where it
// is none.
func (r *TimeReader) betterPoint(n *yaml.Node) string {
	c, text := clock.Of(r.JS), n.Value
	clocked := r.badOrigin || !r.JS.Origin.IsZero()
	if militaryForm.MatchString(text) {
		text = text[:2] + ":" + text[2:]
	}
	if m := tomorrowForm.FindStringSubmatch(text); m != nil {
		text = "1d " + m[1]
	}
	better, ok := c.Better(text)
	if !ok {
		if _, proper := clock.Parse(text); !proper {
			return ""
		}
		better = text
	}
	_, proper := clock.ParseDuration(strings.TrimPrefix(n.Value, "-"))
	length, wordy := clock.BetterDuration(n.Value)
	switch number := n.Tag == "!!float" || n.Tag == "!!int"; {
	case proper, number && !clocked:
		return ""
	case wordy && bothForm.MatchString(n.Value):
		better = fmt.Sprintf("%s, or %s for that long after tick 0", better, length)
	case wordy:
		return ""
	}
	switch {
	case clocked:
		return better
	case r.JS.TimeUnit != 0:
		return better + ", with an origin, like origin: 2026-11-21T22:00:00Z"
	}
	return better + ", with time_unit: 1m and an origin, like origin: 2026-11-21T22:00:00Z"
}

// hasOrigin reports whether clock times have a meaning; where they have none because
// the job set has no origin it says so, once.
func (r *TimeReader) hasOrigin(f document.Field, what string) bool {
	switch {
	case r.badOrigin || r.badUnit:
		return false
	case !r.JS.Origin.IsZero():
		return r.JS.TimeUnit != 0 // reported with the origin
	case !r.noOrigin:
		r.noOrigin = true
		r.Fault(f, fmt.Sprintf("%s is the clock time %s, but the job set has no origin", what, document.Deref(f.Value).Value),
			"add time_unit and origin, like origin: 2026-11-21T22:00:00Z, or write a number of ticks")
	}
	return false
}

// Tick is the tick at a point in time; one that is none in [0, MaxTime] is a fault of
// the field, told by what says that it is that time.
func (r *TimeReader) Tick(f document.Field, what string, at time.Time) (model.Time, bool) {
	c, d := clock.Of(r.JS), at.Sub(r.JS.Origin)
	switch {
	case d < 0:
		r.Fault(f, fmt.Sprintf("%s, before the origin at %s", what, clock.Stamp(r.JS.Origin)), "write a later time, or an earlier origin")
	case d == math.MaxInt64 || d/c.Unit > time.Duration(model.MaxTime): // Sub stops there
		r.Fault(f, fmt.Sprintf("%s, more than %d ticks of %s after the origin", what, model.MaxTime, clock.FormatDuration(c.Unit)), "write an earlier time, or a longer time_unit")
	case d%c.Unit != 0:
		t := model.Time(d / c.Unit)
		r.Fault(f, fmt.Sprintf("%s, not a whole number of ticks of %s after the origin", what, clock.FormatDuration(c.Unit)),
			fmt.Sprintf("write %s or %s", c.Point(t), c.Point(t+1)))
	default:
		return model.Time(d / c.Unit), true
	}
	return 0, false
}

// timeStep is the distance between the instances of a recurring job.
type timeStep struct {
	// Ticks have elapsed, or, where they are not 0, it is the same clock time some Days
	// later.
	Ticks model.Time
	Days  int
}

// repeated are words for distances, and what to write instead.
var repeated = map[string]string{"hourly": "1h", "hour": "1h", "daily": "1d", "day": "1d", "nightly": "1d", "weekly": "7d", "week": "7d", "minute": "1m"}

// timeStep reads a time of at least a tick, or a number of days such as 1d.
func (r *TimeReader) Step(f document.Field, what string) (timeStep, bool) {
	n := document.Deref(f.Value)
	days, isDays := 0, false
	if n.Kind == yaml.ScalarNode {
		days, isDays = clock.ParseDays(n.Value)
	}
	switch {
	case isDays && days == 0:
		r.Fault(f, what+" is "+n.Value, "write at least 1d")
		return timeStep{}, false
	case isDays && r.zone != nil && !r.badOrigin && !r.badUnit:
		return timeStep{Days: days}, r.JS.TimeUnit != 0
	case isDays:
		day := new(big.Rat).SetInt64(24 * int64(time.Hour))
		ticks, ok := r.ticks(f, what, n.Value, day.Mul(day, new(big.Rat).SetInt64(int64(days))), 1, "")
		return timeStep{Ticks: ticks}, ok && !r.badOrigin
	}
	if better := repeated[strings.ToLower(n.Value)]; n.Kind == yaml.ScalarNode && better != "" {
		r.Fault(f, fmt.Sprintf("%s is %q, not a time", what, n.Value), "write "+better)
		return timeStep{}, false
	}
	ticks, ok := r.Time(f, what, 1, "")
	return timeStep{Ticks: ticks}, ok
}

// Add is the point in time some steps after t. If there is none in [0, MaxTime] that is
// a fault of the field; what says which time it is, like "the release of a-2".
func (r *TimeReader) Add(f document.Field, what string, t model.Time, step timeStep, times int) (model.Time, bool) {
	if step.Days == 0 {
		if d := (model.MaxTime - t) / step.Ticks; d < model.Time(times) {
			r.Fault(f, fmt.Sprintf("%s is more than %d", what, model.MaxTime), "write fewer times, or let less time pass between them")
			return 0, false
		}
		return t + step.Ticks*model.Time(times), true
	}
	at, ok := clock.Of(r.JS).At(t)
	if !ok {
		r.Fault(f, what+" is far from the origin", "write a time between them in hours, like 24h")
		return 0, false
	}
	at, err := clock.Later(at, step.Days*times)
	if err != nil {
		r.Fault(f, fmt.Sprintf("%s: %s", what, err),
			fmt.Sprintf("choose a time that every day has, or every: %dh for the same time elapsed", 24*step.Days))
		return 0, false
	}
	return r.Tick(f, fmt.Sprintf("%s is %s", what, clock.Stamp(at)), at)
}
