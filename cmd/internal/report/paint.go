package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"downbeat/cmd/internal/chart"
)

// maxPixels keeps a bitmap below what viewers open (about 300 MB in memory).
const maxPixels = 75_000_000

// writePNG paints the scene on a light page, at two pixels for one where the
// picture is not too large for that, nor its size asked for. At 72 dots per inch a pixel is
// a point.
func (s *scene) writePNG(w io.Writer) error {
	dpi := 144
	if s.sized || 4*s.width*s.height > maxPixels {
		dpi = 72
	}
	if dpi == 72 && s.width*s.height > maxPixels {
		return fmt.Errorf("the picture would have %.0f × %.0f pixels, too many for a PNG; an SVG has no such limit", s.width, s.height)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(s.width), vg.Length(s.height)), vgimg.UseDPI(dpi))
	s.paint(canvas, false)
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// stamps are the times of writing in a PDF, which would tell two equal pictures apart.
var stamps = regexp.MustCompile(`(/(?:CreationDate|ModDate) \(D:)[0-9]{14}`)

// writePDF paints the scene on a light page of its size, a pixel a point unless its size was
// asked for.
func (s *scene) writePDF(w io.Writer) error {
	pixel := vg.Length(1)
	if s.sized {
		pixel = chart.Pixel
	}
	canvas := vgpdf.New(pixel*vg.Length(s.width), pixel*vg.Length(s.height))
	canvas.Scale(float64(pixel), float64(pixel))
	s.paint(canvas, true)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(stamps.ReplaceAll(b.Bytes(), []byte("${1}20000101000000")))
	return err
}

// paint paints all shapes; plain where there is one font and no colour shows through
// another: vgpdf would darken what is faded, and writes one of two fonts only.
func (s *scene) paint(canvas vg.Canvas, plain bool) {
	p := &painter{canvas, s.height, plain}
	for _, g := range s.groups {
		for _, sh := range g.shapes {
			p.paint(sh)
		}
	}
}

type painter struct {
	canvas vg.Canvas
	height float64
	plain  bool
}

// color is that of paint.
func (p *painter) color(of paint) color.Color {
	c := of.light()
	if p.plain {
		return mix(tones[tonePaper].light, c, float64(c.A)/255)
	}
	return c
}

// at is a point of the scene on the canvas, whose y grows upwards.
func (p *painter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(p.height - y)}
}

func (p *painter) path(close bool, points ...float64) vg.Path {
	var path vg.Path
	path.Move(p.at(points[0], points[1]))
	for i := 2; i < len(points); i += 2 {
		path.Line(p.at(points[i], points[i+1]))
	}
	if close {
		path.Close()
	}
	return path
}

func (p *painter) fill(path vg.Path, c color.Color) {
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

func (p *painter) stroke(path vg.Path, c color.Color, width float64) {
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(vg.Length(width))
	p.canvas.Stroke(path)
}

func (p *painter) paint(sh shape) {
	switch sh := sh.(type) {
	case rect:
		p.rect(sh)
	case line:
		if sh.dashed {
			p.canvas.SetLineDash([]vg.Length{4, 3}, 0)
			defer p.canvas.SetLineDash(nil, 0)
		}
		p.stroke(p.path(false, sh.x1, sh.y1, sh.x2, sh.y2), p.color(sh.stroke), sh.width)
	case ticks:
		var path vg.Path
		for _, x := range sh.xs {
			path.Move(p.at(x, sh.y1))
			path.Line(p.at(x, sh.y2))
		}
		p.stroke(path, p.color(sh.stroke), sh.width)
	case polygon:
		p.fill(p.path(true, sh.points...), p.color(sh.fill))
	case label:
		x, bold := sh.x, sh.bold && !p.plain
		switch sh.anchor {
		case anchorMiddle:
			x -= textWidth(sh.text, sh.size, bold) / 2
		case anchorEnd:
			x -= textWidth(sh.text, sh.size, bold)
		}
		p.canvas.SetColor(p.color(sh.fill))
		p.canvas.FillString(face(sh.size, bold), p.at(x, sh.y), sh.text)
	}
}

func (p *painter) rect(r rect) {
	if r.w <= 0 {
		return
	}
	box := func(inset float64) vg.Path {
		return p.path(true, r.x+inset, r.y+inset, r.x+r.w-inset, r.y+inset, r.x+r.w-inset, r.y+r.h-inset, r.x+inset, r.y+r.h-inset)
	}
	if !p.plain || r.fill.alpha > 0.05 { // what is only there to be pointed at
		p.fill(box(0), p.color(r.fill))
	}
	if r.hatched {
		// The line x + y = k crosses the box from its right or top edge to its
		// left or bottom edge.
		const gap = hatchGap * 1.4142
		first := gap * float64(int((r.x+r.y)/gap)+1)
		for k := first; k < r.x+r.w+r.y+r.h; k += gap {
			x1 := min(r.x+r.w, k-r.y)
			y2 := min(r.y+r.h, k-r.x)
			p.stroke(p.path(false, x1, k-x1, k-y2, y2), p.color(r.stroke), hatchWidth)
		}
	}
	if r.strokeWidth > 0 {
		p.stroke(box(min(r.strokeWidth, r.w)/2), p.color(r.stroke), r.strokeWidth)
	}
}
