package present

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"
)

// ErrNothing says that the records do not have what a figure needs.
var ErrNothing = errors.New("no run has what this plot shows")

// Names lists the figures: schedulability, plain and weighted by demand, distributions of
// gaps, misses against utilisation, and each measure against load.
func Names() []string {
	return append([]string{schedulability, weighted, gaps, pareto}, bench.MeasureNames()...)
}

// About says in words what one of Names shows.
func About(name string) string {
	switch name {
	case schedulability:
		return "share of job sets without a hard miss, by policy, against the load"
	case weighted:
		return "share of job sets without a hard miss, each counting by its demand, by policy, against the load"
	case gaps:
		return "distribution of each policy's gaps to the optimum"
	case pareto:
		return "jobs late or rejected against slot time held by jobs in time, by policy"
	}
	return "mean " + name + " by policy against the load"
}

const (
	schedulability = "schedulability"
	weighted       = "weighted-schedulability"
	gaps           = "gaps"
	pareto         = "pareto"
)

// Form is whether lines stand in one picture or in small multiples.
type Form string

// Forms of a figure; Auto takes Panels for more than MaxTogether lines.
const (
	Auto   Form = "auto"
	One    Form = "one"
	Panels Form = "panels"
)

// MaxTogether is how many lines can be told apart with their bands.
const MaxTogether = 8

// Style is how figures are made.
type Style struct {
	Size chart.Size
	// Title stands above the figure in place of its own; Untitled leaves it out.
	Title    string
	Untitled bool
	Form     Form
	// Given keeps policies in the order of the bench, instead of highest first.
	Given bool
	// Bars draws intervals as bars, Bare leaves them out; else they are bands.
	Bars, Bare bool
}

// Draw draws one of Names in one of chart.Formats.
func Draw(w io.Writer, c *bench.Config, name, format string, records []*bench.Record, style Style) error {
	f := &figure{c: c, records: records, style: style}
	switch name {
	case gaps:
		return f.gaps(w, format)
	case pareto:
		return f.pareto(w, format)
	case schedulability, weighted:
		return f.schedulability(w, format, name == weighted)
	}
	title, share, err := bench.MeasureTitle(name)
	if err != nil {
		return err
	}
	levels, axis := bench.Levels(records)
	if len(levels) == 0 {
		return ErrNothing
	}
	curves, err := c.Curves(levels, name)
	if err != nil {
		return err
	}
	base := &chart.Chart{Title: fmt.Sprintf("Mean %s against %s", name, short(axis)), XLabel: axis, YLabel: title}
	if share {
		base.YMax = top
	}
	return f.lines(w, format, base, levels, curves)
}

// top is the end of the axis of a share, a little above all.
const top = 1.04

// figure is one that is being drawn.
type figure struct {
	c       *bench.Config
	records []*bench.Record
	style   Style
}

// title is the one that was asked for, or the figure's own.
func (f *figure) title(own string) string {
	switch {
	case f.style.Untitled:
		return ""
	case f.style.Title != "":
		return f.style.Title
	}
	return own
}

// short is the first word of an axis' label.
func short(axis string) string {
	word, _, _ := strings.Cut(axis, " (")
	return word
}

// schedulability draws the share of runs that meet all hard deadlines against the load, a
// line per policy, and above them the share of job sets that are feasible at all. Where
// some sets are not settled that is a band: from those proved to be feasible to those not
// proved infeasible.
func (f *figure) schedulability(w io.Writer, format string, byDemand bool) error {
	levels, axis := bench.Levels(f.records)
	if byDemand {
		levels = slices.DeleteFunc(levels, func(l bench.Level) bool {
			return !slices.ContainsFunc(l.Records, func(r *bench.Record) bool { return r.Demand > 0 })
		})
	}
	if len(levels) == 0 {
		return ErrNothing
	}
	base := &chart.Chart{Title: "Job sets without a hard miss", XLabel: axis, YLabel: "share of job sets", YMax: top}
	curves, err := f.c.Curves(levels, "hard-met")
	if err != nil {
		return err
	}
	if byDemand {
		base.Title, base.YLabel = "Weighted schedulability", "share of job sets, by demand"
		curves = f.c.WeightedCurves(levels)
	}
	if low, high := f.c.FeasibleShare(levels, byDemand); low != nil {
		s := chart.Series{Name: "feasible", Bold: true, Y: low}
		if !slices.Equal(low, high) {
			s.Name, s.Lo, s.Hi = "feasible\n(band: open)", low, high
		}
		base.Series = append(base.Series, s)
	}
	return f.lines(w, format, base, levels, curves)
}

