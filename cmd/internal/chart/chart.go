// Package chart draws lines over a common axis: one style for every figure that
// the program makes of many runs.
package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one line. X and Y are equally long; a Y of NaN leaves a gap.
type Series struct {
	Name string
	X, Y []float64
	// Lo and Hi, where given, are an interval around each Y, drawn as a band.
	Lo, Hi []float64
	// Bold marks the line that the others are held against.
	Bold bool
	// Area fills the band, for parts that are stacked.
	Area bool
	// Marks draws diamonds without a line, for values that were published.
	Marks bool
}

// Rule is a vertical line at a value that was published.
type Rule struct {
	X    float64
	Name string
}

// Chart is a figure.
type Chart struct {
	Title, XLabel, YLabel string
	Series                []Series
	Rules                 []Rule
	// FromZero lets both axes begin at 0.
	FromZero bool
	// XMin and XMax, YMin and YMax fix an axis where they differ.
	XMin, XMax, YMin, YMax float64
	// LogX and LogY make an axis logarithmic; then all values on it are above 0.
	LogX, LogY bool
}

// Eight colours that people with any kind of colour vision tell apart (Okabe
// and Ito); with the dashes they make 32 lines.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x66, 0x66, 0x66, 0xff}, {0x8c, 0x6d, 0x1f, 0xff},
}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

const (
	width  = 9 * vg.Inch
	height = 5 * vg.Inch
)

// legendRoom is the width that the legend takes at the right.
const legendRoom = 2 * vg.Inch

// Draw writes the chart as "svg" or "png".
func (c *Chart) Draw(w io.Writer, format string) error {
	p, err := c.plot()
	if err != nil {
		return err
	}
	return save(w, format, p)
}

// save writes a plot with its legend beside it.
func save(w io.Writer, format string, p *plot.Plot) error {
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return err
	}
	dc := draw.New(canvas)
	// The legend stands beside the lines, never on them.
	legend := takeLegend(p)
	p.Draw(draw.Crop(dc, 6, -legendRoom, 6, -6))
	legend.Draw(draw.Crop(dc, width-legendRoom+6, 0, 0, 0))
	_, err = canvas.WriteTo(w)
	return err
}

// Panels writes charts side by side as "svg" or "png", row by row with the given
// number of columns. The legend is that of the first: the charts are to have the
// same series in the same order.
func Panels(w io.Writer, format string, columns int, charts []*Chart) error {
	rows := (len(charts) + columns - 1) / columns
	panelWidth := (width - legendRoom) / vg.Length(min(columns, 2))
	panelHeight := 0.8 * panelWidth
	total := panelWidth*vg.Length(columns) + legendRoom
	canvas, err := draw.NewFormattedCanvas(total, panelHeight*vg.Length(rows), format)
	if err != nil {
		return err
	}
	dc := draw.New(canvas)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 12, PadY: 12, PadTop: 6, PadBottom: 6, PadLeft: 6}
	for i, c := range charts {
		p, err := c.plot()
		if err != nil {
			return err
		}
		legend := takeLegend(p)
		if i == 0 {
			legend.Draw(draw.Crop(dc, total-legendRoom+6, 0, 0, 0))
		}
		p.Draw(tiles.At(draw.Crop(dc, 0, -legendRoom, 0, 0), i%columns, i/columns))
	}
	_, err = canvas.WriteTo(w)
	return err
}

// takeLegend moves the legend out of the plot.
func takeLegend(p *plot.Plot) plot.Legend {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	legend.TextStyle.Font.Size = font.Points(9)
	legend.Padding = 2
	legend.Top, legend.Left, legend.YOffs = true, true, -30
	return legend
}

