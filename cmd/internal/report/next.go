package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/check"
)

// Shift is what the shift asks of a plan: what goes on from a time on.
type Shift struct {
	// Now and Until are that time and the end of what is asked for.
	Now, Until model.Time
	// Slave is the slave or class that is asked about, empty for all.
	Slave string
}

// picks reports whether a slave is asked about.
func (q *Shift) picks(js *model.JobSet) func(model.SlaveID) bool {
	return func(id model.SlaveID) bool {
		slave := &js.Slaves[id]
		return q.Slave == "" || slave.Name == q.Slave || slave.Class == q.Slave
	}
}

// atRisk are the jobs at risk of which a task is on one of the slaves that are asked about.
func (q *Shift) atRisk(s *summary.Summary) (late, tight []model.JobID) {
	picks := q.picks(s.JS)
	concerned := func(jobs []model.JobID) []model.JobID {
		var out []model.JobID
		for _, id := range jobs {
			for _, u := range s.Jobs[id].Uses {
				if picks(u.Slave) {
					out = append(out, id)
					break
				}
			}
		}
		return out
	}
	late, tight = s.AtRisk(q.Now)
	return concerned(late), concerned(tight)
}

// away are the slaves asked about that are absent now, with since when.
func (q *Shift) away(s *summary.Summary) []string {
	var out []string
	picks := q.picks(s.JS)
	for i := range s.JS.Slaves {
		slave := &s.JS.Slaves[i]
		for _, d := range slave.Down {
			if picks(model.SlaveID(i)) && d.Start <= q.Now && q.Now < d.End {
				out = append(out, table.Printable(slave.Name)+" since "+s.Clock.Point(d.Start))
			}
		}
	}
	return wording.AtMost(out, wording.MostListed)
}

// mostRows bounds the rows of a table of tasks, or of jobs that clash; JSON has them all.
const mostRows = 200

// Next prints what runs, starts and ends soon, and which jobs are at risk.
func (v *textView) Next(js *model.JobSet, p *model.Plan, r *check.Report, q *Shift) error {
	var b bytes.Buffer
	s := summary.SummarizePlan(js, p)
	next := s.Next(q.Now, q.Until, q.picks(js))
	late, tight := q.atRisk(s)
	where := ""
	if q.Slave != "" {
		where = " on " + table.Printable(q.Slave)
	}
	fmt.Fprintf(&b, "%s to %s%s: %d running, %d to start, %d to end; jobs: %d to end, %d late, %d tight\n", s.Clock.Point(q.Now), s.Clock.Point(q.Until), where,
		tasksOf(next.Running), tasksOf(next.Starts), tasksOf(next.Ends), next.JobsDone, len(late), len(tight))
	if st, _, line := shownLines(js, p, r); !r.OK() {
		fmt.Fprintln(&b, st.Paint(line, v.page.Color))
	}
	fmt.Fprintln(&b, wording.SetLine(js))
	if away := q.away(s); len(away) > 0 {
		fmt.Fprintf(&b, "away: %s\n", strings.Join(away, ", "))
	}
	v.taskRows(&b, "Running", next.Running, []string{"task", "machine", "since", "ends", "job due", "job slack"}, func(row *summary.TaskRow) []any {
		due, slack := jobRoom(s, row)
		return []any{s.RowName(row), js.Slaves[row.Slave].Name, s.Clock.Point(row.Start), s.Clock.Point(row.Finish), due, slack}
	})
	v.taskRows(&b, "Handed out or starts", next.Comes, []string{"starts", "task", "machine", "handed out", "ends", "job due", "job slack"}, func(row *summary.TaskRow) []any {
		due, slack := jobRoom(s, row)
		return []any{s.Clock.Point(row.Start), s.RowName(row), js.Slaves[row.Slave].Name, s.Clock.Point(row.Assigned), s.Clock.Point(row.Finish), due, slack}
	})
	v.taskRows(&b, "Ends", next.Ends, []string{"at", "task", "machine", "since", "job"}, func(row *summary.TaskRow) []any {
		return []any{s.Clock.Point(row.Finish), s.RowName(row), js.Slaves[row.Slave].Name, s.Clock.Point(row.Start), jobEnd(s, row)}
	})
	v.risks(&b, s, late, tight)
	return v.flush(&b)
}

