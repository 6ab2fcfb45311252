package setups

import (
	"cmp"
	"math"
	"slices"

	"downbeat/model"
)

// Problem is a number of jobs, to be set up one at a time on machines that are alike.
type Problem struct {
	// server is the slave whose slots are the machines.
	server model.SlaveID
	// due is when all jobs are due.
	due model.Time
	// from is when jobs can be set up at the earliest, beat the slave's first heartbeat.
	from, beat model.Time
	machines   int
	// start is when server and machines are free of what was begun before.
	start state
	// jobs, the longest first.
	jobs []job
	// alike are sets of two and more of the first MostSearched jobs with the same times.
	alike []uint64
	// alikeBefore has for each of these the jobs of its set before it.
	alikeBefore [MostSearched]uint64
	// shortest lists jobs by their set-ups, the shortest first; places has where in it each one is.
	shortest, places []int
	// shortestOnes has for each number of them the set of so many, of problems of up to MostSearched jobs.
	shortestOnes []uint64
	// setupTimes are the set-ups of up to MostSearched jobs, the shortest first, and runTimes the runs, the longest first, each with room for a binary search
	// that looks past the last one.
	setupTimes, runTimes [2 * MostSearched]ticks
	// setups and work are what all jobs take of the server, and of machines.
	setups, work int
	// walks bound what is left, nil where they do not.
	walks *walks
	// beside are the places of tasks that are in nobody's way, of which the last ends at floor.
	beside model.Schedule
	floor  ticks
}

// job is set up for some ticks, and runs for some.
type job struct {
	task       model.TaskID
	setup, run ticks
}

// mostMachines bounds the machines, mostJobs the jobs, mostTasks them and what is beside.
const (
	mostMachines = 16
	mostJobs     = 1000
	mostTasks    = 2 * mostJobs
	// mostTicks bounds what all jobs take one after the other, once what runs before has ended.
	mostTicks = 1 << 30
)

// New reads a job set whose jobs finish by due (absolute, by JobID; others play no part, and have no place in schedules) as such a problem. ok is false where it
// is none, or too large, or jobs are not due together. Tasks that are confined to slaves on which all that may run there does so at once are no part of it, as those are that stand in for what was handed out before.
func New(js *model.JobSet, due []model.Time) (p *Problem, ok bool) {
	if len(js.Tasks) > mostTasks || js.Fetch == model.FetchConcurrent || js.Heartbeat != 1 || js.FIFO || js.JobsLinked() || js.Coupled() {
		return nil, false
	}
	p = &Problem{server: model.NoSlave, from: -1, beside: model.NewSchedule(len(js.Tasks)), due: model.Never}
	on := make([]int, len(js.Slaves)) // tasks
	for t := range js.Tasks {
		id, job := model.TaskID(t), js.Tasks[t].Job
		if due[job] == model.Never {
			continue
		}
		if p.due == model.Never {
			p.due = due[job]
		}
		s := onlySlave(js, id)
		if s == model.NoSlave || due[job] != p.due || len(js.Jobs[job].Stages) > 1 {
			return nil, false
		}
		if on[s]++; js.Tasks[t].Transfer(s) == 0 {
			p.addBeside(js, id, s)
		} else if !p.add(js, id, s) {
			return nil, false
		}
	}
	if len(p.jobs) == 0 || len(p.jobs) > mostJobs || !p.alone(js, on) || !p.begin(js) {
		return nil, false
	}
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Or(cmp.Compare(b.run, a.run), cmp.Compare(a.setup, b.setup)) })
	p.sum()
	p.walks = newWalks(p)
	return p, p.work+int(max(p.start.server, p.start.free[p.machines-1])) < mostTicks
}

