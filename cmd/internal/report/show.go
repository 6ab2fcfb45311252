package report

import (
	"bytes"
	"fmt"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/planfile"
	"downbeat/model/verify"
)

// shownLines say what becomes of the jobs in a plan, "" where it is not valid, and what the plan
// is worth.
func shownLines(js *model.JobSet, p *model.Plan, r *verify.Report) (st table.Style, told, line string) {
	if !r.OK() {
		return table.Bad, "", "invalid (" + wording.Count(len(r.Violations), "violation") + "; downbeat validate names them)"
	}
	return table.Good, planOutcome(js, p), "valid (" + validSummary(js, p) + ")"
}

// Show prints jobs, slaves and chart of a plan from anywhere.
func (v *textView) Show(js *model.JobSet, p *model.Plan, r *verify.Report) error {
	var b bytes.Buffer
	st, told, line := shownLines(js, p, r)
	if told != "" {
		v.answer(&b, st, told)
	}
	fmt.Fprintln(&b, st.Paint(line, v.page.Color))
	fmt.Fprintln(&b, wording.SetLine(js))
	s := summary.SummarizePlan(js, p)
	v.jobs(&b, s)
	if len(s.Attempts) > 0 {
		v.slaves(&b, s)
		v.chart(&b, s)
	}
	return v.flush(&b)
}

// Show prints the plan, with the clock times that the job set knows.
func (v *jsonView) Show(js *model.JobSet, p *model.Plan, _ *verify.Report) error {
	shown := *Stamped(p)
	shown.JobSet, shown.TimeUnit, shown.Origin, shown.Zone = js.Name, js.TimeUnit, js.Origin, js.Zone
	return planfile.Write(v.w, &shown, planfile.ClockedJSON)
}
