package certificate

import (
	"errors"
	"fmt"
	"sort"

	"downbeat/model"
)

// latest bounds the times of a proof on both sides of 0.
const latest = 1 << 40

// role says what a question asks of a job.
type role uint8

const (
	must  role = iota // it finishes by its time
	may               // it does, or is let go
	later             // it is in for the sake of jobs after it; see checkLater
)

// The limits of a question.
const (
	misses = iota
	hardMisses
	weighted
	limits
)

// limitWords are the limits as written.
var limitWords = [limits]string{"misses", "hard-misses", "weighted"}

// noLimit stands for a limit that is not asked for.
const noLimit = -1

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

// asks is what a question asks of a job; nil if the job plays no part.
func (q *question) asks(i model.JobID) *asked {
	at := sort.Search(len(q.jobs), func(k int) bool { return q.jobs[k].job >= i })
	if at == len(q.jobs) || q.jobs[at].job != i {
		return nil
	}
	return &q.jobs[at]
}

// measured reports whether more is asked of the end of a job than to keep its time.
func (c *checker) measured(q *question, a *asked) bool {
	return q.limits != [limits]int64{noLimit, noLimit, noLimit} && a.by > c.due(a.job)
}

// question reads a question and its refutation.
func (c *checker) question(f *fields) error {
	number := f.number(1, latest)
	if err := f.end(); err != nil {
		return err
	}
	if number != int64(len(c.refuted))+1 {
		return fmt.Errorf("question %d where question %d is due", number, len(c.refuted)+1)
	}
	q, err := c.readQuestion()
	if err != nil {
		return err
	}
	if err := c.checkAfter(q); err != nil {
		return err
	}
	if err := c.refute(c.root(q)); err != nil {
		return err
	}
	c.refuted = append(c.refuted, q)
	c.verdict.Questions++
	return nil
}

// readQuestion reads what is asked, up to the first step.
func (c *checker) readQuestion() (*question, error) {
	q := &question{limits: [limits]int64{noLimit, noLimit, noLimit}}
	bounded := false
	for {
		f, err := c.lines.peek()
		if err != nil {
			return nil, err
		}
		switch word := string(f.word()); word {
		case "must", "may", "later":
			if bounded {
				f.fail("jobs come before limits")
			}
			c.readJob(q, f, map[string]role{"must": must, "may": may, "later": later}[word])
		case "misses", "hard-misses", "weighted":
			bounded = true
			readLimit(q, f, word)
		default:
			return q, nil
		}
		if _, err := c.lines.next(); err != nil {
			return nil, err
		}
		if err := f.end(); err != nil {
			return nil, err
		}
	}
}

func (c *checker) readJob(q *question, f *fields, role role) {
	i := model.JobID(f.number(0, int64(len(c.js.Jobs))-1))
	by := model.Time(f.number(0, latest))
	if n := len(q.jobs); n > 0 && q.jobs[n-1].job >= i {
		f.fail("jobs do not ascend")
	}
	q.jobs = append(q.jobs, asked{i, role, by})
}

func readLimit(q *question, f *fields, word string) {
	for k := range limits {
		if limitWords[k] != word {
			continue
		}
		if q.limits[k] != noLimit {
			f.fail("a second limit on %s", word)
		}
		q.limits[k] = f.number(0, 1<<60)
	}
}

// checkAfter fails if a job comes after one that may be let go.
func (c *checker) checkAfter(q *question) error {
	for _, a := range q.jobs {
		for _, before := range c.js.Jobs[a.job].After {
			if b := q.asks(before); b != nil && b.role == may {
				return fmt.Errorf("job %d comes after job %d, which may be let go", a.job, before)
			}
		}
	}
	return c.checkLater(q)
}

// checkLater sees to it that the times of jobs that are in for others alone do no harm.
//
// Let T be no earlier than the times of all other jobs of the question, the releases and
// deadlines of those that are later, and the end of all that is taken. In any plan, take
// the tasks of later jobs that finish after T. All that comes after one of them finishes
// after T and so is among them. Lay them out anew from T on, in an order that stages and
// jobs allow, each where it finishes first if it has the cluster to itself, and begin none
// before the one before it has finished. That is a plan, and ends by T' as worked out
// here. Jobs that were in time have not moved, so as many are missed as before.
func (c *checker) checkLater(q *question) error {
	from, some := model.Time(0), false
	for k := range q.jobs {
		a := &q.jobs[k]
		if a.role != later {
			from = max(from, a.by)
			continue
		}
		some = true
		from = max(from, c.js.Jobs[a.job].Release/c.tick)
		if due := c.due(a.job); due < model.Never {
			from = max(from, due)
		}
	}
	if !some {
		return nil
	}
	for s := range c.slaves {
		for _, k := range c.slaves[s].taken {
			from = max(from, k.End)
		}
	}
	end := c.layOut(q, from)
	for _, a := range q.jobs {
		if a.role == later && a.by < end {
			return fmt.Errorf("job %d is to finish by %d, but one that is later may need until %d", a.job, a.by, end)
		}
	}
	return c.ctx.Err()
}

// layOut is when the tasks of the later jobs have all finished, laid out one by one from
// a time on.
func (c *checker) layOut(q *question, end model.Time) model.Time {
	for _, st := range c.js.StageOrder() {
		stage, i := c.js.Stage(st)
		if a := q.asks(i); a == nil || a.role != later {
			continue
		}
		for t := stage.First; t < stage.End && !c.stopped(); t++ {
			end = c.firstFinish(t, end)
		}
	}
	return end
}

// firstFinish is when a task that is handed out at ready or later can finish.
func (c *checker) firstFinish(t model.TaskID, ready model.Time) model.Time {
	end := model.Never
	for s := range c.slaves {
		if run, fetch := c.lengths(t, model.SlaveID(s)); run > 0 {
			end = min(end, c.firstStay(&c.slaves[s], ready, fetch+run)+fetch+run)
		}
	}
	return end
}

// refute follows the steps of a refutation.
func (c *checker) refute(st *state) error {
	for {
		if err := c.ctx.Err(); c.stopped() || err != nil {
			return c.ctx.Err()
		}
		f, err := c.lines.next()
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
			return c.refutation(st, f)
		default:
			err = fmt.Errorf("%.40q where a step is due", word)
		}
		if err != nil {
			return err
		}
	}
}

// refutation reads which step refutes the question.
func (c *checker) refutation(st *state, f *fields) error {
	number := f.number(1, latest)
	id := f.number(0, idLimit)
	if err := f.end(); err != nil {
		return err
	}
	if number != int64(len(c.refuted))+1 {
		return fmt.Errorf("question %d is under way, not %d", len(c.refuted)+1, number)
	}
	if clause, ok := st.clauses[id]; !ok || len(clause) > 0 {
		return errors.New("that step is not the empty clause")
	}
	return nil
}
