package oracle

import (
	"fmt"
	"math/bits"
	"slices"

	"downbeat/model"
)

const (
	// MaxTasks and MaxGoal are the most tasks and objectives that Solve takes.
	MaxTasks = 8
	MaxGoal  = 5
	// maxMeasures are the most that a search minimises: [LeastBad] has three before the objectives.
	maxMeasures = 3 + MaxGoal
	// maxSlaves is the width of a set of slaves.
	maxSlaves = 64
)

// MostStates bounds the memory of a search, to about 1 GB, and twenty times as many steps its time: less
// is for those who rather leave out a set than wait.
var MostStates = 4_000_000

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
	return SolveAfter(js, goal, relaxed, nil, 0)
}

// SolveAfter is SolveFor among the schedules with a past: tasks that it places are where it
// says, all others are handed out at now or later. The past, nil for none, breaks no rule.
func SolveAfter(js *model.JobSet, goal []model.Objective, relaxed bool, past model.Schedule, now model.Time) (Answer, error) {
	return minimise(js, goal, false, relaxed, past, now)
}

// LeastBad finds the least bad plan among the schedules with a past: hard deadlines may be
// missed; minimised are the number of hard jobs that are late, the largest lateness of one, the
// sum of theirs, and then the given objectives. Values has all of these, in that order.
func LeastBad(js *model.JobSet, goal []model.Objective, past model.Schedule, now model.Time) (Answer, error) {
	return minimise(js, goal, true, true, past, now)
}

func minimise(js *model.JobSet, goal []model.Objective, leastBad, relaxed bool, past model.Schedule, now model.Time) (Answer, error) {
	if len(js.Tasks) > MaxTasks || len(js.Slaves) > maxSlaves || len(goal) > MaxGoal {
		return Answer{}, fmt.Errorf("%d tasks on %d slaves with %d objectives are too many to search exhaustively",
			len(js.Tasks), len(js.Slaves), len(goal))
	}
	s := newSearch(js, measures(goal, leastBad), relaxed)
	s.past, s.now = past, now
	if start := (state{stirred: everything}); !s.hopeless(&start, 0) {
		s.tick(start, 0)
	}
	switch {
	case s.tooLarge():
		return Answer{}, fmt.Errorf("more than %d states", MostStates)
	case s.best == nil:
		return Answer{Status: model.Infeasible, States: len(s.seen)}, nil
	case len(s.goal) == 0:
		return Answer{Status: model.Feasible, Schedule: s.best, States: len(s.seen)}, nil
	}
	return Answer{Status: model.Optimal, Values: s.values, Schedule: s.best, States: len(s.seen)}, nil
}

// measure is what a search minimises, of the jobs' finishes.
type measure struct {
	of func(js *model.JobSet, finishes []model.Time) int64
	// last: it is of the last finish, which is in the future as long as a task is left.
	last bool
}

// measures lists what is minimised, in lexicographic order.
func measures(goal []model.Objective, leastBad bool) (out []measure) {
	if leastBad {
		for k := range 3 {
			out = append(out, measure{of: func(js *model.JobSet, finishes []model.Time) int64 { return hardLateness(js, finishes)[k] }})
		}
	}
	for _, o := range goal {
		of := func(js *model.JobSet, finishes []model.Time) int64 { return value(js, o, finishes) }
		out = append(out, measure{of, o == model.Makespan})
	}
	return out
}

// hardLateness is the number of hard jobs that are late, the largest lateness of one, and the sum.
func hardLateness(js *model.JobSet, finishes []model.Time) (out [3]int64) {
	for i, finish := range finishes {
		job := &js.Jobs[i]
		if late := int64(finish - job.Release - job.Deadline); job.Kind == model.Hard && late > 0 {
			out[0], out[1], out[2] = out[0]+1, max(out[1], late), out[2]+late
		}
	}
	return out
}

