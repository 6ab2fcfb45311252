package gantt

import (
	"bytes"
	"io"
	"slices"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/version"
	"downbeat/model"
)

// PictureFormats lists the formats of pictures, which are also file extensions.
func PictureFormats() []string { return []string{"svg", "png", "pdf", "html"} }

// Picture says how a plan is drawn.
type Picture struct {
	// Format is one of PictureFormats.
	Format string
	// Size is that of the whole picture, what is zero as suits the plan. Pages have none.
	Size chart.Size
}

// Unpainted says which letters of a job set's names a picture cannot have, as its font
// lacks them, and shows as boxes; "" where it has all. Browsers bring fonts of their own.
func Unpainted(js *model.JobSet, format string) string {
	names := slices.Concat([]string{js.Name}, js.Named)
	for i := range js.Jobs {
		names = append(names, js.Jobs[i].Name)
		for k := range js.Jobs[i].Stages {
			names = append(names, js.Jobs[i].Stages[k].Name)
		}
	}
	for i := range js.Slaves {
		names = append(names, js.Slaves[i].Name, js.Slaves[i].Class)
	}
	for i := range names {
		names[i] = table.Printable(names[i])
	}
	if text := chart.Lacking(format, names...); text != "" {
		return text + "; .svg and .html show all"
	}
	return ""
}

// Drawing is a chart with the words around it.
type Drawing struct {
	*summary.Summary
	// Headline stands above the chart. Pages have Status below it, the same as the solver has it,
	// and Notes as warnings.
	Headline, Status string
	Notes            []string
	// Chance tells of the durations and failures of a run.
	Chance string
}

// Write writes the chart in the format of p. An error says that w failed, that the plan is too
// large for a picture, or the picture too small for it.
func (d *Drawing) Write(w io.Writer, p Picture) error {
	if !slices.Contains(PictureFormats(), p.Format) {
		panic("unknown picture format " + p.Format)
	}
	title := d.JS.Name
	if title == "" {
		title = "Plan"
	}
	var file bytes.Buffer
	if err := d.draw(&file, p, title); err != nil {
		return err
	}
	_, err := w.Write(version.Stamp(p.Format, file.Bytes()))
	return err
}

func (d *Drawing) draw(file *bytes.Buffer, p Picture, title string) error {
	if p.Format == "html" {
		return d.writePage(file, title)
	}
	pic, err := newScene(d.Summary, table.Printable(title), d.Headline, p.Size)
	if err != nil {
		return err
	}
	switch p.Format {
	case "png":
		return pic.writePNG(file)
	case "pdf":
		return pic.writePDF(file)
	}
	pic.writeSVG(file)
	return nil
}
