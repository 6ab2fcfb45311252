package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/check"
)

// Markdown writes a plan from anywhere as a section of a page: what it is worth, jobs and
// slaves. Recurring jobs share lines as in reports.
func Markdown(w io.Writer, js *model.JobSet, p *model.Plan, r *check.Report) error {
	s := summary.SummarizePlan(js, p)
	title := js.Name
	if title == "" {
		title = "Plan"
	}
	_, told, line := shownLines(js, p, r)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", literal(title))
	for _, line := range []string{told, line, wording.SetLine(js)} {
		if line != "" {
			fmt.Fprintf(out, "%s.\n", literal(line))
		}
	}
	rows := s.JobRows()
	out.WriteString("\n### Jobs\n\n")
	markdown(jobsTable(s, rows), out)
	for _, line := range s.SeriesLines(rows) {
		fmt.Fprintf(out, "\n%s\n", literal(line))
	}
	fmt.Fprintf(out, "\n### Machines until %s\n\n", literal(s.Clock.Point(s.End)))
	markdown(slavesTable(s), out)
	if len(s.Shared) > 0 {
		fmt.Fprintf(out, "\n### %s until %s\n\n", s.SharedTitle(), literal(s.Clock.Point(s.End)))
		markdown(sharedTable(s), out)
	}
	fmt.Fprintf(out, "\n<!-- made by %s -->\n", version.Made())
	return out.Flush()
}

// markdown writes the rows, the first of which is the head.
func markdown(t *table.Table, w io.Writer) {
	for i, row := range t.Rows {
		for _, c := range row {
			fmt.Fprintf(w, "| %s ", literal(c.Text))
		}
		fmt.Fprintln(w, "|")
		if i > 0 {
			continue
		}
		for _, align := range t.Align {
			if align == '>' {
				fmt.Fprint(w, "| ---: ")
			} else {
				fmt.Fprint(w, "| --- ")
			}
		}
		fmt.Fprintln(w, "|")
	}
}

// literal keeps what a page would take for its own signs.
func literal(text string) string {
	var b strings.Builder
	for _, r := range table.Printable(text) {
		if strings.ContainsRune("\\`*_[]<>#|~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
