package certificate

import (
	"bufio"
	"cmp"
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
// something is not in order or cannot be read, and with the error of ctx once that is
// done. Its memory grows with the clauses that have not been deleted, and with tasks ×
// slaves of the question under way.
func Check(ctx context.Context, js *model.JobSet, r io.Reader) (*Verdict, error) {
	c := newChecker(ctx, js, r)
	err := c.check()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &Fault{c.line, err.Error()}
	}
	return &c.verdict, nil
}

// checker goes through a file.
type checker struct {
	ctx     context.Context
	verdict Verdict
	refuted []*question // question 1 is the first
	work    int

	scan  *bufio.Scanner
	at    fields // of the line
	line  int
	again bool // next gives the line once more

	figures
}

func newChecker(ctx context.Context, js *model.JobSet, r io.Reader) *checker {
	c := &checker{ctx: ctx, figures: figures{js: js}, scan: bufio.NewScanner(r), verdict: Verdict{Rules: map[string]int{}}}
	c.scan.Buffer(nil, longest)
	return c
}

// stopped reports whether the context is done; it looks now and then.
func (c *checker) stopped() bool { return c.stoppedAfter(1) }

// stoppedAfter is stopped before what goes through so many times, jobs or the like.
func (c *checker) stoppedAfter(steps int) bool {
	looked := c.work / 1024
	c.work += steps
	return c.work/1024 > looked && c.ctx.Err() != nil
}

func (c *checker) check() error {
	for _, due := range []string{"downbeat proof 1", "digest " + c.js.Digest()} {
		if f, err := c.next(); err != nil || string(f.left) != due {
			return cmp.Or(err, fmt.Errorf("%q is due: this is no proof, or one about another job set", due))
		}
	}
	if err := c.readTick(); err != nil {
		return err
	}
	for {
		f, err := c.next()
		if err != nil {
			return err
		}
		switch word := string(f.word()); {
		case word == "without" && c.verdict.Without == nil && c.verdict.Questions+len(c.verdict.Claims) == 0:
			err = c.without(f)
		case word == "question" && len(c.verdict.Claims) == 0:
			err = c.question(f)
		case word == "claim":
			err = c.claim(f)
		case word == "end":
			return c.end(f)
		default:
			err = fmt.Errorf("%.40q where a question, a claim or the end is due", word)
		}
		if err != nil {
			return err
		}
	}
}

// readTick reads the tick.
func (c *checker) readTick() error {
	f, err := c.next()
	if err != nil {
		return err
	}
	f.expect("tick")
	tick := f.number(1, int64(model.MaxTime))
	if err := f.end(); err != nil {
		return err
	}
	return c.measure(model.Time(tick))
}

// without reads which slaves are taken not to be there: they are away all the time.
func (c *checker) without(f *fields) error {
	for last := int64(-1); f.err == nil && (last < 0 || f.more()); {
		if last = f.number(last+1, int64(len(c.js.Slaves))-1); f.err == nil {
			c.js.Slaves[last].Down = []model.Interval{{Start: 0, End: model.Never}}
			c.verdict.Without = append(c.verdict.Without, model.SlaveID(last))
		}
	}
	return f.err
}

// end reads the last line.
func (c *checker) end(f *fields) error {
	n := f.number(0, latest)
	switch err := f.end(); {
	case err != nil:
		return err
	case n != int64(c.line)-1:
		return fmt.Errorf("there are %d lines before the end, not %d: lines are missing or were added", c.line-1, n)
	case len(c.verdict.Claims) == 0:
		return errors.New("the file claims nothing")
	case c.scan.Scan():
		c.line++
		return errors.New("there is something behind the end")
	}
	return c.scan.Err()
}
