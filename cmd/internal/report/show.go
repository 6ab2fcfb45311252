package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/planfile"
)

// shownLines say what becomes of the jobs in a plan, "" where it is not valid, and what the plan
// is worth.
func shownLines(js *model.JobSet, p *model.Plan, r *check.Report) (st table.Style, told, line string) {
	if !r.OK() {
		return table.Bad, "", "invalid (" + wording.Count(len(r.Violations), "violation") + "; downbeat validate names them)"
	}
	return table.Good, planOutcome(js, p), "valid (" + validSummary(js, p) + ")"
}

// Show prints jobs, slaves and chart of a plan from anywhere.
func (v *textView) Show(js *model.JobSet, p *model.Plan, r *check.Report, followed *ontime.Tally) error {
	var b bytes.Buffer
	st, told, line := shownLines(js, p, r)
	if told != "" {
		v.answer(&b, st, told)
	}
	fmt.Fprintln(&b, st.Paint(line, v.page.Color))
	fmt.Fprintln(&b, wording.SetLine(js))
	v.body(&b, summary.SummarizePlan(js, p), p.Now)
	if followed != nil {
		v.intervals(&b, js, followed, fmt.Sprintf("When the plan is followed and tasks take times by their history (seeds 1 to %d)", followed.Runs))
		b.WriteString(aboutIntervals)
	}
	return v.flush(&b)
}

// Show prints the plan, with the clock times that the job set knows.
func (v *jsonView) Show(js *model.JobSet, p *model.Plan, _ *check.Report, followed *ontime.Tally) error {
	if v.lateOnly {
		return v.late(js, p)
	}
	shown := *Stamped(p)
	shown.JobSet, shown.TimeUnit, shown.Origin, shown.Zone = js.Name, js.TimeUnit, js.Origin, js.Zone
	if followed == nil {
		return planfile.Write(v.w, &shown, planfile.ClockedJSON)
	}
	var b bytes.Buffer
	if err := planfile.Write(&b, &shown, planfile.ClockedJSON); err != nil {
		return err
	}
	b.Truncate(bytes.LastIndexByte(b.Bytes(), '}') - 1) // the object goes on
	text, err := json.MarshalIndent(followedJSON{followed.Runs, newIntervalsJSON(js, followed)}, " ", " ")
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, ",\n \"followed\": %s\n}\n", text)
	_, err = v.w.Write(b.Bytes())
	return err
}

// followedJSON is what comes of following a plan, over runs of the seeds 1 to Runs.
type followedJSON struct {
	Runs int             `json:"runs"`
	Jobs []intervalsJSON `json:"jobs"`
}

// lateJSON is what --late leaves of a plan.
type lateJSON struct {
	aboutJSON
	Status    string     `json:"status,omitempty"`
	Jobs      int        `json:"jobs"`
	LateJobs  []riskJSON `json:"late_jobs"`
	TightJobs []riskJSON `json:"tight_jobs"`
	Unplanned []string   `json:"unplanned"`
}

// late prints the jobs of a plan that are late or tight, and of the others how many there are.
func (v *jsonView) late(js *model.JobSet, p *model.Plan) error {
	s := summary.SummarizePlan(js, p)
	late, tight := s.AtRisk(p.Now)
	return v.write(lateJSON{newAboutJSON(js), p.Status, len(js.Jobs), risksJSON(s, late), risksJSON(s, tight), unplanned(s)})
}
