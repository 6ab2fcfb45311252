package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Eight colours that people with any kind of colour vision tell apart (Okabe
// and Ito).
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x66, 0x66, 0x66, 0xff}, {0x8c, 0x6d, 0x1f, 0xff},
}

// Markers and dashes tell lines apart where colours do not, as on paper.
var (
	markers = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {10, 4}}
)

// style is how the series of a number is drawn: the first eight have colours of their own,
// the next ones other markers and dashes with these. No two of the first 64 are alike.
func style(number int) (draw.LineStyle, draw.GlyphStyle) {
	round := number / len(palette)
	c := palette[number%len(palette)]
	line := draw.LineStyle{Color: c, Width: 1.5, Dashes: dashes[(number+2*round)%len(dashes)]}
	return line, draw.GlyphStyle{Color: c, Radius: 2.4, Shape: markers[(number+3*round)%len(markers)]}
}

// PointStyle is the marker of the series of a number.
func PointStyle(number int) draw.GlyphStyle {
	_, glyph := style(number)
	return glyph
}

// bold is the line that others are held against, ghost one that others are shown before.
func bold() (draw.LineStyle, draw.GlyphStyle) {
	return draw.LineStyle{Color: color.Black, Width: 2.5}, draw.GlyphStyle{Color: color.Black, Radius: 2, Shape: draw.CircleGlyph{}}
}

func ghost() (draw.LineStyle, draw.GlyphStyle) {
	c := color.NRGBA{0xd0, 0xd0, 0xd0, 0xff}
	return draw.LineStyle{Color: c, Width: 0.7}, draw.GlyphStyle{Color: c, Radius: 0, Shape: draw.CircleGlyph{}}
}

// fontSizes are in points, for a figure of the default size and above.
const (
	titleSize  = 13
	labelSize  = 11
	tickSize   = 9
	legendSize = 9
)

// Plain gives a plot the title, the labels and the look that all figures have.
func Plain(p *plot.Plot, title, x, y string) {
	p.BackgroundColor = color.White
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size, p.Title.Padding = titleSize, 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = labelSize, tickSize
		a.Tick.Marker = ticks{6}
	}
}
