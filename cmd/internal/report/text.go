package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/words"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

type textView struct {
	w    io.Writer
	page table.Page
	// terse leaves the sentence out that stands before what the solver says.
	terse bool
	// lateOnly leaves out of plans what is not late or tight.
	lateOnly bool
}

// Plan prints headline, conflict, jobs, slaves and chart, as far as there are any.
func (v *textView) Plan(js *model.JobSet, res *solve.Result) error {
	var b bytes.Buffer
	st := statusStyle(res.Status)
	if res.Relaxed {
		st = table.Bad
	}
	v.answer(&b, st, wording.Answer(js, res))
	v.head(&b, js, st, wording.Headline(js, res), res.Elapsed.Seconds())
	v.certificate(&b, js, res.Certificate, res.Status)
	if res.Kept != nil {
		fmt.Fprintln(&b, keptLine(js, res))
	}
	var s *summary.Summary
	told := false
	if res.Schedule != nil {
		s = summary.Summarize(js, res.Schedule)
		told = res.Relaxed && res.Past != nil && v.lostFirst(&b, js, res, s) && !hardLeftOut(js, res.LeftOut)
	}
	if res.Conflict != nil && !told {
		newRefutation(js, res.Conflict, res.Analysis, res.Repairs).write(v.page, &b)
	}
	if len(res.Why) > 0 {
		v.page.Title(&b, "Why no plan does better:")
		if unit := res.Why[0].Unit; unit > 1 && js.TimeUnit == 0 {
			fmt.Fprintf(&b, "  (times in these arguments are in steps of %d ticks, as nothing in the set needs finer ones)\n", unit)
		}
		for _, why := range res.Why {
			for _, line := range why.Sentences {
				fmt.Fprintln(&b, " ", table.Printable(line))
			}
		}
	}
	if s != nil {
		if res.Relaxed && !told {
			v.hardLate(&b, s, leastBad(res.Objectives))
		}
		v.leftOut(&b, js, res.LeftOut)
		now := model.Time(0)
		if res.Past != nil {
			now = res.Past.Now
		}
		v.body(&b, s, now)
	}
	v.stats(&b, res.Stats)
	return v.flush(&b)
}

// body tells of a plan's jobs, slaves and tasks, or of late and tight jobs alone, from now on.
func (v *textView) body(b *bytes.Buffer, s *summary.Summary, now model.Time) {
	if v.lateOnly {
		late, tight := s.AtRisk(now)
		v.risks(b, s, late, tight)
		return
	}
	v.jobs(b, s)
	if len(s.Attempts) > 0 {
		v.slaves(b, s)
		v.shared(b, s)
		v.chart(b, s)
	}
}

// Check prints the verdict and, on no, the conflict.
func (v *textView) Check(js *model.JobSet, verdict *solve.Verdict, tight *capacity.SlackAnswer, why bool) error {
	var b bytes.Buffer
	v.answer(&b, statusStyle(verdict.Status), wording.VerdictAnswer(js, verdict))
	v.head(&b, js, statusStyle(verdict.Status), wording.VerdictLine(verdict), verdict.Elapsed.Seconds())
	v.certificate(&b, js, verdict.Certificate, verdict.Status)
	if verdict.Conflict != nil {
		newRefutation(js, verdict.Conflict, verdict.Analysis, verdict.Repairs).write(v.page, &b)
	}
	if why && verdict.Schedule != nil && verdict.Soft == nil {
		v.page.Title(&b, "Why:")
		fmt.Fprintln(&b, "  there is a plan that meets every hard deadline, and separate code has checked that it keeps all rules; -o FILE writes it")
	}
	if verdict.Soft != nil {
		v.soft(&b, js, verdict)
	}
	if jobs := tightestFew(js, tight); len(jobs) > 0 {
		v.page.Title(&b, tightTitle(tight))
		v.slackTable(&b, js, jobs)
		v.certifiedAll(&b, tight.Certified)
	}
	v.stats(&b, verdict.Stats)
	return v.flush(&b)
}

// flush writes a report, and below it which of its words are explained elsewhere.
func (v *textView) flush(b *bytes.Buffer) error {
	if line := words.Line(b.String(), v.page.Width); line != "" {
		if bytes.Contains(b.Bytes(), []byte("\n\n")) { // it has sections
			b.WriteString("\n")
		}
		b.WriteString(table.Faint.Paint(strings.TrimSuffix(line, "\n"), v.page.Color) + "\n")
	}
	_, err := v.w.Write(b.Bytes())
	return err
}

