package proof

import "downbeat/model"

// EnergyBound is a lower bound on one objective by overloads. It speaks about schedules in
// which all hard jobs meet their deadlines.
//
// Each overload refutes the due times that Due gives for it. What follows from
// that depends on the objective:
//
//	misses              of the soft jobs of each overload so many are late that
//	                    what they need (inference.Overloads) makes up for Need − Have;
//	                    Value is the least weight of a choice of soft jobs
//	                    that does so for every overload
//	tardiness           some soft job is later than Value − 1 (one overload)
//	makespan            some job ends after Value − 1 (one overload)
//	weighted-tardiness  the overloads are read in order; no two have a soft job
//	                    in common, except that one on a single soft job may
//	                    come first and a wider one later: see Floors
//
// A Value of 0 needs no overload.
type EnergyBound struct {
	Objective model.Objective
	Value     int64
	Overloads []Overload
	// Grace, one per overload, is by how many ticks every soft job may be late
	// beyond its floor and the overload still holds. 0 for misses; Value − 1
	// for tardiness; not used for makespan.
	Grace []model.Time
}

// ByEnergy reports whether overloads bound objectives of a shape: about how late soft jobs are, or
// about the last finish of all jobs.
func ByEnergy(of model.Shape) bool {
	if of.Measure == model.Completion {
		return of.Max && of.Jobs.Has(model.BestEffort)
	}
	return (of.Counts() || of.Measure == model.Delay) && !of.Jobs.Has(model.Hard)
}

// Add appends an argument.
func (b *EnergyBound) Add(o *Overload, grace model.Time) {
	b.Overloads = append(b.Overloads, *o)
	b.Grace = append(b.Grace, grace)
}

// Floors gives, per job, by how much it is late in every schedule on the word
// of those overloads alone that name a single soft job. They matter for
// weighted tardiness: every job pays its weight times its floor, and a
// overload on several soft jobs proves that one of them is later than its
// floor plus the overload's Grace, which costs Grace + 1 times the least
// weight among them on top.
func (b *EnergyBound) Floors(js *model.JobSet) []model.Time {
	floors := make([]model.Time, len(js.Jobs))
	if !b.Objective.Shape().Sums() {
		return floors
	}
	for k := range b.Overloads {
		if soft := SoftOf(js, b.Overloads[k].Jobs); len(soft) == 1 {
			floors[soft[0]] = max(floors[soft[0]], b.Grace[k]+1)
		}
	}
	return floors
}

// Due gives the absolute due times, per job, that overload k refutes: hard
// jobs at their deadlines; soft jobs at theirs plus Grace, plus the floor if
// the overload names several soft jobs; best-effort jobs never. For makespan
// every job is due at Value − 1, hard ones at their deadlines if that is
// earlier.
func (b *EnergyBound) Due(js *model.JobSet, k int) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	ends := b.Objective.Shape().Measure == model.Completion
	several := !ends && len(SoftOf(js, b.Overloads[k].Jobs)) > 1
	floors := b.Floors(js)
	for i := range due {
		job, end := &js.Jobs[i], model.Time(b.Value-1)
		switch {
		case ends && job.Kind == model.Hard:
			due[i] = min(job.Due(), end)
		case ends:
			due[i] = end
		case job.Kind == model.Soft:
			due[i] = job.Due() + b.Grace[k]
		case job.Kind == model.Hard:
			due[i] = job.Due()
		default:
			due[i] = model.Never
		}
		if several {
			due[i] += floors[i]
		}
	}
	return due
}

// Dues gives the due times of one overload after the other. Those of misses are worked
// out once, as they are all the same: there may be thousands of overloads.
func (b *EnergyBound) Dues(js *model.JobSet) func(k int) []model.Time {
	if b.Objective.Shape().Counts() && len(b.Overloads) > 0 {
		due := b.Due(js, 0)
		return func(int) []model.Time { return due }
	}
	return func(k int) []model.Time { return b.Due(js, k) }
}

// SoftOf picks the soft jobs.
func SoftOf(js *model.JobSet, jobs []model.JobID) []model.JobID {
	var out []model.JobID
	for _, i := range jobs {
		if js.Jobs[i].Kind == model.Soft {
			out = append(out, i)
		}
	}
	return out
}
