package model

import (
	"fmt"
	"math"
	"slices"
)

// Objective is a measure to minimise. All but Makespan look at soft jobs only;
// finish_i is the last finish of a task of job i and
// late_i = max(0, finish_i − due_i).
type Objective uint8

const (
	// Misses is Σ ω_i [late_i > 0] (Penn §4.1 (a)).
	Misses Objective = iota
	// Tardiness is max late_i (Penn §4.1 (b)).
	Tardiness
	// WeightedTardiness is Σ ω_i late_i.
	WeightedTardiness
	// Makespan is the last finish over all jobs.
	Makespan
	// HardMisses is the number of hard jobs that are late. It is never named in
	// a job set: it leads the list when an infeasible set is relaxed.
	HardMisses
)

var objectiveNames = [...]string{"misses", "tardiness", "weighted-tardiness", "makespan", "hard-misses"}

// Moves is the name of an objective that plans made during the night have: the number of
// tasks whose slave or heartbeat is another than in an earlier plan. It is no measure of a
// plan by itself, and so no Objective.
const Moves = "moves"

// String is the name used in files.
func (o Objective) String() string { return objectiveNames[o] }

// ObjectiveNames lists the objectives that a job set or a flag can name.
func ObjectiveNames() []string { return objectiveNames[:HardMisses] }

// ParseObjective is the inverse of String for ObjectiveNames.
func ParseObjective(name string) (Objective, error) {
	if i := slices.Index(ObjectiveNames(), name); i >= 0 {
		return Objective(i), nil
	}
	return 0, fmt.Errorf("unknown objective %q", name)
}

// Finishes gives the last finish of each job under s. Every task of the set
// must be placed.
func (js *JobSet) Finishes(s Schedule) []Time {
	out := make([]Time, len(js.Jobs))
	for t := range js.Tasks {
		j := js.Tasks[t].Job
		out[j] = max(out[j], js.Finish(TaskID(t), s[t]))
	}
	return out
}

// Late is max(0, finish − due); 0 for a best-effort job.
func (j *Job) Late(finish Time) Time {
	if j.Kind == BestEffort {
		return 0
	}
	return max(0, finish-j.Due())
}

// Value computes an objective from the jobs' finishes (see Finishes).
func (js *JobSet) Value(o Objective, finishes []Time) int64 {
	value := int64(0)
	for i := range js.Jobs {
		j := &js.Jobs[i]
		late := int64(j.Late(finishes[i]))
		soft := j.Kind == Soft
		switch {
		case o == Makespan:
			value = max(value, int64(finishes[i]))
		case o == HardMisses && j.Kind == Hard && late > 0:
			value++
		case o == Misses && soft && late > 0:
			value += j.Weight
		case o == Tardiness && soft:
			value = max(value, late)
		case o == WeightedTardiness && soft:
			value += j.Weight * late
		}
	}
	return value
}

// DelaysFit reports whether Σ ω·late of any tidy plan stays within an int64, by
// the end of a plan that runs one task after the other.
func (js *JobSet) DelaysFit() bool {
	end, weights := js.TakenUntil(), 0.0
	for i := range js.Slaves {
		s := &js.Slaves[i]
		end = max(end, s.FirstBeat)
		if n := len(s.Down); n > 0 {
			end = max(end, s.Down[n-1].End)
		}
	}
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release)
		if js.Jobs[i].Kind == Soft {
			weights += float64(js.Jobs[i].Weight)
		}
	}
	longest := map[*Profile]Time{}
	for i := range js.Tasks {
		p := js.Tasks[i].Profile
		if _, known := longest[p]; !known {
			most := Time(0)
			p.EachRun(func(wcet, transfer Time, _ SlaveID) { most = max(most, wcet+transfer) })
			longest[p] = most
		}
		end += longest[p] + js.Heartbeat
	}
	const limit = math.MaxInt64 / 4
	return float64(end) < limit && float64(end)*weights < limit
}