func statusStyle(s model.Status) table.Style {
	switch s {
	case model.Infeasible:
		return table.Bad
	case model.Unknown:
		return table.Doubt
	default:
		return table.Good
	}
}

// answer prints the sentence that people ask for, unless scripts read the next line as the first.
func (v *textView) answer(b *bytes.Buffer, st table.Style, sentence string) {
	if !v.terse {
		fmt.Fprintln(b, st.Paint(sentence, v.page.Color))
	}
}

// head prints the answer as the solver has it, with its first word in st, what it is about, and
// the time it took.
func (v *textView) head(b *bytes.Buffer, js *model.JobSet, st table.Style, line string, seconds float64) {
	word, rest, _ := strings.Cut(line, " ")
	fmt.Fprintln(b, st.Paint(word, v.page.Color), rest)
	fmt.Fprintln(b, wording.SetLine(js))
	fmt.Fprintf(b, "time %.2fs\n", seconds)
}

// mostCannotRun is how many reasons a report gives: a class that is lost may take thousands of jobs
// along.
const mostCannotRun = 20

// leftOut says why jobs are left out.
func (v *textView) leftOut(b *bytes.Buffer, js *model.JobSet, jobs []model.JobID) {
	if len(jobs) == 0 {
		return
	}
	fmt.Fprintln(b)
	cannot := table.Bad.Paint("cannot run:", v.page.Color)
	for _, line := range wording.CannotRun(js, jobs, mostCannotRun) {
		fmt.Fprintln(b, cannot, table.Printable(line))
	}
	if more := len(jobs) - mostCannotRun; more > 0 {
		fmt.Fprintf(b, "%s %s (--format json names them)\n", cannot, wording.Count(more, "more job"))
	}
}

// leastBad reports whether all that is minimised before the objectives is closed.
func leastBad(of []model.ObjectiveValue) bool {
	for _, o := range of {
		of, err := model.ParseReported(o.Name)
		if err == nil && of.Shape().OfHard() && (o.Bound == nil || *o.Bound != o.Value) {
			return false
		}
	}
	return true
}

// hardLate names the hard deadlines that a relaxed plan misses.
func (v *textView) hardLate(b *bytes.Buffer, s *summary.Summary, best bool) {
	title := "The plan below misses these hard deadlines (whether another is less bad is not settled):"
	if best {
		title = "No plan misses fewer hard deadlines than the one below, or has hard jobs less late:"
	}
	v.page.Title(b, title)
	for _, id := range s.LateJobs() {
		if j := &s.JS.Jobs[id]; j.Kind == model.Hard {
			fmt.Fprintf(b, "  %s, due %s, finishes %s\n", table.Bad.Paint(table.Printable(j.Name), v.page.Color),
				s.Clock.Point(j.Due()), table.Bad.Paint(s.Clock.Span(s.Jobs[id].Late)+" late", v.page.Color))
		}
	}
}

// afterColumn is where the table of jobs has what a job comes after.
const afterColumn = 2

func (v *textView) jobs(b *bytes.Buffer, s *summary.Summary) {
	v.page.Title(b, "Jobs")
	rows := s.JobRows()
	jobsTable(s, rows).Write(b, v.page)
	for _, line := range s.SeriesLines(rows) {
		fmt.Fprintln(b, table.Printable(line))
	}
}

// jobsTable tells of jobs, a row for each or for instances together.
func jobsTable(s *summary.Summary, rows []summary.JobRow) *table.Table {
	t := &table.Table{Align: "<<,>>>>>,"}
	t.Add(table.Head("job"), table.Head("kind"), table.Head("after"), table.Head("release"), table.Head("deadline"), table.Head("finish"), table.Head("slack"), table.Head("late"), table.Head("machines"))
	for _, row := range rows {
		texts := s.JobTexts(row)
		lateStyle, finishStyle := table.Plain, table.Plain
		if texts.IsLate {
			lateStyle = table.Bad
		}
		if texts.IsOut {
			finishStyle = table.Bad
		}
		t.Add(table.Bold.Cell(texts.Name), texts.Kind, texts.After, texts.Release, texts.Deadline, finishStyle.Cell(texts.Finish), texts.Slack,
			lateStyle.Cell(texts.Late), texts.Uses)
	}
	if !s.JS.JobsLinked() {
		t.Drop(afterColumn)
	}
	return t
}

