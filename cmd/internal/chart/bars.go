package chart

import (
	"errors"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a value with its interval, and what was published for it.
type Bar struct {
	Value float64
	// Half is half of the interval around Value, 0 for none; it is drawn above 0.
	Half float64
	// Published is drawn as a diamond; NaN where there is nothing.
	Published float64
}

// BarChart has a group of bars for each name, one of each series.
type BarChart struct {
	Title, YLabel string
	Groups        []string
	Series        []string
	// Bars are by series and group.
	Bars [][]Bar
}

// Draw writes the chart in one of [Formats].
func (b *BarChart) Draw(w io.Writer, format string) error {
	p := plot.New()
	Plain(p, b.Title, "", b.YLabel)
	lines := Grid()
	lines.Vertical.Width = 0
	p.Add(lines)
	if len(b.Bars) != len(b.Series) {
		return errors.New("a row of bars for each series is needed")
	}
	step := 0.8 / float64(len(b.Series))
	var marks plotter.XYs
	var l Legend
	for i, row := range b.Bars {
		fill := palette[i%len(palette)]
		for g, bar := range row {
			left := float64(g) - 0.4 + float64(i)*step
			if err := addBar(p, bar, left, 0.9*step, fill); err != nil {
				return err
			}
			if !math.IsNaN(bar.Published) {
				marks = append(marks, plotter.XY{X: left + 0.45*step, Y: bar.Published})
			}
		}
		l = append(l, entry{b.Series[i], []plot.Thumbnailer{swatch{fill}}})
	}
	if len(marks) > 0 {
		points, err := plotter.NewScatter(marks)
		if err != nil {
			return err
		}
		points.GlyphStyle = published
		p.Add(points)
		l = append(l, entry{"published", []plot.Thumbnailer{points}})
	}
	p.NominalX(b.Groups...)
	p.X.Min, p.X.Max, p.Y.Min = -0.5, float64(len(b.Groups))-0.5, min(0, p.Y.Min)
	return Beside(w, format, Size{}, p, l)
}

// addBar draws a bar from 0 with its whisker.
func addBar(p *plot.Plot, bar Bar, left, width float64, fill color.NRGBA) error {
	if math.IsNaN(bar.Value) {
		return nil
	}
	box, err := plotter.NewPolygon(plotter.XYs{{X: left, Y: 0}, {X: left, Y: bar.Value}, {X: left + width, Y: bar.Value}, {X: left + width, Y: 0}})
	if err != nil {
		return err
	}
	box.Color, box.LineStyle.Width = color.NRGBA{fill.R, fill.G, fill.B, 0xb0}, 0
	p.Add(box)
	if !(bar.Half > 0) {
		return nil
	}
	middle := left + width/2
	whisker, err := plotter.NewLine(plotter.XYs{{X: middle, Y: max(0, bar.Value-bar.Half)}, {X: middle, Y: bar.Value + bar.Half}})
	if err != nil {
		return err
	}
	whisker.LineStyle = draw.LineStyle{Color: fill, Width: 1.5}
	p.Add(whisker)
	return nil
}

// swatch is a colour in the legend.
type swatch struct{ fill color.NRGBA }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.fill, c.ClipPolygonXY([]vg.Point{
		{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y}}))
}
