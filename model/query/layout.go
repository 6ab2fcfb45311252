package query

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// Layout is what a question comes to before an engine makes any variable: what
// is settled whatever the plan, and where and when each task can run. NewLayout
// looks at jobs, PlaceTasks at tasks × slaves.
type Layout struct {
	// Question is as asked, but jobs that are late alone are Out.
	Question
	// Windows are those of the question as asked, before restrictions.
	Windows *window.Windows
	// Impossible is the first Must job that is late alone, or -1: there is no
	// such plan.
	Impossible model.JobID
	// Missed lists the jobs that are missed whatever the plan.
	Missed []model.JobID

	// Places are, by TaskID, the slaves on which the task can run in time,
	// ascending; none for tasks of jobs that are Out.
	Places [][]Place
	// Included lists the tasks of jobs that are not Out, ascending.
	Included []model.TaskID
	// BySlave lists the places on each slave, by ascending task.
	BySlave [][]Candidate
	// Supplies are those of each slave that its tasks may run short of (see Ample).
	Supplies [][]model.Supply
}

// Place is one task on one slave that it can run on in time.
type Place struct {
	Slave          model.SlaveID
	WCET, Transfer model.Time
	// R ≥ FirstFetch, which is a heartbeat's time or later, and S ≤ LastStart.
	FirstFetch, LastStart model.Time
	// Tied: R = S − C loses nothing here.
	Tied bool
}

// FirstStart is the earliest S.
func (p *Place) FirstStart() model.Time { return p.FirstFetch + p.Transfer }

// LastFetch is the latest R.
func (p *Place) LastFetch() model.Time { return p.LastStart - p.Transfer }

// LastFinish is the latest F.
func (p *Place) LastFinish() model.Time { return p.LastStart + p.WCET }

// Candidate points from a slave to a task that can run there.
type Candidate struct {
	Task  model.TaskID
	Index int // into Places of the task
}

// NewLayout finds windows and settles which jobs are out and which are missed.
func NewLayout(q Question) *Layout {
	may := make([]bool, len(q.Role))
	for i, role := range q.Role {
		may[i] = role == May
	}
	l := &Layout{Question: q, Windows: window.ComputeWithout(q.JS, q.Due(), may), Impossible: -1}
	l.Role = slices.Clone(q.Role)
	for i := range l.JS.Jobs {
		l.settle(model.JobID(i))
	}
	return l
}

// settle leaves out a job that is late alone, and counts one that is missed
// whatever the plan.
func (l *Layout) settle(i model.JobID) {
	job := &l.JS.Jobs[i]
	switch late := l.Windows.IsLate(i); {
	case l.Role[i] == Must && late:
		if l.Impossible < 0 {
			l.Impossible = i
		}
		l.Role[i] = Out
	case l.Role[i] == May && late:
		l.Role[i] = Out
		l.Missed = append(l.Missed, i)
	case l.Role[i] == Must && l.Windows.CriticalPath[i] > job.Due():
		l.Missed = append(l.Missed, i)
	}
}

// Before lists the stages that a stage waits for, of jobs that are not Out.
func (l *Layout) Before(st model.StageID) []model.StageID { return l.in(l.JS.Before(st)) }

// Next lists the stages that wait for a stage, of jobs that are not Out.
func (l *Layout) Next(st model.StageID) []model.StageID { return l.in(l.JS.Next(st)) }

func (l *Layout) in(stages []model.StageID) []model.StageID {
	return slices.DeleteFunc(slices.Clone(stages), func(st model.StageID) bool {
		_, i := l.JS.Stage(st)
		return l.Role[i] == Out
	})
}

// Missable lists the jobs that an objective looks at of which a plan decides whether they are
// missed; base is what those cost that are missed whatever the plan, where misses are counted.
func (l *Layout) Missable(of model.Shape) (jobs []model.JobID, base int64) {
	for _, i := range l.Missed {
		if job := &l.JS.Jobs[i]; of.Jobs.Has(job.Kind) {
			base += of.Weight(job)
		}
	}
	for i := range l.JS.Jobs {
		job := &l.JS.Jobs[i]
		canWait := l.Role[i] == Must && l.Cap[i] > job.Due() && l.Windows.CriticalPath[i] <= job.Due()
		if of.Jobs.Has(job.Kind) && (l.Role[i] == May || canWait) {
			jobs = append(jobs, model.JobID(i))
		}
	}
	return jobs, base
}

