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

// LeftOutWeight and LeftOut are the names of what plans minimise before all objectives of a job
// set in which slaves go for good: the weight of the soft jobs that are left out, and the number of
// all jobs that are. They are listed where any is.
const (
	LeftOutWeight = "left-out-weight"
	LeftOut       = "left-out"
)

// HardTardiness and HardTotalTardiness are the names of what the least bad plan of an
// infeasible set minimises after the number of hard misses: the largest lateness of a hard job,
// and the sum of theirs, in ticks.
const (
	HardTardiness      = "hard-tardiness"
	HardTotalTardiness = "hard-total-tardiness"
)

// HardLateness is the value of HardMisses, HardTardiness or HardTotalTardiness, by name, for
// finishes of all jobs. Jobs that are left out have no lateness.
func (js *JobSet) HardLateness(name string, finishes []Time) int64 {
	if name == HardMisses.String() {
		return js.Value(HardMisses, finishes)
	}
	most, sum := int64(0), int64(0)
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind == Hard && finishes[i] < Never {
			late := int64(job.Late(finishes[i]))
			most, sum = max(most, late), sum+late
		}
	}
	if name == HardTardiness {
		return most
	}
	return sum
}

// ValueNamed is the value of an objective, or of HardMisses, HardTardiness or
// HardTotalTardiness, by the name that plans give it. It fails on any other name.
func (js *JobSet) ValueNamed(name string, finishes []Time) (int64, error) {
	switch name {
	case HardMisses.String(), HardTardiness, HardTotalTardiness:
		return js.HardLateness(name, finishes), nil
	}
	o, err := ParseObjective(name)
	if err != nil {
		return 0, err
	}
	return js.Value(o, finishes), nil
}

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
// must be placed, but for those of jobs that are left out, which finish at Never.
func (js *JobSet) Finishes(s Schedule) []Time {
	out := make([]Time, len(js.Jobs))
	for t := range js.Tasks {
		j := js.Tasks[t].Job
		if s[t].Slave == NoSlave {
			out[j] = Never
			continue
		}
		if out[j] < Never {
			out[j] = max(out[j], js.Finish(TaskID(t), s[t]))
		}
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

// Value computes an objective from the jobs' finishes (see Finishes). A job that is left out
// is a miss without lateness.
func (js *JobSet) Value(o Objective, finishes []Time) int64 {
	value := int64(0)
	for i := range js.Jobs {
		j := &js.Jobs[i]
		late := int64(j.Late(finishes[i]))
		soft := j.Kind == Soft
		switch {
		case finishes[i] == Never && o != HardMisses && o != Misses:
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
	end, weights := js.sequential(), 0.0
	for i := range js.Jobs {
		if js.Jobs[i].Kind == Soft {
			weights += float64(js.Jobs[i].Weight)
		}
	}
	if js.horizon > 0 {
		end *= 2 // list schedules may go on behind the horizon
	}
	const limit = math.MaxInt64 / 4
	return float64(end) < limit && float64(end)*weights < limit
}
