package report

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
	font := face(12, false).Face
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
		for _, r := range Printable(name) {
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
	return fmt.Sprintf("the font of %s pictures lacks %s of names (%s); .svg and .html show all", strings.ToUpper(format), count(len(missing), "letter"), shown)
}

// drawing is a chart with the words around it.
type drawing struct {
	*Summary
	headline string
	notes    []string
	// chance tells of the durations and failures of a run.
	chance string
}

func (d *drawing) write(w io.Writer, p Picture) error {
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

func (d *drawing) draw(file *bytes.Buffer, p Picture, title string) error {
	if p.Format == "html" {
		return d.writePage(file, title)
	}
	scene, err := newScene(d.Summary, Printable(title), d.headline, p.Size)
	if err != nil {
		return err
	}
	switch p.Format {
	case "png":
		return scene.writePNG(file)
	case "pdf":
		return scene.writePDF(file)
	}
	scene.writeSVG(file)
	return nil
}
