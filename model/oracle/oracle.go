package oracle

import (
	"fmt"

	"downbeat/model"
)

const (
	// MaxTasks and MaxGoal are the most tasks and objectives that Solve takes.
	MaxTasks = 8
	MaxGoal  = 5
	// maxSlaves is the width of a set of slaves.
	maxSlaves = 64
	// maxStates bounds the memory of a search to about 1 GB.
	maxStates = 4_000_000
)

// Answer is what the search proved.
type Answer struct {
	// Status is Infeasible, Optimal, or Feasible when no objective was asked for.
	Status model.Status
	// Values are the optimum, one per objective, in lexicographic order; nil if
	// infeasible.
	Values []int64
	// Schedule attains Values; nil if infeasible.
	Schedule model.Schedule
	// States is the number of different states visited.
	States int
}

// Solve finds the lexicographic optimum of js.Goal(). It fails on sets of more
// than MaxTasks tasks or 64 slaves, with more than MaxGoal objectives, and when
// the search grows too large for memory.
func Solve(js *model.JobSet) (Answer, error) {
	return SolveFor(js, js.Goal(), false)
}

// SolveFor finds the lexicographic optimum of the given objectives. If relaxed,
// hard jobs may miss their deadlines (C8 is dropped); put model.HardMisses
// first to get the least bad plan.
func SolveFor(js *model.JobSet, goal []model.Objective, relaxed bool) (Answer, error) {
	if len(js.Tasks) > MaxTasks || len(js.Slaves) > maxSlaves || len(goal) > MaxGoal {
		return Answer{}, fmt.Errorf("%d tasks on %d slaves with %d objectives are too many to search exhaustively",
			len(js.Tasks), len(js.Slaves), len(goal))
	}
	s := newSearch(js, goal, relaxed)
	if start := (state{stirred: everything}); !s.hopeless(&start, 0) {
		s.tick(start, 0)
	}
	switch {
	case len(s.seen) > maxStates:
		return Answer{}, fmt.Errorf("more than %d states", maxStates)
	case s.best == nil:
		return Answer{Status: model.Infeasible, States: len(s.seen)}, nil
	case len(goal) == 0:
		return Answer{Status: model.Feasible, Schedule: s.best, States: len(s.seen)}, nil
	}
	return Answer{Status: model.Optimal, Values: s.values, Schedule: s.best, States: len(s.seen)}, nil
}

// value is an objective of the jobs' finishes, written from page 1 of the
// specification; it is not model.JobSet.Value on purpose.
func value(js *model.JobSet, o model.Objective, finishes []model.Time) int64 {
	misses, worst, weighted, last, hard := int64(0), int64(0), int64(0), int64(0), int64(0)
	for i, finish := range finishes {
		job := &js.Jobs[i]
		last = max(last, int64(finish))
		late := int64(0)
		if job.Kind != model.BestEffort {
			late = max(0, int64(finish-job.Release-job.Deadline))
		}
		switch {
		case late == 0:
		case job.Kind == model.Hard:
			hard++
		default:
			misses += job.Weight
			worst = max(worst, late)
			weighted += job.Weight * late
		}
	}
	switch o {
	case model.Misses:
		return misses
	case model.Tardiness:
		return worst
	case model.WeightedTardiness:
		return weighted
	case model.Makespan:
		return last
	default:
		return hard
	}
}
