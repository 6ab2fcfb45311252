package scene

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"downbeat/cmd/internal/chart"
)

// maxPixels keeps a bitmap below what viewers open (about 300 MB in memory).
const maxPixels = 75_000_000

// WritePNG paints the scene on a light page, at two pixels for one where the
// picture is not too large for that, nor its size asked for. At 72 dots per inch a pixel is
// a point.
func (s *Scene) WritePNG(w io.Writer) error {
	dpi := 144
	if s.Sized || 4*s.Width*s.Height > maxPixels {
		dpi = 72
	}
	if dpi == 72 && s.Width*s.Height > maxPixels {
		return fmt.Errorf("the picture would have %.0f × %.0f pixels, too many for a PNG; an SVG has no such limit", s.Width, s.Height)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)), vgimg.UseDPI(dpi))
	s.paint(canvas, false)
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	return fast.Encode(w, canvas.Image())
}

// stamps are the times of writing in a PDF, which would tell two equal pictures apart.
var stamps = regexp.MustCompile(`(/(?:CreationDate|ModDate) \(D:)[0-9]{14}`)

// WritePDF paints the scene on a light page of its size, a pixel a point unless its size was
// asked for.
func (s *Scene) WritePDF(w io.Writer) error {
	pixel := vg.Length(1)
	if s.Sized {
		pixel = chart.Pixel
	}
	canvas := vgpdf.New(pixel*vg.Length(s.Width), pixel*vg.Length(s.Height))
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
func (s *Scene) paint(canvas vg.Canvas, plain bool) {
	p := &painter{canvas, s.Width, s.Height, plain}
	for i, g := range s.Groups {
		for k, sh := range g.Shapes {
			if i+k == 0 && p.isPaper(sh) {
				continue
			}
			p.paint(sh)
		}
	}
}

type painter struct {
	canvas        vg.Canvas
	width, height float64
	plain         bool
}

// color is that of paint.
func (p *painter) color(of Paint) color.Color {
	c := of.light()
	if p.plain {
		return mix(Tones[TonePaper].Light, c, float64(c.A)/255)
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

func (p *painter) paint(sh Shape) {
	switch sh := sh.(type) {
	case Rect:
		p.rect(sh)
	case Line:
		if sh.Dashed {
			p.canvas.SetLineDash([]vg.Length{4, 3}, 0)
			defer p.canvas.SetLineDash(nil, 0)
		}
		p.stroke(p.path(false, sh.X1, sh.Y1, sh.X2, sh.Y2), p.color(sh.Stroke), sh.Width)
	case Ticks:
		var path vg.Path
		for _, x := range sh.Xs {
			path.Move(p.at(x, sh.Y1))
			path.Line(p.at(x, sh.Y2))
		}
		p.stroke(path, p.color(sh.Stroke), sh.Width)
	case Polygon:
		p.fill(p.path(true, sh.Points...), p.color(sh.Fill))
	case Label:
		x, bold := sh.X, sh.Bold && !p.plain
		switch sh.Anchor {
		case AnchorMiddle:
			x -= TextWidth(sh.Text, sh.Size, bold) / 2
		case AnchorEnd:
			x -= TextWidth(sh.Text, sh.Size, bold)
		}
		p.canvas.SetColor(p.color(sh.Fill))
		p.canvas.FillString(Face(sh.Size, bold), p.at(x, sh.Y), sh.Text)
	}
}

// isPaper tells the background of the whole picture, which a bitmap has from the beginning:
// painting it takes as long as all else.
func (p *painter) isPaper(sh Shape) bool {
	r, ok := sh.(Rect)
	return ok && !p.plain && r.Fill == Toned(TonePaper) && r.X == 0 && r.Y == 0 && r.W >= p.width && r.H >= p.height
}

func (p *painter) rect(r Rect) {
	if r.W <= 0 {
		return
	}
	box := func(inset float64) vg.Path {
		return p.path(true, r.X+inset, r.Y+inset, r.X+r.W-inset, r.Y+inset, r.X+r.W-inset, r.Y+r.H-inset, r.X+inset, r.Y+r.H-inset)
	}
	if r.Fill.alpha > 0.05 { // what is only there to be pointed at
		p.fill(box(0), p.color(r.Fill))
	}
	if r.Hatched {
		// The line x + y = k crosses the box from its right or top edge to its
		// left or bottom edge.
		const gap = hatchGap * 1.4142
		first := gap * float64(int((r.X+r.Y)/gap)+1)
		for k := first; k < r.X+r.W+r.Y+r.H; k += gap {
			x1 := min(r.X+r.W, k-r.Y)
			y2 := min(r.Y+r.H, k-r.X)
			p.stroke(p.path(false, x1, k-x1, k-y2, y2), p.color(r.Stroke), hatchWidth)
		}
	}
	if r.StrokeWidth > 0 {
		p.stroke(box(min(r.StrokeWidth, r.W)/2), p.color(r.Stroke), r.StrokeWidth)
	}
}
