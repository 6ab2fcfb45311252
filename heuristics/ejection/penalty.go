package ejection

import (
	"slices"

	"downbeat/model"
)

const (
	// strictWeight is by how much a tick that no plan may have counts more than one
	// that costs.
	strictWeight = 64
	// delayWeight is what the lateness of a job counts, beside that of its tasks, where
	// weighted tardiness is the aim.
	delayWeight = 8
	// leastDensity, meanDensity and mostDensity are what a tick after the caps counts where
	// late jobs are ejected.
	leastDensity, meanDensity, mostDensity = 4, 16, 64
	// mostExcess is how many times its length a task is after its cap at most: one that is
	// hours late is no worse than one that has no place at all, and what counts is how much work
	// that is.
	mostExcess = 2
)

// limit sets the caps of all stages, by the finishes of the plan at the base, and counts
// anew what is after them.
func (s *Search) limit(finishes []model.Time) {
	var values []int64
	for _, o := range s.goal {
		values = append(values, s.js.ListValue(o, finishes))
	}
	if s.aim.Max {
		values[len(values)-1] -= max(1, s.value>>s.fine)
	}
	heaviest := int64(1)
	for i := range s.js.Jobs {
		heaviest = max(heaviest, s.js.Jobs[i].Weight)
	}
	worth := s.worth()
	for i := range s.js.Jobs {
		by := s.capOf(model.JobID(i), finishes, values)
		j := &s.jobs[i]
		j.strict, j.weight, j.by = true, 1, by
		switch job := &s.js.Jobs[i]; {
		case s.pooled():
			j.weight = s.density(model.JobID(i), worth)
		case s.sums:
			j.weight = strictWeight * heaviest
			if s.aim.Jobs.Has(job.Kind) && by > job.Due() {
				by, j.strict, j.weight = job.Due(), false, s.aim.Weight(job)
			}
		}
		s.capStages(model.JobID(i), by)
	}
	if s.linked {
		for _, i := range slices.Backward(s.js.JobOrder()) {
			for st := s.fig.Base[i+1] - 1; st >= s.fig.Base[i]; st-- {
				s.caps[st] = s.linkedCap(st)
			}
		}
	}
	s.count()
}

// worth is the price of all jobs that may be in the pool over their work.
func (s *Search) worth() float64 {
	price, work := int64(0), model.Time(0)
	for i := range s.js.Jobs {
		if s.counts(&s.js.Jobs[i]) {
			price, work = price+s.price(model.JobID(i)), work+s.fig.Jobs[i].Work
		}
	}
	return float64(price) / float64(max(1, work))
}

// density is what a tick after the caps counts of a job where late jobs are ejected: its
// price over its work, as lateness is to gather in what costs least to let go.
func (s *Search) density(i model.JobID, worth float64) int64 {
	switch {
	case s.linked: // what it is on the board for may change
		return meanDensity
	case !s.counts(&s.js.Jobs[i]):
		return strictWeight * meanDensity
	}
	own := float64(s.price(i)) / float64(max(1, s.fig.Jobs[i].Work))
	return int64(max(leastDensity, min(mostDensity, meanDensity*own/worth)))
}

// capOf is by when a job has to finish, for the objectives to have these values at most;
// Never if it does not matter.
func (s *Search) capOf(i model.JobID, finishes []model.Time, values []int64) model.Time {
	job := &s.js.Jobs[i]
	by, late := model.Never, job.Late(finishes[i]) > 0
	if job.Kind == model.Hard && (!late || s.counts(job)) {
		by = job.Due()
	}
	for k, o := range s.goal {
		switch shape := o.Shape(); {
		case !shape.Jobs.Has(job.Kind):
		case shape.Counts() && (!late || s.counts(job)):
			by = min(by, job.Due())
		case shape.Max:
			by = min(by, shape.Latest(job, values[k]))
		}
	}
	return by
}

