package whatif

import (
	"context"
	"maps"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/window"
)

// Engine puts questions whether changed job sets fit, each with as little work as answers it,
// and remembers what it has learnt. The zero value has learnt nothing.
type Engine struct {
	// Round says how much a question may take.
	Round Round
	// answers has what is settled, by [Question.Key].
	answers map[string]Answer
	// plans answered earlier questions; the newest last.
	plans []witness
	// forked tells that it is a fork, fresh are the plans that it has learnt as one.
	forked bool
	fresh  []witness
}

// Fork is an engine that knows what e does, and learns for itself: one goroutine may ask it
// while others ask e, or other forks.
func (e *Engine) Fork() Engine {
	return Engine{Round: e.Round, answers: maps.Clone(e.answers), plans: slices.Clone(e.plans), forked: true}
}

// Learn takes over what a fork has learnt, which is not asked any more.
func (e *Engine) Learn(fork *Engine) {
	if e.answers == nil {
		e.answers = map[string]Answer{}
	}
	maps.Copy(e.answers, fork.answers)
	for _, w := range fork.fresh {
		e.Keep(w.set, w.plan)
	}
}

// Question is whether a changed set fits.
type Question struct {
	// Key names the changes: what was settled about the same ones is not asked again. "" is for
	// what is asked once.
	Key string
	// Set is the changed one; nil where it is not at hand, and then no plan that is known is tried.
	Set *model.JobSet
	// Holds tells whether a complete plan that the validator agrees to is an answer. Nil takes any.
	Holds func(plan model.Schedule) bool
	// Find looks for the answer where nothing that is known has it. An error is an internal one.
	Find func() (Answer, error)
}

// Answer is what is known of a changed set.
type Answer struct {
	Status model.Status // Feasible (which the validator has agreed to), Infeasible (proved) or Unknown
	Proof  model.Proof
	// Plan is where it fits; LeftOut are the jobs, ascending, that have no place in it.
	Plan    model.Schedule
	LeftOut []model.JobID
	// Ends and Used say what a plan comes to that is not at hand: by job when it ends, and by change
	// of the size of a class or a pool how much of that is needed.
	Ends []model.Time
	Used map[model.Change]int64
}

// Ask answers a question: by what is settled about the same changes, by a plan that answered
// another, or by looking for it, once ctx has ended only in sets of which that takes
// milliseconds.
func (e *Engine) Ask(ctx context.Context, q *Question) (Answer, error) {
	if a, settled := e.answers[q.Key]; settled {
		return a, nil
	}
	if q.Set != nil {
		if TooLate(ctx, q.Set) {
			return Answer{Status: model.Unknown}, nil
		}
		if plan := e.Known(ctx, q); plan != nil {
			return Answer{Status: model.Feasible, Proof: model.WitnessProof, Plan: plan}, nil
		}
	}
	a, err := q.Find()
	if err != nil || a.Status == model.Unknown {
		return a, err
	}
	if q.Key != "" {
		if e.answers == nil {
			e.answers = map[string]Answer{}
		}
		e.answers[q.Key] = a
	}
	if q.Set != nil && a.Status == model.Feasible && len(a.LeftOut) == 0 {
		e.Keep(q.Set, a.Plan)
	}
	return a, nil
}

// Known is a plan for the set that there is already, nil if none of them does.
func (e *Engine) Known(ctx context.Context, q *Question) model.Schedule {
	for _, w := range slices.Backward(e.plans) {
		plan := w.on(q.Set)
		if TooLate(ctx, q.Set) {
			return nil
		}
		if plan == nil || !plan.Complete() || q.Holds != nil && !q.Holds(plan) {
			continue
		}
		if check.Schedule(q.Set, plan, false).OK() {
			return plan
		}
	}
	return nil
}

// mostPlans is how many plans are kept: the newest, and the first of all.
const mostPlans = 12

// Keep remembers a complete plan of a set.
func (e *Engine) Keep(set *model.JobSet, plan model.Schedule) {
	if len(e.plans) == mostPlans {
		e.plans = slices.Delete(e.plans, 1, 2)
	}
	e.plans = append(e.plans, witness{set, plan})
	if e.forked {
		e.fresh = append(e.fresh, witness{set, plan})
	}
}

// Newest is the newest plan that is known, for a set of the same tasks: slaves go by name, and
// tasks of those that it does not have are not placed. It is nil where there is none.
func (e *Engine) Newest(set *model.JobSet) model.Schedule {
	if len(e.plans) == 0 {
		return nil
	}
	return e.plans[len(e.plans)-1].on(set)
}

// witness is a plan, and the set that it was found for.
type witness struct {
	set  *model.JobSet
	plan model.Schedule
}

// on is the plan for another set, as with [Engine.Newest]. It is nil where the set has other
// tasks, as with fewer slaves jobs may be left out.
func (w *witness) on(set *model.JobSet) model.Schedule {
	if len(w.plan) != len(set.Tasks) {
		return nil
	}
	number := make(map[string]model.SlaveID, len(set.Slaves))
	for s := range set.Slaves {
		number[set.Slaves[s].Name] = model.SlaveID(s)
	}
	plan := slices.Clone(w.plan)
	for t := range plan {
		s, there := number[w.set.Slaves[plan[t].Slave].Name]
		if !there || !set.Tasks[t].Eligible(s) {
			s = model.NoSlave
		}
		plan[t].Slave = s
	}
	return plan
}

// Round counts how often what is open has been come back to, the first time being round 0: a
// question may take four times as much in each.
type Round int

// Work is how much counted work a question about a set of so many tasks may take.
func (r Round) Work(tasks int) int64 { return int64(max(30, 200_000/(1+tasks))) << (2 * r) }

// Time takes the place of it where there is only a clock: so long as first in round 0.
func (r Round) Time(first time.Duration) time.Duration { return first << (2 * r) }

// How long a question may take in round 0 where there is only a clock: one of dozens about a set,
// or one of a few.
const (
	OneOfMany = 50 * time.Millisecond
	OneOfFew  = 250 * time.Millisecond
)

// mostHurried is the number of tasks times slaves, and of absences, up to which what is known
// at once is looked at after the limit too: it takes milliseconds.
const mostHurried = 100_000

// TooLate reports whether ctx has ended and it is too late to begin with a set.
func TooLate(ctx context.Context, set *model.JobSet) bool {
	return ctx.Err() != nil && TakesLong(len(set.Tasks), int64(len(set.Slaves)), int64(window.Absences(set)))
}

// TakesLong reports whether looking at a set of so many tasks, slaves and absences takes longer
// than milliseconds.
func TakesLong(tasks int, slaves, absences int64) bool {
	return int64(tasks)*slaves+absences > mostHurried
}
