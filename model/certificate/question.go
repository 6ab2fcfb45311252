package certificate

import (
	"fmt"

	"downbeat/model"
)

// latest bounds the times of a proof on both sides of 0, idLimit all other numbers.
const (
	latest  = 1 << 40
	idLimit = 1 << 60
)

// role says what a question asks of a job.
type role uint8

const (
	must  role = iota // it finishes by its time
	may               // it does, or is let go
	later             // it is in for the sake of jobs after it; see checkAfter
)

// The limits of a question.
const (
	misses = iota
	hardMisses
	weighted
	limits
)

// noLimit stands for a limit that is not asked for.
const noLimit = -1

var (
	roleWords  = [...]string{must: "must", may: "may", later: "later"}
	limitWords = [limits]string{misses: "misses", hardMisses: "hard-misses", weighted: "weighted"}
	unlimited  = [limits]int64{noLimit, noLimit, noLimit}
)

// asked is what a question asks of a job.
type asked struct {
	job  model.JobID
	role role
	by   model.Time
}

// question asks for a plan of some jobs, ascending, within limits.
type question struct {
	jobs   []asked
	limits [limits]int64
}

// question reads a question and its refutation.
func (c *checker) question(f *fields) error {
	next := int64(len(c.refuted)) + 1
	f.number(next, next)
	if err := f.end(); err != nil {
		return err
	}
	q := &question{limits: unlimited}
	for more := true; more; {
		f, err := c.next()
		if err != nil {
			return err
		}
		if more = c.ask(q, f); more {
			err = f.end()
		}
		if err != nil {
			return err
		}
	}
	c.back()
	st := c.number(q)
	if err := st.checkAfter(); err != nil {
		return err
	}
	st.root()
	if err := st.refute(next); err != nil {
		return err
	}
	c.refuted = append(c.refuted, q)
	c.verdict.Questions++
	return nil
}

// ask reads what is asked of a job, or a limit; false if it is neither.
func (c *checker) ask(q *question, f *fields) bool {
	word := string(f.word())
	for k := range limits {
		if word == limitWords[k] {
			if q.limits[k] != noLimit {
				f.fail("a second limit on %s", word)
			}
			q.limits[k] = f.number(0, idLimit)
			return true
		}
	}
	for r, due := range roleWords {
		if word == due {
			i := model.JobID(f.number(0, int64(len(c.js.Jobs))-1))
			if n := len(q.jobs); n > 0 && q.jobs[n-1].job >= i || q.limits != unlimited {
				f.fail("jobs do not ascend, or come after limits")
			}
			q.jobs = append(q.jobs, asked{i, role(r), model.Time(f.number(0, latest))})
			return true
		}
	}
	return false
}

// checkAfter fails if a job comes after one that may be let go, or if the times of later
// jobs may do harm.
//
// Let T be no earlier than the times of all other jobs of the question, the releases and
// deadlines of those that are later, and the end of all that is taken. In any plan, take
// the tasks of later jobs that finish after T. All that comes after one of them finishes
// after T and so is among them. Lay them out anew from T on, in an order that stages and
// jobs allow, each where it finishes first if it has the cluster to itself, and begin none
// before the one before it has finished. That is a plan, and ends by T' as worked out
// here. Jobs that were in time have not moved, so as many are missed as before.
func (st *state) checkAfter() error {
	end := st.js.TakenUntil()
	for k := range st.jobs {
		j := &st.jobs[k]
		for _, before := range st.js.Jobs[j.job].After {
			if b := st.local['J'][before]; b >= 0 && st.jobs[b].role == may {
				return fmt.Errorf("job %d comes after job %d, which may be let go", j.job, before)
			}
		}
		end = max(end, st.js.Jobs[j.job].Release)
		if due := st.js.Jobs[j.job].Due(); j.role != later {
			end = max(end, j.by)
		} else if due < model.Never {
			end = max(end, due)
		}
	}
	for _, at := range st.order {
		of := &st.stages[at]
		for t := of.First; t < of.End && st.jobs[of.job].role == later && !st.stopped(); t++ {
			end = st.firstFinish(t, end)
		}
	}
	for k := range st.jobs {
		if j := &st.jobs[k]; j.role == later && j.by < end {
			return fmt.Errorf("job %d is to finish by %d, but may need until %d", j.job, j.by, end)
		}
	}
	return st.ctx.Err()
}

// refute follows the steps of a refutation, the last of which is the empty clause.
func (st *state) refute(number int64) error {
	for {
		f, err := st.next()
		if err == nil && st.stopped() {
			err = st.ctx.Err()
		}
		if err != nil {
			return err
		}
		switch word := f.word(); string(word) {
		case "c":
			err = st.infer(f)
		case "n":
			err = st.derive(f)
		case "d":
			err = st.forget(f)
		case "m":
			err = st.readMultipliers(f)
		case "refuted":
			f.number(number, number)
			id := f.number(0, idLimit)
			if clause, ok := st.clauses[id]; !ok || len(clause) > 0 {
				f.fail("step %d is not the empty clause", id)
			}
			return f.end()
		default:
			err = fmt.Errorf("%.40q where a step is due", word)
		}
		if err != nil {
			return err
		}
	}
}
