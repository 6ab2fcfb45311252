package options

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/clock"
	"downbeat/model/near"
)

// Condition is one on a plan: on the value of an objective, or on how late a job is or how much
// slack it has.
type Condition struct {
	// Text is as it was written.
	Text string
	// objective is the one that is looked at, unless job names one.
	objective model.Objective
	// slack, of a job, tells its slack from its lateness.
	job      string
	slack    bool
	relation string
	value    string
}

var (
	// objectiveForm and jobForm take the value last, which is read once there is a job set.
	objectiveForm = regexp.MustCompile(`^([a-z-]+)\s*(<=|>=|==|!=|=|<|>)\s*([^\s<>=!(][^<>=!(]*)$`)
	jobForm       = regexp.MustCompile(`^(late|slack)\s*\(\s*(.*\S)\s*\)\s*(?:(<=|>=|==|!=|=|<|>)\s*([^\s<>=!(][^<>=!(]*))?$`)
)

// relations that a condition can have, of how a value compares.
var relations = map[string]func(sign int) bool{
	"<": func(sign int) bool { return sign < 0 }, "<=": func(sign int) bool { return sign <= 0 },
	">": func(sign int) bool { return sign > 0 }, ">=": func(sign int) bool { return sign >= 0 },
	"=": func(sign int) bool { return sign == 0 }, "==": func(sign int) bool { return sign == 0 },
	"!=": func(sign int) bool { return sign != 0 },
}

func parseCondition(text string) (Condition, error) {
	text = strings.TrimSpace(text)
	if m := jobForm.FindStringSubmatch(text); m != nil {
		c := Condition{Text: text, job: m[2], slack: m[1] == "slack", relation: m[3], value: strings.TrimSpace(m[4])}
		switch {
		case c.relation != "":
		case c.slack:
			return Condition{}, fmt.Errorf("%s of how much? write slack(%s)<10m", text, c.job)
		default:
			c.relation, c.value = ">", "0"
		}
		return c, nil
	}
	m := objectiveForm.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, errors.New("write an objective, a relation and a value, like 'misses>0' or 'tardiness>29m', or a job, like 'late(etl)>10m' or 'slack(etl)<10m'")
	}
	o, err := model.ParseLimited(m[1])
	if err != nil {
		known := append(model.ObjectiveNames(), model.HardMisses.String())
		advice := "there are " + strings.Join(known, ", ") + ", and of jobs late(JOB) and slack(JOB)"
		if word := near.Word(m[1], known); word != "" {
			advice = "did you mean " + word + "?"
		}
		return Condition{}, fmt.Errorf("%q is no objective; %s", m[1], advice)
	}
	return Condition{Text: text, objective: o, relation: m[2], value: strings.TrimSpace(m[3])}, nil
}

// Check is a condition about the plans of a job set.
type Check struct {
	*Condition
	// than is what is compared with, in ticks where it is a time.
	than *big.Rat
}

// of reads the names and values of the condition by a job set. The error says what is wrong with
// them.
func (c *Condition) of(js *model.JobSet) (*Check, error) {
	if c.job != "" {
		jobs, err := change.Jobs(js, c.job)
		switch {
		case err != nil:
			return nil, err
		case js.Jobs[jobs[0]].Kind == model.BestEffort:
			return nil, fmt.Errorf("job %s has no deadline", c.job)
		}
	}
	of := c.objective
	if c.job != "" {
		of = model.Tardiness // a length of time, too
	}
	than, err := amount(js, of, c.value)
	return &Check{c, than}, err
}

// Holds reports whether the condition holds of a plan in which jobs finish so (see
// [model.JobSet.Finishes]), and says of what. The set may be the rest of the one that the
// condition was read by: what it lacks was rejected. Jobs that never end are later than any time.
func (c *Check) Holds(js *model.JobSet, finishes []model.Time) (what string, holds bool) {
	by := clock.Of(js)
	compare := relations[c.relation]
	if c.job == "" {
		v := js.Value(c.objective, finishes)
		return fmt.Sprintf("%s is %s", c.objective, by.Value(c.objective.String(), v)), compare(c.sign(v))
	}
	jobs, err := change.Jobs(js, c.job)
	if err != nil {
		return c.job + " is left out", compare(c.beyond())
	}
	for _, i := range jobs {
		job := &js.Jobs[i]
		late := finishes[i] - job.Due()
		switch {
		case finishes[i] == model.Never && compare(c.beyond()):
			return job.Name + " is left out", true
		case finishes[i] == model.Never:
		case c.slack && compare(c.sign(int64(-late))) && late > 0:
			return fmt.Sprintf("%s is %s late", job.Name, by.Length(late)), true
		case c.slack && compare(c.sign(int64(-late))):
			return fmt.Sprintf("%s has %s of slack", job.Name, by.Length(-late)), true
		case !c.slack && compare(c.sign(int64(max(0, late)))):
			return fmt.Sprintf("%s is %s late", job.Name, by.Length(max(0, late))), true
		}
	}
	return "", false
}

// sign tells how a value compares.
func (c *Check) sign(v int64) int { return new(big.Rat).SetInt64(v).Cmp(c.than) }

// beyond is how a job that never ends compares.
func (c *Check) beyond() int {
	if c.slack {
		return -1
	}
	return 1
}

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

// Of reads all conditions by a job set. The error says which is wrong, and how.
func (f Conditions) Of(js *model.JobSet) ([]*Check, error) {
	var out []*Check
	for k := range f {
		c, err := f[k].of(js)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f[k].Text, err)
		}
		out = append(out, c)
	}
	return out, nil
}
