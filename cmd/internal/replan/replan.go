// Package replan follows a plan and plans the rest anew as the night goes: at times, what has
// happened goes through the same code as plan --executed, and the new plan is followed.
package replan

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/online"
	"downbeat/online/follow"
	"downbeat/solve"
	"downbeat/solve/night"
)

// Options say when and how the rest is planned.
type Options struct {
	// Every ≥ 1 is the time between two plans, in ticks.
	Every model.Time
	// Slip is that of package follow.
	Slip model.Time
	// Margin is by how many percent longer all times are taken to be than declared: a number,
	// or Learn.
	Margin int64
	// Solve is what the rest is planned with: counted work, so that runs repeat.
	Solve solve.Options
}

// Learn is a margin of as much as tasks that have ended took longer, all together.
const Learn = -1

// New is the policy for one run of js, which begins with a schedule.
func New(js *model.JobSet, s model.Schedule, opt Options) *Policy {
	p := &Policy{
		Policy: follow.New(js, s, opt.Slip), js: js, opt: opt, plan: s, next: opt.Every,
		attempts: make([]night.Attempt, len(js.Tasks)),
	}
	for t := range p.attempts {
		p.attempts[t].Slave = model.NoSlave
	}
	return p
}

// Policy is what New makes.
type Policy struct {
	*follow.Policy
	js   *model.JobSet
	opt  Options
	plan model.Schedule
	next model.Time
	// attempts has by TaskID the one that has ended or is under way.
	attempts []night.Attempt
	// Plans counts how often the rest was planned, Kept after how many of them nothing better
	// than the plan at hand was known.
	Plans, Kept int
}

// Name implements online.Policy.
func (p *Policy) Name() string { return "replan" }

// Watch implements online.Watcher.
func (p *Policy) Watch(v *online.View, e online.Event) {
	p.Policy.Watch(v, e)
	switch a := &p.attempts[max(0, e.Task)]; e.Kind {
	case online.Assigned:
		held := v.Held(e.Slave)
		now := held[slices.IndexFunc(held, func(h online.Held) bool { return h.Task == e.Task })]
		beat, _ := p.js.BeatAtOrBefore(e.Slave, now.Assigned)
		*a = night.Attempt{
			Placement: model.Placement{Slave: e.Slave, Beat: beat, Fetch: now.Fetched - p.js.Tasks[e.Task].Transfer(e.Slave), Start: model.Never},
			Finish:    model.Never,
		}
	case online.Ended:
		a.Start, a.Finish = e.Started, v.Now()
	case online.Lost:
		a.Slave = model.NoSlave
	}
}

// Control implements online.Controller.
func (p *Policy) Control(v *online.View) model.Time {
	if v.Now() >= p.next {
		p.next = v.Now() + p.opt.Every
		if err := p.replan(v); err != nil {
			v.Fail(fmt.Errorf("planning the rest at %d: %w", v.Now(), err))
		}
	}
	return min(p.next, p.Policy.Control(v))
}

// replan plans the rest and follows that. What no plan was found for goes on as it was.
func (p *Policy) replan(v *online.View) error {
	for s := range p.js.Slaves {
		for _, h := range v.Held(model.SlaveID(s)) {
			p.attempts[h.Task].Start = h.Started
		}
	}
	set, err := p.known(v)
	if err != nil {
		return err
	}
	past, err := night.Happened(set, p.happened(v.Now()), v.Now())
	if err != nil {
		return err
	}
	if err := past.Check(); err != nil {
		return err
	}
	opt := p.opt.Solve
	opt.From, opt.NoConflict = p.plan, true
	// Times are estimates: by how much hard jobs that cannot be in time are late is not worth the
	// misses of others.
	opt.Relax, opt.HardByCount = true, true
	res, err := night.Plan(v.Context(), past, opt)
	if err != nil {
		return err
	}
	p.Plans++
	if res.Schedule == nil {
		p.Kept++
		return nil
	}
	p.plan = res.Schedule
	p.Follow(p.plan)
	return nil
}

// happened are the attempts so far, without those at tasks of a gang whose slaves have not had the
// heartbeat yet that hands them out.
func (p *Policy) happened(now model.Time) []night.Attempt {
	out := slices.Clone(p.attempts)
	for t := range out {
		if out[t].Slave != model.NoSlave && p.js.Assigned(out[t].Placement) >= now {
			out[t].Slave = model.NoSlave
		}
	}
	return out
}

// known is the job set as it is known by now: slaves start tasks in the order in which they
// get them, and those that have failed are gone, as nobody knows when they will be back.
func (p *Policy) known(v *online.View) (*model.JobSet, error) {
	set := *p.js
	set.FIFO = true
	known := &set
	var err error
	if n := p.margin(); n > 0 {
		if known, err = change.Apply(known, []change.Change{{Kind: change.Margin, N: n}}); err != nil {
			return nil, err
		}
	}
	for s := range model.SlaveID(len(p.js.Slaves)) {
		if !v.Failed(s) {
			continue
		}
		if known, err = change.Lose(known, s, v.Now()); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// margin is by how many percent longer times are taken to be.
func (p *Policy) margin() int64 {
	if p.opt.Margin != Learn {
		return p.opt.Margin
	}
	took, declared := model.Time(0), model.Time(0)
	for t, a := range p.attempts {
		if a.Slave != model.NoSlave && a.Finish < model.Never {
			took, declared = took+a.Finish-a.Start, declared+p.js.Tasks[t].WCET(a.Slave)
		}
	}
	if took <= declared {
		return 0
	}
	return min(int64(100*(took-declared)/declared), change.MaxMargin)
}
