package oracle

import (
	"slices"

	"downbeat/model"
)

// hopeless reports whether no continuation from now on, the first tick at
// which anything more can begin, keeps the hard deadlines and is better than
// the best plan found.
//
// It also ends every branch in which a slave has gone away with a task in its
// hands. That is not only a matter of speed: a state does not tell when its
// tasks were handed out, so such a branch must not stand for others in seen.
func (s *search) hopeless(st *state, now model.Time) bool {
	for i := range s.js.Tasks {
		switch t := &st.tasks[i]; t.phase {
		case held, fetching, fetched:
			finish := s.leastTaskFinish(st, model.TaskID(i), 0, now)
			if s.away(model.SlaveID(t.slave), s.js.Assigned(s.places[i]), finish) {
				return true
			}
		}
	}
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		s.finishes[i] = s.leastFinish(st, job, now)
		if !s.relaxed && job.Kind == model.Hard && s.finishes[i] > job.Release+job.Deadline {
			return true
		}
	}
	if s.best == nil {
		return false
	}
	for i, o := range s.goal {
		if v := value(s.js, o, s.finishes); v != s.values[i] {
			return v > s.values[i]
		}
	}
	return true
}

// leastFinish is a lower bound on the job's finish: stage after stage, each
// task as if it were alone on the cluster from now on.
func (s *search) leastFinish(st *state, job *model.Job, now model.Time) model.Time {
	ready := job.Release
	for _, stage := range job.Stages {
		end := ready
		for t := stage.First; t < stage.End; t++ {
			end = max(end, s.leastTaskFinish(st, t, ready, now))
		}
		ready = end
	}
	return ready
}

func (s *search) leastTaskFinish(st *state, t model.TaskID, ready, now model.Time) model.Time {
	task := &s.js.Tasks[t]
	slave := model.SlaveID(st.tasks[t].slave)
	switch st.tasks[t].phase {
	case done:
		return s.js.Finish(t, s.places[t])
	case running:
		return model.Time(st.tasks[t].until)
	case fetching:
		return model.Time(st.tasks[t].until) + task.WCET(slave)
	case fetched:
		return now + task.WCET(slave)
	case held:
		return now + task.Transfer(slave) + task.WCET(slave)
	}
	least := model.Never
	for slave := range model.SlaveID(len(s.js.Slaves)) {
		if task.Eligible(slave) {
			at := s.beatFrom(slave, max(ready, now))
			least = min(least, at+task.Transfer(slave)+task.WCET(slave))
		}
	}
	return least
}

// spent gives the objective values of the jobs that are done, makespan aside:
// as long as a task is left, it is in the future.
func (s *search) spent(st *state) (out [MaxGoal]int64) {
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		s.finishes[i] = 0
		all := true
		for t := job.First; t < job.End; t++ {
			all = all && st.tasks[t].phase == done
		}
		if !all {
			continue
		}
		for t := job.First; t < job.End; t++ {
			s.finishes[i] = max(s.finishes[i], s.js.Finish(t, s.places[t]))
		}
	}
	for i, o := range s.goal {
		if o != model.Makespan {
			out[i] = value(s.js, o, s.finishes)
		}
	}
	return out
}

// record keeps the current branch, complete now, if it is the best so far.
func (s *search) record() {
	finishes := make([]model.Time, len(s.js.Jobs))
	for t := range s.js.Tasks {
		j := s.js.Tasks[t].Job
		finishes[j] = max(finishes[j], s.js.Finish(model.TaskID(t), s.places[t]))
	}
	values := make([]int64, len(s.goal))
	for i, o := range s.goal {
		values[i] = value(s.js, o, finishes)
	}
	if s.best == nil || slices.Compare(values, s.values) < 0 {
		s.best, s.values = slices.Clone(s.places), values
	}
}
