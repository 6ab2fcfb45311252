package report

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
	Color  bool
	// Fit tells that nothing may be wider than the page, as on a terminal.
	Fit bool
}

// style is how a piece of text stands out on a terminal, as the parameters of
// an ANSI escape sequence; "" is plain.
type style string

const (
	plain style = ""
	bold  style = "1"
	faint style = "2"
	good  style = "1;32"
	bad   style = "1;31"
	doubt style = "1;33"
)

// paint wraps text in the style's escape sequence if colour is on.
func (s style) paint(text string, color bool) string {
	if s == plain || !color || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// cell is one entry of a table.
type cell struct {
	text  string
	style style
}

// head is the cell above a column.
func head(text string) cell { return cell{text, faint} }

// table writes columns that line up: "<" in align means left, ">" right.
type table struct {
	align string
	rows  [][]cell
	// wrap goes on with a last column that does not fit on lines of its own, where else it
	// would be cut.
	wrap bool
}

// add appends a row of plain texts (string) and cells (cell).
func (t *table) add(entries ...any) {
	row := make([]cell, len(entries))
	for i, e := range entries {
		switch e := e.(type) {
		case cell:
			row[i] = cell{Printable(e.text), e.style}
		default:
			row[i] = cell{Printable(fmt.Sprint(e)), plain}
		}
	}
	t.rows = append(t.rows, row)
}

// drop leaves a column out.
func (t *table) drop(column int) {
	t.align = t.align[:column] + t.align[column+1:]
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], column, column+1)
	}
}

// write prints the rows on a page, two spaces between columns and none at line ends. Where
// rows have to fit and do not, the last column is cut if enough of it is left, or each row
// becomes lines of their own.
func (t *table) write(w io.Writer, page Page) {
	widths, total := t.widths()
	if last := len(widths) - 1; page.Fit && total > page.Width {
		left := widths[last] - (total - page.Width)
		if t.align[last] != '<' || left < minCut {
			t.stack(w, page)
			return
		}
		if t.wrap {
			t.fold(left)
		}
		for _, row := range t.rows {
			if len(row) > last {
				row[last].text = truncate(row[last].text, left)
			}
		}
	}
	for _, row := range t.rows {
		t.writeRow(w, row, widths, page.Color)
	}
}

// fold puts words of the last column that do not fit into rows below.
func (t *table) fold(width int) {
	last := len(t.align) - 1
	var rows [][]cell
	for _, row := range t.rows {
		line := ""
		for _, word := range strings.Fields(row[last].text) {
			if line != "" && displayWidth(line)+1+displayWidth(word) > width {
				row[last].text = line
				rows = append(rows, row)
				row, line = make([]cell, len(row)), ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		row[last].text = line
		rows = append(rows, row)
	}
	t.rows = rows
}

// minCut is how many columns of a text tell enough of it.
const minCut = 12

// widths are those of the columns, and of all with what is between them.
func (t *table) widths() (widths []int, total int) {
	widths = make([]int, len(t.align))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], displayWidth(c.text))
		}
	}
	for _, n := range widths {
		total += n + 2
	}
	return widths, total - 2
}

func (t *table) writeRow(w io.Writer, row []cell, widths []int, color bool) {
	var line strings.Builder
	gap := 0
	for i, c := range row {
		pad := widths[i] - displayWidth(c.text)
		if t.align[i] == '>' {
			gap, pad = gap+pad, 0
		}
		if c.text != "" {
			line.WriteString(strings.Repeat(" ", gap))
			line.WriteString(c.style.paint(c.text, color))
			gap = 0
		} else if t.align[i] == '<' {
			gap, pad = gap+pad, 0
		}
		gap += pad + 2
	}
	fmt.Fprintln(w, line.String())
}

// stack prints each row as its first entry, and below it the others with their heads, if
// the first row has heads; "-" and what is empty is left out.
func (t *table) stack(w io.Writer, page Page) {
	rows, heads := t.rows, make([]string, len(t.align))
	if len(rows) > 0 && rows[0][0].style == faint {
		for i, c := range rows[0] {
			if c.text != "" {
				heads[i] = c.text + " "
			}
		}
		rows = rows[1:]
	}
	for _, row := range rows {
		fmt.Fprintln(w, row[0].style.paint(truncate(row[0].text, page.Width), page.Color))
		line, used := "", 0
		for i, c := range row[1:] {
			if c.text == "" || c.text == "-" {
				continue
			}
			room := page.Width - 2 - displayWidth(heads[i+1])
			text := truncate(c.text, max(room, minCut))
			n := displayWidth(heads[i+1] + text)
			if used > 0 && used+2+n > page.Width {
				fmt.Fprintln(w, line)
				line, used = "", 0
			}
			if used > 0 {
				line += ","
			} else {
				line = " "
			}
			line += " " + heads[i+1] + c.style.paint(text, page.Color)
			used += n + 2
		}
		if used > 0 {
			fmt.Fprintln(w, line)
		}
	}
}

// title separates sections of what is written on a page.
func (p Page) title(w io.Writer, text string) {
	fmt.Fprintf(w, "\n%s\n", bold.paint(text, p.Color))
}

// displayWidth is the number of terminal columns that text takes.
func displayWidth(text string) int {
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

// truncate cuts text to at most n columns, with an ellipsis where it cuts.
func truncate(text string, n int) string {
	if displayWidth(text) <= n {
		return text
	}
	used := 0
	for i, r := range text {
		w := displayWidth(string(r))
		if used+w > n-1 {
			return text[:i] + "…"
		}
		used += w
	}
	return text
}
