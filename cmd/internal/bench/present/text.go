// Text prints the summary of a bench for people: tables as wide as the page, with how
// to read them, and comparisons.

package present

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/words"
)

// Text prints a summary.
func Text(w io.Writer, s *bench.Summary, page bench.Page) error {
	var b bytes.Buffer
	out := &printer{w: &b, width: max(page.Width, 60)}
	out.lines(s.Head())
	if s.Sets > 0 {
		figures(out, s, page)
	}
	if line := words.Line(b.String(), out.width); line != "" {
		b.WriteString("\n" + line)
	}
	_, err := b.WriteTo(w)
	return err
}

// figures are the tables and comparisons.
func figures(out *printer, s *bench.Summary, page bench.Page) {
	for _, t := range s.Tables(page) {
		if t.By != "" {
			out.printf("\nby %s\n", t.By)
		} else if len(s.Levels) > 0 {
			out.printf("over all %s\n", over(s))
		}
		layout(out, t.Heads, t.Columns)
		out.printf("\n")
		out.lines(t.Notes)
	}
	out.lines(s.Legend(page))
	for _, t := range s.Comparisons(page) {
		out.printf("\n%s\n", t.Title)
		if len(t.Columns) > 0 {
			printBlocks(out, t.Heads, t.Columns)
		}
		out.lines(t.Notes)
	}
}

// over is what there are several of.
func over(s *bench.Summary) string {
	if s.Parameter == "" {
		return "workloads"
	}
	return "levels"
}

// printer gathers lines.
type printer struct {
	w     *bytes.Buffer
	width int
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (p *printer) lines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(p.w, line)
	}
}

// layout prints columns beside their heads.
func layout(out *printer, heads, cols []bench.Column) {
	left := 0
	for i := range heads {
		left += width(&heads[i]) + 2
	}
	for len(cols) > 0 {
		used, n := left-2, 0
		for n < len(cols) && (n == 0 || used+2+width(&cols[n]) <= out.width) {
			used += 2 + width(&cols[n])
			n++
		}
		out.printf("\n")
		printBlocks(out, heads, cols[:n])
		cols = cols[n:]
	}
}

func width(b *bench.Column) int {
	w := utf8.RuneCountInString(b.Title)
	for _, c := range b.Cells {
		w = max(w, utf8.RuneCountInString(c))
	}
	return w
}

// printBlocks prints columns side by side, the heads flush left.
func printBlocks(out *printer, heads, cols []bench.Column) {
	line := func(cell func(*bench.Column) string) {
		var parts []string
		for i := range heads {
			parts = append(parts, pad(cell(&heads[i]), width(&heads[i]), false))
		}
		for i := range cols {
			parts = append(parts, pad(cell(&cols[i]), width(&cols[i]), true))
		}
		out.printf("%s\n", strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(b *bench.Column) string { return b.Title })
	for i := range heads[0].Cells {
		line(func(b *bench.Column) string { return b.Cells[i] })
	}
}

// pad fills text with spaces, at the left if right-aligned.
func pad(text string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return fill + text
	}
	return text + fill
}
