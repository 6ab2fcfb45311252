// Package chart draws lines over a common axis: one style for every figure that the program
// makes of many runs. canvas.go has what figures and pictures are painted on, SVG, PNG and PDF,
// each with a background of its own, and with every letter that the font has; letters.go says
// which these are, pdf.go writes PDFs.
package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one line. X and Y are equally long; a Y of NaN leaves a gap.
type Series struct {
	Name string
	X, Y []float64
	// Lo and Hi, where given, are an interval around each Y, drawn as a band, or with Bars as a bar at
	// each point.
	Lo, Hi []float64
	Bars   bool
	// Number, where it is above 0, chooses colour, marker and dash, which are the same in all figures;
	// else the place among the series does.
	Number int
	// Bold marks the line that the others are held against.
	Bold bool
	// Area fills the band, for parts that are stacked.
	Area bool
	// Marks draws diamonds without a line, for values that were published.
	Marks bool
	// Ghost has the line in the background, without a place in the legend.
	Ghost bool
}

// Rule is a vertical line at a value that was published.
type Rule struct {
	X    float64
	Name string
}

// Count is how many values stand behind a point of the horizontal axis.
type Count struct {
	X float64
	N int
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
	// Counts stand with the horizontal axis, which then has its labels at these points.
	Counts []Count
	// Size is that of the figure, legend included; zero for what suits.
	Size Size
}

const (
	width  = 9 * vg.Inch
	height = 5 * vg.Inch
)

// legendRoom is the width that the legend of panels takes at the right.
const legendRoom = 2 * vg.Inch

// Draw writes the chart in one of [Formats].
func (c *Chart) Draw(w io.Writer, format string) error {
	p, l, err := c.plot()
	if err != nil {
		return err
	}
	if size := c.Size.Or(Size{width, height}); len(c.Counts) > 0 {
		p.X.Tick.Marker = countedTicks{c.Counts, max(2, int((size.Width-l.beside(size)-yAxisRoom)/tickRoom))}
	}
	return Beside(w, format, c.Size, p, l)
}

// What the vertical axis takes with its labels, and a label of the horizontal one.
const (
	yAxisRoom = 45
	tickRoom  = 27
)

// beside is the width that the legend takes beside a plot; 0 if it goes below, as it does
// where that would be more than three tenths of the figure.
func (l Legend) beside(size Size) vg.Length {
	if wide := l.width(); wide <= 0.3*size.Width && l.height(wide) < size.Height-30 {
		return wide
	}
	return 0
}

// Beside writes a plot with its legend at the right, which never stands on the lines, or
// below where it is wide.
func Beside(w io.Writer, format string, size Size, p *plot.Plot, l Legend) error {
	size = size.Or(Size{width, height})
	page, err := newCanvas(size.Width, size.Height, format)
	if err != nil {
		return err
	}
	dc := draw.New(page)
	switch room := l.beside(size); {
	case len(l) == 0:
		p.Draw(draw.Crop(dc, 6, -6, 6, -6))
	case room > 0:
		p.Draw(draw.Crop(dc, 6, -room, 6, -6))
		l.draw(draw.Crop(dc, size.Width-room, 0, 0, -30), 1)
	default:
		below := l.height(size.Width) + legendGap
		p.Draw(draw.Crop(dc, 6, -6, 6+below, -6))
		l.draw(draw.Crop(dc, 0, 0, 0, below-size.Height), l.columns(size.Width))
	}
	return write(w, format, page)
}

// Alone writes a plot that needs no legend.
func Alone(w io.Writer, format string, size Size, p *plot.Plot) error {
	page, err := newCanvas(size.Width, size.Height, format)
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(draw.New(page), 6, -12, 6, -6))
	return write(w, format, page)
}

// Panels writes charts side by side in one of [Formats], row by row with the given
// number of columns. The legend is that of the first: the charts are to have the
// same series in the same order.
func Panels(w io.Writer, format string, columns int, charts []*Chart) error {
	rows := (len(charts) + columns - 1) / columns
	panelWidth := (width - legendRoom) / vg.Length(min(columns, 2))
	panelHeight := 0.8 * panelWidth
	total := panelWidth*vg.Length(columns) + legendRoom
	page, err := newCanvas(total, panelHeight*vg.Length(rows), format)
	if err != nil {
		return err
	}
	dc := draw.New(page)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 12, PadY: 12, PadTop: 6, PadBottom: 6, PadLeft: 6}
	for i, c := range charts {
		p, l, err := c.plot()
		if err != nil {
			return err
		}
		if i == 0 {
			l.draw(draw.Crop(dc, total-legendRoom+6, 0, 0, -30), 1)
		}
		p.Draw(tiles.At(draw.Crop(dc, 0, -legendRoom, 0, 0), i%columns, i/columns))
	}
	return write(w, format, page)
}

