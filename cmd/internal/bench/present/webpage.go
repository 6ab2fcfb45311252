// Webpage writes a bench as a page for browsers: its tables, its figures, and what
// policies did on some of the job sets beside what was best.

package present

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/page"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/version"
	"downbeat/cmd/internal/words"
)

// WebPage writes the page of a bench. Shown says which measures its tables have, style how
// figures are made. Without runs, as of a journal, none are drawn.
func WebPage(w io.Writer, c *bench.Config, records []*bench.Record, s *bench.Summary, shown bench.Page, style Style, runs *Runs) error {
	out := &page.Bench{Title: "Bench", Lines: sentences(s.Head()), Left: "Runs are drawn by a bench that plays them, not from journals."}
	if s.Parameter != "" {
		out.Title += " over " + table.Printable(s.Parameter)
	}
	if s.Sets < s.Planned {
		out.Notes = []string{"This is not the whole bench."}
	}
	if s.Sets > 0 {
		out.Tables = tables(s, shown)
		var err error
		if out.Figures, err = drawings(c, records, shown, style); err != nil {
			return err
		}
	}
	if runs != nil {
		out.Plays, out.Left, out.Legend = runs.plays, runs.left, runs.legend
	}
	out.Words = explained(s, shown)
	var file bytes.Buffer
	if err := page.WriteBench(&file, out); err != nil {
		return err
	}
	_, err := w.Write(version.Stamp("html", file.Bytes()))
	return err
}

// explained are the words of the tables that may be new.
func explained(s *bench.Summary, shown bench.Page) []page.Word {
	var told strings.Builder
	if Text(&told, s, shown) != nil {
		return nil // which a builder does not do
	}
	names := words.In(told.String())
	var out []page.Word
	for _, w := range words.All() {
		if slices.Contains(names, w.Name) {
			out = append(out, page.Word{Name: w.Name, Meaning: w.Meaning})
		}
	}
	return out
}

// printable are lines that a page breaks by itself.
func printable(lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, table.Printable(strings.ReplaceAll(line, "\n", " ")))
	}
	return out
}

// sentences are lines that begin with a capital and end with a full stop.
func sentences(lines []string) []string {
	out := printable(lines)
	for i, line := range out {
		out[i] = strings.ToUpper(line[:1]) + line[1:] + "."
	}
	return out
}

// tables are those of the text report.
func tables(s *bench.Summary, shown bench.Page) []page.Table {
	var out []page.Table
	for _, t := range s.Tables(shown) {
		title, caption := "Over all job sets", "Means of each policy over all job sets, with 95 % intervals"
		if t.By != "" {
			title, caption = "By "+t.By, fmt.Sprintf("Means of each policy by %s, with 95 %% intervals", t.By)
		}
		out = append(out, pageTable(&t, title, caption))
	}
	last := &out[len(out)-1]
	last.Notes = append(last.Notes, printable(s.Legend(shown))...)
	for _, t := range s.Comparisons(shown) {
		out = append(out, pageTable(&t, t.Title, "Differences between runs of the same job set with the same seed"))
	}
	return out
}

// pageTable is one of them, lines of equal first heads in groups where there are two.
func pageTable(t *bench.Table, title, caption string) page.Table {
	out := page.Table{Title: table.Printable(title), Caption: table.Printable(caption), Notes: printable(t.Notes)}
	if len(t.Columns) == 0 {
		return out // all lines agree, as the notes say
	}
	out.Heads, out.Columns = titles(t.Heads), titles(t.Columns)
	if n := len(out.Heads); n > 2 {
		out.Heads = []string{strings.Join(out.Heads[:n-1], ", "), out.Heads[n-1]}
	}
	names := t.Heads[len(t.Heads)-1].Cells
	for i, name := range names {
		group := ""
		for _, head := range t.Heads[:len(t.Heads)-1] {
			group = strings.TrimSpace(group + " " + table.Printable(head.Cells[i]))
		}
		if n := len(out.Groups); n == 0 || out.Groups[n-1].Name != group {
			out.Groups = append(out.Groups, page.Group{Name: group})
		}
		row := page.Row{Name: table.Printable(name)}
		for _, c := range t.Columns {
			row.Cells = append(row.Cells, table.Printable(c.Cells[i]))
		}
		last := &out.Groups[len(out.Groups)-1]
		last.Rows = append(last.Rows, row)
	}
	return out
}

func titles(columns []bench.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, table.Printable(c.Title))
	}
	return out
}

// drawings are the figures that say most, and those of the measures that were named.
func drawings(c *bench.Config, records []*bench.Record, shown bench.Page, style Style) ([]page.Figure, error) {
	names := []string{"schedulability", "gaps", "pareto"}
	for _, m := range shown.Measures {
		if !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	var out []page.Figure
	for _, name := range names {
		var svg bytes.Buffer
		switch err := Draw(&svg, c, name, "svg", records, style); {
		case errors.Is(err, ErrNothing):
		case err != nil:
			return nil, err
		default:
			out = append(out, page.Figure{SVG: svg.Bytes(), About: "Figure: " + About(name) + ". The tables have its means."})
		}
	}
	return out, nil
}
