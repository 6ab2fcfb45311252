package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// The same figure is the same file, whenever it is drawn.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// PDF is a page of a PDF with the letters that its texts take of their fonts. Gonum's own
// writes UTF-8 as if it were Windows-1252, bold text in the font that came first, and makes
// darker what is to show through.
type PDF struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	// widths are those of lines, one for each Push.
	widths []vg.Length
	fonts  map[font.Font]bool // that the document has, of any size
	images int
}

// NewPDF is an empty page.
func NewPDF(width, height vg.Length) *PDF {
	p := &PDF{width: width, height: height, widths: make([]vg.Length, 1), fonts: map[font.Font]bool{},
		doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})}
	p.doc.SetMargins(0, 0, 0)
	p.doc.SetAutoPageBreak(false, 0)
	p.doc.AddPage()
	p.doc.TransformBegin()
	vg.Initialize(p)
	return p
}

// Size implements vg.CanvasSizer.
func (p *PDF) Size() (width, height vg.Length) { return p.width, p.height }

// SetLineWidth implements vg.Canvas.
func (p *PDF) SetLineWidth(w vg.Length) {
	p.widths[len(p.widths)-1] = w
	p.doc.SetLineWidth(w.Points())
}

// SetLineDash implements vg.Canvas.
func (p *PDF) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, l := range pattern {
		lengths[i] = l.Points()
	}
	p.doc.SetDashPattern(lengths, offset.Points())
}

// SetColor implements vg.Canvas.
func (p *PDF) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.doc.SetAlpha(float64(n.A)/255, "Normal")
}

// Rotate implements vg.Canvas.
func (p *PDF) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	p.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements vg.Canvas.
func (p *PDF) Translate(by vg.Point) {
	p.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: by.X.Points(), F: by.Y.Points()})
}

// Scale implements vg.Canvas.
func (p *PDF) Scale(x, y float64) { p.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

// Push implements vg.Canvas.
func (p *PDF) Push() {
	p.widths = append(p.widths, p.widths[len(p.widths)-1])
	p.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (p *PDF) Pop() {
	p.doc.TransformEnd()
	p.widths = p.widths[:len(p.widths)-1]
}

// Stroke implements vg.Canvas.
func (p *PDF) Stroke(path vg.Path) {
	if p.widths[len(p.widths)-1] > 0 {
		p.draw(path, "D")
	}
}

// Fill implements vg.Canvas.
func (p *PDF) Fill(path vg.Path) { p.draw(path, "F") }

// at is a point as fpdf counts, which has y downwards and turns it around again.
func (p *PDF) at(pt vg.Point) (x, y float64) {
	return pt.X.Points(), (p.height - pt.Y).Points()
}

func (p *PDF) draw(path vg.Path, style string) {
	for _, c := range path {
		x, y := p.at(c.Pos)
		switch {
		case c.Type == vg.MoveComp:
			p.doc.MoveTo(x, y)
		case c.Type == vg.LineComp:
			p.doc.LineTo(x, y)
		case c.Type == vg.ArcComp:
			r, degrees := c.Radius.Points(), 180/math.Pi
			p.doc.ArcTo(x, y, r, r, 0, c.Start*degrees, (c.Start+c.Angle)*degrees)
		case c.Type == vg.CurveComp && len(c.Control) == 1:
			x0, y0 := p.at(c.Control[0])
			p.doc.CurveTo(x0, y0, x, y)
		case c.Type == vg.CurveComp:
			x0, y0 := p.at(c.Control[0])
			x1, y1 := p.at(c.Control[1])
			p.doc.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
		case c.Type == vg.CloseComp:
			p.doc.ClosePath()
		}
	}
	p.doc.DrawPath(style)
}

// FillString implements vg.Canvas.
func (p *PDF) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	p.add(f)
	p.doc.SetFont(f.Name(), "", f.Font.Size.Points())
	x, y := p.at(at)
	p.doc.Text(x, y, text)
}

// add gives the document a font that it does not have.
func (p *PDF) add(f font.Face) {
	key := f.Font
	if key.Size = 0; p.fonts[key] {
		return
	}
	p.fonts[key] = true
	var src bytes.Buffer
	if _, err := f.Face.WriteSourceTo(nil, &src); err != nil {
		p.doc.SetError(err)
		return
	}
	p.doc.AddUTF8FontFromBytes(f.Name(), "", src.Bytes())
}

// DrawImage implements vg.Canvas.
func (p *PDF) DrawImage(rect vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		p.doc.SetError(err)
		return
	}
	p.images++
	name, options := "image"+strconv.Itoa(p.images), fpdf.ImageOptions{ImageType: "png"}
	p.doc.RegisterImageOptionsReader(name, options, &b)
	x, y := p.at(vg.Point{X: rect.Min.X, Y: rect.Max.Y})
	p.doc.ImageOptions(name, x, y, rect.Size().X.Points(), rect.Size().Y.Points(), false, options, 0, "")
}

// WriteTo writes the page, on which nothing can be drawn any more.
func (p *PDF) WriteTo(w io.Writer) (int64, error) {
	p.doc.TransformEnd()
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
