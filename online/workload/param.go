package workload

import (
	"fmt"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/near"
)

// param binds a name of the text form to a field.
type param struct {
	name, help string
	value      value
	// preset marks a shorthand that sets other parameters. It is applied first
	// and not written.
	preset bool
}

// value reads and writes one field.
type value interface {
	// set reads the text; if it cannot, it leaves the field as it was and
	// returns what is wanted.
	set(text string) (want string)
	// takes says which texts set reads.
	takes() string
	String() string
}

// Range is a closed range of whole figures that are drawn from uniformly.
type Range struct{ Lo, Hi int }

// Span is a range of real figures, Lo ≤ x < Hi, that are drawn from uniformly;
// Lo alone if both are equal.
type Span struct{ Lo, Hi float64 }

type whole[T ~int | ~int64] struct {
	field  *T
	lo, hi T
}

func (v whole[T]) set(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < int64(v.lo) || n > int64(v.hi) {
		return v.takes()
	}
	*v.field = T(n)
	return ""
}

func (v whole[T]) takes() string { return fmt.Sprintf("a whole number from %d to %d", v.lo, v.hi) }

func (v whole[T]) String() string { return strconv.FormatInt(int64(*v.field), 10) }

type seedValue struct{ field *uint64 }

func (v seedValue) set(text string) string {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return v.takes()
	}
	*v.field = n
	return ""
}

func (seedValue) takes() string { return "a whole number from 0 to 2^64-1" }

func (v seedValue) String() string { return strconv.FormatUint(*v.field, 10) }

type real struct {
	field  *float64
	lo, hi float64
}

func (v real) set(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= v.lo && x <= v.hi) { // not-a-number is neither
		return v.takes()
	}
	*v.field = x
	return ""
}

func (v real) takes() string { return fmt.Sprintf("a number from %g to %g", v.lo, v.hi) }

func (v real) String() string { return strconv.FormatFloat(*v.field, 'g', -1, 64) }

type rangeValue struct {
	field  *Range
	lo, hi int
}

func (v rangeValue) set(text string) string {
	first, last := ends(text)
	lo, err1 := strconv.Atoi(first)
	hi, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || lo < v.lo || lo > hi || hi > v.hi {
		return v.takes()
	}
	*v.field = Range{lo, hi}
	return ""
}

func (v rangeValue) takes() string {
	return fmt.Sprintf("a range such as %d..%d with whole ends from %d to %d in order, or one number",
		v.field.Lo, v.field.Hi, v.lo, v.hi)
}

func (v rangeValue) String() string {
	if v.field.Lo == v.field.Hi {
		return strconv.Itoa(v.field.Lo)
	}
	return fmt.Sprintf("%d..%d", v.field.Lo, v.field.Hi)
}

type spanValue struct {
	field  *Span
	lo, hi float64
}

func (v spanValue) set(text string) string {
	first, last := ends(text)
	lo, err1 := strconv.ParseFloat(first, 64)
	hi, err2 := strconv.ParseFloat(last, 64)
	// Asked for what must hold: not-a-number fails every comparison.
	if err1 != nil || err2 != nil || !(v.lo <= lo && lo <= hi && hi <= v.hi) {
		return v.takes()
	}
	*v.field = Span{lo, hi}
	return ""
}

func (v spanValue) takes() string {
	return fmt.Sprintf("a range such as %g..%g with ends from %g to %g in order, or one number",
		v.field.Lo, v.field.Hi, v.lo, v.hi)
}

func (v spanValue) String() string {
	lo, hi := strconv.FormatFloat(v.field.Lo, 'g', -1, 64), strconv.FormatFloat(v.field.Hi, 'g', -1, 64)
	if lo == hi {
		return lo
	}
	return lo + ".." + hi
}

// ends takes lo..hi apart; one figure is both ends.
func ends(text string) (lo, hi string) {
	lo, hi, found := strings.Cut(text, "..")
	if !found {
		hi = lo
	}
	return lo, hi
}

type choice[T ~string] struct {
	field *T
	names []T
}

func (v choice[T]) set(text string) string {
	for _, n := range v.names {
		if string(n) == text {
			*v.field = n
			return ""
		}
	}
	return v.takes() + near.Clause(text, v.texts())
}

func (v choice[T]) texts() []string {
	names := make([]string, len(v.names))
	for i, n := range v.names {
		names[i] = string(n)
	}
	return names
}

func (v choice[T]) takes() string { return strings.Join(v.texts(), " or ") }

func (v choice[T]) String() string { return string(*v.field) }

type yesNo struct{ field *bool }

func (v yesNo) set(text string) string {
	switch text {
	case "true", "yes":
		*v.field = true
	case "false", "no":
		*v.field = false
	default:
		return v.takes()
	}
	return ""
}

func (yesNo) takes() string { return "true or false" }

func (v yesNo) String() string { return strconv.FormatBool(*v.field) }

type anyText struct{ field *string }

func (v anyText) set(text string) string {
	*v.field = text
	return ""
}

func (anyText) takes() string { return "any text" }

func (v anyText) String() string { return *v.field }

// fetchValue is a model.FetchMode.
type fetchValue struct{ field *model.FetchMode }

func (v fetchValue) set(text string) string {
	for _, m := range []model.FetchMode{model.FetchExclusive, model.FetchConcurrent} {
		if m.String() == text {
			*v.field = m
			return ""
		}
	}
	return v.takes()
}

func (fetchValue) takes() string { return "exclusive or concurrent" }

func (v fetchValue) String() string { return v.field.String() }

// preset is a shorthand: each name runs a function that sets other fields. Its
// value is the name whose settings all hold, or "own" if none does.
type preset struct {
	names []string
	apply func(name string)
	holds func(name string) bool
}

func (v preset) set(text string) string {
	for _, n := range v.names {
		if n == text {
			v.apply(n)
			return ""
		}
	}
	return v.takes() + near.Clause(text, v.names)
}

func (v preset) takes() string { return strings.Join(v.names, " or ") }

func (v preset) String() string {
	for _, n := range v.names {
		if v.holds(n) {
			return n
		}
	}
	return "own"
}