// capStages sets the caps of the stages of a job that is to finish by a time.
func (s *Search) capStages(i model.JobID, by model.Time) {
	job := &s.js.Jobs[i]
	for st := s.fig.Base[i]; st < s.fig.Base[i+1]; st++ {
		figures := &s.fig.Stages[st]
		switch {
		case by == model.Never || figures.Tail == 0:
			s.caps[st] = by
		case job.Kind == model.BestEffort:
			s.caps[st] = by - figures.Tail
		case by == job.Due():
			s.caps[st] = figures.Due
		default: // heartbeats may fall otherwise there
			s.caps[st] = figures.Due + by - job.Due() + s.js.Heartbeat - 1
		}
	}
}

// count works out anew what is after the caps.
func (s *Search) count() {
	s.penalty, s.broken, s.delay, s.late = 0, 0, 0, s.late[:0]
	for i := range s.jobs {
		s.jobs[i].lateness, s.jobs[i].at, s.jobs[i].delay = 0, -1, 0
	}
	for t := range s.js.Tasks {
		if s.board.Place[t].Slave != model.NoSlave {
			s.charge(model.TaskID(t), 1)
		}
	}
	for i := range s.jobs {
		s.recount(model.JobID(i))
	}
}

// charge adds the ticks by which a placed task finishes after its cap, up to a limit,
// times sign.
func (s *Search) charge(t model.TaskID, sign int64) {
	after := s.js.Finish(t, s.board.Place[t]) - s.caps[s.board.StageOf(t)]
	if after <= 0 {
		return
	}
	if !s.sums {
		after = min(after, mostExcess*s.fig.Best(t).Length())
	}
	i := s.js.Tasks[t].Job
	j := &s.jobs[i]
	j.lateness += model.Time(sign) * after
	weighted := sign * j.weight * int64(after)
	s.penalty += weighted
	if j.strict {
		s.broken += weighted
	}
	switch {
	case j.lateness > 0 && j.at < 0:
		j.at = len(s.late)
		s.late = append(s.late, i)
	case j.lateness == 0:
		last := s.late[len(s.late)-1]
		s.late[j.at], s.jobs[last].at = last, j.at
		s.late, j.at = s.late[:len(s.late)-1], -1
	}
}

// put places a task as given.
func (s *Search) put(t model.TaskID, p model.Placement) {
	s.board.Put(t, p)
	s.added(t)
}

// added counts a task in that was placed.
func (s *Search) added(t model.TaskID) {
	s.lanes.add(t)
	s.charge(t, 1)
}

// remove takes a placed task off the board.
func (s *Search) remove(t model.TaskID) {
	s.lanes.remove(t)
	s.charge(t, -1)
	s.board.Take(t)
}

// back puts all tasks of a trail where they were.
func (s *Search) back(tr *trail) {
	for _, t := range tr.tasks {
		if s.board.Place[t].Slave != model.NoSlave {
			s.remove(t)
		}
	}
	for _, t := range tr.tasks {
		if tr.was[t].Slave != model.NoSlave {
			s.put(t, tr.was[t])
		}
	}
	s.restage(tr)
	tr.forget()
}

// restage works out anew what depends on the finishes of the tasks of a trail.
func (s *Search) restage(tr *trail) {
	stages := s.step.stages[:0]
	for _, t := range tr.tasks {
		stages = append(stages, s.board.StageOf(t))
	}
	slices.Sort(stages)
	stages = slices.Compact(stages)
	for _, st := range stages {
		s.board.Restage(st)
		s.recount(s.fig.Stages[st].Ref.Job)
	}
	s.step.stages = stages
}

// recount counts a job's part of the weighted tardiness anew.
func (s *Search) recount(i model.JobID) {
	job := &s.js.Jobs[i]
	if s.sums && s.aim.Jobs.Has(job.Kind) {
		delay := s.aim.Cost(job, s.board.JobFinish(i))
		s.delay += delay - s.jobs[i].delay
		s.jobs[i].delay = delay
	}
}

// cost is what a step is judged by.
func (s *Search) cost() int64 { return s.penalty + delayWeight*s.delay }

// finishes are those of the jobs on the board.
func (s *Search) finishes() []model.Time {
	finishes := make([]model.Time, len(s.jobs))
	for i := range finishes {
		finishes[i] = s.board.JobFinish(model.JobID(i))
	}
	return finishes
}
