package reproduce

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/chart"
)

// document is a report in Markdown with its figures.
type document struct {
	text    bytes.Buffer
	figures []drawing
	claims  []claim
}

type drawing struct {
	name string
	draw func(w io.Writer, format string) error
}

// Heading begins a part; the title has level 1.
func (d *document) Heading(level int, text string) {
	fmt.Fprintf(&d.text, "%s %s\n\n", strings.Repeat("#", level), text)
}

// Para writes a paragraph.
func (d *document) Para(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n\n", args...)
}

// List writes points.
func (d *document) List(items []string) {
	for _, item := range items {
		fmt.Fprintf(&d.text, "- %s\n", item)
	}
	d.text.WriteString("\n")
}

// Table writes rows of cells; all but the first column are figures.
func (d *document) Table(header []string, rows [][]string) {
	d.rows(header, rows, "---:")
}

// Words writes rows of cells with words in them.
func (d *document) Words(header []string, rows [][]string) { d.rows(header, rows, "---") }

func (d *document) rows(header []string, rows [][]string, align string) {
	fmt.Fprintf(&d.text, "| %s |\n|---%s|\n", strings.Join(header, " | "), strings.Repeat("|"+align, len(header)-1))
	for _, row := range rows {
		fmt.Fprintf(&d.text, "| %s |\n", strings.Join(row, " | "))
	}
	d.text.WriteString("\n")
}

// Figure adds a chart.
func (d *document) Figure(name, caption string, c *chart.Chart) { d.Draw(name, caption, c.Draw) }

// Draw adds a figure that is drawn as "svg" and "png".
func (d *document) Draw(name, caption string, draw func(w io.Writer, format string) error) {
	d.figures = append(d.figures, drawing{name, draw})
	fmt.Fprintf(&d.text, "![%s](%s.svg)\n\n", caption, name)
}

// File is a part of a report.
type File struct {
	Name string
	Data []byte
}

// Files are each figure as SVG and PNG, and the text, which comes last.
func (d *document) Files() ([]File, error) {
	var out []File
	for _, f := range d.figures {
		for _, format := range []string{"svg", "png"} {
			var b bytes.Buffer
			if err := f.draw(&b, format); err != nil {
				return nil, fmt.Errorf("figure %s: %w", f.name, err)
			}
			out = append(out, File{f.name + "." + format, b.Bytes()})
		}
	}
	text := bytes.TrimRight(d.text.Bytes(), "\n")
	return append(out, File{"report.md", append(text, '\n')}), nil
}

// Append takes over what another document has.
func (d *document) Append(other *document) {
	d.text.Write(other.text.Bytes())
	d.figures = append(d.figures, other.figures...)
	d.claims = append(d.claims, other.claims...)
}

// Claims are those of the document so far.
func (d *document) Claims() []claim { return d.claims }
