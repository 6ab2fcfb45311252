// Package change has changes to a job set as data: what if a slave were gone, a
// deadline later, a job left out. Flags make them, and so does the search for repairs;
// plan files name those that a plan was made with.
package change

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/clock"
)

// Change and Kind are those of package model, where job sets and plans have them.
type (
	Change = model.Change
	Kind   = model.ChangeKind
)

// The kinds of change, as said at [model.ChangeKind].
const (
	Without  = model.ChangeWithout
	Count    = model.ChangeCount
	Deadline = model.ChangeDeadline
	Release  = model.ChangeRelease
	Drop     = model.ChangeDrop
	Soften   = model.ChangeSoften
	Margin   = model.ChangeMargin
	Cores    = model.ChangeCores
	Slots    = model.ChangeSlots
	Units    = model.ChangeUnits
	Stay     = model.ChangeStay
	Fetch    = model.ChangeFetch
	Pool     = model.ChangePool
)

// Sentence says a change of a job set to people.
func Sentence(js *model.JobSet, c Change) string {
	clock := clock.Of(js)
	switch c.Kind {
	case Without:
		if c.At == 0 {
			return "without " + c.Name
		}
		return fmt.Sprintf("without %s from %s on", c.Name, clock.Point(c.At))
	case Count:
		return fmt.Sprintf("%d × %s", c.N, c.Name)
	case Deadline:
		return fmt.Sprintf("%s due %s after its release", c.Name, clock.Span(c.At))
	case Release:
		return fmt.Sprintf("%s released at %s", c.Name, clock.Point(c.At))
	case Drop:
		return "without job " + c.Name
	case Soften:
		return fmt.Sprintf("the deadline of %s soft", c.Name)
	case Margin:
		if c.Name == "" {
			return fmt.Sprintf("all times %d %% longer", c.N)
		}
		return fmt.Sprintf("the times of %s %d %% longer", c.Name, c.N)
	case Cores, Slots:
		return fmt.Sprintf("%d more %s on %s", c.N, c.Kind, c.Name)
	case Units:
		return fmt.Sprintf("%d more %s on %s", c.N, c.Resource, c.Name)
	case Pool:
		return fmt.Sprintf("%d of pool %s", c.N, c.Name)
	case Stay:
		return fmt.Sprintf("%s not away from %s", c.Name, clock.Point(c.At))
	default:
		return fmt.Sprintf("%d %% of the input of %s to fetch", c.N, c.Name)
	}
}

// Flag is a change as the value of its flag.
func Flag(c Change) string {
	switch c.Kind {
	case Without:
		if c.At == 0 {
			return c.Name
		}
		return fmt.Sprintf("%s@%d", c.Name, c.At)
	case Count, Pool:
		return fmt.Sprintf("%s=%d", c.Name, c.N)
	case Deadline:
		return fmt.Sprintf("%s=%d", c.Name, c.At)
	case Margin:
		if c.Name == "" {
			return strconv.FormatInt(c.N, 10)
		}
		return fmt.Sprintf("%s=%d", c.Name, c.N)
	default:
		return c.Name
	}
}

// MaxMargin is the largest margin in percent.
const MaxMargin = 10_000

// Parse reads the value of a flag about a job set: SLAVE[@TIME], CLASS=N, NAME=N of a pool, JOB=TIME, JOB,
// or [JOB=]PERCENT. Times are ticks, durations or clock times, as far as the job set
// knows of them. The error says what would do.
func Parse(kind Kind, text string, js *model.JobSet) (Change, error) {
	c, err := parse(kind, text, js)
	if err == nil {
		_, err = Apply(js, []Change{c})
	}
	var misfits *model.Misfits
	if kind == Count && errors.As(err, &misfits) {
		err = nil // another one may make room: see Apply
	}
	if err != nil {
		return Change{}, fmt.Errorf("--%s %s: %w", kind, text, err)
	}
	return c, nil
}

func parse(kind Kind, text string, js *model.JobSet) (c Change, err error) {
	c = Change{Kind: kind, Name: text}
	switch kind {
	case Without:
		if at := strings.LastIndexByte(text, '@'); at >= 0 && len(slavesOf(js, text)) == 0 {
			c.Name = text[:at]
			c.At, err = Point(js, text[at+1:])
		}
	case Count:
		var number string
		if c.Name, number, err = assignment(text, "CLASS=N", "big=2"); err == nil {
			c.N, err = whole(number, 1, MostSlaves)
		}
	case Pool:
		var number string
		if c.Name, number, err = assignment(text, "NAME=N", "db=4"); err == nil {
			c.N, err = whole(number, 0, int64(model.MaxTime))
		}
	case Deadline:
		var due string
		if c.Name, due, err = assignment(text, "JOB=TIME", "etl=120"); err == nil {
			c.At, err = deadline(js, c.Name, due)
		}
	case Margin:
		percent := text
		if at := strings.LastIndexByte(text, '='); at >= 0 {
			c.Name, percent = text[:at], text[at+1:]
		} else {
			c.Name = ""
		}
		c.N, err = whole(strings.TrimSuffix(percent, "%"), 0, MaxMargin)
	}
	return c, err
}

func assignment(text, form, example string) (name, value string, err error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return "", "", fmt.Errorf("write %s, like %s", form, example)
	}
	return text[:at], text[at+1:], nil
}

func whole(text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", text, least, most)
	}
	return n, nil
}