func (c *Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, c.YLabel
	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = 8
	p.BackgroundColor = color.White
	p.Add(grid())
	plain := 0
	for i := range c.Series {
		s := &c.Series[i]
		style := draw.LineStyle{Color: color.Black, Width: 2.5}
		if !s.Bold && !s.Marks {
			style = draw.LineStyle{Color: palette[plain%len(palette)], Width: taper(plain), Dashes: dashes[plain/len(palette)%len(dashes)]}
			plain++
		}
		if err := c.addSeries(p, s, style); err != nil {
			return nil, fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	if c.FromZero {
		p.X.Min, p.Y.Min = min(0, p.X.Min), min(0, p.Y.Min)
	}
	if c.XMin < c.XMax {
		p.X.Min, p.X.Max = c.XMin, c.XMax
	}
	if c.YMin < c.YMax {
		p.Y.Min, p.Y.Max = c.YMin, c.YMax
	}
	if c.LogX {
		logarithmic(&p.X)
	}
	if c.LogY {
		logarithmic(&p.Y)
	}
	return p, c.addRules(p)
}

// taper is the width of a line by its number: later ones are thinner, so that those
// which they lie on can be seen beside them.
func taper(number int) vg.Length { return vg.Length(max(1, 2.8-0.3*float64(number))) }

// addRules draws the vertical lines over the height that the series take.
func (c *Chart) addRules(p *plot.Plot) error {
	for i, r := range c.Rules {
		line, err := plotter.NewLine(plotter.XYs{{X: r.X, Y: p.Y.Min}, {X: r.X, Y: p.Y.Max}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: 1, Dashes: dashes[1+i%(len(dashes)-1)]}
		p.Add(line)
		p.Legend.Add(r.Name, line)
	}
	return nil
}

// logarithmic makes the axis go by powers of ten, from one to another.
func logarithmic(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	a.Min = math.Pow(10, math.Floor(math.Log10(a.Min)+1e-9))
	a.Max = math.Pow(10, math.Ceil(math.Log10(a.Max)-1e-9))
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	light := color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	g.Vertical.Color, g.Horizontal.Color = light, light
	return g
}

func (c *Chart) addSeries(p *plot.Plot, s *Series, style draw.LineStyle) error {
	if s.Lo != nil {
		alpha := uint8(0x22)
		if s.Area {
			alpha = 0xa0
		}
		if err := addBand(p, s, style.Color, alpha); err != nil {
			return err
		}
	}
	if s.Marks {
		return addMarks(p, s)
	}
	named := false
	for _, run := range runs(s) {
		line, points, err := plotter.NewLinePoints(run)
		if err != nil {
			return err
		}
		line.LineStyle = style
		points.Shape, points.Color, points.Radius = draw.CircleGlyph{}, style.Color, 1.8
		p.Add(line)
		if len(run) <= mostDots {
			p.Add(points)
		}
		if !named {
			p.Legend.Add(s.Name, line)
			named = true
		}
	}
	if !named { // it has a place in the legend all the same
		p.Legend.Add(s.Name, &plotter.Line{LineStyle: style})
	}
	return nil
}

// mostDots is the number of points beyond which a line has no dots.
const mostDots = 40

// addMarks draws a diamond for each value.
func addMarks(p *plot.Plot, s *Series) error {
	var all plotter.XYs
	for _, run := range runs(s) {
		all = append(all, run...)
	}
	points, err := plotter.NewScatter(all)
	if err != nil {
		return err
	}
	points.GlyphStyle = published
	p.Add(points)
	p.Legend.Add(s.Name, points)
	return nil
}

// published is how a value from a paper is drawn.
var published = draw.GlyphStyle{Color: color.Black, Radius: 4, Shape: diamond{}}

// diamond is a glyph: a hollow square on its corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Line(vg.Point{X: at.X - r, Y: at.Y})
	path.Close()
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1.5})
	c.Stroke(path)
}

// runs are the pieces of a line between gaps.
func runs(s *Series) []plotter.XYs {
	var out []plotter.XYs
	var run plotter.XYs
	for i, y := range s.Y {
		if math.IsNaN(y) {
			if run != nil {
				out, run = append(out, run), nil
			}
			continue
		}
		run = append(run, plotter.XY{X: s.X[i], Y: y})
	}
	if run != nil {
		out = append(out, run)
	}
	return out
}

func addBand(p *plot.Plot, s *Series, c color.Color, alpha uint8) error {
	var outline plotter.XYs
	for i := range s.X {
		if !math.IsNaN(s.Hi[i]) {
			outline = append(outline, plotter.XY{X: s.X[i], Y: s.Hi[i]})
		}
	}
	for i := len(s.X) - 1; i >= 0; i-- {
		if !math.IsNaN(s.Lo[i]) {
			outline = append(outline, plotter.XY{X: s.X[i], Y: s.Lo[i]})
		}
	}
	if len(outline) < 3 {
		return nil
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	r, g, b, _ := c.RGBA()
	band.Color = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), alpha}
	band.LineStyle.Width = 0
	p.Add(band)
	return nil
}
