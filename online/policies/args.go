package policies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model/near"
	"downbeat/online"
)

// Info is what people are told about a policy.
type Info struct {
	// Name is what [New] knows it by.
	Name string
	// About is one line without a full stop.
	About string
	// Params in the order in which to show them; nil if it has none.
	Params []Param
}

// Param is a parameter of a policy.
type Param struct {
	Name string
	// Default is what it is without being given, in the form that New reads.
	Default string
	// About is one line without a full stop.
	About string
}

// entry is a policy of the table.
type entry struct {
	Info
	// build makes one that has not run. It takes every parameter from a, which
	// keeps the first fault.
	build func(a *args) online.Policy
}

// plain is a policy without parameters that draws no lots.
func plain(name, about string, build func() online.Policy) entry {
	return entry{Info{Name: name, About: about}, func(*args) online.Policy { return build() }}
}

// args are the parameters of one policy as given, or as they are by default.
// The first fault stays in err; after it, reading goes on with zeros.
type args struct {
	info  *Info
	seed  uint64
	given map[string]string
	err   error
}

func newArgs(info *Info, seed uint64) *args {
	return &args{info: info, seed: seed, given: map[string]string{}}
}

// read takes "param=value,param=value".
func (a *args) read(text string) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch _, twice := a.given[name]; {
		case !found:
			a.fail("%q is not of the form parameter=value", part)
		case twice:
			a.fail("%s is given twice", name)
		case a.param(name) == nil:
			a.unknown(name)
		}
		a.given[name] = value
	}
}

func (a *args) param(name string) *Param {
	at := slices.IndexFunc(a.info.Params, func(p Param) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &a.info.Params[at]
}

func (a *args) unknown(name string) {
	if len(a.info.Params) == 0 {
		a.fail("it has no parameters, so none of the name %q", name)
		return
	}
	var known []string
	for _, p := range a.info.Params {
		known = append(known, p.Name)
	}
	a.fail("unknown parameter %q%s", name, near.Hint(name, known))
}

func (a *args) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// text is the value of a parameter that the policy must have declared.
func (a *args) text(name string) string {
	p := a.param(name)
	if p == nil {
		panic("policy " + a.info.Name + " reads parameter " + name + ", which it does not declare")
	}
	if value, ok := a.given[name]; ok {
		return value
	}
	return p.Default
}

// real is a number from lo to hi.
func (a *args) real(name string, lo, hi float64) float64 {
	x, err := strconv.ParseFloat(a.text(name), 64)
	if err != nil || !(x >= lo && x <= hi) { // not-a-number is neither
		a.fail("%s=%s: want a number from %g to %g", name, a.text(name), lo, hi)
		return 0
	}
	return x
}

// whole is a whole number from lo to hi.
func (a *args) whole(name string, lo, hi int) int {
	n, err := strconv.Atoi(a.text(name))
	if err != nil || n < lo || n > hi {
		a.fail("%s=%s: want a whole number from %d to %d", name, a.text(name), lo, hi)
		return 0
	}
	return n
}

// word is one of several.
func (a *args) word(name string, known ...string) string {
	w := a.text(name)
	if !slices.Contains(known, w) {
		a.fail("%s=%s: want %s%s", name, w, strings.Join(known, " or "), near.Clause(w, known))
	}
	return w
}

// yesNo is a switch.
func (a *args) yesNo(name string) bool { return a.word(name, "yes", "no") == "yes" }
