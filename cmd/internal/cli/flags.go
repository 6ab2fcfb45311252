package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/minizinc"
	"downbeat/model/near"
	"downbeat/solve/memory"
)

// oneOf is a flag with a few known values.
type oneOf struct {
	value string
	known []string
}

func (v *oneOf) String() string { return v.value }
func (v *oneOf) Type() string   { return strings.Join(v.known, "|") }

func (v *oneOf) Set(text string) error {
	if !slices.Contains(v.known, text) {
		last := len(v.known) - 1
		known := strings.Join(v.known[:last], ", ") + " and " + v.known[last]
		return fmt.Errorf("unknown value %q%s", text, usage.Hint(near.Word(text, v.known), "known are "+known))
	}
	v.value = text
	return nil
}

// objectiveList is a flag with a list of objectives; nil if it was not given.
type objectiveList []model.Objective

func (v *objectiveList) Type() string { return "NAME,..." }

func (v *objectiveList) String() string {
	names := make([]string, len(*v))
	for i, o := range *v {
		names[i] = o.String()
	}
	return strings.Join(names, ",")
}

func (v *objectiveList) Set(text string) error {
	var list objectiveList
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

// limitList is a flag with bounds on objectives.
type limitList []minizinc.Bound

func (v *limitList) Type() string { return "NAME=VALUE,..." }

func (v *limitList) String() string {
	texts := make([]string, len(*v))
	for i, b := range *v {
		texts[i] = fmt.Sprintf("%s=%d", b.Objective, b.Value)
	}
	return strings.Join(texts, ",")
}

// maxLimit is more than any objective comes to; sums with times do not overflow.
const maxLimit = int64(model.Never) >> 1

func (v *limitList) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%q is no bound; write misses=3", part)
		}
		var one objectiveList
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

// size is a flag with an amount of memory.
type size struct {
	bytes int64
	given bool
}

func (v *size) Type() string { return "SIZE" }

func (v *size) String() string {
	if !v.given {
		return ""
	}
	return memory.Text(v.bytes)
}

func (v *size) Set(text string) error {
	bytes, err := memory.Parse(text)
	if err != nil {
		return err
	}
	*v = size{bytes, true}
	return nil
}

// measureList is a flag with a list of measures; nil if it was not given.
type measureList []string

func (v *measureList) Type() string   { return "NAME,..." }
func (v *measureList) String() string { return strings.Join(*v, ",") }

func (v *measureList) Set(text string) error {
	known := bench.MeasureNames()
	var list measureList
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown measure %q%s", name, usage.Hint(near.Word(name, known), "known are "+strings.Join(known, ", ")))
		}
		list = append(list, name)
	}
	*v = list
	return nil
}