// lines draws curves after the series that the chart has already.
func (f *figure) lines(w io.Writer, format string, base *chart.Chart, levels []bench.Level, curves []bench.Curve) error {
	x := make([]float64, len(levels))
	for i, l := range levels {
		x[i] = l.X
		base.Counts = append(base.Counts, chart.Count{X: l.X, N: f.runs(l)})
	}
	for i := range base.Series {
		base.Series[i].X = x
	}
	if left := f.left(levels); left > 0 {
		base.XLabel += fmt.Sprintf("; %d of %d job sets have none", left, left+records(levels))
	}
	series := f.merge(f.ordered(curves), x)
	f.axes(base, series)
	base.Title, base.Size = f.title(base.Title), f.style.Size
	if f.style.Form == Panels || f.style.Form != One && len(series) > MaxTogether {
		if f.style.Bare {
			for i := range series {
				series[i].Lo, series[i].Hi = nil, nil
			}
		}
		charts, notes := panels(base, series)
		return chart.Multiples(w, format, base.Size, base.Title, notes, charts)
	}
	if len(series) > MaxTogether || f.style.Bare {
		for i := range series {
			series[i].Lo, series[i].Hi = nil, nil // so many bands would hide one another
		}
	}
	base.Series = append(base.Series, series...)
	return base.Draw(w, format)
}

// left is how many job sets have no place on the horizontal axis, and are left out.
func (f *figure) left(levels []bench.Level) int {
	n := -records(levels)
	for _, rec := range f.records {
		if rec != nil {
			n++
		}
	}
	return n
}

// records is the number of job sets of levels.
func records(levels []bench.Level) (n int) {
	for _, l := range levels {
		n += len(l.Records)
	}
	return n
}

// number chooses the look of a policy, the same in all figures of a bench.
func (f *figure) number(policy string) int { return 1 + slices.Index(f.c.Policies, policy) }

// runs is the number of runs of a policy at a level.
func (f *figure) runs(l bench.Level) int {
	n := 0
	for _, rec := range l.Records {
		n += len(rec.Cells)
	}
	return n / max(1, len(f.c.Policies))
}

// ordered are curves with the highest first, so that the legend reads as the picture does,
// or as the bench has them.
func (f *figure) ordered(curves []bench.Curve) []bench.Curve {
	if f.style.Given {
		return curves
	}
	total := func(c bench.Curve) float64 {
		sum := 0.0
		for _, p := range c.Points {
			if !math.IsNaN(p.Mean) {
				sum += p.Mean
			}
		}
		return sum
	}
	sorted := slices.Clone(curves)
	slices.SortStableFunc(sorted, func(a, b bench.Curve) int {
		switch x, y := total(a), total(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return sorted
}

// merge makes series of curves, one of those that are equal, which has all their names.
func (f *figure) merge(curves []bench.Curve, x []float64) []chart.Series {
	var out []chart.Series
	var firsts []bench.Curve
	for _, c := range curves {
		at := slices.IndexFunc(firsts, func(d bench.Curve) bool { return slices.EqualFunc(c.Points, d.Points, same) })
		if at >= 0 {
			out[at].Name += "\n= " + c.Policy
			continue
		}
		s := chart.Series{Name: c.Policy, X: x, Number: f.number(c.Policy), Bars: f.style.Bars}
		for _, p := range c.Points {
			s.Y, s.Lo, s.Hi = append(s.Y, p.Mean), append(s.Lo, p.Low), append(s.Hi, p.High)
		}
		firsts, out = append(firsts, c), append(out, s)
	}
	return out
}

// same takes not-a-number for equal to itself.
func same(a, b stats.Sample) bool {
	return a.N == b.N && (a.Mean == b.Mean || math.IsNaN(a.Mean) && math.IsNaN(b.Mean))
}

// axes lets the vertical axis begin at zero and end above what is drawn, and the
// horizontal one leave room for the first and the last marker.
func (f *figure) axes(c *chart.Chart, series []chart.Series) {
	highest, high := 0.0, 0.0
	for _, s := range series {
		for i := range s.Y {
			if !math.IsNaN(s.Y[i]) {
				highest = max(highest, s.Y[i])
			}
			if !math.IsNaN(s.Hi[i]) {
				high = max(high, s.Hi[i])
			}
		}
	}
	x := series[0].X
	if c.YMax == 0 { // intervals of few runs are not to flatten all the rest
		c.YMax = 1.05 * max(highest, min(high, 1.5*highest))
	}
	if c.YMax == 0 {
		c.YMax = 1
	}
	c.YMin = -c.YMax * 0.01 // a marker at zero is whole
	lo, hi := slices.Min(x), slices.Max(x)
	room := (hi - lo) * 0.03
	if room == 0 {
		room = max(0.5, math.Abs(lo)/10)
	}
	c.XMin, c.XMax = lo-room, hi+room
}

// panels are small multiples: each series before all others. The notes say which policies
// are equal.
func panels(base *chart.Chart, series []chart.Series) (out []*chart.Chart, notes []string) {
	for i := range series {
		c := *base
		names := strings.Split(series[i].Name, "\n")
		c.Title = names[0]
		if more := len(names) - 1; more > 0 {
			c.Title += fmt.Sprintf(" (= %d more)", more)
			notes = append(notes, strings.Join(names, " "))
		}
		c.Series = nil
		for k := range series {
			if k != i {
				s := series[k]
				s.Ghost = true
				c.Series = append(c.Series, s)
			}
		}
		c.Series = append(c.Series, base.Series...)
		c.Series = append(c.Series, series[i])
		out = append(out, &c)
	}
	return out, notes
}
