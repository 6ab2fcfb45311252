package gantt

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/encoding/charmap"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/scene"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
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
// lacks them; "" where it has all. Browsers bring fonts of their own.
func Unpainted(js *model.JobSet, format string) string {
	font := scene.Face(12, false).Face
	has := func(r rune) bool {
		var b sfnt.Buffer
		i, err := font.GlyphIndex(&b, r)
		return err == nil && i != 0
	}
	if format == "pdf" {
		has = func(r rune) bool { _, ok := charmap.Windows1252.EncodeRune(r); return ok }
	} else if format != "png" {
		return ""
	}
	var missing []rune
	look := func(name string) {
		for _, r := range table.Printable(name) {
			if r != unicode.ReplacementChar && !has(r) && !slices.Contains(missing, r) {
				missing = append(missing, r)
			}
		}
	}
	look(js.Name)
	for i := range js.Jobs {
		look(js.Jobs[i].Name)
	}
	for i := range js.Slaves {
		look(js.Slaves[i].Name)
	}
	if len(missing) == 0 {
		return ""
	}
	shown := string(missing[:min(len(missing), 10)])
	return fmt.Sprintf("the font of %s pictures lacks %s of names (%s); .svg and .html show all", strings.ToUpper(format), wording.Count(len(missing), "letter"), shown)
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
		return pic.WritePNG(file)
	case "pdf":
		return pic.WritePDF(file)
	}
	pic.WriteSVG(file)
	return nil
}
