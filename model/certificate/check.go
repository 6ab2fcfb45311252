package certificate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"downbeat/model"
)

// Verdict is what a proof file proves, and how long it was about it.
type Verdict struct {
	// Claims, at least one, hold of every plan of the job set.
	Claims []Claim
	// Tick is what one tick of the file is in those of the job set.
	Tick model.Time
	// Without lists the slaves that the claims take not to be there.
	Without []model.SlaveID
	// Questions and Steps count what was checked; Rules has the steps by rule, those that
	// follow from other steps as "nogood".
	Questions, Steps int
	Rules            map[string]int
}

// Claim is that there is no plan that meets the hard deadlines (Infeasible), or that every
// plan within the limits given has at least some value of an objective. Hard deadlines
// are met in these plans too, unless HardMisses is the objective or given.
type Claim struct {
	Infeasible bool
	Objective  model.Objective
	Least      int64 // in ticks of the file where the objective is a time
	Given      []Limit
}

// Limit is that an objective is at most some value, in ticks of the file where it is a time.
type Limit struct {
	Objective model.Objective
	Most      int64
}

// Fault is the first line of a proof file that is not in order, or does not follow.
type Fault struct {
	Line int // from 1 on
	Why  string
}

// Error is a sentence for people.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Why) }

// Check reads a proof about a job set and checks every step. It fails with a *Fault where
// something is not in order, with the error of ctx once that is done, and with that of r.
// Its memory grows with the clauses that have not been deleted, and with tasks × slaves of
// the question under way.
func Check(ctx context.Context, js *model.JobSet, r io.Reader) (*Verdict, error) {
	c := newChecker(ctx, js, r)
	err := c.check()
	var broken *readError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &broken):
		return nil, fmt.Errorf("line %d: %w", c.lines.line, broken.error)
	case err != nil:
		return nil, &Fault{c.lines.line, err.Error()}
	}
	return &c.verdict, nil
}

func newChecker(ctx context.Context, js *model.JobSet, r io.Reader) *checker {
	return &checker{ctx: ctx, js: js, lines: newReader(r), verdict: Verdict{Rules: map[string]int{}}}
}

// checker goes through a file.
type checker struct {
	ctx     context.Context
	js      *model.JobSet
	lines   *reader
	verdict Verdict
	*figures
	refuted []*question // question 1 is the first
	work    int
}

// stopped reports whether the context is done; it looks now and then.
func (c *checker) stopped() bool {
	c.work++
	return c.work%1024 == 0 && c.ctx.Err() != nil
}

func (c *checker) check() error {
	if err := c.head(); err != nil {
		return err
	}
	f, err := c.lines.next()
	for ; err == nil; f, err = c.lines.next() {
		switch word := f.word(); {
		case string(word) == "question" && len(c.verdict.Claims) == 0:
			err = c.question(f)
		case string(word) == "claim":
			err = c.claim(f)
		case string(word) == "end":
			return c.end(f)
		default:
			err = fmt.Errorf("%.40q where a question, a claim or the end is due", word)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// head reads up to the first question.
func (c *checker) head() error {
	f, err := c.lines.next()
	if err != nil {
		return err
	}
	if string(f.all()) != "downbeat proof 1" {
		return errors.New("this is no proof file of version 1: it does not begin with \"downbeat proof 1\"")
	}
	if f, err = c.lines.next(); err != nil {
		return err
	}
	if string(f.word()) != "digest" {
		return errors.New("the digest of the job set is missing")
	}
	if digest := c.js.Digest(); string(f.rest()) != digest {
		return fmt.Errorf("the proof is about another job set: its digest is not %s", digest)
	}
	if f, err = c.lines.next(); err != nil {
		return err
	}
	if string(f.word()) != "tick" {
		return errors.New("the tick is missing")
	}
	tick := f.number(1, int64(model.MaxTime))
	if err := f.end(); err != nil {
		return err
	}
	c.verdict.Tick = model.Time(tick)
	if err := c.measure(model.Time(tick)); err != nil {
		return err
	}
	if f, err = c.lines.peek(); err == nil && string(f.word()) == "without" {
		err = c.without()
	}
	return err
}

// without reads which slaves are taken not to be there.
func (c *checker) without() error {
	f, err := c.lines.next()
	if err != nil {
		return err
	}
	f.word()
	for last := int64(-1); ; {
		s := f.number(0, int64(len(c.slaves))-1)
		if s <= last {
			f.fail("slaves do not ascend")
		}
		if f.err != nil {
			return f.err
		}
		c.slaves[s].absent, last = true, s
		c.verdict.Without = append(c.verdict.Without, model.SlaveID(s))
		if !f.more() {
			return nil
		}
	}
}

// end reads the last line.
func (c *checker) end(f *fields) error {
	before := c.lines.line - 1
	n := f.number(0, int64(before)+1)
	if err := f.end(); err != nil {
		return err
	}
	if n != int64(before) {
		return fmt.Errorf("there are %d lines before the end, not %d: lines are missing or were added", before, n)
	}
	if len(c.verdict.Claims) == 0 {
		return errors.New("the file claims nothing")
	}
	if c.lines.more() {
		c.lines.line++
		return errors.New("there is something behind the end")
	}
	return nil
}
