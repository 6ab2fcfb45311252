package sequence

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// Problem is the order of jobs on one slave. Every two of them exclude each other there, and each starts at
// the end of the one before it, or when it is there.
type Problem struct {
	Slave model.SlaveID
	Jobs  []Job
	// first is when the first job is there, latest when all are, and length what all take.
	first, latest, length model.Time
}

// Job is one of a problem, of one task.
type Job struct {
	ID   model.JobID
	Task model.TaskID
	// First is when it can begin at the earliest, Last at the latest. It ends Run later, and the next one can begin Length
	// later.
	First, Last, Run, Length model.Time
	// Weight is the price of a tick after Due.
	Weight int64
	Due    model.Time
}

// New is the problem that a question comes to; nil if it is another one. There is no more to decide than an
// order where no jobs may be let go and all take turns on one slave that is always there: one stays there at a time, and begins
// at a heartbeat, or nothing is fetched, and tasks can be handed out before they start, or are at every tick.
func New(q query.Question) *Problem {
	js := q.JS
	if len(q.Fixed) > 0 || len(q.Restrict) > 0 {
		return nil
	}
	for _, l := range q.Limits {
		if l.Objective != model.WeightedTardiness {
			return nil
		}
	}
	l := query.NewLayout(q)
	if l.Impossible >= 0 {
		return nil
	}
	l.PlaceTasks()
	p, shape, fetch := &Problem{Slave: model.NoSlave}, model.WeightedTardiness.Shape(), false
	for i := range js.Jobs {
		if q.Role[i] == query.Out {
			continue
		}
		spec := &js.Jobs[i]
		if q.Role[i] != query.Must || q.IsLater(model.JobID(i)) || !alone(js, spec) || len(l.Places[spec.First]) != 1 {
			return nil
		}
		at := &l.Places[spec.First][0]
		if p.Slave != model.NoSlave && at.Slave != p.Slave {
			return nil
		}
		p.Slave = at.Slave
		fetch = fetch || at.Transfer > 0
		run := at.Transfer + at.WCET
		job := Job{ID: model.JobID(i), Task: spec.First, First: at.FirstFetch, Last: at.LastFetch(), Run: run, Length: run}
		if shape.Jobs.Has(spec.Kind) {
			job.Weight, job.Due = shape.Weight(spec), shape.From(spec)
		}
		p.Jobs = append(p.Jobs, job)
	}
	switch {
	case len(p.Jobs) == 0 || len(js.Slaves[p.Slave].Down) > 0 || len(js.Slaves[p.Slave].Reservations) > 0:
		return nil
	case p.inTurn(js, model.HoldStay):
		for k := range p.Jobs {
			p.Jobs[k].Length = (p.Jobs[k].Run + js.Heartbeat - 1) / js.Heartbeat * js.Heartbeat
		}
	case fetch || !p.inTurn(js, model.HoldRun) || js.Heartbeat > 1 && !p.roomForAll(js):
		return nil
	}
	p.measure()
	starts := int64(0)
	for k := range p.Jobs {
		if p.most(k) > mostPrice || p.end()-p.first > mostStarts {
			return nil
		}
		starts += int64(min(p.Jobs[k].Last, p.end()-p.Jobs[k].Length) - p.Jobs[k].First)
	}
	if starts > mostStarts {
		return nil
	}
	return p
}

// mostPrice bounds what a job pays, mostStarts the starts of all jobs.
const mostPrice, mostStarts = 1 << 31, 1 << 20

// most is what a job pays at most.
func (p *Problem) most(k int) int64 {
	job := &p.Jobs[k]
	return job.cost(min(p.end(), job.Last+job.Run))
}

func (p *Problem) measure() {
	p.first = p.Jobs[0].First
	for k := range p.Jobs {
		job := &p.Jobs[k]
		p.first, p.latest, p.length = min(p.first, job.First), max(p.latest, job.First), p.length+job.Length
	}
}

// alone reports whether a job has one task, which waits for no other, and takes nothing that others
// take on other slaves.
func alone(js *model.JobSet, job *model.Job) bool {
	if job.End != job.First+1 || len(job.After) > 0 || len(js.Takes(job.First)) > 0 {
		return false
	}
	_, gang := js.GangOf(job.First)
	return !gang
}

// inTurn reports whether of something that is held in a way every two tasks need more than the slave has.
func (p *Problem) inTurn(js *model.JobSet, hold model.Hold) bool {
	return len(p.Jobs) == 1 || slices.ContainsFunc(js.Supplies(p.Slave), func(has model.Supply) bool {
		needs := p.needs(js, has.Resource)
		return has.Hold == hold && needs[0]+needs[1] > has.Units
	})
}

// roomForAll reports whether all tasks may stay on the slave at a time.
func (p *Problem) roomForAll(js *model.JobSet) bool {
	return !slices.ContainsFunc(js.Supplies(p.Slave), func(has model.Supply) bool {
		sum := int64(0)
		for _, need := range p.needs(js, has.Resource) {
			sum += need
		}
		return has.Hold == model.HoldStay && sum > has.Units
	})
}

// needs are what the tasks need of a resource, ascending.
func (p *Problem) needs(js *model.JobSet, of model.ResourceID) []int64 {
	needs := make([]int64, len(p.Jobs))
	for k := range p.Jobs {
		needs[k] = js.Need(&js.Tasks[p.Jobs[k].Task], p.Slave, of)
	}
	slices.Sort(needs)
	return needs
}

// end is the last time at which a walk may end: there is no idle time once all jobs are there.
func (p *Problem) end() model.Time { return p.latest + p.length }

// cost is what a job pays that ends at a time, costFrom that begins at one.
func (j *Job) cost(end model.Time) int64       { return j.Weight * int64(max(0, end-j.Due)) }
func (j *Job) costFrom(start model.Time) int64 { return j.cost(start + j.Run) }

// Schedule has the jobs one after the other in an order, and nothing else, in a schedule of js.
func (p *Problem) Schedule(js *model.JobSet, order []int) model.Schedule {
	plan, t := model.NewSchedule(len(js.Tasks)), p.first
	for _, k := range order {
		job := &p.Jobs[k]
		t = max(t, job.First)
		beat, _ := js.BeatAtOrBefore(p.Slave, t)
		plan[job.Task] = model.Placement{Slave: p.Slave, Beat: beat, Fetch: t, Start: t + js.Tasks[job.Task].Transfer(p.Slave)}
		t += job.Length
	}
	return plan
}

// Order is that of the jobs by when they start in a plan.
func (p *Problem) Order(plan model.Schedule) []int {
	order := make([]int, len(p.Jobs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(plan[p.Jobs[a].Task].Start - plan[p.Jobs[b].Task].Start) })
	return order
}
