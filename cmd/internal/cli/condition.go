package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/near"
)

// condition is one on the value of an objective.
type condition struct {
	objective model.Objective
	relation  string
	value     int64
	text      string
}

var conditionForm = regexp.MustCompile(`^\s*([a-z-]+)\s*(<=|>=|==|!=|=|<|>)\s*([0-9]{1,18})\s*$`)

// relations that a condition can have.
var relations = map[string]func(a, b int64) bool{
	"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b },
	">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
	"=": func(a, b int64) bool { return a == b }, "==": func(a, b int64) bool { return a == b },
	"!=": func(a, b int64) bool { return a != b },
}

func parseCondition(text string) (condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return condition{}, fmt.Errorf("write an objective, a relation and a number, like 'misses>0'")
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
		return condition{}, fmt.Errorf("%q is no objective; %s", m[1], advice)
	}
	value, err := strconv.ParseInt(m[3], 10, 64)
	return condition{o, m[2], value, strings.TrimSpace(text)}, err
}

func (c *condition) holds(v int64) bool { return relations[c.relation](v, c.value) }

// conditionFlag adds a condition each time it is given.
type conditionFlag struct{ to *[]condition }

// String implements pflag.Value.
func (f *conditionFlag) String() string { return "" }

// Set implements pflag.Value.
func (f *conditionFlag) Set(text string) error {
	c, err := parseCondition(text)
	if err == nil {
		*f.to = append(*f.to, c)
	}
	return err
}

// Type implements pflag.Value.
func (f *conditionFlag) Type() string { return "CONDITION" }
