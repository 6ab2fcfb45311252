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

// Table writes columns that line up: "<" in align means left, ">" right, and "," a list at the
// left, as [Fewer] takes it.
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
// rows have to fit and do not, texts are shortened, and columns that still have no room go
// on lines of their own below their row.
func (t *Table) Write(w io.Writer, page Page) {
	widths, total := t.widths()
	hangs := false
	if page.Fit && total > page.Width {
		if last := len(widths) - 1; t.Wrap && t.left(last) && widths[last]-(total-page.Width) >= minCut {
			t.fold(widths[last] - (total - page.Width))
			widths, _ = t.widths()
		}
		widths, hangs = t.fit(widths, page.Width)
	}
	heads := t.heads()
	for r, row := range t.Rows {
		t.writeRow(w, row, widths, page.Color)
		if hangs && (r > 0 || heads == nil) {
			t.hang(w, row, heads, widths, page)
		}
	}
}

// left tells that a column's entries stand at its left.
func (t *Table) left(column int) bool { return t.Align[column] != '>' }

// hung is the width of a column whose entries stand on lines below their rows.
const hung = -1

// fit shortens texts until rows fit a width, none below what tells enough of it. Where that is
// not enough, columns hang below: texts from the right to the left, then figures. It answers
// with the widths, and whether there are such.
func (t *Table) fit(widths []int, width int) (fitted []int, hangs bool) {
	for _, next := range append(t.hanging(), 0) {
		var ok bool
		if fitted, ok = t.shrink(widths, width); ok {
			break
		}
		if next > 0 {
			widths[next], hangs = hung, true
		}
	}
	t.cut(fitted)
	needed, _ := t.widths()
	for c := range fitted {
		fitted[c] = min(fitted[c], needed[c]) // lists end where an entry does
	}
	return fitted, hangs
}

// hanging are all columns but the first, in the order in which they hang.
func (t *Table) hanging() []int {
	var texts, figures []int
	for c := len(t.Align) - 1; c > 0; c-- {
		if t.left(c) {
			texts = append(texts, c)
		} else {
			figures = append(figures, c)
		}
	}
	return append(texts, figures...)
}

// shrink takes columns of text as narrow as rows need, the widest first; ok is false where that
// would leave too little of one. The first column stands last of all, in any width.
func (t *Table) shrink(widths []int, width int) (fitted []int, ok bool) {
	fitted = slices.Clone(widths)
	over, columns := -2-width, 0
	for _, n := range fitted {
		if n != hung {
			over, columns = over+n+2, columns+1
		}
	}
	for ; over > 0; over-- {
		widest := -1
		for c, n := range fitted {
			if n > t.least(c, columns) && t.left(c) && (widest < 0 || n > fitted[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			return nil, columns == 1
		}
		fitted[widest]--
	}
	return fitted, true
}

// minCut is how many columns of a text tell enough of it.
const minCut = 12

// least is how narrow a column may become, of so many.
func (t *Table) least(column, columns int) int {
	if column == 0 && columns == 1 {
		return 1
	}
	n := minCut
	if heads := t.heads(); heads != nil {
		n = max(n, DisplayWidth(heads[column]))
	}
	return n
}

// heads are the words above the columns, nil if there are none.
func (t *Table) heads() []string {
	if len(t.Rows) == 0 || t.Rows[0][0].Style != Faint {
		return nil
	}
	heads := make([]string, len(t.Align))
	for i, c := range t.Rows[0] {
		heads[i] = c.Text
	}
	return heads
}

// cut shortens entries to the widths of their columns.
func (t *Table) cut(widths []int) {
	for _, row := range t.Rows {
		for i := range row {
			switch {
			case widths[i] == hung || !t.left(i):
			case t.Align[i] == ',':
				row[i].Text = Fewer(row[i].Text, widths[i])
			default:
				row[i].Text = Truncate(row[i].Text, widths[i])
			}
		}
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
		if widths[i] == hung {
			continue
		}
		pad := widths[i] - DisplayWidth(c.Text)
		if !t.left(i) {
			gap, pad = gap+pad, 0
		}
		if c.Text != "" {
			line.WriteString(strings.Repeat(" ", gap))
			line.WriteString(c.Style.Paint(c.Text, color))
			gap = 0
		} else if t.left(i) {
			gap, pad = gap+pad, 0
		}
		gap += pad + 2
	}
	fmt.Fprintln(w, line.String())
}

// hang prints the entries of a row whose columns have no room beside it, with their heads; "-"
// and what is empty is left out.
func (t *Table) hang(w io.Writer, row []Cell, heads []string, widths []int, page Page) {
	line, used := "", 0
	for i, c := range row {
		if widths[i] != hung || c.Text == "" || c.Text == "-" {
			continue
		}
		head := ""
		if heads != nil && heads[i] != "" {
			head = heads[i] + " "
		}
		room, text := max(page.Width-2-DisplayWidth(head), 1), c.Text
		if t.Align[i] == ',' {
			text = Fewer(text, room)
		}
		text = Truncate(text, room)
		n := DisplayWidth(head + text)
		if used > 0 && used+2+n > page.Width {
			fmt.Fprintln(w, line)
			line, used = "", 0
		}
		if used > 0 {
			line += ";"
		} else {
			line = " "
		}
		line += " " + head + c.Style.Paint(text, page.Color)
		used += n + 2
	}
	if used > 0 {
		fmt.Fprintln(w, line)
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

// Fewer shortens a list, "a, b, c" or "a, b, +2 more", to n columns: as many of its entries as
// have room, and how many more there are; less where not even one has.
func Fewer(list string, n int) string {
	if DisplayWidth(list) <= n {
		return list
	}
	entries, more := strings.Split(list, ", "), 0
	if last := len(entries) - 1; last > 0 {
		if k, err := fmt.Sscanf(entries[last], "+%d more", &more); k == 1 && err == nil {
			entries = entries[:last]
		}
	}
	for k := len(entries) - 1; k > 0; k-- {
		some := strings.Join(entries[:k], ", ")
		for _, rest := range []string{fmt.Sprintf(", +%d more", more+len(entries)-k), ", …"} {
			if (k == 1 || rest != ", …") && DisplayWidth(some+rest) <= n {
				return some + rest
			}
		}
	}
	return Truncate(list, n)
}
