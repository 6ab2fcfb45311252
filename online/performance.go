// Performance has the figures of online runs by which schedulers are compared.

package online

import (
	"downbeat/model"
)

// Measures are the figures of one run. In JSON they have the names that a bench knows them by.
type Measures struct {
	// Jobs of the set, those accepted, and of these the Successful: finished
	// by their deadline, or at all if they have none.
	Jobs       int `json:"jobs"`
	Accepted   int `json:"accepted"`
	Successful int `json:"successful"`
	// AcceptRatio is Accepted over Jobs and SuccessRatio Successful over
	// Accepted, 1 of nothing (RTMR §V).
	AcceptRatio  float64 `json:"accept-ratio"`
	SuccessRatio float64 `json:"success-ratio"`
	// Utilization is the slot time that successful jobs held, over the slot
	// time that was there from the first release to the last finish, declared
	// absences aside (RTMR §V). TotalUtilization counts all jobs, as the paper
	// does for FIFO.
	Utilization      float64 `json:"utilisation"`
	TotalUtilization float64 `json:"total-utilisation"`
	// CoreUtilization is the core time that tasks of accepted jobs ran, each on all the
	// cores that it needs, over the core time that was there in that span.
	// ResourceUtilization has, by index of JobSet.Named, the same of the unit time that
	// they held. Attempts that were lost count in none of these.
	CoreUtilization     float64   `json:"core-utilisation"`
	ResourceUtilization []float64 `json:"resource-utilisation,omitempty"`
	// HardMisses counts accepted hard jobs that were late, RejectedHard hard
	// jobs that were turned away.
	HardMisses   int64 `json:"hard-misses"`
	RejectedHard int64 `json:"rejected-hard"`
	// Misses, MaxTardiness, WeightedTardiness and Makespan are the objectives
	// of the job set over the accepted jobs, in the units of model.Objective.
	Misses            int64 `json:"misses"`
	MaxTardiness      int64 `json:"tardiness"`
	WeightedTardiness int64 `json:"weighted-tardiness"`
	Makespan          int64 `json:"makespan"`
	// Penalty is Σ ω (y − y_ref)/y_ref over late jobs, y the time from release
	// to finish and y_ref the relative deadline (RDS §III).
	Penalty float64 `json:"penalty"`
	// Locality is the share of tasks that ran on a slave with the least
	// transfer time, among those tasks for which slaves differ; 1 if none does.
	Locality float64 `json:"locality"`
	// MeanResponse is the mean time from release to finish of jobs that finished.
	MeanResponse float64 `json:"mean-response"`
}

// Value is the figure that an objective of a job set is.
func (m *Measures) Value(o model.Objective) int64 {
	switch o {
	case model.Misses:
		return m.Misses
	case model.Tardiness:
		return m.MaxTardiness
	case model.WeightedTardiness:
		return m.WeightedTardiness
	case model.Makespan:
		return m.Makespan
	}
	panic("no figure of a run: " + o.String())
}

// Measure computes the figures of a run.
func Measure(o *Outcome) Measures {
	js := o.JobSet
	m := Measures{
		Jobs: len(js.Jobs), HardMisses: o.Value(model.HardMisses),
		Misses: o.Value(model.Misses), MaxTardiness: o.Value(model.Tardiness),
		WeightedTardiness: o.Value(model.WeightedTardiness), Makespan: o.Value(model.Makespan),
	}
	var held, useful float64
	span, finished := model.Interval{Start: model.Never}, 0
	for i := range js.Jobs {
		job, finish := &js.Jobs[i], o.Finishes[i]
		span.Start = min(span.Start, job.Release)
		leftOut := o.IsLeftOut(model.JobID(i))
		if finish == model.Never && !leftOut {
			if job.Kind == model.Hard {
				m.RejectedHard++
			}
			continue
		}
		m.Accepted++
		if leftOut {
			continue
		}
		finished++
		span.End = max(span.End, finish)
		m.MeanResponse += float64(finish - job.Release)
		time := slotTime(o, job)
		held += time
		if late := job.Late(finish); late > 0 {
			m.Penalty += float64(job.Weight) * float64(late) / float64(job.Deadline)
		} else {
			m.Successful++
			useful += time
		}
	}
	m.AcceptRatio = share(float64(m.Accepted), float64(m.Jobs))
	m.SuccessRatio = share(float64(m.Successful), float64(m.Accepted))
	m.MeanResponse /= float64(max(1, finished))
	if there := slotTimeThere(js, span); there > 0 {
		m.Utilization, m.TotalUtilization = useful/there, held/there
	}
	m.CoreUtilization = use(o, model.Cores, span)
	for i := range js.Named {
		m.ResourceUtilization = append(m.ResourceUtilization, use(o, model.FirstNamed+model.ResourceID(i), span))
	}
	m.Locality = locality(o)
	return m
}

// share is part over whole, 1 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

// slotTime is how long the tasks of a job held slots.
func slotTime(o *Outcome, job *model.Job) float64 {
	sum := model.Time(0)
	for t := job.First; t < job.End; t++ {
		sum += o.Ends[t] - o.JobSet.Assigned(o.Schedule[t])
	}
	return float64(sum)
}

// slotTimeThere is slots times ticks within span, absences aside.
func slotTimeThere(js *model.JobSet, span model.Interval) float64 {
	sum := 0.0
	for i := range js.Slaves {
		s := &js.Slaves[i]
		sum += float64(timeThere(s, span)) * float64(s.TotalSlots())
	}
	return sum
}

// timeThere is how long a slave was there within span, as far as is declared.
func timeThere(s *model.Slave, span model.Interval) model.Time {
	there := span.Len()
	for _, d := range s.Down {
		there -= d.Intersect(span).Len()
	}
	return there
}

// use is the unit time of a resource that tasks held, over that which was there; 0 if
// there was none.
func use(o *Outcome, r model.ResourceID, span model.Interval) float64 {
	js, held, there := o.JobSet, 0.0, 0.0
	for t, place := range o.Schedule {
		if place.Slave == model.NoSlave {
			continue
		}
		begin := place.Start
		if r.Hold() == model.HoldStay {
			begin = js.Assigned(place)
		}
		held += float64(js.Need(&js.Tasks[t], place.Slave, r)) * float64(o.Ends[t]-begin)
	}
	for s := range js.Slaves {
		for _, u := range js.Supplies(model.SlaveID(s)) {
			if u.Resource == r {
				there += float64(u.Units) * float64(timeThere(&js.Slaves[s], span))
			}
		}
	}
	if there <= 0 {
		return 0
	}
	return held / there
}

// locality is Measures.Locality of a run.
func locality(o *Outcome) float64 {
	type places map[model.SlaveID]bool
	near := map[*model.Profile]places{}
	local, all := 0, 0
	for t := range o.JobSet.Tasks {
		place := o.Schedule[t].Slave
		if place == model.NoSlave {
			continue
		}
		p := o.JobSet.Tasks[t].Profile
		at, ok := near[p]
		if !ok {
			at = places{}
			for _, s := range p.Nearest() {
				at[s] = true
			}
			near[p] = at
		}
		if len(at) == 0 {
			continue
		}
		all++
		if at[place] {
			local++
		}
	}
	return share(float64(local), float64(all))
}
