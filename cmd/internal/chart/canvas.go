package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// newCanvas is an empty white page of one of the formats svg, png and pdf: figures are looked at
// on pages of any colour.
func newCanvas(width, height vg.Length, format string) (vg.CanvasWriterTo, error) {
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(width, height)
	case "png":
		c = legible{vgimg.PngCanvas{Canvas: vgimg.New(width, height)}}
	case "pdf":
		c = legible{NewPDF(width, height)}
	default:
		return nil, fmt.Errorf("figures are no %s", format)
	}
	c.SetColor(color.White)
	c.Fill(vg.Rectangle{Max: vg.Point{X: width, Y: height}}.Path())
	vg.Initialize(c)
	return c, nil
}

// legible writes what bitmaps and PDFs can have of a text.
type legible struct{ vg.CanvasWriterTo }

// FillString implements vg.Canvas.
func (l legible) FillString(f font.Face, at vg.Point, text string) {
	l.CanvasWriterTo.FillString(f, at, Legible(text))
}
