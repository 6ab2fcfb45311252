package chart

import (
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Multiples writes charts of the same axes as small ones, row by row, each under its own
// title; the labels of the axes stand once, the title above all and notes below. The
// legend has the bold series of the first.
func Multiples(w io.Writer, format string, size Size, title string, notes []string, charts []*Chart) error {
	size = size.Or(Size{Width: width})
	size = size.Or(Size{Height: vg.Length(multipleRows(len(charts), size.Width))*1.45*vg.Inch + 0.9*vg.Inch})
	page, err := newCanvas(size.Width, size.Height, format)
	if err != nil {
		return err
	}
	dc := draw.New(page)
	rows := multipleRows(len(charts), size.Width)
	columns := (len(charts) + rows - 1) / rows
	f := frame{title: title, x: charts[0].label(), y: charts[0].YLabel, notes: notes}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 8, PadY: 6}
	inner := f.draw(dc)
	for i, c := range charts {
		p, l, err := c.plot()
		if err != nil {
			return err
		}
		if i == 0 && c.boldest() {
			held := Legend{{strings.ReplaceAll(l[0].name, "\n", " "), l[0].thumbs}}
			held.draw(draw.Crop(dc, size.Width-held.width(), 0, 0, -8), 1)
		}
		small(p)
		p.Draw(tiles.At(inner, i%columns, i/columns))
	}
	return write(w, format, page)
}

// multipleRows leaves each chart a width of an inch and a half or more, five beside one
// another at most.
func multipleRows(n int, width vg.Length) int {
	columns := max(1, min(5, int(width/(1.5*vg.Inch)), int(math.Ceil(math.Sqrt(float64(n))))))
	return (n + columns - 1) / columns
}

// boldest reports whether the first series of the legend is a bold one.
func (c *Chart) boldest() bool {
	for i := range c.Series {
		if !c.Series[i].Ghost {
			return c.Series[i].Bold
		}
	}
	return false
}

// small is for a plot among many: without what the frame says.
func small(p *plot.Plot) {
	p.Title.Padding, p.Title.TextStyle.Font.Size = 2, tickSize
	p.X.Label.Text, p.Y.Label.Text = "", ""
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font.Size, a.Padding = tickSize-2, 2
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{5}, ticks{3}
}

// frame is what stands around small charts.
type frame struct {
	title, x, y string
	notes       []string
}

// draw writes the frame, and leaves the canvas within.
func (f *frame) draw(c draw.Canvas) draw.Canvas {
	look := plot.New()
	Plain(look, f.title, f.x, f.y)
	centre := c.Center()
	write := func(sty draw.TextStyle, at vg.Point, text string) {
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
		c.FillText(sty, at, text)
	}
	y := c.Min.Y + 8
	for i := len(f.notes) - 1; i >= 0; i-- {
		write(legendStyle(), vg.Point{X: centre.X, Y: y}, f.notes[i])
		y += legendSize + 3
	}
	write(look.X.Label.TextStyle, vg.Point{X: centre.X, Y: y + 4}, f.x)
	turned := look.Y.Label.TextStyle
	turned.Rotation = math.Pi / 2
	write(turned, vg.Point{X: c.Min.X + 12, Y: centre.Y}, f.y)
	head := vg.Length(12)
	if f.title != "" {
		write(look.Title.TextStyle, vg.Point{X: centre.X, Y: c.Max.Y - 14}, f.title)
		head = 32
	}
	return draw.Crop(c, 24, -6, y+14-c.Min.Y, -head)
}
