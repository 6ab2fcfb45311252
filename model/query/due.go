package query

import (
	"downbeat/model"
	"slices"
)

// A vector of due times says, by JobID, when each job is to have finished
// (absolute): model.Never for jobs that play no part. Windows, bounds and
// relaxations start from one.

func noDues(js *model.JobSet) []model.Time {
	return slices.Repeat([]model.Time{model.Never}, len(js.Jobs))
}

// DuesOf are the deadlines of the given jobs; no other job is due.
func DuesOf(js *model.JobSet, jobs []model.JobID) []model.Time {
	due := noDues(js)
	for _, i := range jobs {
		due[i] = js.Jobs[i].Due()
	}
	return due
}

// HardJobs lists the jobs with hard deadlines, ascending.
func HardJobs(js *model.JobSet) []model.JobID {
	var jobs []model.JobID
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			jobs = append(jobs, model.JobID(i))
		}
	}
	return jobs
}

// HardDues are the deadlines of the hard jobs (C8); no other job is due.
func HardDues(js *model.JobSet) []model.Time { return DuesOf(js, HardJobs(js)) }

// AtMost are the due times that a plan with an objective of at most v keeps, where values are in
// ticks and jobs weigh 1; of others with v = 0. Hard deadlines are kept.
func AtMost(js *model.JobSet, o model.Objective, v model.Time) []model.Time {
	due, shape := noDues(js), o.Shape()
	for i := range due {
		job := &js.Jobs[i]
		switch looks := shape.Jobs.Has(job.Kind); {
		case looks && job.Kind == model.Hard:
			due[i] = min(job.Due(), shape.From(job)+v)
		case looks:
			due[i] = shape.From(job) + v
		default:
			due[i] = job.Due()
		}
	}
	return due
}
