package inference

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/proof"
)

// Verdict is what a proof file proves, and how long it was about it.
type Verdict struct {
	// Claims, at least one, hold of every plan of the job set.
	Claims []Claim
	// Without lists the slaves that the claims take not to be there.
	Without []model.SlaveID
	// Alike has the groups of slaves, each ascending, that the proof has counted as one.
	Alike [][]model.SlaveID
	// LeftOut lists the jobs that are left out of all plans that the claims of objectives are
	// about, none if it is empty; nil where plans may leave out what they may. Misses of
	// these jobs do not count in the claims.
	LeftOut []model.JobID
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
	// Jobs, of Infeasible, ascend: those of the question. They have no plan that meets the deadlines of the hard ones among them,
	// whatever other jobs there are.
	Jobs []model.JobID
	// Question is the number of the question that was refuted.
	Question int
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

// CheckFile reads a proof about a job set and checks every step. It fails with a *Fault where
// something is not in order or cannot be read, and with the error of ctx once that is
// done. Its memory grows with the clauses that have not been deleted, and with tasks ×
// slaves of the question under way.
func CheckFile(ctx context.Context, js *model.JobSet, r io.Reader) (*Verdict, error) {
	return newChecker(ctx, js, r).result()
}

// result is what the file proves.
func (c *checker) result() (*Verdict, error) {
	c.check()
	switch {
	case c.ctx.Err() != nil:
		return nil, c.ctx.Err()
	case c.err != nil:
		return nil, &Fault{c.line, c.err.Error()}
	}
	return &c.verdict, nil
}

// CheckClaim checks, as [CheckFile] does, that by a refutation which rests on no other every plan that meets the hard
// deadlines, and leaves out no job, has at least some value of an objective.
func CheckClaim(ctx context.Context, js *model.JobSet, o model.Objective, least int64, by *proof.Refutation) error {
	return checkAlone(ctx, js, by, fmt.Sprintf("claim %s >= %d by 1", o, least))
}

// CheckInfeasible checks, as [CheckFile] does, that by a refutation which rests on no other no plan meets the hard deadlines.
func CheckInfeasible(ctx context.Context, js *model.JobSet, by *proof.Refutation) error {
	return checkAlone(ctx, js, by, "claim infeasible 1")
}

// checkAlone checks a file of one refutation and what is claimed by it.
func checkAlone(ctx context.Context, js *model.JobSet, by *proof.Refutation, claim string) error {
	head := []string{"downbeat proof 1", "digest " + js.Digest(), "tick 1", "left-out", "question 1"}
	lines := append(head, by.Question...)
	lines = append(lines, strings.Split(strings.TrimSuffix(string(by.Steps), "\n"), "\n")...)
	lines = append(lines, fmt.Sprintf("refuted 1 %d", by.Last), claim)
	lines = append(lines, fmt.Sprintf("end %d", len(lines)))
	_, err := CheckFile(ctx, js, strings.NewReader(strings.Join(lines, "\n")+"\n"))
	return err
}

// checker goes through a file.
type checker struct {
	verdict Verdict
	refuted []*question // question 1 is the first
	out     []bool      // the jobs that are left out; nil if the file does not say
	// apart has the slaves as they are where some count as one, to say what plans may leave out; nil if none do.
	apart []model.Slave
	// observer is told of questions and steps; nil for nobody.
	observer Observer
	lines
	figures
}

func newChecker(ctx context.Context, js *model.JobSet, r io.Reader) *checker {
	c := &checker{figures: figures{calendar: newCalendar(js)}, verdict: Verdict{Rules: map[string]int{}}}
	c.ctx, c.scan, c.ended = ctx, bufio.NewScanner(r), true
	c.scan.Buffer(nil, MaxLine)
	return c
}

// stopped reports whether the context is done; it looks now and then, and is asked before
// what goes through all slaves, and their presences, once.
func (c *checker) stopped() bool { return c.stoppedAfter(c.spans) }

func (c *checker) check() {
	for _, due := range []string{"downbeat proof 1", "digest " + c.js.Digest()} {
		if c.next() && string(c.left) != due {
			c.fail("%q is due: this is no proof, or one about another job set", due)
		}
		c.ended = true
	}
	c.next()
	c.expect("tick")
	if tick := c.number(1, int64(model.MaxTime)); c.err == nil {
		c.measure(model.Time(tick))
	}
	for c.next() {
		v := &c.verdict
		switch word := string(c.word()); {
		case word == "alike" && v.Without == nil && v.LeftOut == nil && v.Questions == 0:
			c.alike()
		case word == "without" && v.Without == nil && v.LeftOut == nil && v.Questions == 0:
			c.without()
		case word == "left-out" && v.LeftOut == nil && v.Questions == 0:
			c.leftOut()
		case word == "question" && v.Claims == nil:
			c.question()
		case word == "claim":
			c.claim()
		case word == "end":
			c.last()
			return
		default:
			c.fail("%.40q where a question, a claim or the end is due", word)
		}
	}
}

// ascending reads the rest of a line: numbers below n, so many or more, that ascend.
func (c *checker) ascending(n, least int) (list []int64) {
	for last := int64(-1); len(list) < least || c.more(); {
		if last = c.number(last+1, int64(n)-1); c.err != nil {
			return nil
		}
		list = append(list, last)
	}
	return list
}

// gone has a slave taken not to be there.
func (c *checker) gone(s model.SlaveID) {
	c.js.Slaves[s].Down, c.presences[s] = []model.Interval{{Start: 0, End: model.Never}}, nil
}

// leavable marks the jobs that plans may leave out.
func (c *checker) leavable() []bool {
	js := *c.js
	if c.apart != nil {
		js.Slaves = slices.Clone(c.apart)
		for _, s := range c.verdict.Without {
			js.Slaves[s] = c.js.Slaves[s]
		}
	}
	return js.Leavable()
}

// without reads which slaves are taken not to be there: they are away all the time, and equal
// to no other.
func (c *checker) without() {
	for _, s := range c.ascending(len(c.js.Slaves), 1) {
		if c.apart != nil && (c.presences[s] == nil || c.js.Slaves[s].Cores > c.apart[s].Cores) {
			c.fail("slave %d counts as one with others, and is there", s)
		}
		c.gone(model.SlaveID(s))
		c.verdict.Without = append(c.verdict.Without, model.SlaveID(s))
	}
}

// leftOut reads which jobs are left out. None of them can run even with the cluster to itself, or
// it comes after one that cannot, and none is hard; no other job comes after one.
func (c *checker) leftOut() {
	c.out, c.verdict.LeftOut = make([]bool, len(c.js.Jobs)), []model.JobID{}
	for _, i := range c.ascending(len(c.js.Jobs), 0) {
		c.out[i], c.verdict.LeftOut = true, append(c.verdict.LeftOut, model.JobID(i))
	}
	alone := newHeads(c.js)
	for i, out := range c.out {
		job := &c.js.Jobs[i]
		after := slices.ContainsFunc(job.After, func(k model.JobID) bool { return c.out[k] })
		switch {
		case out && (job.Kind == model.Hard || !after && alone.finish(model.JobID(i)) < model.Never):
			c.fail("job %d is hard, or can run: it may not be left out", i)
		case !out && after:
			c.fail("job %d comes after one that is left out", i)
		}
	}
}

// last reads the last line.
func (c *checker) last() {
	n := c.number(0, latest)
	c.end()
	switch {
	case c.err != nil:
	case n != int64(c.line)-1:
		c.fail("there are %d lines before the end, not %d: lines are missing or were added", c.line-1, n)
	case c.verdict.Claims == nil:
		c.fail("the file claims nothing")
	case c.scan.Scan():
		c.line++
		c.fail("there is something behind the end")
	default:
		c.err = c.unread()
	}
}
