package setups

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Problem is a number of jobs, to be set up one at a time on machines that are alike.
type Problem struct {
	// from is when all jobs are released, beat the slave's first heartbeat.
	from, beat model.Time
	machines   int
	// jobs, the longest first.
	jobs []job
	// shortest lists jobs by their set-ups, the shortest first.
	shortest []int
	// tasks is the number of tasks of the job set.
	tasks int
}

// job is set up for some ticks, and runs for some.
type job struct {
	task       model.TaskID
	setup, run ticks
}

// mostMachines bounds the machines, mostJobs the jobs.
const (
	mostMachines = 16
	mostJobs     = 1000
	// mostTicks bounds what all jobs take one after the other.
	mostTicks = 1 << 30
)

// New reads a job set as such a problem. ok is false where it is none, or too large.
func New(js *model.JobSet) (p *Problem, ok bool) {
	n := len(js.Jobs)
	if len(js.Slaves) != 1 || js.Fetch == model.FetchConcurrent || js.Heartbeat != 1 || n == 0 || n > mostJobs ||
		js.FIFO || js.JobsLinked() || js.Coupled() {
		return nil, false
	}
	slave := &js.Slaves[0]
	release := js.Jobs[0].Release
	if slave.SplitSlots || slave.Cores < slave.Slots || slave.Slots > mostMachines || len(slave.Down) > 0 || len(slave.Reservations) > 0 || slave.FirstBeat > release {
		return nil, false
	}
	p = &Problem{from: release, beat: slave.FirstBeat, machines: slave.Slots, tasks: len(js.Tasks)}
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard || js.Jobs[i].Release != release || js.Jobs[i].End != js.Jobs[i].First+1 || !p.add(js, js.Jobs[i].First) {
			return nil, false
		}
	}
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Or(cmp.Compare(b.run, a.run), cmp.Compare(a.setup, b.setup)) })
	for k := range p.jobs {
		p.shortest = append(p.shortest, k)
	}
	slices.SortStableFunc(p.shortest, func(a, b int) int { return cmp.Compare(p.jobs[a].setup, p.jobs[b].setup) })
	return p, true
}

// add reports whether a task needs nothing but its input, a slot and a core. One without input would begin while the server is at
// another.
func (p *Problem) add(js *model.JobSet, t model.TaskID) bool {
	task := &js.Tasks[t]
	for r := model.FirstNamed; r < model.NumResources; r++ {
		if js.Need(task, 0, r) > 0 {
			return false
		}
	}
	setup, run := task.Transfer(0), task.WCET(0)
	p.jobs = append(p.jobs, job{t, ticks(setup), ticks(run)})
	return setup > 0 && run > 0 && task.Cores() == 1 && setup+run <= mostTicks/mostJobs
}

// Schedule sets jobs up in an order.
func (p *Problem) Schedule(order []int) model.Schedule {
	plan := model.NewSchedule(p.tasks)
	var at state
	for _, k := range order {
		j := &p.jobs[k]
		begin := p.from + model.Time(max(at.server, at.free[0]))
		plan[j.task] = model.Placement{Slave: 0, Beat: begin - p.beat, Fetch: begin, Start: begin + model.Time(j.setup)}
		at = at.then(j, p.machines)
	}
	return plan
}

// until are the ticks to a time, those of which nothing comes in.
func (p *Problem) until(t model.Time) ticks { return ticks(min(max(t-p.from, -1), mostTicks)) }

// Makespan is when the last job of an order ends.
func (p *Problem) Makespan(order []int) model.Time {
	var at state
	for _, k := range order {
		at = at.then(&p.jobs[k], p.machines)
	}
	return p.from + model.Time(at.free[p.machines-1])
}
