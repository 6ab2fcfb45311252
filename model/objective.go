package model

import (
	"fmt"
	"math"
)

// Objective is something to minimise: a row of a table that has its name, and what it measures
// as data ([Shape]). Who treats objectives asks for the shape, so that a new one is a row, and
// what its shape does not have yet.
type Objective uint8

// finish_i is the last finish of a task of job i, and late_i = max(0, finish_i − due_i).
const (
	// Misses is Σ ω_i [late_i > 0] over soft jobs (Penn §4.1 (a)).
	Misses Objective = iota
	// HardMisses is the number of hard jobs that are late. It leads the list when an
	// infeasible set is relaxed.
	HardMisses
	// Tardiness is max late_i over soft jobs (Penn §4.1 (b)).
	Tardiness
	// WeightedTardiness is Σ ω_i late_i over soft jobs.
	WeightedTardiness
	// Makespan is the last finish over all jobs.
	Makespan
	// HardTardiness and HardTotalTardiness are what the least bad plan of an infeasible set
	// minimises after HardMisses: the largest lateness of a hard job, and the sum of theirs.
	HardTardiness
	HardTotalTardiness
	// LeftOutWeight and LeftOut are what plans minimise before all objectives of a job set in
	// which slaves go for good: the weight of the soft jobs that are left out, and the number of
	// all jobs that are. They are listed where any is.
	LeftOutWeight
	LeftOut
	// Moves is what plans made during the night minimise last: the number of tasks whose slave or
	// heartbeat is another than in an earlier plan. A plan by itself has no value of it.
	Moves
)

// NumObjectives is how many objectives there are: all are below it.
const NumObjectives = len(objectives)

// MaxGoal is how many objectives a solve has at most: each that a job set can name, and HardMisses.
const MaxGoal = 5

// objectives is the table, by Objective.
var objectives = [...]struct {
	name string
	use  use
	// proof is the name of its limit in proof files; empty for what is no sum, or not limited.
	proof string
	Shape
}{
	Misses:             {"misses", named, "misses", Shape{Jobs: softJobs, Measure: LateCount, Weighted: true}},
	HardMisses:         {"hard-misses", leading, "hard-misses", Shape{Jobs: hardJobs, Measure: LateCount}},
	Tardiness:          {"tardiness", named, "", Shape{Jobs: softJobs, Measure: Delay, Max: true}},
	WeightedTardiness:  {"weighted-tardiness", named, "weighted", Shape{Jobs: softJobs, Measure: Delay, Weighted: true}},
	Makespan:           {"makespan", named, "", Shape{Jobs: allJobs, Measure: Completion, Max: true}},
	HardTardiness:      {"hard-tardiness", reported, "", Shape{Jobs: hardJobs, Measure: Delay, Max: true}},
	HardTotalTardiness: {"hard-total-tardiness", reported, "", Shape{Jobs: hardJobs, Measure: Delay}},
	LeftOutWeight:      {"left-out-weight", reported, "", Shape{Jobs: softJobs, Measure: Absence, Weighted: true}},
	LeftOut:            {"left-out", reported, "", Shape{Jobs: allJobs, Measure: Absence}},
	Moves:              {"moves", reported, "", Shape{Measure: Displacement}},
}

// use says who names an objective.
type use uint8

const (
	named    use = iota // job sets and flags
	leading             // questions and claims, too, but no job set
	reported            // plans only
)

// Measure is what an objective looks at of a job.
type Measure uint8

const (
	// LateCount is 1 for a job that finishes after its deadline, or is left out; else 0.
	LateCount Measure = iota
	// Delay is by how many ticks a job finishes after its deadline; 0 for one that is left out.
	Delay
	// Completion is when a job finishes, in ticks; 0 for one that is left out.
	Completion
	// Absence is 1 for a job that is left out, else 0.
	Absence
	// Displacement is what differs from an earlier plan: 0, as finishes do not tell.
	Displacement
)

// Kinds is a set of kinds of jobs.
type Kinds uint8

const (
	softJobs Kinds = 1 << Soft
	hardJobs Kinds = 1 << Hard
	allJobs        = softJobs | hardJobs | 1<<BestEffort
)

// Has reports whether a kind is among them.
func (k Kinds) Has(kind JobKind) bool { return k>>kind&1 == 1 }

