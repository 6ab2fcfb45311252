// Package flags has flags with values of their own, which tell what is wrong with a
// text and what would have been right.
package flags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/minizinc"
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
type Limits []minizinc.Bound

// Type implements pflag.Value.
func (v *Limits) Type() string { return "NAME=VALUE,..." }

// String implements pflag.Value.
func (v *Limits) String() string {
	texts := make([]string, len(*v))
	for i, b := range *v {
		texts[i] = fmt.Sprintf("%s=%d", b.Objective, b.Value)
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
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < 0 || n > maxLimit {
			return fmt.Errorf("%q is no whole number for %s to stay below", value, name)
		}
		if slices.ContainsFunc(*v, func(b minizinc.Bound) bool { return b.Objective == one[0] }) {
			return fmt.Errorf("objective %q is bounded twice", name)
		}
		*v = append(*v, minizinc.Bound{Objective: one[0], Value: n})
	}
	return nil
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