// tasksOf counts the tasks of rows.
func tasksOf(rows []summary.TaskRow) int {
	n := 0
	for i := range rows {
		n += len(rows[i].Tasks)
	}
	return n
}

// jobRoom is when the job of a row is due, and its slack or how late it is.
func jobRoom(s *summary.Summary, row *summary.TaskRow) (due string, slack table.Cell) {
	texts := s.JobTexts(summary.JobRow{s.JS.Tasks[row.Task].Job})
	if texts.IsLate {
		return texts.Deadline, table.Bad.Cell(texts.Late + " late")
	}
	return texts.Deadline, table.Plain.Cell(texts.Slack)
}

// jobEnd says of a row that ends its job how well in time that is, "" of another.
func jobEnd(s *summary.Summary, row *summary.TaskRow) table.Cell {
	if !row.EndsJob {
		return table.Cell{}
	}
	job := &s.JS.Jobs[s.JS.Tasks[row.Task].Job]
	_, slack := jobRoom(s, row)
	switch {
	case job.Kind == model.BestEffort:
		slack.Text = job.Name + " is done"
	case slack.Style == table.Bad:
		slack.Text = job.Name + " is done, " + slack.Text
	case s.Jobs[s.JS.Tasks[row.Task].Job].Finish == job.Due():
		slack.Text = job.Name + " is done, just when it is due"
	default:
		slack.Text = job.Name + " is done, " + slack.Text + " before it is due"
	}
	return slack
}

// taskRows prints a table of tasks.
func (v *textView) taskRows(b *bytes.Buffer, title string, rows []summary.TaskRow, heads []string, cells func(*summary.TaskRow) []any) {
	v.page.Title(b, title)
	if len(rows) == 0 {
		fmt.Fprintln(b, "  nothing")
		return
	}
	t := &table.Table{Align: strings.Repeat("<", len(heads))}
	first := make([]any, len(heads))
	for i, h := range heads {
		first[i] = table.Head(h)
	}
	t.Add(first...)
	for i := range rows[:min(len(rows), mostRows)] {
		t.Add(cells(&rows[i])...)
	}
	t.Write(b, v.page)
	if more := len(rows) - mostRows; more > 0 {
		fmt.Fprintf(b, "and %s more; --format json lists them\n", wording.Count(more, "line"))
	}
}

// risks prints the jobs to look at, one a line.
func (v *textView) risks(b *bytes.Buffer, s *summary.Summary, late, tight []model.JobID) {
	if len(late)+len(tight) == 0 {
		v.page.Title(b, "At risk")
		fmt.Fprintf(b, "  nothing: no job is late, and none is tight (%s)\n", summary.TightText)
		v.notPlanned(b, s)
		return
	}
	v.page.Title(b, "Late or tight ("+summary.TightText+")")
	var rows []summary.JobRow
	for _, id := range slices.Concat(late, tight) {
		rows = append(rows, summary.JobRow{id})
	}
	jobsTable(s, rows).Write(b, v.page)
	v.notPlanned(b, s)
}

// notPlanned names the jobs that a plan leaves out, or a run rejected: they end neither late nor
// in time.
func (v *textView) notPlanned(b *bytes.Buffer, s *summary.Summary) {
	names := unplanned(s)
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "  not in this plan: %s\n", table.Printable(wording.Listed(wording.AtMost(names, wording.MostListed), "and")))
}

// unplanned are the names of the jobs without tasks, [] of none.
func unplanned(s *summary.Summary) []string {
	names := []string{}
	for i := range s.Jobs {
		if s.Jobs[i].Unplanned || s.Jobs[i].Rejected {
			names = append(names, s.JS.Jobs[i].Name)
		}
	}
	return names
}