// Shape is an objective as data: over some jobs, the sum of a measure of each, or the greatest.
type Shape struct {
	// Jobs are the kinds of jobs that it looks at; Has tells them.
	Jobs    Kinds
	Measure Measure
	// Weighted measures count times the job's weight, others once.
	Weighted bool
	// Max takes the greatest in place of the sum.
	Max bool
}

// OfHard reports whether it looks at hard jobs only: it is 0 where all of them are in time.
func (s Shape) OfHard() bool { return s.Jobs == hardJobs }

// Counts reports whether it is a weight, or number, of late jobs.
func (s Shape) Counts() bool { return s.Measure == LateCount && !s.Max }

// Timed reports whether values are in ticks.
func (s Shape) Timed() bool { return s.Measure == Delay || s.Measure == Completion }

// Point reports whether values are points in time, and not lengths of it or counts.
func (s Shape) Point() bool { return s.Measure == Completion && s.Max }

// Sums reports whether it is a sum over jobs that grows with their finishes.
func (s Shape) Sums() bool { return s.Timed() && !s.Max }

// Grows reports whether a job of a kind costs the more the later it is.
func (s Shape) Grows(kind JobKind) bool { return s.Timed() && s.Jobs.Has(kind) }

// Weight is what a unit of the measure of a job counts.
func (s Shape) Weight(job *Job) int64 {
	if s.Weighted {
		return job.Weight
	}
	return 1
}

// From is the finish up to which a job costs nothing: its deadline, or 0.
func (s Shape) From(job *Job) Time {
	if s.Measure == Completion {
		return 0
	}
	return job.Due()
}

// Latest is by when a job that it looks at finishes in a plan of this value, of a shape that is Timed.
func (s Shape) Latest(job *Job, value int64) Time { return s.From(job) + Time(value/s.Weight(job)) }

// Cost is what a job that it looks at costs by its finish, which is Never for one that is left out.
func (s Shape) Cost(job *Job, finish Time) int64 {
	cost := int64(0)
	switch s.Measure {
	case LateCount:
		if finish > job.Due() {
			cost = 1
		}
	case Delay, Completion:
		if finish < Never {
			cost = int64(max(0, finish-s.From(job)))
		}
	case Absence:
		if finish == Never {
			cost = 1
		}
	}
	return cost * s.Weight(job)
}

// Shape is what the objective measures.
func (o Objective) Shape() Shape { return objectives[o].Shape }

// Greatest is the objective that has, of all that o sums up, the greatest; ok is false where there
// is none.
func (o Objective) Greatest() (greatest Objective, ok bool) {
	of := o.Shape()
	of.Weighted, of.Max = false, true
	for k, row := range objectives {
		if row.Shape == of {
			return Objective(k), true
		}
	}
	return 0, false
}

// Reported reports whether plans list it, and nothing else names it.
func (o Objective) Reported() bool { return objectives[o].use == reported }

// String is the name used in files.
func (o Objective) String() string { return objectives[o].name }

// InProofs is the name of a limit on the objective in proof files; empty where it has none.
func (o Objective) InProofs() string { return objectives[o].proof }

// Limited lists, ascending, the objectives that have a limit in proof files.
func Limited() (list []Objective) {
	for o, row := range objectives {
		if row.proof != "" {
			list = append(list, Objective(o))
		}
	}
	return list
}

// ObjectiveNames lists the objectives that a job set or a flag can name.
func ObjectiveNames() (names []string) {
	for _, row := range objectives {
		if row.use == named {
			names = append(names, row.name)
		}
	}
	return names
}

// ParseObjective is the inverse of String for ObjectiveNames.
func ParseObjective(name string) (Objective, error) { return parseObjective(name, named) }

// ParseLimited is the inverse of String for what questions may limit, and claims bound: ObjectiveNames
// and HardMisses.
func ParseLimited(name string) (Objective, error) { return parseObjective(name, leading) }

// ParseReported is the inverse of String for all objectives: what plans may list.
func ParseReported(name string) (Objective, error) { return parseObjective(name, reported) }

func parseObjective(name string, most use) (Objective, error) {
	for o, row := range objectives {
		if row.name == name && row.use <= most {
			return Objective(o), nil
		}
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
	shape, value := o.Shape(), int64(0)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		switch {
		case !shape.Jobs.Has(job.Kind):
		case shape.Max:
			value = max(value, shape.Cost(job, finishes[i]))
		default:
			value += shape.Cost(job, finishes[i])
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
