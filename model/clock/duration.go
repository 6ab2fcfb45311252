package clock

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

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

var (
	durationForm = regexp.MustCompile(`^([0-9]{1,18}(\.[0-9]{1,18})?(h|ms|m|s|us|µs|μs|ns))+$`)
	durationPart = regexp.MustCompile(`([0-9.]+)([a-zµμ]+)`)
	daysForm     = regexp.MustCompile(`^([0-9]{1,6})d$`)
	wordyDays    = regexp.MustCompile(`^([0-9]{1,6}) ?(d|days?)$`)
	wordyForm    = regexp.MustCompile(`^([0-9]{1,18}(?:\.[0-9]{1,9})?) *(s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|ms|msec|millis|milliseconds?)$`)
	hourForm     = regexp.MustCompile(`^([0-9]{1,6})h([0-5]?[0-9])$`)
)

// durationUnits in nanoseconds.
var durationUnits = map[string]int64{
	"h": 3600e9, "m": 60e9, "s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "μs": 1e3, "ns": 1,
}

// ParseDuration reads a duration such as 1h30m exactly, in nanoseconds.
// time.ParseDuration would round below a nanosecond and overflow after 292 years.
func ParseDuration(s string) (*big.Rat, bool) {
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

// ParseDays reads a number of days such as 1d.
func ParseDays(s string) (days int, ok bool) {
	m := daysForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	return digits(m[1]), true
}

// BetterDuration is the proper form of common other ways to write one.
func BetterDuration(s string) (string, bool) {
	lower := strings.ToLower(strings.TrimSpace(s))
	if m := wordyDays.FindStringSubmatch(lower); m != nil {
		return fmt.Sprintf("%dh", 24*digits(m[1])), true
	}
	if m := hourForm.FindStringSubmatch(lower); m != nil {
		return FormatDuration(time.Duration(digits(m[1]))*time.Hour + time.Duration(digits(m[2]))*time.Minute), true
	}
	m := wordyForm.FindStringSubmatch(lower)
	if m == nil {
		together := strings.ReplaceAll(lower, " ", "")
		_, ok := ParseDuration(together)
		return together, ok && together != s
	}
	unit := m[2][:1]
	if strings.HasPrefix(m[2], "ms") || strings.HasPrefix(m[2], "mil") {
		unit = "ms"
	}
	return m[1] + unit, true
}

// digits is the value of a few decimal digits.
func digits(s string) int {
	n, _ := strconv.Atoi(s) // digits, by the form
	return n
}
