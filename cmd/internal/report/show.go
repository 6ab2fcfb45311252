package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"downbeat/model"
	"downbeat/model/compare"
	"downbeat/model/planfile"
	"downbeat/model/verify"
)

// SummarizePlan looks at a plan from anywhere. Lines for what js does not have, and with
// times in no order that could be drawn, are left out.
func SummarizePlan(js *model.JobSet, p *model.Plan) *Summary {
	s := newSummary(js)
	s.addPlan(p, slaveNumbers(js))
	s.sum()
	for i := range s.Jobs {
		s.Jobs[i].Unplanned = len(s.Jobs[i].Uses) == 0
	}
	for _, job := range p.Rejected {
		if i := slices.IndexFunc(js.Jobs, func(j model.Job) bool { return j.Name == job }); i >= 0 {
			s.Jobs[i].Rejected = true
		}
	}
	return s
}

func slaveNumbers(js *model.JobSet) map[string]model.SlaveID {
	numbers := map[string]model.SlaveID{}
	for i := range js.Slaves {
		numbers[js.Slaves[i].Name] = model.SlaveID(i)
	}
	return numbers
}

// addPlan adds the lines of a plan.
func (s *Summary) addPlan(p *model.Plan, slaves map[string]model.SlaveID) {
	find := compare.NewFinder(s.JS)
	for i := range p.Tasks {
		s.addLine(find, &p.Tasks[i], slaves, false)
	}
	for i := range p.Lost {
		s.addLine(find, &p.Lost[i], slaves, true)
	}
}

func (s *Summary) addLine(find compare.Finder, line *model.TaskResult, slaves map[string]model.SlaveID, lost bool) {
	t, known := find.Task(line)
	id, there := slaves[line.Slave]
	if !known || !there || line.Assigned < 0 || line.Finish > model.Never {
		return
	}
	a := Attempt{
		Task: t, Slave: id, Assigned: line.Assigned, Fetch: line.Fetch, Start: line.Start, Finish: line.Finish,
		Fetched: line.Fetch + s.JS.Tasks[t].Transfer(id),
	}
	if lost {
		a.lose()
	}
	if a.Assigned <= a.Fetch && a.Fetch <= a.Start && a.Start <= a.Finish {
		a.Fetched = min(a.Fetched, a.Start)
		s.Attempts = append(s.Attempts, a)
	}
}

// shownLine says in a line what a plan is worth.
func shownLine(js *model.JobSet, p *model.Plan, r *verify.Report) (st style, line string) {
	if !r.OK() {
		return bad, "invalid (" + count(len(r.Violations), "violation") + "; downbeat validate names them)"
	}
	return good, "valid (" + validSummary(js, p) + ")"
}

// Show prints jobs, slaves and chart of a plan from anywhere.
func (v *textView) Show(js *model.JobSet, p *model.Plan, r *verify.Report) error {
	var b bytes.Buffer
	st, line := shownLine(js, p, r)
	fmt.Fprintln(&b, st.paint(line, v.page.Color))
	fmt.Fprintln(&b, setLine(js))
	s := SummarizePlan(js, p)
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

// DrawPlan is Draw for a plan from anywhere, in which something can be drawn.
func DrawPlan(w io.Writer, pic Picture, js *model.JobSet, p *model.Plan, r *verify.Report) error {
	_, line := shownLine(js, p, r)
	d := drawing{Summary: SummarizePlan(js, p), headline: line}
	return d.write(w, pic)
}
