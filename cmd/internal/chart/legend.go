package chart

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is a line of a legend: a name, of several lines perhaps, and what it stands for.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// Legend says what the lines and markers of a plot stand for.
type Legend []entry

const (
	thumbWidth = 24
	legendGap  = 6
)

func legendStyle() draw.TextStyle {
	l := plot.NewLegend()
	l.TextStyle.Font.Size = legendSize
	return l.TextStyle
}

// Point adds what the series of a number is drawn as, without a line.
func (l Legend) Point(name string, number int) Legend {
	return append(l, entry{name, []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: PointStyle(number)}}})
}

// width is what the legend needs.
func (l Legend) width() vg.Length {
	sty, widest := legendStyle(), vg.Length(0)
	for _, e := range l {
		for line := range strings.SplitSeq(e.name, "\n") {
			widest = max(widest, sty.Width(line))
		}
	}
	return widest + thumbWidth + 3*legendGap
}

// columns is how many entries stand beside one another below a plot of that width.
func (l Legend) columns(width vg.Length) int { return max(1, min(len(l), int(width/l.width()))) }

// height is what the legend needs below a plot of that width.
func (l Legend) height(width vg.Length) vg.Length {
	h := vg.Length(0)
	for row := range slices.Chunk(l, l.columns(width)) {
		h += rowHeight(row)
	}
	return h
}

// line is the height of a line of a legend.
const line = legendSize + 3

func rowHeight(row []entry) vg.Length {
	lines := 0
	for _, e := range row {
		lines = max(lines, 1+strings.Count(e.name, "\n"))
	}
	return vg.Length(lines) * line
}

// draw draws the legend from the top of the canvas down, in so many columns.
func (l Legend) draw(c draw.Canvas, columns int) {
	wide, y := l.width(), c.Max.Y
	for row := range slices.Chunk(l, columns) {
		for i, e := range row {
			e.draw(c, vg.Point{X: c.Min.X + vg.Length(i)*wide, Y: y})
		}
		y -= rowHeight(row)
	}
}

// draw draws an entry right of and below a point.
func (e entry) draw(c draw.Canvas, at vg.Point) {
	sty := legendStyle()
	sty.YAlign = draw.YCenter
	thumb := c
	thumb.Min = vg.Point{X: at.X + legendGap, Y: at.Y - line}
	thumb.Max = vg.Point{X: at.X + legendGap + thumbWidth, Y: at.Y}
	for _, t := range e.thumbs {
		t.Thumbnail(&thumb)
	}
	for text := range strings.SplitSeq(e.name, "\n") {
		c.FillText(sty, vg.Point{X: at.X + 2*legendGap + thumbWidth, Y: at.Y - line/2}, text)
		at.Y -= line
	}
}
