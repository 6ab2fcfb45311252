package report

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// maxPixels keeps a bitmap below what viewers open (about 300 MB in memory).
const maxPixels = 75_000_000

// writePNG paints the scene on a light page, at two pixels for one where the
// picture is not too large for that. At 72 dots per inch a pixel is a point.
func (s *scene) writePNG(w io.Writer) error {
	dpi := 144
	if 4*s.width*s.height > maxPixels {
		dpi = 72
	}
	if dpi == 72 && s.width*s.height > maxPixels {
		return fmt.Errorf("the picture would have %.0f × %.0f pixels, too many for a PNG; an SVG has no such limit", s.width, s.height)
	}
	p := &pngPainter{
		canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(s.width), vg.Length(s.height)), vgimg.UseDPI(dpi)),
		height: s.height,
	}
	for _, g := range s.groups {
		for _, sh := range g.shapes {
			p.paint(sh)
		}
	}
	_, err := vgimg.PngCanvas{Canvas: p.canvas}.WriteTo(w)
	return err
}

type pngPainter struct {
	canvas *vgimg.Canvas
	height float64
}

// at is a point of the scene on the canvas, whose y grows upwards.
func (p *pngPainter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(p.height - y)}
}

func (p *pngPainter) path(close bool, points ...float64) vg.Path {
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

func (p *pngPainter) fill(path vg.Path, c color.Color) {
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

func (p *pngPainter) stroke(path vg.Path, c color.Color, width float64) {
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(vg.Length(width))
	p.canvas.Stroke(path)
}

func (p *pngPainter) paint(sh shape) {
	switch sh := sh.(type) {
	case rect:
		p.rect(sh)
	case line:
		if sh.dashed {
			p.canvas.SetLineDash([]vg.Length{4, 3}, 0)
			defer p.canvas.SetLineDash(nil, 0)
		}
		p.stroke(p.path(false, sh.x1, sh.y1, sh.x2, sh.y2), sh.stroke.light(), sh.width)
	case ticks:
		var path vg.Path
		for _, x := range sh.xs {
			path.Move(p.at(x, sh.y1))
			path.Line(p.at(x, sh.y2))
		}
		p.stroke(path, sh.stroke.light(), sh.width)
	case polygon:
		p.fill(p.path(true, sh.points...), sh.fill.light())
	case label:
		x := sh.x
		switch sh.anchor {
		case anchorMiddle:
			x -= textWidth(sh.text, sh.size, sh.bold) / 2
		case anchorEnd:
			x -= textWidth(sh.text, sh.size, sh.bold)
		}
		p.canvas.SetColor(sh.fill.light())
		p.canvas.FillString(face(sh.size, sh.bold), p.at(x, sh.y), sh.text)
	}
}

func (p *pngPainter) rect(r rect) {
	if r.w <= 0 {
		return
	}
	box := func(inset float64) vg.Path {
		return p.path(true, r.x+inset, r.y+inset, r.x+r.w-inset, r.y+inset, r.x+r.w-inset, r.y+r.h-inset, r.x+inset, r.y+r.h-inset)
	}
	p.fill(box(0), r.fill.light())
	if r.hatched {
		// The line x + y = k crosses the box from its right or top edge to its
		// left or bottom edge.
		const gap = hatchGap * 1.4142
		first := gap * float64(int((r.x+r.y)/gap)+1)
		for k := first; k < r.x+r.w+r.y+r.h; k += gap {
			x1 := min(r.x+r.w, k-r.y)
			y2 := min(r.y+r.h, k-r.x)
			p.stroke(p.path(false, x1, k-x1, k-y2, y2), r.stroke.light(), hatchWidth)
		}
	}
	if r.strokeWidth > 0 {
		p.stroke(box(min(r.strokeWidth, r.w)/2), r.stroke.light(), r.strokeWidth)
	}
}
