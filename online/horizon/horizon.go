package horizon

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/basic"
)

// Planner makes a complete valid plan of js with at most so many constructions of one. Late hard jobs break no rule: the objectives of js say what counts, after their
// number. from is what is left of the last plan, of which nothing need be valid. With no
// constructions it is from itself that is asked for, valid, and with tasks as early on their
// slaves as that goes in its order. The same arguments have to give the same plan.
type Planner func(js *model.JobSet, from model.Schedule, constructions int, seed uint64) model.Schedule

// Params are the policy's figures.
type Params struct {
	Plan Planner
	// Constructions ≥ 1 are what a decision may cost.
	Constructions int
	// Placements ≥ 0 of tasks are what it may cost altogether; a construction takes one
	// for each task that waits.
	Placements int
	// Times are those at which tasks are planned, Scenarios ≥ 1 how many draws of them there are
	// with Distribution: a decision then plans as often, twice more for declared and median times, and
	// has each plan followed in each draw.
	Times     Times
	Scenarios int
	// NoIdle has EDF fill slots that the plan leaves free, as long as anything fits.
	NoIdle bool
	// Seed of the planner and of the draws.
	Seed uint64
}

// Policy is the receding horizon.
type Policy struct {
	params Params
	edf    online.Policy
	goal   []model.Objective
	// wider makes profiles of the cluster ones of the known set.
	wider *model.Selector
	// planned has what is to be handed out, in all and by slave, in order.
	planned map[model.TaskID]planned
	queues  [][]planned
	// stale is set once something has happened since the last decision, which was at
	// decidedAt with so many outages of slaves behind it.
	stale     bool
	decidedAt model.Time
	outages   int
	// byEDF is set while there is no plan.
	byEDF             bool
	decisions, byEDFs int
}

// planned is a task in the plan.
type planned struct {
	task     model.TaskID
	group    *online.Group // nil as long as its stage is not open
	slave    model.SlaveID
	assigned model.Time
	fetch    model.Time
	start    model.Time
}

// New is a receding horizon that has not run.
func New(params Params) *Policy {
	return &Policy{params: params, edf: basic.EDF(basic.Options{}), decidedAt: -1}
}

// Decisions is how often it was decided what to hand out, and how many times of these EDF
// had to do, as the work was spent before there was a plan.
func (p *Policy) Decisions() (all, byEDF int) { return p.decisions, p.byEDFs }

// Name implements online.Policy.
func (p *Policy) Name() string { return "horizon" }

// Asks implements online.Policy: a plan says when tasks are handed out.
func (p *Policy) Asks() online.Asking { return online.EveryBeat }

// Start implements online.Starter.
func (p *Policy) Start(v *online.View) {
	n := len(v.Slaves())
	from := make([]model.SlaveID, n+1)
	for s := range from {
		from[s] = model.SlaveID(s)
	}
	from[n] = model.NoSlave
	p.wider = model.NewSelector(from)
	p.goal = goal(v)
	p.queues = make([][]planned, n)
}

// goal is what counts: what the job set says, then that jobs are late by little, and that
// all is done early, for what is to come.
func goal(v *online.View) []model.Objective {
	out := slices.Clone(v.Goal())
	for _, o := range []model.Objective{model.WeightedTardiness, model.Makespan} {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// Watch implements online.Watcher. What the plan hands out itself is no news.
func (p *Policy) Watch(_ *online.View, e online.Event) {
	switch e.Kind {
	case online.Assigned:
		delete(p.planned, e.Task)
		p.stale = p.stale || p.byEDF
	default:
		p.stale = true
	}
}

// Heartbeat implements online.Policy.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	if stale := p.stale || p.outages != v.Outages(); stale && p.decidedAt < v.Now() {
		p.decide(v)
	}
	if p.byEDF {
		p.edf.Heartbeat(v, o)
		return
	}
	p.handOut(v, o)
	if p.params.NoIdle && !o.Full() {
		p.edf.Heartbeat(v, o)
		p.stale = true // what it gave was planned otherwise
	}
}

