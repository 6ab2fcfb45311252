// Package times reads times in job sets: lengths and points in time, in ticks, as
// durations, and as clock times.
package times

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

// Reader reads times. What says how is read first: TimeUnit, then Zone, then Origin.
type Reader struct {
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
func (r *Reader) TimeUnit(f document.Field) {
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
		r.Fault(f, fmt.Sprintf("time_unit is %q, not a duration", document.Shorten(v.Value)), durationAdvice)
	case d.Sign() <= 0:
		r.Fault(f, "time_unit is 0", "write the length of a tick, like 1s")
	case !d.IsInt() || !d.Num().IsInt64():
		r.Fault(f, fmt.Sprintf("time_unit is %s", v.Value), "write a whole number of nanoseconds, less than 292 years")
	default:
		r.JS.TimeUnit, r.badUnit = time.Duration(d.Num().Int64()), false
	}
}

// Zone reads the zone of clock times.
func (r *Reader) Zone(f document.Field, hasOrigin bool) {
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
		if near != "" {
			advice = fmt.Sprintf("did you mean %s?", near)
		}
		r.Fault(f, fmt.Sprintf("zone is %s, which is not known", document.Describe(v)), advice)
	case !hasOrigin:
		r.Fault(f, "zone is given without origin, so ticks have no place on the clock", "add origin, like origin: 2026-11-21T22:00:00Z")
	default:
		r.zone, r.JS.Zone = zone, v.Value
	}
}

// Origin reads tick 0 on the clock.
func (r *Reader) Origin(f document.Field, hasUnit bool) {
	v, ok := r.Scalar(f, "origin", "a point in time like 2026-11-21T22:00:00Z")
	if !ok {
		r.badOrigin = true
		return
	}
	at, ok := clock.ParseStamp(v.Value)
	if !ok {
		r.badOrigin = true
		advice := "write date, time and zone like 2026-11-21T22:00:00Z"
		zone := r.zone
		if zone == nil {
			zone = time.UTC
		}
		if better, ok := (clock.Clock{Origin: time.Unix(0, 0).In(zone)}).Better(v.Value); ok {
			advice = "write " + better
			if r.zone == nil {
				advice += " if UTC is meant"
			}
		}
		r.Fault(f, fmt.Sprintf("origin is %q, not a point in time", document.Shorten(v.Value)), advice)
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

// Time reads a number of ticks in [low, MaxTime], or a duration if the job set says how
// long a tick is. One that is too short is explained by the hint, if there is one.
func (r *Reader) Time(f document.Field, what string, low model.Time, hint string) (model.Time, bool) {
	n := document.Deref(f.Value)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if d, ok := clock.ParseDuration(n.Value); ok {
			return r.ticks(f, what, n.Value, d, low, hint)
		}
		if d, ok := clock.ParseDuration(strings.TrimPrefix(n.Value, "-")); ok && d.Sign() != 0 {
			r.Fault(f, fmt.Sprintf("%s is %s, less than %d", what, n.Value, low), cmp.Or(hint, fmt.Sprintf("write at least %d", low)))
			return 0, false
		}
		if better, ok := clock.BetterDuration(n.Value); ok {
			r.Fault(f, fmt.Sprintf("%s is %q, not a duration", what, n.Value), "write "+better)
			return 0, false
		}
	}
	expected := document.WholeNumber
	if r.JS.TimeUnit != 0 {
		expected = "a number of ticks, like 4, or a duration, like 90s"
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

// IsClockTime reports whether a field looks like a clock time.
func (r *Reader) IsClockTime(f document.Field) bool {
	n := document.Deref(f.Value)
	if n.Kind != yaml.ScalarNode {
		return false
	}
	_, ok := clock.Parse(n.Value)
	return ok
}

// ticks turns a duration into ticks.
func (r *Reader) ticks(f document.Field, what, written string, d *big.Rat, low model.Time, hint string) (model.Time, bool) {
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
func (r *Reader) neighbours(below *big.Int, low model.Time) string {
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

// Since says which of the times that a clock shows again and again is meant.
type Since struct {
	// Tick is the earliest that it can be, or with After the latest that it cannot be.
	Tick  model.Time
	After bool
}

// Point reads a point in time in [0, MaxTime]: a time as Time does, counted from tick 0,
// or a clock time.
func (r *Reader) Point(f document.Field, what string, since Since) (model.Time, bool) {
	n := document.Deref(f.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Tag != "!!timestamp" {
		return r.Time(f, what, 0, "")
	}
	t, ok := clock.Parse(n.Value)
	if ok && !r.hasOrigin(f, what) {
		return 0, false
	}
	c := clock.Of(r.JS)
	if !ok {
		if better, ok := c.Better(n.Value); ok && !isDuration(n.Value) {
			r.Fault(f, fmt.Sprintf("%s is %q, not a clock time", what, document.Shorten(n.Value)), "write "+better)
			return 0, false
		}
		return r.Time(f, what, 0, "")
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

// isDuration reports whether a text is a duration, in any common form.
func isDuration(s string) bool {
	_, proper := clock.ParseDuration(strings.TrimPrefix(s, "-"))
	_, wordy := clock.BetterDuration(s)
	return proper || wordy
}

// hasOrigin reports whether clock times have a meaning; where they have none because
// the job set has no origin it says so, once.
func (r *Reader) hasOrigin(f document.Field, what string) bool {
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
func (r *Reader) Tick(f document.Field, what string, at time.Time) (model.Time, bool) {
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

// Step is the distance between the instances of a recurring job.
type Step struct {
	// Ticks have elapsed, or, where they are not 0, it is the same clock time some Days
	// later.
	Ticks model.Time
	Days  int
}

// Step reads a time of at least a tick, or a number of days such as 1d.
func (r *Reader) Step(f document.Field, what string) (Step, bool) {
	n := document.Deref(f.Value)
	days, isDays := 0, false
	if n.Kind == yaml.ScalarNode {
		days, isDays = clock.ParseDays(n.Value)
	}
	switch {
	case isDays && days == 0:
		r.Fault(f, what+" is "+n.Value, "write at least 1d")
		return Step{}, false
	case isDays && r.zone != nil && !r.badOrigin && !r.badUnit:
		return Step{Days: days}, r.JS.TimeUnit != 0
	case isDays:
		day := new(big.Rat).SetInt64(24 * int64(time.Hour))
		ticks, ok := r.ticks(f, what, n.Value, day.Mul(day, new(big.Rat).SetInt64(int64(days))), 1, "")
		return Step{Ticks: ticks}, ok && !r.badOrigin
	}
	ticks, ok := r.Time(f, what, 1, "")
	return Step{Ticks: ticks}, ok
}

// Add is the point in time some steps after t. If there is none in [0, MaxTime] that is
// a fault of the field; what says which time it is, like "the release of a-2".
func (r *Reader) Add(f document.Field, what string, t model.Time, step Step, times int) (model.Time, bool) {
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
