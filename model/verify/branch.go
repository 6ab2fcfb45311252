package verify

import (
	"errors"
	"fmt"

	"downbeat/model"
)

// Branch recomputes an argument by cases (see [model.Branch]): that in every plan
// the jobs that do not finish by due have refusals of at least total between
// them, refusal[i] being that of job i; 0 for jobs that play no part. Jobs that
// must are in time in every plan. The error names the first case that fails.
func Branch(js *model.JobSet, due []model.Time, refusal []int64, must []bool, total int64, b *model.Branch) error {
	if len(must) != len(js.Jobs) || len(refusal) != len(js.Jobs) {
		return fmt.Errorf("%d refusals for %d jobs", len(refusal), len(js.Jobs))
	}
	c := cases{js: js, due: due, refusal: refusal, chosen: make([]choice, len(js.Jobs)), total: total}
	for i, m := range must {
		if m {
			c.chosen[i] = inTime
		}
	}
	return c.check(b, 0)
}

// choice is what a case says of a job.
type choice uint8

const (
	open choice = iota
	late
	inTime
)

type cases struct {
	js      *model.JobSet
	due     []model.Time
	refusal []int64
	chosen  []choice
	total   int64
}

// check looks at a branch under the choices made, which cost paid so far.
func (c *cases) check(b *model.Branch, paid int64) error {
	switch {
	case b == nil:
		return errors.New("a case is missing")
	case b.Late == nil && b.InTime == nil:
		return c.end(b.Tariff, paid)
	case b.Job < 0 || int(b.Job) >= len(c.chosen) || c.chosen[b.Job] != open || c.refusal[b.Job] == 0:
		return fmt.Errorf("job %d cannot be told apart into cases here", b.Job)
	}
	defer func() { c.chosen[b.Job] = open }()
	c.chosen[b.Job] = late
	if err := c.check(b.Late, paid+c.refusal[b.Job]); err != nil {
		return err
	}
	c.chosen[b.Job] = inTime
	return c.check(b.InTime, paid)
}

// end checks the tariff at the end of a branch: open jobs refuse at their price,
// those in time may at any, for they do not.
func (c *cases) end(tf *model.Tariff, paid int64) error {
	if paid >= c.total {
		return nil
	}
	if tf == nil {
		return errors.New("a case has no prices")
	}
	for i, r := range tf.Refusal {
		switch {
		case c.chosen[i] == late && r != 0, c.chosen[i] == open && r != c.refusal[i]:
			return fmt.Errorf("job %s has a refusal of %d where its case says otherwise", c.js.Jobs[i].Name, r)
		}
	}
	surplus, err := Tariff(c.js, c.due, tf)
	if err == nil && paid+surplus < c.total {
		err = fmt.Errorf("a case comes to %d only, not %d", paid+surplus, c.total)
	}
	return err
}
