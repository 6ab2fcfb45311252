package report

import (
	"bytes"
	"fmt"
	"slices"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/model"
	"downbeat/solve"
)

// lost is a hard job of a plan that is under way whose deadline is missed whatever is done
// from now on.
type lost struct {
	job model.JobID
	// ended tells that all of it has happened; else earliest is a time before which it cannot
	// end.
	ended    bool
	earliest model.Time
}

// lostJobs are the hard jobs of a plan that is under way which are late whatever is done:
// those that ended late, that run or wait past their deadlines, and that are too late even
// alone. others are the late hard jobs of which that is not known.
func lostJobs(js *model.JobSet, res *solve.Result, s *summary.Summary) (certain []lost, others []model.JobID) {
	now := res.Past.Now
	for _, id := range s.LateJobs() {
		job := &js.Jobs[id]
		if job.Kind != model.Hard {
			continue
		}
		l := lost{job: id, ended: true}
		for t := job.First; t < job.End; t++ {
			at := res.Schedule[t]
			finish := js.Finish(t, at)
			l.ended = l.ended && finish <= now
			switch {
			case js.Assigned(at) < now:
				l.earliest = max(l.earliest, finish)
			default:
				l.earliest = max(l.earliest, now+1)
			}
		}
		if res.Analysis != nil {
			for i := range res.Analysis.Alone {
				if a := &res.Analysis.Alone[i]; a.Job == id {
					l.earliest = max(l.earliest, a.Earliest)
				}
			}
		}
		if l.earliest > job.Due() {
			certain = append(certain, l)
		} else {
			others = append(others, id)
		}
	}
	return certain, others
}

// lostFirst tells first which hard deadlines are missed whatever is done, and reports whether
// all is said by that: no other hard job is late.
func (v *textView) lostFirst(b *bytes.Buffer, js *model.JobSet, res *solve.Result, s *summary.Summary) (all bool) {
	certain, others := lostJobs(js, res, s)
	if len(certain) == 0 {
		return false
	}
	v.page.Title(b, fmt.Sprintf("Late whatever is done from %s on:", s.Clock.Point(res.Past.Now)))
	for _, l := range certain {
		job := &js.Jobs[l.job]
		finish := s.Jobs[l.job].Finish
		what := "cannot end before " + s.Clock.Point(l.earliest) + " at declared times, and ends " + s.Clock.Point(finish)
		switch {
		case l.ended:
			what = "ended " + s.Clock.Point(finish)
		case l.earliest == finish:
			what = "ends " + s.Clock.Point(finish) + " at the earliest, at declared times"
		}
		fmt.Fprintf(b, "  %s, due %s, %s: %s\n", table.Bad.Paint(table.Printable(job.Name), v.page.Color), s.Clock.Point(job.Due()), what,
			table.Bad.Paint(s.Clock.Span(s.Jobs[l.job].Late)+" late", v.page.Color))
	}
	if len(others) == 0 {
		fmt.Fprintln(b, "  All other hard jobs are in time in the plan below.")
	}
	return len(others) == 0
}

// lostJob is such a job for programs.
type lostJob struct {
	Job      string     `json:"job"`
	Ended    bool       `json:"ended"`
	Earliest model.Time `json:"earliest"`
	Finish   model.Time `json:"finish"`
	Late     model.Time `json:"late"`
}

// lostJSON are the hard jobs of an answer that are late whatever is done, none of a plan that is
// not under way.
func lostJSON(js *model.JobSet, res *solve.Result) (out []lostJob) {
	if res.Past == nil || !res.Relaxed || res.Schedule == nil {
		return nil
	}
	s := summary.Summarize(js, res.Schedule)
	certain, _ := lostJobs(js, res, s)
	for _, l := range certain {
		line := &s.Jobs[l.job]
		out = append(out, lostJob{js.Jobs[l.job].Name, l.ended, l.earliest, line.Finish, line.Late})
	}
	return out
}

// hardLeftOut reports whether one of the jobs that are left out is hard: it has no finish to be late by.
func hardLeftOut(js *model.JobSet, jobs []model.JobID) bool {
	return slices.ContainsFunc(jobs, func(id model.JobID) bool { return js.Jobs[id].Kind == model.Hard })
}
