package cubes

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
)

// AnyPlan is the limit where any plan will do that has the closed objectives at their values.
const AnyPlan int64 = math.MaxInt64

// Problem is what cubes are parts of. All times are in steps of Unit ticks.
type Problem struct {
	// JS is the job set in such steps, with the changes that it was asked about.
	JS   *model.JobSet
	Unit model.Time
	// of is the job set in ticks.
	of   *model.JobSet
	Goal []model.Objective
	// P is the objective of Goal that is open; those before it are proved to be at Closed at best.
	P      int
	Closed []int64
}

// What is not split.
var (
	errFIFO    = errors.New("a set with fifo is not split into cubes: clause learning, which works on them, finds no plans for it")
	errLeaving = errors.New("a set of which jobs may have to be left out, as machines go for good or pools end too low, is not split into cubes")
)

// New is the problem that is left of js when the first objectives of goal are proved to be at some
// values, in ticks. An error says to people why sets like this are not split.
func New(js *model.JobSet, goal []model.Objective, closed []int64) (*Problem, error) {
	switch {
	case js.FIFO:
		return nil, errFIFO
	case js.Leavable() != nil:
		return nil, errLeaving
	}
	p := &Problem{JS: js, of: js, Unit: model.CommonTick(js), Goal: goal, P: len(closed), Closed: slices.Clone(closed)}
	if p.Unit > 1 {
		p.JS = model.InTicksOf(js, p.Unit)
	}
	for i := range p.Closed {
		p.Closed[i] = p.InSteps(goal[i], closed[i])
	}
	return p, nil
}

// Steps is a schedule in ticks in steps, and Ticks takes that back; nil stays nil.
func (p *Problem) Steps(plan model.Schedule) model.Schedule { return plan.InTicksOf(p.of, p.Unit) }

// Ticks is told of at Steps.
func (p *Problem) Ticks(plan model.Schedule) model.Schedule { return plan.OutOfTicksOf(p.of, p.Unit) }

// InSteps is a value in ticks in steps.
func (p *Problem) InSteps(o model.Objective, ticks int64) int64 {
	if !o.Shape().Timed() {
		return ticks
	}
	return ticks / int64(p.Unit)
}

// InTicks is a value in steps in ticks.
func (p *Problem) InTicks(o model.Objective, steps int64) int64 {
	if !o.Shape().Timed() {
		return steps
	}
	return steps * int64(p.Unit)
}

// Question asks for a plan with the open objective at most so much.
func (p *Problem) Question(most int64) query.Question {
	limits := query.Limits{}
	for i, o := range p.Goal[:p.P] {
		limits[o] = p.Closed[i]
	}
	if most != AnyPlan {
		limits[p.Goal[p.P]] = most
	}
	return query.Within(p.JS, false, limits)
}

// Keeps reports whether a plan has the closed objectives at their values, and meets all hard deadlines:
// others do not count.
func (p *Problem) Keeps(plan model.Schedule) bool {
	finishes := p.JS.Finishes(plan)
	if p.JS.Value(model.HardMisses, finishes) > 0 {
		return false
	}
	for i, o := range p.Goal[:p.P] {
		if p.JS.Value(o, finishes) > p.Closed[i] {
			return false
		}
	}
	return true
}

// Value is that of the open objective of a plan; 0 where there is no objective.
func (p *Problem) Value(plan model.Schedule) int64 {
	if p.P == len(p.Goal) {
		return 0
	}
	return p.JS.Value(p.Goal[p.P], p.JS.Finishes(plan))
}

// Carries reports whether what is refuted of the limit from holds of the limit to, which is no higher:
// the same jobs are asked for, and all that is taken for granted of the order of equal tasks and slaves
// of the one question is so of the other.
func (p *Problem) Carries(from, to int64) bool {
	if from == to {
		return true
	}
	return from > to && carries(p.layout(from), p.layout(to))
}

func (p *Problem) layout(most int64) *query.Layout {
	l := query.NewLayout(p.Question(most))
	l.PlaceTasks()
	return l
}

func carries(from, to *query.Layout) bool {
	for i := range from.Role {
		if (from.Role[i] == query.Out) != (to.Role[i] == query.Out) || from.Role[i] != query.Out && to.Cap[i] > from.Cap[i] ||
			from.Role[i] == query.Must && to.Role[i] == query.May {
			return false
		}
	}
	after := map[model.TaskID][]model.TaskID{}
	for t, u := range to.EqualPairs {
		after[t] = append(after[t], u)
	}
	for t, u := range from.EqualPairs {
		if !reaches(after, t, u) {
			return false
		}
	}
	group := map[model.SlaveID]int{}
	for k, slaves := range to.EqualSlaves(to.Included) {
		for _, s := range slaves {
			group[s] = k + 1
		}
	}
	for _, slaves := range from.EqualSlaves(from.Included) {
		for _, s := range slaves {
			if group[s] == 0 || group[s] != group[slaves[0]] {
				return false
			}
		}
	}
	return true
}

// reaches reports whether u is at or behind t.
func reaches(after map[model.TaskID][]model.TaskID, t, u model.TaskID) bool {
	seen, open := map[model.TaskID]bool{t: true}, []model.TaskID{t}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at == u {
			return true
		}
		for _, next := range after[at] {
			if next <= u && !seen[next] {
				seen[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// search puts the question of a limit to lazy clause generation, recorded.
func (p *Problem) search(ctx context.Context, most int64, opt exact.Options, seed uint64, like model.Schedule) (*exact.Search, error) {
	opt.Record, opt.Engine = true, exact.LCG
	return exact.New(ctx, p.Question(most), &opt, seed, like)
}

// complete is the plan that answers the question of a limit, validated; an error is an internal one.
func (p *Problem) complete(plan model.Schedule, most int64) (model.Schedule, error) {
	in := incumbent.New(p.JS, p.Goal, nil, nil, time.Now())
	whole := in.Complete(plan)
	switch {
	case most != AnyPlan:
		in.Receive(whole, p.P, most)
	case p.P > 0:
		in.Receive(whole, p.P-1, p.Closed[p.P-1])
	default:
		in.Offer(whole)
	}
	if in.Best() == nil && in.Err() == nil {
		return nil, errors.New("a cube was answered by what is no plan")
	}
	return in.Best(), in.Err()
}
