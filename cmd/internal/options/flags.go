// Flags has flags with values of their own, which tell what is wrong with a
// text and what would have been right.

package options

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/clock"
	"downbeat/model/files/minizinc"
	"downbeat/model/near"
	"downbeat/solve/memory"
)

// OneOf is a flag with one of a few known values, Value the one that it has.
type OneOf struct {
	Value string
	Known []string
}

// String implements pflag.Value.
func (v *OneOf) String() string { return v.Value }

// Type implements pflag.Value.
func (v *OneOf) Type() string { return strings.Join(v.Known, "|") }

// Set implements pflag.Value.
func (v *OneOf) Set(text string) error {
	if !slices.Contains(v.Known, text) {
		last := len(v.Known) - 1
		known := strings.Join(v.Known[:last], ", ") + " and " + v.Known[last]
		return fmt.Errorf("unknown value %q%s", text, usage.Hint(near.Word(text, v.Known), "known are "+known))
	}
	v.Value = text
	return nil
}

// Objectives is a flag with a list of objectives; nil if it was not given.
type Objectives []model.Objective

// Type implements pflag.Value.
func (v *Objectives) Type() string { return "NAME,..." }

// String implements pflag.Value.
func (v *Objectives) String() string {
	names := make([]string, len(*v))
	for i, o := range *v {
		names[i] = o.String()
	}
	return strings.Join(names, ",")
}

// Set implements pflag.Value.
func (v *Objectives) Set(text string) error {
	var list Objectives
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		o, err := model.ParseObjective(name)
		if err != nil {
			known := model.ObjectiveNames()
			return fmt.Errorf("%w%s", err, usage.Hint(near.Word(name, known), "known are "+strings.Join(known, ", ")))
		}
		if slices.Contains(list, o) {
			return fmt.Errorf("objective %q is named twice", name)
		}
		list = append(list, o)
	}
	*v = list
	return nil
}

// Limits is a flag with bounds on objectives, each objective once.
type Limits []limit

// limit is a bound as it was written: a count, or a time in any form, which is read once there is
// a job set.
type limit struct {
	objective model.Objective
	value     string
}

// Type implements pflag.Value.
func (v *Limits) Type() string { return "NAME=VALUE,..." }

// String implements pflag.Value.
func (v *Limits) String() string {
	texts := make([]string, len(*v))
	for i, l := range *v {
		texts[i] = l.objective.String() + "=" + l.value
	}
	return strings.Join(texts, ",")
}

// maxLimit is more than any objective comes to; sums with times do not overflow.
const maxLimit = int64(model.Never) >> 1

// Set implements pflag.Value.
func (v *Limits) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%q is no bound; write misses=3", part)
		}
		var one Objectives
		if err := one.Set(name); err != nil {
			return err
		}
		l := limit{one[0], strings.TrimSpace(value)}
		n, err := strconv.ParseInt(l.value, 10, 64)
		switch {
		case err == nil && n >= 0 && n <= maxLimit, err != nil && timeForm(l.objective, l.value):
		case l.objective.Shape().Timed() && !strings.HasPrefix(l.value, "-"):
			return fmt.Errorf("%q is no time for %s to stay below; write %s", value, name, timeForms(l.objective))
		default:
			return fmt.Errorf("%q is no whole number for %s to stay below", value, name)
		}
		if slices.ContainsFunc(*v, func(of limit) bool { return of.objective == l.objective }) {
			return fmt.Errorf("objective %q is bounded twice", name)
		}
		*v = append(*v, l)
	}
	return nil
}

// Of reads the bounds by a job set, times down to whole ticks. The error says which is wrong, and
// how.
func (v Limits) Of(js *model.JobSet) ([]minizinc.Bound, error) {
	var out []minizinc.Bound
	for _, l := range v {
		q, err := amount(js, l.objective, l.value)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", l.objective, l.value, err)
		}
		n := new(big.Int).Quo(q.Num(), q.Denom())
		if !n.IsInt64() || n.Int64() > maxLimit {
			return nil, fmt.Errorf("%s=%s is out of range", l.objective, l.value)
		}
		out = append(out, minizinc.Bound{Objective: l.objective, Value: n.Int64()})
	}
	return out, nil
}

// timeForm reports whether a text is a value of an objective that is a time, other than in ticks.
func timeForm(o model.Objective, text string) bool {
	_, is := clock.ParseDuration(text)
	if o.Shape().Point() && !is {
		_, is = clock.Parse(text)
	}
	return is && o.Shape().Timed()
}

// timeForms says how to write a value of such an objective.
func timeForms(o model.Objective) string {
	if o.Shape().Point() {
		return "a clock time, like 23:30, a duration, like 90m, or ticks"
	}
	return "a duration, like 10m, or ticks"
}

// amount reads a value of an objective, 0 or more: a count, or a time in ticks, which need not be
// whole.
func amount(js *model.JobSet, o model.Objective, text string) (*big.Rat, error) {
	if n, whole := new(big.Int).SetString(text, 10); whole && n.Sign() >= 0 {
		return new(big.Rat).SetInt(n), nil
	}
	switch d, is := clock.ParseDuration(text); {
	case !o.Shape().Timed():
		return nil, fmt.Errorf("%q is no whole number", text)
	case is && js.TimeUnit == 0:
		return nil, fmt.Errorf("%s is a duration, but the job set has no time_unit; write ticks", text)
	case is:
		return d.Quo(d, new(big.Rat).SetInt64(int64(js.TimeUnit))), nil
	case o.Shape().Point():
		at, err := change.Point(js, text)
		return new(big.Rat).SetInt64(int64(at)), err
	}
	return nil, fmt.Errorf("%q is no length of time; write %s", text, timeForms(o))
}

// Size is a flag with an amount of memory in bytes; Given tells 0 from none.
type Size struct {
	Bytes int64
	Given bool
}

// Type implements pflag.Value.
func (v *Size) Type() string { return "SIZE" }

// String implements pflag.Value.
func (v *Size) String() string {
	if !v.Given {
		return ""
	}
	return memory.Text(v.Bytes)
}

// Set implements pflag.Value.
func (v *Size) Set(text string) error {
	bytes, err := memory.Parse(text)
	if err != nil {
		return err
	}
	*v = Size{bytes, true}
	return nil
}

// Names is a flag with a list of known names; List is nil if it was not given.
type Names struct {
	List, Known []string
	// Noun is what it names.
	Noun string
	// Today is the name for one that something may have had before; nil if none changed.
	Today func(string) string
}

// Type implements pflag.Value.
func (v *Names) Type() string { return "NAME,..." }

// String implements pflag.Value.
func (v *Names) String() string { return strings.Join(v.List, ",") }

// Set implements pflag.Value.
func (v *Names) Set(text string) error {
	var list []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if v.Today != nil {
			name = v.Today(name)
		}
		if !slices.Contains(v.Known, name) {
			return fmt.Errorf("unknown %s %q%s", v.Noun, name, usage.Hint(near.Word(name, v.Known), "known are "+strings.Join(v.Known, ", ")))
		}
		list = append(list, name)
	}
	v.List = list
	return nil
}
