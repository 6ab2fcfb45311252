package summary

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// tightShare is the part of the time from release to deadline, in percent, below which the
// slack of a job is tight.
const tightShare = 10

// TightText says when a job is tight, for people.
const TightText = "slack below 10 % of the time from release to deadline"

// Tight reports whether a job ends in time with less slack than that.
func (s *Summary) Tight(id model.JobID) bool {
	line, job := &s.Jobs[id], &s.JS.Jobs[id]
	return job.Kind != model.BestEffort && !line.Rejected && !line.Unplanned && line.Late == 0 &&
		line.Slack(s.JS)*100 < job.Deadline*tightShare
}

// AtRisk are the jobs to look at from a time on: those that are late, the latest first, and
// those that are tight and have not ended by then, those with the least slack first.
func (s *Summary) AtRisk(now model.Time) (late, tight []model.JobID) {
	late = s.LateJobs()
	for i := range s.Jobs {
		if id := model.JobID(i); s.Tight(id) && s.Jobs[i].Finish > now {
			tight = append(tight, id)
		}
	}
	slices.SortStableFunc(late, func(a, b model.JobID) int { return cmp.Compare(s.Jobs[b].Late, s.Jobs[a].Late) })
	slices.SortStableFunc(tight, func(a, b model.JobID) int { return cmp.Compare(s.Jobs[a].Slack(s.JS), s.Jobs[b].Slack(s.JS)) })
	return late, tight
}
