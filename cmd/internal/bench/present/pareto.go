package present

import (
	"cmp"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"
)

// place is where policies stand between utilisation and misses; several that are equal
// have all their names.
type place struct {
	name           string
	number         int // chooses its look
	across, height stats.Sample
}

// pareto draws the share of jobs that are late or rejected against the slot time that is
// held by jobs in time, with both intervals, and joins the policies that no other beats in both.
func (f *figure) pareto(w io.Writer, format string) error {
	places, err := f.places()
	if err != nil {
		return err
	}
	utilisation, _, err := bench.MeasureTitle("utilisation")
	if err != nil {
		return err
	}
	p := plot.New()
	chart.Plain(p, f.title("Misses against utilisation"), "utilisation: "+utilisation, "share of jobs late or rejected")
	p.Add(chart.Grid())
	if err := addFront(p, front(places)); err != nil {
		return err
	}
	var legend chart.Legend
	for _, at := range places {
		p.Add(cross{at, chart.PointStyle(at.number - 1)})
		legend = legend.Point(at.name, at.number-1)
	}
	room := (p.X.Max - p.X.Min) * 0.03
	p.X.Min, p.X.Max, p.Y.Min = p.X.Min-room, p.X.Max+room, min(0, p.Y.Min)
	p.Y.Max += 0.03 * (p.Y.Max - p.Y.Min) // the highest marker is whole
	if room == 0 {
		p.X.Min, p.X.Max = p.X.Min-0.05, p.X.Max+0.05
	}
	return chart.Beside(w, format, f.style.Size, p, legend)
}

// places are those of all policies, fewest misses first or as the bench has them.
func (f *figure) places() ([]place, error) {
	all := []bench.Level{{}}
	for _, rec := range f.records {
		if rec != nil {
			all[0].Records = append(all[0].Records, rec)
		}
	}
	if len(all[0].Records) == 0 {
		return nil, ErrNothing
	}
	across, err := f.c.Curves(all, "utilisation")
	if err != nil {
		return nil, err
	}
	height := f.c.MissCurves(all)
	var out []place
	for i := range across {
		x, y := across[i].Points[0], height[i].Points[0]
		if math.IsNaN(x.Mean) || math.IsNaN(y.Mean) {
			continue
		}
		if at := slices.IndexFunc(out, func(p place) bool { return same(p.across, x) && same(p.height, y) }); at >= 0 {
			out[at].name += "\n= " + across[i].Policy
			continue
		}
		out = append(out, place{across[i].Policy, f.number(across[i].Policy), x, y})
	}
	if len(out) == 0 {
		return nil, ErrNothing
	}
	if !f.style.Given {
		slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(a.height.Mean, b.height.Mean) })
	}
	return out, nil
}

// front are the places that no other beats in both, by utilisation.
func front(places []place) plotter.XYs {
	var out plotter.XYs
	for _, p := range places {
		beaten := slices.ContainsFunc(places, func(q place) bool {
			return q.across.Mean >= p.across.Mean && q.height.Mean <= p.height.Mean && !(q.across.Mean == p.across.Mean && q.height.Mean == p.height.Mean)
		})
		if !beaten {
			out = append(out, plotter.XY{X: p.across.Mean, Y: p.height.Mean})
		}
	}
	slices.SortFunc(out, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return out
}

func addFront(p *plot.Plot, points plotter.XYs) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: 1, Dashes: []vg.Length{4, 3}}
	p.Add(line)
	return nil
}

// cross is a place with its two intervals.
type cross struct {
	at    place
	glyph draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (k cross) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	x, y := toX(k.at.across.Mean), toY(k.at.height.Mean)
	line := draw.LineStyle{Color: k.glyph.Color, Width: 0.7}
	if s := k.at.across; s.Fixed() {
		c.StrokeLines(line, c.ClipLinesXY([]vg.Point{{X: toX(s.Low), Y: y}, {X: toX(s.High), Y: y}})...)
	}
	if s := k.at.height; s.Fixed() {
		c.StrokeLines(line, c.ClipLinesXY([]vg.Point{{X: x, Y: toY(s.Low)}, {X: x, Y: toY(s.High)}})...)
	}
	c.DrawGlyph(k.glyph, vg.Point{X: x, Y: y})
}

// DataRange implements plot.DataRanger.
func (k cross) DataRange() (xmin, xmax, ymin, ymax float64) {
	x, y := k.at.across, k.at.height
	return least(x.Mean, x.Low), most(x.Mean, x.High), least(y.Mean, y.Low), most(y.Mean, y.High)
}

// least and most pass over what is not a number.
func least(mean, low float64) float64 {
	if math.IsNaN(low) {
		return mean
	}
	return min(mean, low)
}

func most(mean, high float64) float64 {
	if math.IsNaN(high) {
		return mean
	}
	return max(mean, high)
}
