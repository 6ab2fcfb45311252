package jobfile

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

// timeReader reads times, in ticks or as durations.
type timeReader struct {
	*document.Reader
	js *model.JobSet

	badUnit     bool // time_unit is faulty, so durations cannot be judged
	unitMissing bool // a duration without time_unit was reported
}

func (r *timeReader) timeUnit(f document.Field) {
	r.badUnit = true
	v, ok := r.Scalar(f, "time_unit", "a duration like 1s")
	if !ok {
		return
	}
	d, ok := parseDuration(v.Value)
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
		r.js.TimeUnit, r.badUnit = time.Duration(d.Num().Int64()), false
	}
}

func (r *timeReader) origin(f document.Field, hasUnit bool) {
	const advice = "write date, time and zone like 2026-11-21T22:00:00Z"
	v, ok := r.Scalar(f, "origin", "a point in time like 2026-11-21T22:00:00Z")
	if !ok {
		return
	}
	at, err := time.Parse(time.RFC3339, v.Value)
	if err != nil {
		r.Fault(f, fmt.Sprintf("origin is %q, not a point in time", document.Shorten(v.Value)), advice)
		return
	}
	if !hasUnit {
		r.Fault(f, "origin is given without time_unit, so ticks have no place on the clock", "add time_unit, like time_unit: 1s")
	}
	r.js.Origin = at
}

// time reads a number of ticks in [low, MaxTime], or a duration if the job
// set says how long a tick is.
func (r *timeReader) time(f document.Field, what string, low model.Time, hint string) (model.Time, bool) {
	n := document.Deref(f.Value)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if d, ok := parseDuration(n.Value); ok {
			return r.ticks(f, what, n.Value, d, low, hint)
		}
		if d, ok := parseDuration(strings.TrimPrefix(n.Value, "-")); ok && d.Sign() != 0 {
			r.Fault(f, fmt.Sprintf("%s is %s, less than %d", what, n.Value, low), cmp.Or(hint, fmt.Sprintf("write at least %d", low)))
			return 0, false
		}
		if better, ok := betterDuration(n.Value); ok {
			r.Fault(f, fmt.Sprintf("%s is %q, not a duration", what, n.Value), "write "+better)
			return 0, false
		}
	}
	expected := document.WholeNumber
	if r.js.TimeUnit != 0 {
		expected = "a number of ticks, like 4, or a duration, like 90s"
	}
	v, ok := r.Number(f, what, expected)
	if !ok {
		return 0, false
	}
	v, ok = r.InRange(f, what, v, int64(low), int64(model.MaxTime), hint)
	return model.Time(v), ok
}

// ticks turns a duration into ticks.
func (r *timeReader) ticks(f document.Field, what, written string, d *big.Rat, low model.Time, hint string) (model.Time, bool) {
	switch {
	case r.badUnit:
		return 0, false
	case r.js.TimeUnit == 0:
		if !r.unitMissing {
			r.unitMissing = true
			r.Fault(f, fmt.Sprintf("%s is the duration %s, but the job set has no time_unit", what, written), "add time_unit, like time_unit: 1s, or write a number of ticks")
		}
		return 0, false
	}
	q := new(big.Rat).Quo(d, new(big.Rat).SetInt64(int64(r.js.TimeUnit)))
	if !q.IsInt() {
		below := new(big.Int).Quo(q.Num(), q.Denom())
		r.Fault(f, fmt.Sprintf("%s is %s, not a whole number of ticks of %s", what, written, FormatDuration(r.js.TimeUnit)), r.neighbours(below, low))
		return 0, false
	}
	if q.Num().Cmp(big.NewInt(int64(model.MaxTime))) > 0 {
		r.Fault(f, fmt.Sprintf("%s is %s, more than %d ticks of %s", what, written, model.MaxTime, FormatDuration(r.js.TimeUnit)), "choose a longer time_unit")
		return 0, false
	}
	if t := model.Time(q.Num().Int64()); t >= low {
		return t, true
	}
	r.Fault(f, fmt.Sprintf("%s is %s, less than %s", what, written, document.Plural(int(low), "tick")), cmp.Or(hint, "write a longer time"))
	return 0, false
}

// neighbours advises the whole ticks on both sides of a duration.
func (r *timeReader) neighbours(below *big.Int, low model.Time) string {
	if below.Cmp(big.NewInt(int64(model.MaxTime))) >= 0 {
		return "choose another time_unit"
	}
	t := model.Time(below.Int64())
	unit := r.js.TimeUnit
	if t < low || time.Duration(t+1) > math.MaxInt64/unit {
		return fmt.Sprintf("write %d ticks or choose a shorter time_unit", t+1)
	}
	return fmt.Sprintf("write %s or %s", FormatDuration(unit*time.Duration(t)), FormatDuration(unit*time.Duration(t+1)))
}

// FormatDuration is Duration.String without trailing parts that are zero: 2m, not 2m0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

const durationAdvice = "write a duration with h, m, s, ms, us or ns, like 90s or 1h30m"

var (
	durationForm = regexp.MustCompile(`^([0-9]{1,18}(\.[0-9]{1,18})?(h|ms|m|s|us|µs|μs|ns))+$`)
	durationPart = regexp.MustCompile(`([0-9.]+)([a-zµμ]+)`)
	dayForm      = regexp.MustCompile(`^([0-9]{1,6}) ?(d|days?)$`)
	wordyForm    = regexp.MustCompile(`^([0-9]{1,18}) *(s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|ms|msec|millis|milliseconds?)$`)
)

// durationUnits in nanoseconds.
var durationUnits = map[string]int64{
	"h": 3600e9, "m": 60e9, "s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "μs": 1e3, "ns": 1,
}

// parseDuration reads a duration exactly, in nanoseconds. time.ParseDuration
// would round below a nanosecond and overflow after 292 years.
func parseDuration(s string) (*big.Rat, bool) {
	if len(s) > 120 || !durationForm.MatchString(s) {
		return nil, false
	}
	sum := new(big.Rat)
	for _, part := range durationPart.FindAllStringSubmatch(s, -1) {
		v, _ := new(big.Rat).SetString(part[1]) // digits, by the form
		sum.Add(sum, v.Mul(v, new(big.Rat).SetInt64(durationUnits[part[2]])))
	}
	return sum, true
}

// betterDuration is the proper form of common other ways to write one.
func betterDuration(s string) (string, bool) {
	lower := strings.ToLower(strings.TrimSpace(s))
	if m := dayForm.FindStringSubmatch(lower); m != nil {
		return fmt.Sprintf("%dh", 24*document.ParseDecimal(m[1])), true
	}
	m := wordyForm.FindStringSubmatch(lower)
	if m == nil {
		return "", false
	}
	unit := m[2][:1]
	if strings.HasPrefix(m[2], "ms") || strings.HasPrefix(m[2], "mil") {
		unit = "ms"
	}
	return m[1] + unit, true
}