// Delay is a Must job the cost of which a plan decides: it finishes in [First, Last].
type Delay struct {
	Job         model.JobID
	First, Last model.Time
}

// Delayable lists the Must jobs that an objective looks at of which the cost can vary, where it
// grows with finishes; base is what no plan avoids.
func (l *Layout) Delayable(of model.Shape) (delays []Delay, base int64) {
	for i := range l.JS.Jobs {
		job := &l.JS.Jobs[i]
		if !of.Jobs.Has(job.Kind) || l.Role[i] != Must {
			continue
		}
		from := of.From(job)
		first := max(from, l.Windows.CriticalPath[i])
		base += of.Weight(job) * int64(first-from)
		if first < l.Cap[i] {
			delays = append(delays, Delay{model.JobID(i), first, l.Cap[i]})
		}
	}
	return delays, base
}

// PlaceTasks fills in what there is by task and slave.
func (l *Layout) PlaceTasks() {
	l.listSupplies()
	l.Places = make([][]Place, len(l.JS.Tasks))
	l.BySlave = make([][]Candidate, len(l.JS.Slaves))
	for i := range l.JS.Jobs {
		job := &l.JS.Jobs[i]
		if l.Role[i] == Out {
			continue
		}
		for t := job.First; t < job.End; t++ {
			l.Included = append(l.Included, t)
			l.place(t)
		}
	}
}

func (l *Layout) place(t model.TaskID) {
	task := &l.JS.Tasks[t]
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		wcet := task.WCET(s)
		if wcet == 0 || !l.Windows.Possible(t, s) {
			continue
		}
		span := l.Narrow(t, s, l.Windows.Span(t, s))
		if span == window.None {
			continue
		}
		l.BySlave[s] = append(l.BySlave[s], Candidate{t, len(l.Places[t])})
		l.Places[t] = append(l.Places[t], Place{
			Slave: s, WCET: wcet, Transfer: task.Transfer(s),
			FirstFetch: span.FirstFetch, LastStart: span.LastStart,
			Tied: l.tied(t, s),
		})
	}
}

// listSupplies lists what tasks may run short of.
func (l *Layout) listSupplies() {
	l.Supplies = make([][]model.Supply, len(l.JS.Slaves))
	for s := range l.Supplies {
		for _, supply := range l.JS.Supplies(model.SlaveID(s)) {
			if !l.ample(model.SlaveID(s), supply) {
				l.Supplies[s] = append(l.Supplies[s], supply)
			}
		}
	}
}

// ample reports whether tasks never run short of what they hold while they run
// on slave s, since the slots do not let so many of them be there.
func (l *Layout) ample(s model.SlaveID, supply model.Supply) bool {
	if supply.Hold != model.HoldRun || len(l.JS.Slaves[s].Reservations) > 0 {
		return false
	}
	most := int64(0)
	for t := range l.JS.Tasks {
		most = max(most, l.JS.Need(&l.JS.Tasks[t], s, supply.Resource))
	}
	for i := range l.Fixed {
		if f := &l.Fixed[i]; f.Slave == s {
			most = max(most, l.JS.Need(f.Task, s, supply.Resource))
		}
	}
	return int64(l.JS.Slaves[s].TotalSlots())*most <= supply.Units
}

// tied reports whether R = S − C loses nothing for a task on slave s: if any plan
// with the same finishes exists, one that obeys the rule exists. Where nothing is
// held for the fetch alone, R can be raised. Where nothing that is held to run is
// ever short, a task does not wait once its input is there, so S can be lowered;
// but not with fifo, where starts keep the order of heartbeats, nor in a gang, where tasks
// wait for each other.
func (l *Layout) tied(t model.TaskID, s model.SlaveID) bool {
	task := &l.JS.Tasks[t]
	_, gang := l.JS.GangOf(t)
	waits, fetches := l.JS.FIFO || gang, false
	for _, supply := range l.Supplies[s] {
		waits = waits || supply.Hold == model.HoldRun
		fetches = fetches || supply.Hold == model.HoldFetch && l.JS.Need(task, s, supply.Resource) > 0
	}
	return !fetches || !waits
}
