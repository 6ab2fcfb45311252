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

// checkAfter fails if a job comes after one that may be let go, or if the times of later
// jobs may do harm.
//
// Let T be no earlier than the times of all other jobs of the question, the releases and
// deadlines of those that are later, the end of all that is taken, and the times from which
// slaves are gone for good. In any plan, take the tasks of later jobs that finish after T. All
// that comes after one of them finishes after T and so is among them; each runs on a slave that
// stays. Lay them out anew from T on, in an order that stages and jobs allow, each where it
// finishes first if it has the cluster to itself, and begin none before the one before it has
// finished. That is a plan, and ends by T' as worked out here. Jobs that were in time have not
// moved, so as many are missed as before.
func (st *state) checkAfter() {
	end := st.js.SettledFrom()
	for k := range st.jobs {
		j := &st.jobs[k]
		for _, before := range st.js.Jobs[j.job].After {
			if b := st.local['J'][before]; b >= 0 && st.jobs[b].role == may {
				st.fail("job %d comes after job %d, which may be let go", j.job, before)
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
			if finish := st.firstFinish(t, end); finish < model.Never { // else it is over by T
				end = finish
			}
		}
	}
	for k := range st.jobs {
		if j := &st.jobs[k]; j.role == later && j.by < end {
			st.fail("job %d is to finish by %d, but may need until %d", j.job, j.by, end)
		}
	}
}