// sameTimes lists sets of jobs that take the same times, which come one after the other.
func (p *Problem) sameTimes() (sets []uint64) {
	n := min(len(p.jobs), MostSearched)
	for from, to := 0, 0; from < n; from = to {
		for to = from + 1; to < n && p.jobs[to].setup == p.jobs[from].setup && p.jobs[to].run == p.jobs[from].run; {
			to++
		}
		if to > from+1 {
			sets = append(sets, firstJobs(to)&^firstJobs(from))
			for k := from + 1; k < to; k++ {
				p.alikeBefore[k] = firstJobs(k) &^ firstJobs(from)
			}
		}
	}
	return sets
}

// onlySlave is the slave to which a task is confined, where it needs nothing but its input, a slot and a core, NoSlave
// for others.
func onlySlave(js *model.JobSet, t model.TaskID) model.SlaveID {
	task, only := &js.Tasks[t], model.NoSlave
	for s := range model.SlaveID(len(js.Slaves)) {
		switch {
		case task.WCET(s) == 0:
		case only != model.NoSlave:
			return model.NoSlave
		default:
			only = s
		}
	}
	for r := model.FirstNamed; r < model.NumResources; r++ {
		if only != model.NoSlave && js.Need(task, only, r) > 0 {
			return model.NoSlave
		}
	}
	if task.Cores() != 1 {
		return model.NoSlave
	}
	return only
}

// add adds a task with input. It is false where jobs are on several slaves, or begin at several times.
func (p *Problem) add(js *model.JobSet, t model.TaskID, s model.SlaveID) bool {
	task := &js.Tasks[t]
	from := max(js.Jobs[task.Job].Release, js.Slaves[s].FirstBeat)
	if p.server == model.NoSlave {
		p.server, p.from = s, from
	}
	setup, run := task.Transfer(s), task.WCET(s)
	p.jobs = append(p.jobs, job{t, ticks(setup), ticks(run)})
	return s == p.server && from == p.from && setup+run <= mostTicks/mostJobs
}

// addBeside has a task without input begin at once.
func (p *Problem) addBeside(js *model.JobSet, t model.TaskID, s model.SlaveID) {
	beat, at := js.BeatAtOrAfter(s, js.Jobs[js.Tasks[t].Job].Release)
	p.beside[t] = model.Placement{Slave: s, Beat: beat, Fetch: at, Start: at}
}

// alone reports whether slaves take all of their tasks at once, so many on each, but for the server's, which has jobs only.
func (p *Problem) alone(js *model.JobSet, on []int) bool {
	for s := range js.Slaves {
		slave := &js.Slaves[s]
		switch {
		case on[s] == 0:
		case slave.SplitSlots || len(slave.Down) > 0:
			return false
		case model.SlaveID(s) == p.server:
			if on[s] > len(p.jobs) {
				return false
			}
		case len(slave.Reservations) > 0 || on[s] > min(slave.Slots, slave.Cores):
			return false
		}
	}
	return true
}

// begin notes when server and machines are free at first, and what ends beside them. It is false where what was begun before is no set-up, or no job on
// a machine.
func (p *Problem) begin(js *model.JobSet) bool {
	slave := &js.Slaves[p.server]
	if slave.Cores < slave.Slots || slave.Slots > mostMachines {
		return false
	}
	p.beat, p.machines = slave.FirstBeat, slave.Slots
	var free, cores []ticks
	for _, taken := range slave.Reservations {
		end := p.until(taken.End)
		switch {
		case end <= 0:
		case taken.Units != 1:
			return false
		case taken.Resource == model.MapSlots:
			free = append(free, end)
		case taken.Resource == model.Cores:
			cores = append(cores, end)
		case taken.Resource == model.FetchLine:
			if p.start.server = max(p.start.server, end); taken.Start > p.from {
				return false
			}
		}
	}
	slices.Sort(free)
	slices.Sort(cores)
	if !slices.Equal(free, cores) || len(free) > p.machines || slices.Contains(free, mostTicks) {
		return false
	}
	copy(p.start.free[p.machines-len(free):p.machines], free)
	for t, at := range p.beside {
		if at.Slave != model.NoSlave {
			p.floor = max(p.floor, p.until(js.Finish(model.TaskID(t), at)))
		}
	}
	return p.floor < mostTicks
}

