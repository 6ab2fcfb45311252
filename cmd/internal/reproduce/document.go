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
	figures []figure
}

type figure struct {
	name string
	draw func(w io.Writer, format string) error
}

func (d *document) heading(level int, text string) {
	fmt.Fprintf(&d.text, "%s %s\n\n", strings.Repeat("#", level), text)
}

func (d *document) para(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n\n", args...)
}

func (d *document) list(items []string) {
	for _, item := range items {
		fmt.Fprintf(&d.text, "- %s\n", item)
	}
	d.text.WriteString("\n")
}

// table writes rows of cells; all but the first column are figures.
func (d *document) table(header []string, rows [][]string) {
	fmt.Fprintf(&d.text, "| %s |\n|---%s|\n", strings.Join(header, " | "), strings.Repeat("|---:", len(header)-1))
	for _, row := range rows {
		fmt.Fprintf(&d.text, "| %s |\n", strings.Join(row, " | "))
	}
	d.text.WriteString("\n")
}

func (d *document) figure(name, caption string, c *chart.Chart) { d.draw(name, caption, c.Draw) }

// draw adds a figure that is drawn as "svg" and "png".
func (d *document) draw(name, caption string, draw func(w io.Writer, format string) error) {
	d.figures = append(d.figures, figure{name, draw})
	fmt.Fprintf(&d.text, "![%s](%s.svg)\n\n", caption, name)
}

// File is a part of a report.
type File struct {
	Name string
	Data []byte
}

// files are each figure as SVG and PNG, and the text, which comes last.
func (d *document) files() ([]File, error) {
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
