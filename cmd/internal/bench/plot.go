package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"downbeat/cmd/internal/chart"
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
	met, err := measureNamed("hard_met")
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