// handOut gives what the plan gives by now.
func (p *Policy) handOut(v *online.View, o *online.Offer) {
	q := p.queues[o.Slave()]
	for len(q) > 0 && q[0].assigned <= v.Now() {
		at := q[0]
		if _, left := p.planned[at.task]; !left { // it was handed out with its gang
			q = q[1:]
			continue
		}
		if at.group == nil || !at.group.Has(at.task) || !p.give(o, at) {
			p.stale = true // something took longer than declared, or others of a gang have no room yet
			break
		}
		q = q[1:]
	}
	p.queues[o.Slave()] = q
}

// give hands a task out, with its gang if it is of one, if that fits.
func (p *Policy) give(o *online.Offer, at planned) bool {
	gang := at.group.Gang()
	var assignments []online.Assignment
	if gang {
		assignments = p.assignments(at)
	}
	if !gang && !o.Fits(at.group) || gang && !o.FitsTogether(at.group, assignments) {
		return false
	}
	if o.Tracing() {
		o.Consider([]online.Candidate{at.group.Candidate(fmt.Sprintf("planned to start at %d", at.start))})
	}
	if gang {
		o.GiveTogether(at.group, assignments)
	} else {
		o.GiveTask(at.group, at.task)
	}
	return true
}

// assignments are the slaves of all tasks of a gang, in the order in which their inputs come.
func (p *Policy) assignments(of planned) (out []online.Assignment) {
	st := &of.group.Job().Spec().Stages[of.group.Stage()]
	var all []planned
	for t := st.First; t < st.End; t++ {
		all = append(all, p.planned[t])
	}
	slices.SortStableFunc(all, func(a, b planned) int { return cmp.Compare(a.fetch, b.fetch) })
	for _, at := range all {
		out = append(out, online.Assignment{Task: at.task, Slave: at.slave})
	}
	return out
}

// decide plans what is known.
func (p *Policy) decide(v *online.View) {
	p.stale, p.decidedAt, p.outages = false, v.Now(), v.Outages()
	p.decisions++
	p.byEDF = waits(v) > p.params.Placements || !p.plan(v)
	if p.byEDF {
		p.byEDFs++
	}
}

// waits counts the tasks that are known and not handed out.
func waits(v *online.View) (tasks int) {
	for _, j := range toDo(v) {
		for stage := range j.Spec().Stages {
			tasks += j.Left(stage)
		}
		tasks -= j.Running()
	}
	return tasks
}

// plan makes a plan of what is known the one to go by, if there is the work for one.
func (p *Policy) plan(v *online.View) bool {
	var bets []bet
	for _, times := range p.times() {
		k := newKnown(v, p.wider, p.goal, times)
		if k == nil {
			return false
		}
		n := min(p.params.Constructions, p.params.Placements/max(1, len(k.tasks)))
		if n == 0 {
			return false
		}
		bets = append(bets, bet{k, p.params.Plan(k.set, k.start(p.planned), n, p.params.Seed)})
	}
	chosen := p.choose(bets)
	if chosen == nil {
		return false
	}
	p.take(chosen.known, chosen.plan)
	return true
}

// take makes a plan of what is known the one to go by.
func (p *Policy) take(k *known, plan model.Schedule) {
	p.planned = make(map[model.TaskID]planned, len(plan))
	for s := range p.queues {
		p.queues[s] = nil
	}
	for t, at := range plan {
		if k.tasks[t].task < 0 {
			continue
		}
		next := planned{k.tasks[t].task, k.tasks[t].group, at.Slave, k.set.Assigned(at), at.Fetch, at.Start}
		p.planned[next.task] = next
		p.queues[at.Slave] = append(p.queues[at.Slave], next)
	}
	for _, q := range p.queues {
		slices.SortFunc(q, func(a, b planned) int {
			return cmp.Or(cmp.Compare(a.assigned, b.assigned), cmp.Compare(a.start, b.start), cmp.Compare(a.fetch, b.fetch), cmp.Compare(a.task, b.task))
		})
	}
}
