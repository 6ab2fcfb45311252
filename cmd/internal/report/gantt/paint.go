package gantt

import (
	"fmt"
	"image/color"
	"image/png"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"downbeat/cmd/internal/chart"
)

// maxPixels keeps a bitmap below what viewers open (about 300 MB in memory).
const maxPixels = 75_000_000

// writePNG paints the scene on a light page, at two pixels for one where the
// picture is not too large for that, nor its size asked for. At 72 dots per inch a pixel is
// a point.
func (s *scene) writePNG(w io.Writer) error {
	dpi := 144
	if s.Sized || 4*s.Width*s.Height > maxPixels {
		dpi = 72
	}
	if dpi == 72 && s.Width*s.Height > maxPixels {
		return fmt.Errorf("the picture would have %.0f × %.0f pixels, too many for a PNG; an SVG has no such limit", s.Width, s.Height)
	}
	page := vgimg.NewWith(vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)), vgimg.UseDPI(dpi))
	s.paint(page, true)
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	return fast.Encode(w, page.Image())
}

// writePDF paints the scene on a light page of its size, a pixel a point unless its size was
// asked for.
func (s *scene) writePDF(w io.Writer) error {
	pixel := vg.Length(1)
	if s.Sized {
		pixel = chart.Pixel
	}
	page := chart.NewPDF(pixel*vg.Length(s.Width), pixel*vg.Length(s.Height))
	page.Scale(float64(pixel), float64(pixel))
	s.paint(page, false)
	_, err := page.WriteTo(w)
	return err
}

// paint paints all shapes, on white or on nothing.
func (s *scene) paint(page vg.Canvas, white bool) {
	p := &painter{page, s.Width, s.Height, white}
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
	white         bool
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
		if sh.Dashed {
			p.canvas.SetLineDash([]vg.Length{4, 3}, 0)
			defer p.canvas.SetLineDash(nil, 0)
		}
		p.stroke(p.path(false, sh.X1, sh.Y1, sh.X2, sh.Y2), sh.Stroke.light(), sh.Width)
	case ticks:
		var path vg.Path
		for _, x := range sh.Xs {
			path.Move(p.at(x, sh.Y1))
			path.Line(p.at(x, sh.Y2))
		}
		p.stroke(path, sh.Stroke.light(), sh.Width)
	case polygon:
		p.fill(p.path(true, sh.Points...), sh.Fill.light())
	case label:
		x, text := sh.X, chart.Legible(sh.Text)
		switch sh.Anchor {
		case anchorMiddle:
			x -= textWidth(text, sh.Size, sh.Bold) / 2
		case anchorEnd:
			x -= textWidth(text, sh.Size, sh.Bold)
		}
		p.canvas.SetColor(sh.Fill.light())
		p.canvas.FillString(face(sh.Size, sh.Bold), p.at(x, sh.Y), text)
	}
}

// isPaper tells the background of the whole picture, which a bitmap has from the beginning:
// painting it takes as long as all else.
func (p *painter) isPaper(sh shape) bool {
	r, ok := sh.(rect)
	return ok && p.white && r.Fill == toned(tonePaper) && r.X == 0 && r.Y == 0 && r.W >= p.width && r.H >= p.height
}

func (p *painter) rect(r rect) {
	if r.W <= 0 {
		return
	}
	box := func(inset float64) vg.Path {
		return p.path(true, r.X+inset, r.Y+inset, r.X+r.W-inset, r.Y+inset, r.X+r.W-inset, r.Y+r.H-inset, r.X+inset, r.Y+r.H-inset)
	}
	if r.Fill.alpha > 0.05 { // what is only there to be pointed at
		p.fill(box(0), r.Fill.light())
	}
	if r.Hatched {
		// The line x + y = k crosses the box from its right or top edge to its
		// left or bottom edge.
		const gap = hatchGap * 1.4142
		first := gap * float64(int((r.X+r.Y)/gap)+1)
		for k := first; k < r.X+r.W+r.Y+r.H; k += gap {
			x1 := min(r.X+r.W, k-r.Y)
			y2 := min(r.Y+r.H, k-r.X)
			p.stroke(p.path(false, x1, k-x1, k-y2, y2), r.Stroke.light(), hatchWidth)
		}
	}
	if r.StrokeWidth > 0 {
		p.stroke(box(min(r.StrokeWidth, r.W)/2), r.Stroke.light(), r.StrokeWidth)
	}
}
