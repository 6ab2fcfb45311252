package inference

import (
	"slices"

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

// limits are those of a question, by Objective, or what belongs to them.
type limits [model.NumObjectives]int64

// noLimit stands for a limit that is not asked for.
const noLimit = largest

var (
	roleWords = [...]string{must: "must", may: "may", later: "later"}
	limited   = model.Limited()
	unlimited = limits(slices.Repeat([]int64{noLimit}, model.NumObjectives))
)

// limitOf is what a word limits.
func limitOf(word string) (o model.Objective, is bool) {
	k := slices.IndexFunc(limited, func(o model.Objective) bool { return o.InProofs() == word })
	return limited[max(0, k)], k >= 0
}

// asked is what a question asks of a job.
type asked struct {
	job  model.JobID
	role role
	by   model.Time
}

// question asks for a plan of some jobs, ascending, within limits.
type question struct {
	jobs   []asked
	limits limits
}

// question reads a question and its refutation.
func (c *checker) question() {
	number := int64(len(c.refuted)) + 1
	c.number(number, number)
	q, st := &question{limits: unlimited}, (*state)(nil)
	for c.next() && !c.stopped() {
		word := string(c.word())
		if st == nil && c.ask(q, word) {
			continue
		}
		if st == nil {
			st = c.newState(q)
			st.checkAfter()
			st.root()
			if c.observer != nil && c.err == nil {
				c.observer.Question(int(number), &View{st})
			}
		}
		if st.follow(word, number) {
			c.refuted = append(c.refuted, q)
			c.verdict.Questions++
			return
		}
	}
}

// ask reads what is asked of a job, or a limit; false if the line is about neither.
func (c *checker) ask(q *question, word string) bool {
	if o, is := limitOf(word); is {
		if q.limits[o] != noLimit {
			c.fail("a second limit on %s", word)
		}
		q.limits[o] = c.number(0, idLimit)
		return true
	}
	r := slices.Index(roleWords[:], word)
	if r < 0 {
		return false
	}
	least := model.JobID(0)
	if n := len(q.jobs); n > 0 {
		least = q.jobs[n-1].job + 1
	}
	if q.limits != unlimited {
		c.fail("a job after limits")
	}
	i := model.JobID(c.number(int64(least), int64(len(c.js.Jobs))-1))
	q.jobs = append(q.jobs, asked{i, role(r), model.Time(c.number(0, latest))})
	return true
}
