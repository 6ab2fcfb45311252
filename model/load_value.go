package model

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// scalar is the node of a single value; anything else is a fault.
func (l *loader) scalar(f field, what, expected string) (*yaml.Node, bool) {
	n := deref(f.value)
	if n.Kind != yaml.ScalarNode || isNull(n) {
		l.fault(f, fmt.Sprintf("%s is %s", what, describe(n)), "write "+expected)
		return nil, false
	}
	return n, true
}

// word reads one of a few words.
func (l *loader) word(f field, what string, known []string) (string, bool) {
	n, ok := l.scalar(f, what, "one of "+strings.Join(known, ", "))
	if !ok {
		return "", false
	}
	for _, k := range known {
		if n.Value == k {
			return k, true
		}
	}
	l.fault(f, fmt.Sprintf("%s is %q", what, shorten(n.Value)), l.didYouMean(n.Value, known, "write one of "))
	return "", false
}

// boolean reads true or false, in no other spelling.
func (l *loader) boolean(f field, what string) (value, ok bool) {
	n, ok := l.scalar(f, what, "true or false")
	if !ok {
		return false, false
	}
	if n.Style == 0 && (n.Value == "true" || n.Value == "false") {
		return n.Value == "true", true
	}
	advice := "write true or false"
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on", "y", "1":
		advice = "write true"
	case "false", "no", "off", "n", "0":
		advice = "write false"
	}
	l.fault(f, fmt.Sprintf("%s is %s", what, describe(n)), advice)
	return false, false
}

// name reads the name of a thing.
func (l *loader) name(f field) (string, bool) {
	what := "a name"
	if f.key != nil {
		what = deref(f.key).Value
	}
	n, ok := l.scalar(f, what, "a name")
	if !ok {
		return "", false
	}
	if n.Tag != "!!str" && n.Tag != "!!timestamp" && n.Tag != "!!merge" {
		l.fault(f, fmt.Sprintf("%s is %s, which is not text", what, describe(n)), fmt.Sprintf("write it in quotes: %q", shorten(n.Value)))
		return "", false
	}
	if problem, advice := badName(n.Value); problem != "" {
		l.fault(f, what+" "+problem, advice)
		return "", false
	}
	return n.Value, true
}

// badName says what keeps a text from being a name; empty if nothing does.
func badName(s string) (problem, advice string) {
	if s == "" {
		return "is empty", "write at least one character"
	}
	if n := utf8.RuneCountInString(s); n > maxName {
		return fmt.Sprintf("has %d characters", n), fmt.Sprintf("write at most %d", maxName)
	}
	for _, r := range s {
		if unbidden(r) {
			return fmt.Sprintf("holds the control character %U", r), "leave it out"
		}
	}
	if !utf8.ValidString(s) {
		return "is not UTF-8", ""
	}
	return "", ""
}

// integer reads a plain decimal number in [low, high]. A number below the
// range is explained by the hint, if there is one.
func (l *loader) integer(f field, what string, low, high int64, hint string) (int64, bool) {
	v, ok := l.plainInteger(f, what)
	if !ok {
		return 0, false
	}
	return l.inRange(f, what, v, low, high, hint)
}

// inRange checks a number that was read.
func (l *loader) inRange(f field, what string, v, low, high int64, hint string) (int64, bool) {
	switch {
	case v < low:
		l.fault(f, fmt.Sprintf("%s is %d, less than %d", what, v, low), orElse(hint, fmt.Sprintf("write a whole number of at least %d", low)))
	case v > high:
		l.fault(f, fmt.Sprintf("%s is %s, more than %d", what, shorten(deref(f.value).Value), high), fmt.Sprintf("write a whole number of at most %d", high))
	default:
		return v, true
	}
	return 0, false
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// wholeNumber is what plainInteger expects where nothing else is allowed.
const wholeNumber = "a whole number, like 4"

// plainInteger reads a whole number of any size, saturating.
func (l *loader) plainInteger(f field, what string) (int64, bool) {
	return l.number(f, what, wholeNumber)
}

// number reads a whole number of any size, saturating. Expected says what may
// stand here.
func (l *loader) number(f field, what, expected string) (int64, bool) {
	n, ok := l.scalar(f, what, expected)
	if !ok {
		return 0, false
	}
	if n.Style == 0 && isPlainDecimal(n.Value) {
		return parseDecimal(n.Value), true
	}
	l.notInteger(f, n, what, expected)
	return 0, false
}

// isPlainDecimal reports whether s is 0 or digits without a leading zero,
// perhaps with a minus.
func isPlainDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return s == "0" || isDigits(digits) && digits[0] != '0'
}

// parseDecimal reads a plain decimal number, saturating.
func parseDecimal(s string) int64 {
	v, _ := strconv.ParseInt(s, 10, 64) // out of range: the nearest value
	return v
}

func isDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// notInteger explains why a value is no whole number and suggests the plain
// form if it is one in disguise.
func (l *loader) notInteger(f field, n *yaml.Node, what, expected string) {
	if n.Style != 0 {
		advice := "write " + expected + ", without quotes"
		if plain, ok := plainForm(n.Value); ok {
			advice = fmt.Sprintf("write %s without quotes", plain)
		}
		l.fault(f, fmt.Sprintf("%s is %s, not a number", what, describe(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: n.Value})), advice)
		return
	}
	message := fmt.Sprintf("%s is %s, not a plain whole number", what, shorten(n.Value))
	if plain, ok := plainForm(n.Value); ok {
		expected = plain
	}
	l.fault(f, message, "write "+expected)
}

// plainForm is the plain decimal form of a number written in another way. Of
// a leading zero it gives both readings.
func plainForm(s string) (string, bool) {
	s = strings.TrimSpace(s)
	s = strings.NewReplacer("_", "", ",", "", " ", "").Replace(s)
	s = strings.TrimPrefix(s, "+")
	if s == "-0" {
		return "0", true
	}
	sign, digits := "", s
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		sign, digits = "-", rest
	}
	if isDigits(digits) {
		plain := orElse(strings.TrimLeft(digits, "0"), "0")
		if octal, err := strconv.ParseInt(digits, 8, 64); err == nil && len(digits) > 1 && digits[0] == '0' && octal > 7 {
			return fmt.Sprintf("%s%s (or %s%d if octal was meant)", sign, plain, sign, octal), true
		}
		return sign + plain, true
	}
	if v, err := strconv.ParseInt(strings.ToLower(s), 0, 64); err == nil {
		return strconv.FormatInt(v, 10), true
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10), true
	}
	return "", false
}

// time reads a number of ticks in [low, MaxTime], or a duration if the job
// set says how long a tick is.
func (l *loader) time(f field, what string, low Time, hint string) (Time, bool) {
	n := deref(f.value)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if d, ok := parseDuration(n.Value); ok {
			return l.ticks(f, what, n.Value, d, low, hint)
		}
		if d, ok := parseDuration(strings.TrimPrefix(n.Value, "-")); ok && d.Sign() != 0 {
			l.fault(f, fmt.Sprintf("%s is %s, less than %d", what, n.Value, low), orElse(hint, fmt.Sprintf("write at least %d", low)))
			return 0, false
		}
		if better, ok := betterDuration(n.Value); ok {
			l.fault(f, fmt.Sprintf("%s is %q, not a duration", what, n.Value), "write "+better)
			return 0, false
		}
	}
	expected := wholeNumber
	if l.js.TimeUnit != 0 {
		expected = "a number of ticks, like 4, or a duration, like 90s"
	}
	v, ok := l.number(f, what, expected)
	if !ok {
		return 0, false
	}
	v, ok = l.inRange(f, what, v, int64(low), int64(MaxTime), hint)
	return Time(v), ok
}

// ticks turns a duration into ticks.
func (l *loader) ticks(f field, what, written string, d *big.Rat, low Time, hint string) (Time, bool) {
	switch {
	case l.badUnit:
		return 0, false
	case l.js.TimeUnit == 0:
		if !l.unitMissing {
			l.unitMissing = true
			l.fault(f, fmt.Sprintf("%s is the duration %s, but the job set has no time_unit", what, written), "add time_unit, like time_unit: 1s, or write a number of ticks")
		}
		return 0, false
	}
	q := new(big.Rat).Quo(d, new(big.Rat).SetInt64(int64(l.js.TimeUnit)))
	if !q.IsInt() {
		below := new(big.Int).Quo(q.Num(), q.Denom())
		l.fault(f, fmt.Sprintf("%s is %s, not a whole number of ticks of %s", what, written, shortDuration(l.js.TimeUnit)), l.neighbours(below, low))
		return 0, false
	}
	if q.Num().Cmp(big.NewInt(int64(MaxTime))) > 0 {
		l.fault(f, fmt.Sprintf("%s is %s, more than %d ticks of %s", what, written, MaxTime, shortDuration(l.js.TimeUnit)), "choose a longer time_unit")
		return 0, false
	}
	if t := Time(q.Num().Int64()); t >= low {
		return t, true
	}
	l.fault(f, fmt.Sprintf("%s is %s, less than %s", what, written, plural(int(low), "tick")), orElse(hint, "write a longer time"))
	return 0, false
}

// neighbours advises the whole ticks on both sides of a duration.
func (l *loader) neighbours(below *big.Int, low Time) string {
	if below.Cmp(big.NewInt(int64(MaxTime))) >= 0 {
		return "choose another time_unit"
	}
	t := Time(below.Int64())
	unit := l.js.TimeUnit
	if t < low || time.Duration(t+1) > math.MaxInt64/unit {
		return fmt.Sprintf("write %d ticks or choose a shorter time_unit", t+1)
	}
	return fmt.Sprintf("write %s or %s", shortDuration(unit*time.Duration(t)), shortDuration(unit*time.Duration(t+1)))
}

// shortDuration is d without trailing zero parts: 2m, not 2m0s.
func shortDuration(d time.Duration) string {
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
		return fmt.Sprintf("%dh", 24*parseDecimal(m[1])), true
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
