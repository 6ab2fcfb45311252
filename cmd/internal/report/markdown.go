package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/verify"
)

// Markdown writes a plan from anywhere as a section of a page: what it is worth, jobs and
// slaves. Recurring jobs share lines as in reports.
func Markdown(w io.Writer, js *model.JobSet, p *model.Plan, r *verify.Report) error {
	s := SummarizePlan(js, p)
	title := js.Name
	if title == "" {
		title = "Plan"
	}
	_, line := shownLine(js, p, r)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n%s.\n%s.\n", literal(title), literal(line), literal(setLine(js)))
	rows := s.jobRows()
	out.WriteString("\n### Jobs\n\n")
	s.jobsTable(rows).markdown(out)
	for _, line := range s.seriesLines(rows) {
		fmt.Fprintf(out, "\n%s\n", literal(line))
	}
	fmt.Fprintf(out, "\n### Slaves until %s\n\n", literal(s.Clock.Point(s.End)))
	s.slavesTable().markdown(out)
	fmt.Fprintf(out, "\n<!-- made by %s -->\n", version.Made())
	return out.Flush()
}

// markdown writes the rows, the first of which is the head.
func (t *table) markdown(w io.Writer) {
	for i, row := range t.rows {
		for _, c := range row {
			fmt.Fprintf(w, "| %s ", literal(c.text))
		}
		fmt.Fprintln(w, "|")
		if i > 0 {
			continue
		}
		for _, align := range t.align {
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
	for _, r := range Printable(text) {
		if strings.ContainsRune("\\`*_[]<>#|~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
