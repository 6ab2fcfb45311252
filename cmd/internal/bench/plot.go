package bench

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"
	"downbeat/model"
)

// ErrNothingToPlot says that the records do not have what a plot needs.
var ErrNothingToPlot = errors.New("no run has what this plot shows")

// PlotNames lists the plots: schedulability curves, distributions of gaps, and
// each measure against load.
func PlotNames() []string { return append([]string{"schedulability", "gaps"}, MeasureNames()...) }

// Plot draws one of PlotNames as "svg" or "png".
func (c *Config) Plot(w io.Writer, name, format string, records []*Record) error {
	switch name {
	case "schedulability":
		return c.drawSchedulability(w, format, records)
	case "gaps":
		// The first objective that any run has a gap in.
		for _, o := range objectivesOf(records) {
			if boxes := c.gapBoxes(records, o); len(boxes) > 0 {
				return drawBoxes(w, format, o, boxes)
			}
		}
		return ErrNothingToPlot
	}
	m, err := measureNamed(name)
	if err != nil {
		return err
	}
	return c.drawMeasure(w, format, records, m)
}

// maxBands is the number of lines up to which intervals are drawn around them.
const maxBands = 2

// drawSchedulability draws the share of runs that meet all hard deadlines
// against the load, a line per policy, and above them the share of job sets
// that are feasible at all. Where some sets are not settled the feasible share
// is a band: from those proved to be feasible to those not proved infeasible.
func (c *Config) drawSchedulability(w io.Writer, format string, records []*Record) error {
	groups, axis := levels(records)
	if len(groups) == 0 {
		return ErrNothingToPlot
	}
	fig := &chart.Chart{
		Title:  "Share of job sets without a hard miss",
		XLabel: axis, YLabel: "share of job sets", YMin: 0, YMax: 1.02,
	}
	if top, ok := c.feasibleShare(groups); ok {
		fig.Series = append(fig.Series, top)
	}
	met, err := measureNamed("hard-met")
	if err != nil {
		return err
	}
	fig.Series = append(fig.Series, c.lines(groups, met)...)
	return fig.Draw(w, format)
}

// feasibleShare is the exact line; ok is false if the solver was not asked.
func (c *Config) feasibleShare(groups []level) (s chart.Series, ok bool) {
	s = chart.Series{Name: "feasible", Bold: true}
	open := false
	for _, g := range groups {
		feasible, infeasible := 0, 0
		for _, rec := range g.records {
			switch c.verdict(rec) {
			case model.Feasible.String():
				feasible++
			case model.Infeasible.String():
				infeasible++
			case "":
				return s, false
			}
		}
		n := float64(len(g.records))
		s.X, s.Y = append(s.X, g.x), append(s.Y, float64(feasible)/n)
		s.Lo, s.Hi = append(s.Lo, float64(feasible)/n), append(s.Hi, 1-float64(infeasible)/n)
		open = open || feasible+infeasible < len(g.records)
	}
	if !open {
		s.Lo, s.Hi = nil, nil
	} else {
		s.Name = "feasible (band: open)"
	}
	return s, true
}

// lines are a measure's means per policy and level, highest first, so that the
// legend reads as the picture does.
func (c *Config) lines(groups []level, m *measure) []chart.Series {
	var out []chart.Series
	for _, p := range c.Policies {
		s := chart.Series{Name: p}
		for _, g := range groups {
			sample := m.sample(valuesOf(g.records, p, m.of))
			s.X, s.Y = append(s.X, g.x), append(s.Y, sample.Mean)
			s.Lo, s.Hi = append(s.Lo, sample.Low), append(s.Hi, sample.High)
		}
		if len(c.Policies) > maxBands {
			s.Lo, s.Hi = nil, nil
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b chart.Series) int {
		switch x, y := total(a.Y), total(b.Y); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// drawMeasure draws a measure's mean against load.
func (c *Config) drawMeasure(w io.Writer, format string, records []*Record, m *measure) error {
	groups, axis := levels(records)
	if len(groups) == 0 {
		return ErrNothingToPlot
	}
	fig := &chart.Chart{Title: fmt.Sprintf("Mean %s against %s", m.title, shortAxis(axis)), XLabel: axis, YLabel: m.title}
	if m.percent {
		fig.YMin, fig.YMax = 0, 1.02
	}
	fig.Series = c.lines(groups, m)
	return fig.Draw(w, format)
}

func shortAxis(axis string) string {
	if len(axis) > 0 && axis[len(axis)-1] == ')' {
		return "demand"
	}
	return axis
}

// gapBox is one policy's gaps.
type gapBox struct {
	policy  string
	gaps    []float64
	mean    float64
	toBound int
}

// gapBoxes are the policies that have gaps, worst mean first.
func (c *Config) gapBoxes(records []*Record, objective string) []gapBox {
	var boxes []gapBox
	for _, p := range c.Policies {
		if gaps, toBound := c.gapsOf(records, p, objective); len(gaps) > 0 {
			boxes = append(boxes, gapBox{p, gaps, stats.MeanOf(gaps).Mean, toBound})
		}
	}
	slices.SortStableFunc(boxes, func(a, b gapBox) int { return cmp.Compare(b.mean, a.mean) })
	return boxes
}

// drawBoxes draws the distribution of each policy's gaps as a box: quartiles,
// whiskers to the farthest value within one and a half times the box, points
// beyond. Smallest mean at the top, the mean as a triangle.
func drawBoxes(w io.Writer, format, objective string, boxes []gapBox) error {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = "Gap to the optimum: " + objective
	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = 8
	p.X.Label.Text = "online − optimum (n runs that can be compared)"
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Width = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}, 0
	p.Add(grid)
	means := make(plotter.XYs, len(boxes))
	names := make([]string, len(boxes))
	for i, b := range boxes {
		box, err := plotter.NewBoxPlot(11, float64(i), plotter.Values(b.gaps))
		if err != nil {
			return err
		}
		box.Horizontal = true
		box.FillColor = color.NRGBA{0x56, 0xb4, 0xe9, 0x77}
		box.MedianStyle.Width = 2
		box.GlyphStyle.Radius = 1.5
		p.Add(box)
		means[i] = plotter.XY{X: b.mean, Y: float64(i)}
		names[i] = fmt.Sprintf("%s (%d)", b.policy, len(b.gaps))
		if b.toBound > 0 {
			names[i] = fmt.Sprintf("%s (%d, %d to bound)", b.policy, len(b.gaps), b.toBound)
		}
	}
	triangles, err := plotter.NewScatter(means)
	if err != nil {
		return err
	}
	triangles.GlyphStyle = draw.GlyphStyle{Color: color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, Radius: 3, Shape: draw.PyramidGlyph{}}
	p.Add(triangles)
	p.NominalY(names...)
	p.X.Min = min(p.X.Min, 0)
	if p.X.Max == p.X.Min {
		p.X.Max = p.X.Min + 1
	}
	canvas, err := draw.NewFormattedCanvas(9*vg.Inch, 1.2*vg.Inch+vg.Length(len(boxes))*18, format)
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(draw.New(canvas), 6, -12, 6, -6))
	_, err = canvas.WriteTo(w)
	return err
}