// After is what is left of a problem when the first jobs of an order are set up, and which job of all each of its jobs is. Its jobs are to be searched
// for an order, not scheduled. Walks bound what is left where they do of all: to work them out for each of many takes longer than to search.
func (p *Problem) After(first []int) (rest *Problem, jobs []int) {
	rest = &Problem{server: p.server, from: p.from, beat: p.beat, machines: p.machines, start: p.start, beside: p.beside, floor: p.floor}
	for _, k := range first {
		rest.start.set(&p.jobs[k], p.machines)
	}
	for k := range p.jobs {
		if !slices.Contains(first, k) {
			rest.jobs, jobs = append(rest.jobs, p.jobs[k]), append(jobs, k)
		}
	}
	if rest.sum(); p.walks != nil {
		rest.walks = newWalks(rest)
	}
	return rest, jobs
}

// sum works out what all jobs come to, once they are sorted.
func (p *Problem) sum() {
	for k := range p.jobs {
		p.shortest = append(p.shortest, k)
		p.setups, p.work = p.setups+int(p.jobs[k].setup), p.work+int(p.jobs[k].setup+p.jobs[k].run)
	}
	slices.SortStableFunc(p.shortest, func(a, b int) int { return cmp.Compare(p.jobs[a].setup, p.jobs[b].setup) })
	p.places = make([]int, len(p.jobs))
	p.shortestOnes = make([]uint64, len(p.jobs)+1)
	for n, k := range p.shortest {
		p.places[k] = n
		p.shortestOnes[n+1] = p.shortestOnes[n] | 1<<k
	}
	for k := range p.setupTimes {
		p.setupTimes[k], p.runTimes[k] = math.MaxInt32, math.MinInt32
		if k < min(len(p.jobs), MostSearched) {
			p.setupTimes[k], p.runTimes[k] = p.jobs[p.shortest[k]].setup, p.jobs[k].run
		}
	}
	p.alike = p.sameTimes()
}

// Jobs is the number of jobs, those that an order has.
func (p *Problem) Jobs() int { return len(p.jobs) }

// Least is a lower bound on the makespan: the server sets all up, and a job runs after the last set-up; machines do all jobs, each one from when
// the server can have come to it.
func (p *Problem) Least() model.Time {
	at := max(p.start.server, p.start.free[0])
	least, server := max(p.floor, p.start.free[p.machines-1]), at
	for k := range p.jobs { // the longest first
		server += p.jobs[k].setup
		least = max(least, server+p.jobs[k].run)
	}
	for sum, k := p.work, 0; ; k++ {
		sum += int(max(p.start.free[k], at))
		if k < len(p.shortest) {
			at += p.jobs[p.shortest[k]].setup
		}
		if k+1 == p.machines || (k+1)*int(max(p.start.free[k+1], at)) >= sum { // the others would begin too late
			return p.from + model.Time(max(least, ticks((sum+k)/(k+1))))
		}
	}
}

// Schedule sets jobs up in an order; what plays no part has no place in it.
func (p *Problem) Schedule(order []int) model.Schedule {
	plan, at := slices.Clone(p.beside), p.start
	for _, k := range order {
		j := &p.jobs[k]
		begin := p.from + model.Time(max(at.server, at.free[0]))
		plan[j.task] = model.Placement{Slave: p.server, Beat: begin - p.beat, Fetch: begin, Start: begin + model.Time(j.setup)}
		at = at.then(j, p.machines)
	}
	return plan
}

// until are the ticks to a time, those of which nothing comes in.
func (p *Problem) until(t model.Time) ticks { return ticks(min(max(t-p.from, -1), mostTicks)) }

// Due is when all jobs are due, as [New] was told.
func (p *Problem) Due() model.Time { return p.due }

// Makespan is when the last job of an order ends.
func (p *Problem) Makespan(order []int) model.Time {
	at := p.start
	for _, k := range order {
		at = at.then(&p.jobs[k], p.machines)
	}
	return p.from + model.Time(max(p.floor, at.free[p.machines-1]))
}
