package certificate

import (
	"fmt"

	"downbeat/model"
)

// claim reads a claim and holds it against the question that it rests on:
// claim infeasible Q, or claim OBJECTIVE >= V [given OBJECTIVE <= V …] by Q.
func (c *checker) claim(f *fields) error {
	var claim Claim
	word := f.word()
	most := map[model.Objective]int64{}
	if claim.Infeasible = string(word) == "infeasible"; !claim.Infeasible {
		claim.Objective = objective(f, word)
		f.expect(">=")
		least := f.number(0, idLimit)
		most[claim.Objective], claim.Least = least-1, c.inFile(f, claim.Objective, least)
		if word = f.word(); string(word) == "given" {
			word = c.given(f, &claim, most)
		}
		if string(word) != "by" {
			f.fail("%.40q where \"by\" is due", word)
		}
	}
	number := f.number(1, int64(len(c.refuted)))
	if err := f.end(); err != nil {
		return err
	}
	if err := c.implied(c.refuted[number-1], most); err != nil {
		return fmt.Errorf("the claim does not follow: question %d %w", number, err)
	}
	c.verdict.Claims = append(c.verdict.Claims, claim)
	return nil
}

// given reads limits, and the word behind them.
func (c *checker) given(f *fields, claim *Claim, most map[model.Objective]int64) []byte {
	for word := f.word(); ; word = f.word() {
		if string(word) == "by" || f.err != nil {
			return word
		}
		o := objective(f, word)
		f.expect("<=")
		v := f.number(0, idLimit)
		if known, ok := most[o]; !ok || v < known {
			most[o] = v
		}
		claim.Given = append(claim.Given, Limit{o, c.inFile(f, o, v)})
	}
}

// objective is the objective that a word names.
func objective(f *fields, word []byte) model.Objective {
	o, err := model.ParseObjective(string(word))
	switch {
	case string(word) == model.HardMisses.String():
		return model.HardMisses
	case err != nil:
		f.fail("%.40q is no objective", word)
	}
	return o
}

// inFile is a value in ticks of the file, if it is a time.
func (c *checker) inFile(f *fields, o model.Objective, v int64) int64 {
	if o == model.Misses || o == model.HardMisses {
		return v
	}
	if v = times(v, int64(c.tick)); v == largest {
		f.fail("the value is too large")
	}
	return v
}

// implied fails if some plan within limits, in which hard deadlines are met unless hard
// misses are limited, is none that the question asks for.
func (c *checker) implied(q *question, most map[model.Objective]int64) error {
	for k, o := range [limits]model.Objective{misses: model.Misses, hardMisses: model.HardMisses, weighted: model.WeightedTardiness} {
		if limit, ok := most[o]; q.limits[k] != noLimit && (!ok || q.limits[k] < limit) {
			return fmt.Errorf("limits %s to %d, which the claim does not", limitWords[k], q.limits[k])
		}
	}
	for _, a := range q.jobs {
		if a.role == must && a.by < c.forced(a.job, most) {
			return fmt.Errorf("asks for job %d by %d, which the claim does not", a.job, a.by)
		}
	}
	return nil
}

// forced is when a job has finished in every plan within limits.
func (c *checker) forced(i model.JobID, most map[model.Objective]int64) model.Time {
	job, by := &c.js.Jobs[i], model.Never
	if end, ok := most[model.Makespan]; ok {
		by = min(by, model.Time(end))
	}
	if _, relaxed := most[model.HardMisses]; job.Kind == model.Hard && !relaxed {
		by = min(by, job.Due())
	}
	if job.Kind == model.Soft {
		if late, ok := most[model.Tardiness]; ok {
			by = min(by, job.Due()+model.Time(late))
		}
		if sum, ok := most[model.WeightedTardiness]; ok {
			by = min(by, job.Due()+model.Time(sum/job.Weight))
		}
	}
	return by
}