// plot is the chart with its legend apart.
func (c *Chart) plot() (*plot.Plot, Legend, error) {
	p := plot.New()
	Plain(p, c.Title, c.XLabel, c.YLabel)
	p.Add(Grid())
	var l Legend
	plain := 0
	for i := range c.Series {
		s := &c.Series[i]
		line, points := bold()
		switch {
		case s.Ghost:
			line, points = ghost()
		case !s.Bold && !s.Marks:
			number := plain
			if s.Number > 0 {
				number = s.Number - 1
			}
			line, points = style(number)
			plain++
		}
		e, err := s.add(p, line, points)
		if err != nil {
			return nil, nil, fmt.Errorf("series %q: %w", s.Name, err)
		}
		if !s.Ghost {
			l = append(l, e)
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
	if len(c.Counts) > 0 {
		p.X.Label.Text = c.label()
	}
	rules, err := c.addRules(p)
	return p, append(l, rules...), err
}

// addRules draws the vertical lines over the height that the series take.
func (c *Chart) addRules(p *plot.Plot) (Legend, error) {
	var l Legend
	for i, r := range c.Rules {
		line, err := plotter.NewLine(plotter.XYs{{X: r.X, Y: p.Y.Min}, {X: r.X, Y: p.Y.Max}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: 1, Dashes: dashes[1+i%(len(dashes)-1)]}
		p.Add(line)
		l = append(l, entry{r.Name, []plot.Thumbnailer{line}})
	}
	return l, nil
}

// label is that of the horizontal axis, with how many values stand behind each point.
func (c *Chart) label() string {
	if len(c.Counts) == 0 {
		return c.XLabel
	}
	return c.XLabel + " (" + countedTicks{counts: c.Counts}.each() + ")"
}

// logarithmic makes the axis go by powers of ten, from one to another.
func logarithmic(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	a.Min = math.Pow(10, math.Floor(math.Log10(a.Min)+1e-9))
	a.Max = math.Pow(10, math.Ceil(math.Log10(a.Max)-1e-9))
	if a.Max <= a.Min { // all values are one power of ten
		a.Max = 10 * a.Min
	}
}

// Grid is the one that all figures have.
func Grid() *plotter.Grid {
	g := plotter.NewGrid()
	light := color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	g.Vertical.Color, g.Horizontal.Color = light, light
	return g
}

// add draws a series, and gives its place in the legend, which it has also where nothing
// of it can be drawn.
func (s *Series) add(p *plot.Plot, line draw.LineStyle, points draw.GlyphStyle) (entry, error) {
	if s.Lo != nil && !s.Ghost {
		alpha := uint8(0x22)
		if s.Area {
			alpha = 0xa0
		}
		if s.Bars {
			p.Add(errorBars{s, line.Color, 0, len(s.X)})
		} else if err := addBand(p, s, line.Color, alpha); err != nil {
			return entry{}, err
		}
	}
	if s.Marks {
		return s.addMarks(p)
	}
	for _, run := range runs(s) {
		l, pts, err := plotter.NewLinePoints(run)
		if err != nil {
			return entry{}, err
		}
		l.LineStyle, pts.GlyphStyle = line, points
		p.Add(l)
		if points.Radius > 0 && len(run) <= mostDots {
			p.Add(pts)
		}
	}
	return entry{s.Name, []plot.Thumbnailer{&plotter.Line{LineStyle: line}, &plotter.Scatter{GlyphStyle: points}}}, nil
}

// mostDots is the number of points beyond which a line has no dots.
const mostDots = 40

// addMarks draws a diamond for each value.
func (s *Series) addMarks(p *plot.Plot) (entry, error) {
	var all plotter.XYs
	for _, run := range runs(s) {
		all = append(all, run...)
	}
	points, err := plotter.NewScatter(all)
	if err != nil {
		return entry{}, err
	}
	points.GlyphStyle = published
	p.Add(points)
	return entry{s.Name, []plot.Thumbnailer{points}}, nil
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

// addBand draws the interval, in pieces where some points have none.
func addBand(p *plot.Plot, s *Series, c color.Color, alpha uint8) error {
	from := 0
	for i := range len(s.X) + 1 {
		if i < len(s.X) && !math.IsNaN(s.Lo[i]) && !math.IsNaN(s.Hi[i]) {
			continue
		}
		if err := addPiece(p, s, from, i, c, alpha); err != nil {
			return err
		}
		from = i + 1
	}
	return nil
}

// errorBars are the intervals of the points from one to before another, each as a bar.
type errorBars struct {
	s        *Series
	color    color.Color
	from, to int
}

// Plot implements plot.Plotter.
func (b errorBars) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	line := draw.LineStyle{Color: b.color, Width: 0.7}
	const end = 2 // half the width of a bar's ends
	for i := b.from; i < b.to; i++ {
		if math.IsNaN(b.s.Lo[i]) || math.IsNaN(b.s.Hi[i]) {
			continue
		}
		x, low, high := toX(b.s.X[i]), toY(b.s.Lo[i]), toY(b.s.Hi[i])
		for _, stroke := range [][]vg.Point{{{X: x, Y: low}, {X: x, Y: high}}, {{X: x - end, Y: low}, {X: x + end, Y: low}}, {{X: x - end, Y: high}, {X: x + end, Y: high}}} {
			c.StrokeLines(line, c.ClipLinesXY(stroke)...)
		}
	}
}

// addPiece draws the interval of the points from one to before another; that of a single point
// is a bar.
func addPiece(p *plot.Plot, s *Series, from, to int, c color.Color, alpha uint8) error {
	if to-from < 2 {
		p.Add(errorBars{s, c, from, to})
		return nil
	}
	var outline plotter.XYs
	for i := from; i < to; i++ {
		outline = append(outline, plotter.XY{X: s.X[i], Y: s.Hi[i]})
	}
	for i := to - 1; i >= from; i-- {
		outline = append(outline, plotter.XY{X: s.X[i], Y: s.Lo[i]})
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