// slaves tells, per slave, how much of its cores, slots, fetch line and named resources
// the plan takes while the slave is there.
func (v *textView) slaves(b *bytes.Buffer, s *summary.Summary) {
	v.page.Title(b, "Machines until "+s.Clock.Point(s.End))
	slavesTable(s).Write(b, v.page)
	fmt.Fprintln(b, table.Faint.Paint("busy, held, fetching: shares of its cores, slots and time to fetch input", v.page.Color))
}

func slavesTable(s *summary.Summary) *table.Table {
	t := &table.Table{Align: "<>>>>>>" + strings.Repeat(">", len(s.JS.Named))}
	heads := []any{table.Head("machine"), table.Head("tasks"), table.Head("cores"), table.Head("busy"), table.Head("slots"), table.Head("held"), table.Head("fetching")}
	for _, name := range s.JS.Named {
		heads = append(heads, table.Head(name))
	}
	t.Add(heads...)
	for i := range s.Slaves {
		line, slave := &s.Slaves[i], &s.JS.Slaves[i]
		slots := fmt.Sprint(slave.Slots)
		if slave.SplitSlots {
			slots = fmt.Sprintf("%d+%d", slave.MapSlots, slave.ReduceSlots)
		}
		busy, held, fetching := line.Shares(slave)
		row := []any{slave.Name, line.Tasks, slave.Cores, busy, slots, held, fetching}
		for k := range s.JS.Named {
			row = append(row, line.UnitsShare(slave, k))
		}
		t.Add(row...)
	}
	return t
}

// mostShared is how many pools and caps a table has: each instance of a recurring job has a cap of its
// own.
const mostShared = 20

// shared tells of pools and caps how much the plan takes of them.
func (v *textView) shared(b *bytes.Buffer, s *summary.Summary) {
	if len(s.Shared) == 0 {
		return
	}
	v.page.Title(b, s.SharedTitle()+" until "+s.Clock.Point(s.End))
	sharedTable(s).Write(b, v.page)
	if more := len(s.Shared) - mostShared; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
	fmt.Fprintln(b, table.Faint.Paint("held: the share that tasks take, each from when it is handed out until it finishes", v.page.Color))
}

func sharedTable(s *summary.Summary) *table.Table {
	t := &table.Table{Align: "<>>>"}
	t.Add(table.Head("shared by all"), table.Head("there"), table.Head("held"), table.Head("most at once"))
	for i := range s.Shared[:min(len(s.Shared), mostShared)] {
		line := &s.Shared[i]
		t.Add(line.Name, line.Amount(s.End), line.Share(), fmt.Sprint(line.Peak))
	}
	return t
}

// chart prints the text Gantt chart if it fits the page.
func (v *textView) chart(b *bytes.Buffer, s *summary.Summary) {
	chart, fits := gantt.NewText(s, v.page)
	if !fits {
		fmt.Fprintf(b, "\nThe chart does not fit here (%s); --gantt FILE.svg draws it.\n", wording.Count(s.Lanes(), "lane"))
		return
	}
	v.page.Title(b, "Chart")
	chart.Write(b, v.page.Color)
}

// keptLine says what became of the plan that the search started from: what was
// kept of it, what it was worth then, and what is left of it.
func keptLine(js *model.JobSet, res *solve.Result) string {
	k := res.Kept
	tasks := len(js.Tasks)
	line := fmt.Sprintf("kept %d of %s as they were", k.Kept, wording.Count(tasks, "task"))
	if k.Moved > 0 {
		line += fmt.Sprintf(", moved %d", k.Moved)
	}
	if k.New > 0 {
		line += fmt.Sprintf(", new %d", k.New)
	}
	var values []string
	if k.HardLate > 0 {
		values = append(values, fmt.Sprintf("%s %d", model.HardMisses, k.HardLate))
	}
	for _, o := range k.Objectives {
		values = append(values, o.Name+" "+wording.ClockOf(js).Value(o.Name, o.Value))
	}
	if len(values) > 0 {
		line += " (" + strings.Join(values, ", ") + ")"
	}
	if res.Schedule != nil && k.Unchanged < k.Kept {
		line += fmt.Sprintf("; the search moved more, %d are as they were", k.Unchanged)
	}
	return line
}