// riskJSON is a job to look at.
type riskJSON struct {
	Job           string     `json:"job"`
	Kind          string     `json:"kind"`
	Release       model.Time `json:"release"`
	Deadline      model.Time `json:"deadline"`
	DeadlineClock string     `json:"deadline_clock,omitempty"`
	Finish        model.Time `json:"finish"`
	FinishClock   string     `json:"finish_clock,omitempty"`
	Late          model.Time `json:"late"`
	Slack         model.Time `json:"slack"`
}

func risksJSON(s *summary.Summary, jobs []model.JobID) []riskJSON {
	out := []riskJSON{}
	for _, id := range jobs {
		job, line := &s.JS.Jobs[id], &s.Jobs[id]
		out = append(out, riskJSON{
			Job: job.Name, Kind: job.Kind.String(), Release: job.Release, Deadline: job.Due(), DeadlineClock: s.Clock.Stamp(job.Due()),
			Finish: line.Finish, FinishClock: s.Clock.Stamp(line.Finish), Late: line.Late, Slack: line.Slack(s.JS),
		})
	}
	return out
}

// taskRowJSON is a task that goes on.
type taskRowJSON struct {
	Task          string     `json:"task"`
	Slave         string     `json:"slave"`
	Assigned      model.Time `json:"assigned"`
	AssignedClock string     `json:"assigned_clock,omitempty"`
	Start         model.Time `json:"start"`
	StartClock    string     `json:"start_clock,omitempty"`
	Finish        model.Time `json:"finish"`
	FinishClock   string     `json:"finish_clock,omitempty"`
	// EndsJob tells that no task of the job ends later.
	EndsJob bool `json:"ends_job"`
}

func taskRowsJSON(s *summary.Summary, rows []summary.TaskRow) []taskRowJSON {
	out := []taskRowJSON{}
	for i := range rows {
		row := &rows[i]
		for _, t := range row.Tasks {
			out = append(out, taskRowJSON{
				Task: s.JS.TaskName(t), Slave: s.JS.Slaves[row.Slave].Name, Assigned: row.Assigned, AssignedClock: s.Clock.Stamp(row.Assigned),
				Start: row.Start, StartClock: s.Clock.Stamp(row.Start), Finish: row.Finish, FinishClock: s.Clock.Stamp(row.Finish), EndsJob: row.EndsJob,
			})
		}
	}
	return out
}

// nextJSON is the answer of show --next.
type nextJSON struct {
	aboutJSON
	Valid      bool          `json:"valid"`
	Now        model.Time    `json:"now"`
	NowClock   string        `json:"now_clock,omitempty"`
	Until      model.Time    `json:"until"`
	UntilClock string        `json:"until_clock,omitempty"`
	Slave      string        `json:"slave,omitempty"`
	Running    []taskRowJSON `json:"running"`
	Starts     []taskRowJSON `json:"starts"`
	Ends       []taskRowJSON `json:"ends"`
	LateJobs   []riskJSON    `json:"late_jobs"`
	TightJobs  []riskJSON    `json:"tight_jobs"`
	Unplanned  []string      `json:"unplanned"`
}

// Next prints the same for programs, each task by itself.
func (v *jsonView) Next(js *model.JobSet, p *model.Plan, r *check.Report, q *Shift) error {
	s := summary.SummarizePlan(js, p)
	next := s.Next(q.Now, q.Until, q.picks(js))
	late, tight := q.atRisk(s)
	return v.write(nextJSON{
		newAboutJSON(js), r.OK(), q.Now, s.Clock.Stamp(q.Now), q.Until, s.Clock.Stamp(q.Until), q.Slave,
		taskRowsJSON(s, next.Running), taskRowsJSON(s, next.Starts), taskRowsJSON(s, next.Ends), risksJSON(s, late), risksJSON(s, tight), unplanned(s),
	})
}
