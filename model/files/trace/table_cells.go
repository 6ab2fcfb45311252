package trace

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"downbeat/model/clock"
)

// tableNumber reads a number that may have a fraction, with a comma where cells are not
// separated by one.
func (r *Table) number(s string) (float64, bool) {
	if r.separator != ',' {
		s = strings.Replace(s, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v >= 0 && v <= float64(Most)
}

// millis is a number of units of so many milliseconds, rounded up.
func millis(v, unit float64) int64 {
	return int64(math.Ceil(min(v*unit, float64(Most)) - 1e-6))
}

var clockForm = regexp.MustCompile(`^(\d+):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$`)

// duration reads 90s, 1h30m, 2d, 00:12:30, and a bare number as one of units of so many
// milliseconds.
func (r *Table) duration(s string, unit float64) (int64, bool) {
	if v, ok := r.number(s); ok {
		return millis(v, unit), true
	}
	if m := clockForm.FindStringSubmatch(s); m != nil {
		hours, _ := strconv.ParseFloat(m[1], 64)
		minutes, _ := strconv.ParseFloat(m[2], 64)
		seconds := 0.0
		if m[3] != "" {
			seconds, _ = strconv.ParseFloat(m[3], 64)
		}
		return millis(hours*3600+minutes*60+seconds, 1000), true
	}
	if days, ok := clock.ParseDays(s); ok {
		return millis(float64(days), 24*3600*1000), true
	}
	d, ok := clock.ParseDuration(s)
	if !ok {
		better, known := clock.BetterDuration(s)
		if !known {
			return 0, false
		}
		if d, ok = clock.ParseDuration(better); !ok {
			return 0, false
		}
	}
	ms, _ := new(big.Rat).Quo(d, big.NewRat(1e6, 1)).Float64()
	return millis(ms, 1), true
}

// stamps are the forms of points in time beside those of package clock: databases write
// offsets without minutes, or without the colon.
var stamps = []string{
	"2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02",
}

// point is a point in time in milliseconds: since 1970, or since the start of the table.
type point struct {
	at    int64
	epoch bool
}

// time reads a point in time. A time of day needs an origin, from which on it is sought;
// after a point, if one is given.
func (r *Table) time(s string, from *point) (p point, advice string) {
	const forms = "write 22:30, 2026-11-21 22:30, 2026-11-21T22:30:00Z, or 30m for that long after the start"
	zone := r.Origin.Location()
	if at, ok := clock.ParseStamp(s); ok {
		return point{at.UnixMilli(), true}, ""
	}
	for _, form := range stamps {
		if at, err := time.ParseInLocation(form, s, zone); err == nil {
			return point{at.UnixMilli(), true}, ""
		}
	}
	if t, ok := clock.Parse(s); ok {
		if r.Origin.IsZero() {
			return p, "it is a time of day, and nothing says of which: give --origin 2026-11-21T22:00:00Z"
		}
		c := clock.Clock{Unit: time.Millisecond, Origin: r.Origin}
		begin := r.Origin
		if from != nil && from.epoch {
			begin = time.UnixMilli(from.at).In(zone)
		}
		at, err := c.Resolve(t, begin, from != nil)
		if err != nil {
			return p, err.Error()
		}
		return point{at.UnixMilli(), true}, ""
	}
	var since int64
	v, bare := r.number(s)
	switch {
	case bare && r.ticks:
		r.bare = true
		since = millis(v, float64(r.tick)/1e6)
	case bare && (v >= 1e9 && v < 1e10 || v >= 1e12 && v < 1e13): // seconds or milliseconds since 1970
		for v >= 1e10 {
			v /= 1000
		}
		return p, fmt.Sprintf("a bare number says no unit: if it counts from 1970, write %s", time.Unix(int64(v), 0).UTC().Format(time.RFC3339))
	case bare:
		return p, "a bare number says no unit: write 30m for 30 minutes after the start, or 22:30"
	default:
		var ok bool
		if since, ok = r.duration(strings.TrimPrefix(s, "+"), 1000); !ok {
			return p, forms
		}
	}
	if r.Origin.IsZero() {
		return point{since, false}, ""
	}
	return point{r.Origin.UnixMilli() + since, true}, ""
}

// nothing are the words that databases and programs write into cells without a value.
var nothing = []string{`\N`, "NULL", "null", "None", "NaT", "NaN", "nan", "<none>"}

var memoryForm = regexp.MustCompile(`^(?i)([0-9]+(?:[.,][0-9]+)?) ?(?:([kmgt])i?)?b?$`)

// memory reads 512M, 2G, 2 GiB, and a bare number as MB; all are powers of 1024.
func (r *Table) memory(s string) (int64, bool) {
	m := memoryForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	v, ok := r.number(m[1])
	shift := map[string]int{"": 20, "k": 10, "m": 20, "g": 30, "t": 40}[strings.ToLower(m[2])]
	bytes := v * float64(int64(1)<<shift)
	return int64(math.Ceil(min(bytes, float64(Most)))), ok
}

// yes reads yes and no in the spellings of spreadsheets.
func yes(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "yes", "true", "y", "1", "x", "hard", "wahr":
		return true, true
	case "no", "false", "n", "0", "soft", "falsch", "":
		return false, true
	}
	return false, false
}

// names are those of a cell, with ; or | between.
func names(s string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '|' || r == ',' }) {
		if name := Name(strings.Trim(part, " []'\"")); name != "" {
			out = append(out, name)
		}
	}
	return out
}
