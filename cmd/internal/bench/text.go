package bench

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"downbeat/cmd/internal/words"
)

// WriteText prints the summary for people.
func (s *Summary) WriteText(w io.Writer, page Page) error {
	var text bytes.Buffer
	out := &printer{w: &text, width: max(page.Width, 60)}
	out.lines(s.Head())
	if s.Sets > 0 {
		s.figures(out, page)
	}
	if line := words.Line(text.String(), out.width); line != "" {
		text.WriteString("\n" + line)
	}
	_, err := text.WriteTo(w)
	return err
}

// figures are the tables and comparisons.
func (s *Summary) figures(out *printer, page Page) {
	for _, t := range s.Tables(page) {
		if t.Parameter != "" {
			out.printf("\nby %s\n", t.Parameter)
		} else if len(s.Levels) > 0 {
			out.printf("over all levels\n")
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
func layout(out *printer, heads, cols []Column) {
	left := 0
	for i := range heads {
		left += heads[i].width() + 2
	}
	for len(cols) > 0 {
		used, n := left-2, 0
		for n < len(cols) && (n == 0 || used+2+cols[n].width() <= out.width) {
			used += 2 + cols[n].width()
			n++
		}
		out.printf("\n")
		printBlocks(out, heads, cols[:n])
		cols = cols[n:]
	}
}

func (b *Column) width() int {
	w := utf8.RuneCountInString(b.Title)
	for _, c := range b.Cells {
		w = max(w, utf8.RuneCountInString(c))
	}
	return w
}

// printBlocks prints columns side by side, the heads flush left.
func printBlocks(out *printer, heads, cols []Column) {
	line := func(cell func(*Column) string) {
		var parts []string
		for i := range heads {
			parts = append(parts, pad(cell(&heads[i]), heads[i].width(), false))
		}
		for i := range cols {
			parts = append(parts, pad(cell(&cols[i]), cols[i].width(), true))
		}
		out.printf("%s\n", strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(b *Column) string { return b.Title })
	for i := range heads[0].Cells {
		line(func(b *Column) string { return b.Cells[i] })
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
