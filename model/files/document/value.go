package document

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Scalar is the node of a single value; anything else is a fault.
func (r *Reader) Scalar(f Field, what, expected string) (*yaml.Node, bool) {
	n := Deref(f.Value)
	if n.Kind != yaml.ScalarNode || IsNull(n) {
		r.Fault(f, fmt.Sprintf("%s is %s", what, Describe(n)), "write "+expected)
		return nil, false
	}
	return n, true
}

// Word reads one of a few words.
func (r *Reader) Word(f Field, what string, known []string) (string, bool) {
	n, ok := r.Scalar(f, what, "one of "+strings.Join(known, ", "))
	if !ok {
		return "", false
	}
	if slices.Contains(known, n.Value) {
		return n.Value, true
	}
	r.Fault(f, fmt.Sprintf("%s is %q", what, Shorten(n.Value)), r.DidYouMean(n.Value, known, "write one of "))
	return "", false
}

// Boolean reads true or false, in no other spelling.
func (r *Reader) Boolean(f Field, what string) (value, ok bool) {
	n, ok := r.Scalar(f, what, "true or false")
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
	r.Fault(f, fmt.Sprintf("%s is %s", what, Describe(n)), advice)
	return false, false
}

// Name reads the name of a thing.
func (r *Reader) Name(f Field) (string, bool) {
	what := "a name"
	if f.Key != nil {
		what = Deref(f.Key).Value
	}
	n, ok := r.Scalar(f, what, "a name")
	if !ok {
		return "", false
	}
	if n.Tag != "!!str" && n.Tag != "!!timestamp" && n.Tag != "!!merge" {
		r.Fault(f, fmt.Sprintf("%s is %s, which is not text", what, Describe(n)), fmt.Sprintf("write it in quotes: %q", Shorten(n.Value)))
		return "", false
	}
	if problem, advice := BadName(n.Value); problem != "" {
		r.Fault(f, what+" "+problem, advice)
		return "", false
	}
	return n.Value, true
}

// MaxName is the greatest number of characters of a name.
const MaxName = 160

// BadName says what keeps a text from being a name; empty if nothing does.
func BadName(s string) (problem, advice string) {
	if s == "" {
		return "is empty", "write at least one character"
	}
	if n := utf8.RuneCountInString(s); n > MaxName {
		return fmt.Sprintf("has %d characters", n), fmt.Sprintf("write at most %d", MaxName)
	}
	for _, c := range s {
		if unbidden(c) {
			return fmt.Sprintf("holds the control character %U", c), "leave it out"
		}
	}
	if !utf8.ValidString(s) {
		return "is not UTF-8", ""
	}
	return "", ""
}

// Integer reads a plain decimal number in [low, high]. A number below the
// range is explained by the hint, if there is one.
func (r *Reader) Integer(f Field, what string, low, high int64, hint string) (int64, bool) {
	v, ok := r.Number(f, what, WholeNumber)
	if !ok {
		return 0, false
	}
	return r.InRange(f, what, v, low, high, hint)
}

// InRange checks a number that was read.
func (r *Reader) InRange(f Field, what string, v, low, high int64, hint string) (int64, bool) {
	switch {
	case v < low:
		r.Fault(f, fmt.Sprintf("%s is %d, less than %d", what, v, low), cmp.Or(hint, fmt.Sprintf("write a whole number of at least %d", low)))
	case v > high:
		r.Fault(f, fmt.Sprintf("%s is %s, more than %d", what, Shorten(Deref(f.Value).Value), high), fmt.Sprintf("write a whole number of at most %d", high))
	default:
		return v, true
	}
	return 0, false
}

// WholeNumber is what Number expects where nothing else is allowed.
const WholeNumber = "a whole number, like 4"

// Number reads a whole number of any size, saturating. Expected says what may
// stand here.
func (r *Reader) Number(f Field, what, expected string) (int64, bool) {
	n, ok := r.Scalar(f, what, expected)
	if !ok {
		return 0, false
	}
	if n.Style == 0 && IsPlainDecimal(n.Value) {
		return ParseDecimal(n.Value), true
	}
	r.notInteger(f, n, what, expected)
	return 0, false
}

// IsPlainDecimal reports whether s is 0 or digits without a leading zero,
// perhaps with a minus.
func IsPlainDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return s == "0" || IsDigits(digits) && digits[0] != '0'
}

// ParseDecimal reads a plain decimal number, saturating.
func ParseDecimal(s string) int64 {
	v, _ := strconv.ParseInt(s, 10, 64) // out of range: the nearest value
	return v
}

func IsDigits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// notInteger explains why a value is no whole number and suggests the plain
// form if it is one in disguise.
func (r *Reader) notInteger(f Field, n *yaml.Node, what, expected string) {
	if n.Style != 0 {
		advice := "write " + expected + ", without quotes"
		if plain, ok := plainForm(n.Value); ok {
			advice = fmt.Sprintf("write %s without quotes", plain)
		}
		r.Fault(f, fmt.Sprintf("%s is %s, not a number", what, Describe(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: n.Value})), advice)
		return
	}
	message := fmt.Sprintf("%s is %s, not a plain whole number", what, Shorten(n.Value))
	if plain, ok := plainForm(n.Value); ok {
		expected = plain
	} else if near := wholeNear(n.Value); near != "" && expected == WholeNumber {
		expected = near
	}
	r.Fault(f, message, "write "+expected)
}

// amountForm is a number with a unit, or a fraction, or both. A small m alone is none: it
// stands for thousandths as well.
var amountForm = regexp.MustCompile(`^([0-9]{1,15})(\.[0-9]+)? ?([A-Za-z%]{2,12}|[A-Za-ln-z%])?$`)

// wholeNear says which whole numbers are near to a number with a unit or a fraction; empty
// where it is none.
func wholeNear(s string) string {
	m := amountForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	below := ParseDecimal(cmp.Or(strings.TrimLeft(m[1], "0"), "0"))
	near := fmt.Sprint(below)
	if strings.Trim(m[2], ".0") != "" {
		near = fmt.Sprint(below + 1)
		if below > 0 {
			near = fmt.Sprintf("%d or %d", below, below+1)
		}
	}
	if m[3] != "" {
		near += ", without a unit"
	}
	return near
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
	if IsDigits(digits) {
		plain := cmp.Or(strings.TrimLeft(digits, "0"), "0")
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

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
