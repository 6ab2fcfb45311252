package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/words"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

type textView struct {
	w    io.Writer
	page Page
}

// Plan prints headline, conflict, jobs, slaves and chart, as far as there are any.
func (v *textView) Plan(js *model.JobSet, res *solve.Result) error {
	var b bytes.Buffer
	st := statusStyle(res.Status)
	if res.Relaxed {
		st = bad
	}
	v.head(&b, js, st, Headline(res), res.Elapsed.Seconds())
	v.certificate(&b, js, res.Certificate, res.Status)
	if res.Kept != nil {
		fmt.Fprintln(&b, keptLine(js, res))
	}
	if res.Conflict != nil {
		newNo(js, res.Conflict, res.Analysis, res.Remedies).write(v.page, &b)
	}
	if len(res.Why) > 0 {
		v.page.title(&b, "Why no plan does better:")
		if unit := res.Why[0].Unit; unit > 1 {
			fmt.Fprintf(&b, "  (times in these arguments are in steps of %d ticks, which divide all times of the set)\n", unit)
		}
		for _, why := range res.Why {
			for _, line := range why.Sentences {
				fmt.Fprintln(&b, " ", Printable(line))
			}
		}
	}
	if res.Schedule != nil {
		s := Summarize(js, res.Schedule)
		if res.Relaxed {
			v.hardLate(&b, s, res.Closed())
		}
		v.jobs(&b, s)
		v.slaves(&b, s)
		v.chart(&b, s)
	}
	v.stats(&b, res.Stats)
	return v.flush(&b)
}

// Check prints the verdict and, on no, the conflict.
func (v *textView) Check(js *model.JobSet, verdict *solve.Verdict, tight *capacity.SlackAnswer) error {
	var b bytes.Buffer
	v.head(&b, js, statusStyle(verdict.Status), VerdictLine(verdict), verdict.Elapsed.Seconds())
	v.certificate(&b, js, verdict.Certificate, verdict.Status)
	if verdict.Conflict != nil {
		newNo(js, verdict.Conflict, verdict.Analysis, verdict.Remedies).write(v.page, &b)
	}
	if jobs := tightestFew(tight); len(jobs) > 0 {
		v.page.title(&b, tightTitle(tight))
		v.slackTable(&b, js, jobs)
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
		b.WriteString(faint.paint(strings.TrimSuffix(line, "\n"), v.page.Color) + "\n")
	}
	_, err := v.w.Write(b.Bytes())
	return err
}

func statusStyle(s model.Status) style {
	switch s {
	case model.Infeasible:
		return bad
	case model.Unknown:
		return doubt
	default:
		return good
	}
}

// head prints the answer, with its first word in st, what it is about, and
// the time it took.
func (v *textView) head(b *bytes.Buffer, js *model.JobSet, st style, line string, seconds float64) {
	word, rest, _ := strings.Cut(line, " ")
	fmt.Fprintln(b, st.paint(word, v.page.Color), rest)
	fmt.Fprintln(b, setLine(js))
	fmt.Fprintf(b, "time %.2fs\n", seconds)
}

// hardLate names the hard deadlines that a relaxed plan misses.
func (v *textView) hardLate(b *bytes.Buffer, s *Summary, best bool) {
	found := "found"
	if best {
		found = "there is"
	}
	v.page.title(b, fmt.Sprintf("The plan below is the least bad one %s; it misses hard deadlines:", found))
	for _, id := range s.LateJobs() {
		if j := &s.JS.Jobs[id]; j.Kind == model.Hard {
			fmt.Fprintf(b, "  %s, due %s, finishes %s\n", bad.paint(Printable(j.Name), v.page.Color),
				s.Clock.Point(j.Due()), bad.paint(s.Clock.Span(s.Jobs[id].Late)+" late", v.page.Color))
		}
	}
}

// afterColumn is where the table of jobs has what a job comes after.
const afterColumn = 2

func (v *textView) jobs(b *bytes.Buffer, s *Summary) {
	v.page.title(b, "Jobs")
	rows := s.jobRows()
	s.jobsTable(rows).write(b, v.page)
	for _, line := range s.seriesLines(rows) {
		fmt.Fprintln(b, Printable(line))
	}
}

// jobsTable tells of jobs, a row for each or for instances together.
func (s *Summary) jobsTable(rows []jobRow) *table {
	t := &table{align: "<<<>>>>><"}
	t.add(head("job"), head("kind"), head("after"), head("release"), head("deadline"), head("finish"), head("slack"), head("late"), head("slaves"))
	for _, row := range rows {
		texts := s.jobTexts(row)
		lateStyle, finishStyle := plain, plain
		if texts.IsLate {
			lateStyle = bad
		}
		if texts.IsRejected {
			finishStyle = bad
		}
		t.add(cell{texts.Name, bold}, texts.Kind, texts.After, texts.Release, texts.Deadline, cell{texts.Finish, finishStyle}, texts.Slack,
			cell{texts.Late, lateStyle}, texts.Uses)
	}
	if !s.JS.JobsLinked() {
		t.drop(afterColumn)
	}
	return t
}

// slaves tells, per slave, how much of its cores, slots, fetch line and named resources
// the plan takes while the slave is there.
func (v *textView) slaves(b *bytes.Buffer, s *Summary) {
	v.page.title(b, "Slaves until "+s.Clock.Point(s.End))
	s.slavesTable().write(b, v.page)
	fmt.Fprintln(b, faint.paint("busy, held, fetching: shares of its cores, slots and time to fetch input", v.page.Color))
}

func (s *Summary) slavesTable() *table {
	t := &table{align: "<>>>>>>" + strings.Repeat(">", len(s.JS.Named))}
	heads := []any{head("slave"), head("tasks"), head("cores"), head("busy"), head("slots"), head("held"), head("fetching")}
	for _, name := range s.JS.Named {
		heads = append(heads, head(name))
	}
	t.add(heads...)
	for i := range s.Slaves {
		line, slave := &s.Slaves[i], &s.JS.Slaves[i]
		slots := fmt.Sprint(slave.Slots)
		if slave.SplitSlots {
			slots = fmt.Sprintf("%d+%d", slave.MapSlots, slave.ReduceSlots)
		}
		busy, held, fetching := line.shares(slave)
		row := []any{slave.Name, line.Tasks, slave.Cores, busy, slots, held, fetching}
		for k := range s.JS.Named {
			row = append(row, line.unitsShare(slave, k))
		}
		t.add(row...)
	}
	return t
}

// chart prints the text Gantt chart if it fits the page.
func (v *textView) chart(b *bytes.Buffer, s *Summary) {
	chart, fits := newTextGantt(s, v.page)
	if !fits {
		fmt.Fprintf(b, "\nThe chart does not fit here (%s); --gantt FILE.svg draws it.\n", count(s.Lanes(), "lane"))
		return
	}
	v.page.title(b, "Chart")
	chart.write(b, v.page.Color)
}

// keptLine says what became of the plan that the search started from: what was
// kept of it, what it was worth then, and what is left of it.
func keptLine(js *model.JobSet, res *solve.Result) string {
	k := res.Kept
	tasks := len(js.Tasks)
	line := fmt.Sprintf("kept %d of %s as they were", k.Kept, count(tasks, "task"))
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
		values = append(values, fmt.Sprintf("%s %d", o.Name, o.Value))
	}
	if len(values) > 0 {
		line += " (" + strings.Join(values, ", ") + ")"
	}
	if res.Schedule != nil && k.Unchanged < k.Kept {
		line += fmt.Sprintf("; the search moved more, %d are as they were", k.Unchanged)
	}
	return line
}
