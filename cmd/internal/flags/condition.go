package flags

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/near"
)

// Condition is one on the value of an objective.
type Condition struct {
	Objective model.Objective
	// Text is as it was written.
	Text     string
	relation string
	value    int64
}

var conditionForm = regexp.MustCompile(`^\s*([a-z-]+)\s*(<=|>=|==|!=|=|<|>)\s*([0-9]{1,18})\s*$`)

// relations that a condition can have.
var relations = map[string]func(a, b int64) bool{
	"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b },
	">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
	"=": func(a, b int64) bool { return a == b }, "==": func(a, b int64) bool { return a == b },
	"!=": func(a, b int64) bool { return a != b },
}

func parseCondition(text string) (Condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf("write an objective, a relation and a number, like 'misses>0'")
	}
	o, err := model.ParseObjective(m[1])
	if err != nil && m[1] == model.HardMisses.String() {
		o, err = model.HardMisses, nil
	}
	if err != nil {
		known := append(model.ObjectiveNames(), model.HardMisses.String())
		advice := "there are " + strings.Join(known, ", ")
		if word := near.Word(m[1], known); word != "" {
			advice = "did you mean " + word + "?"
		}
		return Condition{}, fmt.Errorf("%q is no objective; %s", m[1], advice)
	}
	value, err := strconv.ParseInt(m[3], 10, 64)
	return Condition{Objective: o, Text: strings.TrimSpace(text), relation: m[2], value: value}, err
}

// Holds reports whether a value of the objective meets the condition.
func (c *Condition) Holds(v int64) bool { return relations[c.relation](v, c.value) }

// Conditions is a flag that adds a condition each time it is given.
type Conditions []Condition

// String implements pflag.Value.
func (f *Conditions) String() string { return "" }

// Set implements pflag.Value.
func (f *Conditions) Set(text string) error {
	c, err := parseCondition(text)
	if err == nil {
		*f = append(*f, c)
	}
	return err
}

// Type implements pflag.Value.
func (f *Conditions) Type() string { return "CONDITION" }
