package ejection

import (
	"slices"

	"downbeat/model"
)

// ask counts a job in for itself, and lists those that come to the board by that, each behind those that
// it comes after.
func (s *Search) ask(i model.JobID) []model.JobID { return s.askFor(i, nil) }

func (s *Search) askFor(i model.JobID, entering []model.JobID) []model.JobID {
	if s.jobs[i].uses++; s.jobs[i].uses > 1 {
		return entering
	}
	for _, before := range s.js.Jobs[i].After {
		entering = s.askFor(before, entering)
	}
	return append(entering, i)
}

// drop undoes ask, and lists the jobs that leave the board by that, each before those that it comes after.
func (s *Search) drop(i model.JobID) []model.JobID { return s.dropFor(i, nil) }

func (s *Search) dropFor(i model.JobID, leaving []model.JobID) []model.JobID {
	if s.jobs[i].uses--; s.jobs[i].uses > 0 {
		return leaving
	}
	leaving = append(leaving, i)
	for _, before := range s.js.Jobs[i].After {
		leaving = s.dropFor(before, leaving)
	}
	return leaving
}

// missing is the work that a job of the pool takes, with that of jobs that come to the board for it.
func (s *Search) missing(i model.JobID) model.Time {
	if !s.linked {
		return s.fig.Jobs[i].Work
	}
	defer s.drop(i)
	return max(s.fig.Jobs[i].Work, s.workOf(s.ask(i)))
}

// freed is the work that leaves the board with a job.
func (s *Search) freed(i model.JobID) model.Time {
	if !s.linked {
		return s.fig.Jobs[i].Work
	}
	defer s.ask(i)
	return s.workOf(s.drop(i))
}

func (s *Search) workOf(jobs []model.JobID) (work model.Time) {
	for _, i := range jobs {
		work += s.fig.Jobs[i].Work
	}
	return work
}

// culprit is the job to eject for one that is late: itself or, if it is needed by then for another that comes
// after it, that one.
func (s *Search) culprit(i model.JobID) model.JobID {
	for s.linked {
		next := model.JobID(-1)
		for _, k := range s.fig.Jobs[i].Next {
			if !s.out(k) && (next < 0 || s.caps[s.fig.Base[k]] < s.caps[s.fig.Base[next]]) {
				next = k
			}
		}
		if next < 0 || !s.jobs[i].pooled && s.jobs[i].by <= s.caps[s.fig.Base[next]] {
			break
		}
		i = next
	}
	return i
}

// culprits are those for all jobs that are late.
func (s *Search) culprits() []model.JobID {
	if !s.linked {
		return s.late
	}
	var out []model.JobID
	for _, i := range s.late {
		if i = s.culprit(i); !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// capBefore sets the caps of a job, and of those that it comes after, anew, by what they are on the board
// for, and counts what is after these.
func (s *Search) capBefore(i model.JobID) {
	if !s.linked {
		return
	}
	jobs, listed := []model.JobID{i}, map[model.JobID]bool{i: true}
	for k := 0; k < len(jobs); k++ {
		for _, before := range s.js.Jobs[jobs[k]].After {
			if !listed[before] {
				listed[before] = true
				jobs = append(jobs, before)
			}
		}
	}
	s.fig.SortJobs(jobs)
	for _, k := range slices.Backward(jobs) {
		for st := s.fig.Base[k+1] - 1; st >= s.fig.Base[k]; st-- {
			s.recap(st)
		}
	}
}

// recap sets the cap of a stage anew, when those of the stages that wait for it are set.
func (s *Search) recap(stage int32) {
	by := s.linkedCap(stage)
	if by == s.caps[stage] {
		return
	}
	for _, sign := range [...]int64{-1, 1} {
		for _, t := range s.fig.Stages[stage].Tasks {
			if s.board.Place[t].Slave != model.NoSlave {
				s.charge(t, sign)
			}
		}
		s.caps[stage] = by
	}
}

// linkedCap is by when a stage has to finish for its job, and those after it that are on the board.
func (s *Search) linkedCap(stage int32) model.Time {
	by := model.Never
	if j := &s.jobs[s.fig.Stages[stage].Ref.Job]; !j.pooled {
		by = j.by
	}
	for next := range s.fig.After(stage) {
		if s.caps[next] < model.Never && !s.out(s.fig.Stages[next].Ref.Job) {
			by = min(by, s.fig.HandedBy(next, s.caps[next], s.presences))
		}
	}
	return by
}
