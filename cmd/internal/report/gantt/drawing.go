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
func PictureFormats() []string { return []string{"svg", "png", "pdf"} }

// Picture says how a plan is drawn.
type Picture struct {
	// Format is one of PictureFormats.
	Format string
	// Size is that of the whole picture, what is zero as suits the plan.
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

// Title is the name of the job set.
func (d *Drawing) Title() string {
	if d.JS.Name == "" {
		return "Plan"
	}
	return table.Printable(d.JS.Name)
}

// Write writes the chart as a picture in the format of p. An error says that w failed, that the
// plan is too large for a picture, or the picture too small for it.
func (d *Drawing) Write(w io.Writer, p Picture) error {
	if !slices.Contains(PictureFormats(), p.Format) {
		panic("unknown picture format " + p.Format)
	}
	pic, err := newScene(d.Summary, LayOut(d.Summary), d.Title(), d.Headline, p.Size)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	switch p.Format {
	case "png":
		err = pic.writePNG(&file)
	case "pdf":
		err = pic.writePDF(&file)
	default:
		pic.writeSVG(&file)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(version.Stamp(p.Format, file.Bytes()))
	return err
}

// Limits of a picture that is part of a page, and stays legible.
const (
	maxStillAttempts = 2000
	maxStillLanes    = maxLanesShown
)

// Still is the plan as an SVG for a page, laid out as plan is: nil where the plan is too
// large for one. It is tall where it does not fit on a page of paper.
func (d *Drawing) Still(plan *Layout) (svg []byte, tall bool, err error) {
	if len(d.Attempts) > maxStillAttempts || d.Lanes() > maxStillLanes {
		return nil, false, nil
	}
	pic, err := newScene(d.Summary, plan, d.Title(), d.Headline, chart.Size{})
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	pic.writeSVG(&b)
	return b.Bytes(), pic.Height > 0.62*pic.Width, nil
}
