package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

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

// table writes columns that line up: "<" in align means left, ">" right.
type table struct {
	align string
	rows  [][]cell
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

// write prints the rows, two spaces between columns and none at line ends.
func (t *table) write(w io.Writer, color bool) {
	widths := make([]int, len(t.align))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], displayWidth(c.text))
		}
	}
	for _, row := range t.rows {
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
