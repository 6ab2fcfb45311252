// Package table has what reports on a terminal are made of: tables, styles, titles, and text
// that fits a page.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Page is what a text view has to write on.
type Page struct {
	// Width in columns.
	Width int
	// Height in lines, beyond which no chart is drawn; 0 means no limit.
	Height int
	// Color tells that styles show.
	Color bool
	// Fit tells that nothing may be wider than the page, as on a terminal.
	Fit bool
}

// Style is how a piece of text stands out on a terminal, as the parameters of
// an ANSI escape sequence; "" is plain.
type Style string

// Styles: Good, Bad and Doubt are of answers.
const (
	Plain Style = ""
	Bold  Style = "1"
	Faint Style = "2"
	Good  Style = "1;32"
	Bad   Style = "1;31"
	Doubt Style = "1;33"
)

// Paint wraps text in the style's escape sequence if colour is on.
func (s Style) Paint(text string, color bool) string {
	if s == Plain || !color || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Cell is one entry of a table.
type Cell struct {
	Text  string
	Style Style
}

// Cell is text in a style.
func (s Style) Cell(text string) Cell { return Cell{text, s} }

// Head is the cell above a column.
func Head(text string) Cell { return Faint.Cell(text) }

// Table writes columns that line up: "<" in align means left, ">" right.
type Table struct {
	Align string
	Rows  [][]Cell
	// Wrap goes on with a last column that does not fit on lines of its own, where else it
	// would be cut.
	Wrap bool
}

// Add appends a row of plain texts (string) and cells (cell).
func (t *Table) Add(entries ...any) {
	row := make([]Cell, len(entries))
	for i, e := range entries {
		switch e := e.(type) {
		case Cell:
			row[i] = Cell{Printable(e.Text), e.Style}
		default:
			row[i] = Cell{Printable(fmt.Sprint(e)), Plain}
		}
	}
	t.Rows = append(t.Rows, row)
}

// Drop leaves a column out.
func (t *Table) Drop(column int) {
	t.Align = t.Align[:column] + t.Align[column+1:]
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
}

// Write prints the rows on a page, two spaces between columns and none at line ends. Where
// rows have to fit and do not, the last column is cut if enough of it is left, or each row
// becomes lines of their own.
func (t *Table) Write(w io.Writer, page Page) {
	widths, total := t.widths()
	if last := len(widths) - 1; page.Fit && total > page.Width {
		left := widths[last] - (total - page.Width)
		if t.Align[last] != '<' || left < minCut {
			t.stack(w, page)
			return
		}
		if t.Wrap {
			t.fold(left)
		}
		for _, row := range t.Rows {
			if len(row) > last {
				row[last].Text = Truncate(row[last].Text, left)
			}
		}
	}
	for _, row := range t.Rows {
		t.writeRow(w, row, widths, page.Color)
	}
}

// fold puts words of the last column that do not fit into rows below.
func (t *Table) fold(width int) {
	last := len(t.Align) - 1
	var rows [][]Cell
	for _, row := range t.Rows {
		line := ""
		for _, word := range strings.Fields(row[last].Text) {
			if line != "" && DisplayWidth(line)+1+DisplayWidth(word) > width {
				row[last].Text = line
				rows = append(rows, row)
				row, line = make([]Cell, len(row)), ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		row[last].Text = line
		rows = append(rows, row)
	}
	t.Rows = rows
}

// minCut is how many columns of a text tell enough of it.
const minCut = 12

// widths are those of the columns, and of all with what is between them.
func (t *Table) widths() (widths []int, total int) {
	widths = make([]int, len(t.Align))
	for _, row := range t.Rows {
		for i, c := range row {
			widths[i] = max(widths[i], DisplayWidth(c.Text))
		}
	}
	for _, n := range widths {
		total += n + 2
	}
	return widths, total - 2
}

func (t *Table) writeRow(w io.Writer, row []Cell, widths []int, color bool) {
	var line strings.Builder
	gap := 0
	for i, c := range row {
		pad := widths[i] - DisplayWidth(c.Text)
		if t.Align[i] == '>' {
			gap, pad = gap+pad, 0
		}
		if c.Text != "" {
			line.WriteString(strings.Repeat(" ", gap))
			line.WriteString(c.Style.Paint(c.Text, color))
			gap = 0
		} else if t.Align[i] == '<' {
			gap, pad = gap+pad, 0
		}
		gap += pad + 2
	}
	fmt.Fprintln(w, line.String())
}

// stack prints each row as its first entry, and below it the others with their heads, if
// the first row has heads; "-" and what is empty is left out.
func (t *Table) stack(w io.Writer, page Page) {
	rows, heads := t.Rows, make([]string, len(t.Align))
	if len(rows) > 0 && rows[0][0].Style == Faint {
		for i, c := range rows[0] {
			if c.Text != "" {
				heads[i] = c.Text + " "
			}
		}
		rows = rows[1:]
	}
	for _, row := range rows {
		fmt.Fprintln(w, row[0].Style.Paint(Truncate(row[0].Text, page.Width), page.Color))
		line, used := "", 0
		for i, c := range row[1:] {
			if c.Text == "" || c.Text == "-" {
				continue
			}
			room := page.Width - 2 - DisplayWidth(heads[i+1])
			text := Truncate(c.Text, max(room, minCut))
			n := DisplayWidth(heads[i+1] + text)
			if used > 0 && used+2+n > page.Width {
				fmt.Fprintln(w, line)
				line, used = "", 0
			}
			if used > 0 {
				line += ","
			} else {
				line = " "
			}
			line += " " + heads[i+1] + c.Style.Paint(text, page.Color)
			used += n + 2
		}
		if used > 0 {
			fmt.Fprintln(w, line)
		}
	}
}

// Title separates sections of what is written on a page.
func (p Page) Title(w io.Writer, text string) {
	fmt.Fprintf(w, "\n%s\n", Bold.Paint(text, p.Color))
}

// DisplayWidth is the number of terminal columns that text takes.
func DisplayWidth(text string) int {
	n := 0
	for _, r := range text {
		switch k := width.LookupRune(r).Kind(); {
		case unicode.Is(unicode.Mn, r):
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Printable replaces control characters, so that a name in a file cannot
// command the terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Truncate cuts text to at most n columns, with an ellipsis where it cuts.
func Truncate(text string, n int) string {
	if DisplayWidth(text) <= n {
		return text
	}
	used := 0
	for i, r := range text {
		w := DisplayWidth(string(r))
		if used+w > n-1 {
			return text[:i] + "…"
		}
		used += w
	}
	return text
}
