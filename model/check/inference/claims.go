package inference

import (
	"fmt"

	"downbeat/model"
)

// claim reads a claim and holds it against the question that it rests on:
// claim infeasible Q, or claim OBJECTIVE >= V [given OBJECTIVE <= V …] by Q.
func (c *checker) claim() {
	var claim Claim
	word, most := string(c.word()), map[model.Objective]int64{}
	if claim.Infeasible = word == "infeasible"; !claim.Infeasible {
		o, least := c.bound(word, ">=")
		claim.Objective, claim.Least, most[o] = o, c.inFile(o, least), least-1
		if word = string(c.word()); word == "given" {
			word = c.given(&claim, most)
		}
		if word != "by" {
			c.fail("%.40q where \"by\" is due", word)
		}
	}
	number := c.number(1, int64(len(c.refuted)))
	if c.end(); c.err != nil {
		return
	}
	err := c.implied(c.refuted[number-1], most)
	if err == nil {
		err = c.needed(c.refuted[number-1], claim.Infeasible, most)
	}
	if err != nil {
		c.fail("the claim does not follow: question %d %w", number, err)
	}
	claim.Question = int(number)
	for _, a := range c.refuted[number-1].jobs {
		if claim.Infeasible {
			claim.Jobs = append(claim.Jobs, a.job)
		}
	}
	c.verdict.Claims = append(c.verdict.Claims, claim)
}

// given reads the limits of a claim, one at least, and the word behind them.
func (c *checker) given(claim *Claim, most map[model.Objective]int64) (word string) {
	for word = string(c.word()); ; {
		o, v := c.bound(word, "<=")
		if _, known := most[o]; known {
			c.fail("a second bound of %s", o)
		}
		most[o] = v
		claim.Given = append(claim.Given, Limit{o, c.inFile(o, v)})
		if word = string(c.word()); word == "by" || c.err != nil {
			return word
		}
	}
}

// bound reads a relation and a value behind the name of an objective.
func (c *checker) bound(word, relation string) (model.Objective, int64) {
	o, err := model.ParseLimited(word)
	if err != nil {
		c.fail("%.40q is no objective", word)
	}
	c.expect(relation)
	return o, c.number(0, idLimit)
}

// inFile is a value in ticks of the file, if it is a time; the largest number if it is larger,
// which claims no more.
func (c *checker) inFile(o model.Objective, v int64) int64 {
	if !o.Shape().Timed() {
		return v
	}
	return times(v, int64(c.tick))
}

// implied fails if some plan within limits, in which hard deadlines are met unless hard
// misses are limited, is none that the question asks for.
func (c *checker) implied(q *question, most map[model.Objective]int64) error {
	for _, o := range limited {
		if limit, ok := most[o]; q.limits[o] != noLimit && (!ok || q.limits[o] < limit) {
			return fmt.Errorf("limits %s to %d, which the claim does not", o.InProofs(), q.limits[o])
		}
	}
	for _, a := range q.jobs {
		if a.role == must && a.by < c.forced(a.job, most) {
			return fmt.Errorf("asks for job %d by %d, which the claim does not", a.job, a.by)
		}
	}
	return nil
}

// needed fails if a question has a job in that plans which the claim is about may leave out: where
// no plan has it, some without it may be within limits. Hard jobs, and those that these come
// after, are in where hard deadlines are met.
func (c *checker) needed(q *question, infeasible bool, most map[model.Objective]int64) error {
	out := c.leavable()
	_, relaxed := most[model.HardMisses]
	switch {
	case !infeasible && c.out != nil:
		out = c.out
	case out == nil:
		return nil
	case !relaxed:
		for i, in := range c.js.HardAfter() {
			out[i] = out[i] && !in
		}
	}
	for _, a := range q.jobs {
		if out[a.job] && (a.role != may || c.out != nil) {
			return fmt.Errorf("asks for job %d, which a plan may leave out", a.job)
		}
	}
	return nil
}

// forced is when a job has finished in every plan within limits.
func (c *checker) forced(i model.JobID, most map[model.Objective]int64) model.Time {
	job, by := &c.js.Jobs[i], model.Never
	if _, relaxed := most[model.HardMisses]; job.Kind == model.Hard && !relaxed {
		by = job.Due()
	}
	for o, v := range most {
		if shape := o.Shape(); shape.Grows(job.Kind) {
			by = min(by, shape.From(job)+model.Time(v/shape.Weight(job)))
		}
	}
	return by
}