// Value is an objective of the jobs' finishes where some jobs are left out: soft ones are misses.
func Value(js *model.JobSet, o model.Objective, finishes []model.Time, out []bool) int64 {
	v := value(js, o, finishes)
	for i := range out {
		if job := &js.Jobs[i]; out[i] && o == model.Misses && job.Kind == model.Soft {
			v += job.Weight
		}
	}
	return v
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

// hopeless reports whether no continuation from now on, the first tick at
// which anything more can begin, keeps the hard deadlines and is better than
// the best plan found.
//
// It also ends every branch in which a slave has gone away with a task in its
// hands. That is not only a matter of speed: a state does not tell when its
// tasks were handed out, so such a branch must not stand for others in seen.
func (s *search) hopeless(st *state, now model.Time) bool {
	for i := range s.js.Tasks {
		switch t := &st.tasks[i]; t.phase {
		case held, fetching, fetched:
			finish := s.leastTaskFinish(st, model.TaskID(i), 0, now)
			if s.away(model.SlaveID(t.slave), s.js.Assigned(s.places[i]), finish) {
				return true
			}
		}
	}
	s.leastFinishes(st, now)
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		if !s.relaxed && job.Kind == model.Hard && s.finishes[i] > job.Release+job.Deadline {
			return true
		}
	}
	if s.best == nil {
		return false
	}
	for i, m := range s.goal {
		if v := m.of(s.js, s.finishes); v != s.values[i] {
			return v > s.values[i]
		}
	}
	return true
}

// leastFinishes sets lower bounds on the jobs' finishes: task after task in an order in
// which they can wait for each other, each as if it were alone on the cluster from now on.
func (s *search) leastFinishes(st *state, now model.Time) {
	clear(s.finishes)
	for _, t := range s.order {
		job := s.js.Tasks[t].Job
		ready := s.js.Jobs[job].Release
		for left := s.before[t]; left != 0; left &= left - 1 {
			ready = max(ready, s.ends[bits.TrailingZeros16(uint16(left))])
		}
		s.ends[t] = s.leastTaskFinish(st, t, ready, now)
		s.finishes[job] = max(s.finishes[job], s.ends[t])
	}
}

func (s *search) leastTaskFinish(st *state, t model.TaskID, ready, now model.Time) model.Time {
	task := &s.js.Tasks[t]
	slave := model.SlaveID(st.tasks[t].slave)
	switch st.tasks[t].phase {
	case done:
		return s.js.Finish(t, s.places[t])
	case running:
		return model.Time(st.tasks[t].until)
	case fetching:
		return model.Time(st.tasks[t].until) + task.WCET(slave)
	case fetched:
		return now + task.WCET(slave)
	case held:
		return now + task.Transfer(slave) + task.WCET(slave)
	}
	least := model.Never
	for slave := range model.SlaveID(len(s.js.Slaves)) {
		if task.Eligible(slave) {
			at := s.beatFrom(slave, max(ready, now))
			least = min(least, at+task.Transfer(slave)+task.WCET(slave))
		}
	}
	return least
}

// spent gives the objective values of the jobs that are done, makespan aside:
// as long as a task is left, it is in the future.
func (s *search) spent(st *state) (out [maxMeasures]int64) {
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		s.finishes[i] = 0
		all := true
		for t := job.First; t < job.End; t++ {
			all = all && st.tasks[t].phase == done
		}
		if !all {
			continue
		}
		for t := job.First; t < job.End; t++ {
			s.finishes[i] = max(s.finishes[i], s.js.Finish(t, s.places[t]))
		}
	}
	for i, m := range s.goal {
		if !m.last {
			out[i] = m.of(s.js, s.finishes)
		}
	}
	return out
}

// record keeps the current branch, complete now, if it is the best so far.
func (s *search) record() {
	finishes := make([]model.Time, len(s.js.Jobs))
	for t := range s.js.Tasks {
		j := s.js.Tasks[t].Job
		finishes[j] = max(finishes[j], s.js.Finish(model.TaskID(t), s.places[t]))
	}
	values := make([]int64, len(s.goal))
	for i, m := range s.goal {
		values[i] = m.of(s.js, finishes)
	}
	if s.best == nil || slices.Compare(values, s.values) < 0 {
		s.best, s.values = slices.Clone(s.places), values
	}
}
