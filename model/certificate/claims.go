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
	limits := map[model.Objective]int64{}
	if claim.Infeasible = string(word) == "infeasible"; !claim.Infeasible {
		claim.Objective = objective(f, word)
		f.expect(">=")
		least := f.number(0, idLimit)
		limits[claim.Objective] = least - 1
		claim.Least = c.inFile(f, claim.Objective, least)
		word = f.word()
		if string(word) == "given" {
			claim.Given = c.given(f, limits)
		} else if string(word) != "by" {
			f.fail("%.40q where \"given\" or \"by\" is due", word)
		}
	}
	number := f.number(1, latest)
	if err := f.end(); err != nil {
		return err
	}
	if number > int64(len(c.refuted)) {
		return fmt.Errorf("question %d has not been refuted", number)
	}
	if err := c.implied(c.refuted[number-1], limits); err != nil {
		return fmt.Errorf("the claim does not follow: question %d %w", number, err)
	}
	c.verdict.Claims = append(c.verdict.Claims, claim)
	return nil
}

// given reads limits up to "by".
func (c *checker) given(f *fields, limits map[model.Objective]int64) []Limit {
	var out []Limit
	for word := f.word(); f.err == nil && string(word) != "by"; word = f.word() {
		o := objective(f, word)
		f.expect("<=")
		most := f.number(0, idLimit)
		if known, ok := limits[o]; !ok || most < known {
			limits[o] = most
		}
		out = append(out, Limit{o, c.inFile(f, o, most)})
	}
	return out
}

// objective is the objective that a word names.
func objective(f *fields, word []byte) model.Objective {
	if string(word) == model.HardMisses.String() {
		return model.HardMisses
	}
	o, err := model.ParseObjective(string(word))
	if err != nil {
		f.fail("%.40q is no objective", word)
	}
	return o
}

// inFile is a value in ticks of the file, if it is a time.
func (c *checker) inFile(f *fields, o model.Objective, v int64) int64 {
	if o == model.Misses || o == model.HardMisses {
		return v
	}
	out := times(v, int64(c.tick))
	if out == largest {
		f.fail("%d ticks are too many", v)
	}
	return out
}

// implied fails if some plan within limits, in which hard deadlines are met unless hard
// misses are limited, is none that the question asks for.
func (c *checker) implied(q *question, most map[model.Objective]int64) error {
	for k, o := range [limits]model.Objective{misses: model.Misses, hardMisses: model.HardMisses, weighted: model.WeightedTardiness} {
		if limit, ok := most[o]; q.limits[k] != noLimit && (!ok || q.limits[k] < limit) {
			return fmt.Errorf("limits %s to %d, and the claim does not", limitWords[k], q.limits[k])
		}
	}
	for _, a := range q.jobs {
		if a.role != must {
			continue
		}
		if by := c.forced(a.job, most); a.by < by {
			if by == model.Never {
				return fmt.Errorf("asks for job %d, and the claim does not", a.job)
			}
			return fmt.Errorf("asks for job %d by %d, the claim by %d", a.job, a.by, by)
		}
	}
	return nil
}

// forced is when a job has finished in every plan within limits.
func (c *checker) forced(i model.JobID, most map[model.Objective]int64) model.Time {
	job, due := &c.js.Jobs[i], c.due(i)
	by := model.Never
	if end, ok := most[model.Makespan]; ok {
		by = min(by, model.Time(end))
	}
	if _, relaxed := most[model.HardMisses]; job.Kind == model.Hard && !relaxed {
		by = min(by, due)
	}
	if job.Kind == model.Soft {
		if late, ok := most[model.Tardiness]; ok {
			by = min(by, due+model.Time(late))
		}
		if sum, ok := most[model.WeightedTardiness]; ok {
			by = min(by, due+model.Time(sum/job.Weight))
		}
	}
	return by
}
