package present

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"
)

// gapBox is one policy's gaps, or those of several that are equal.
type gapBox struct {
	policy  string
	gaps    []float64
	mean    float64
	toBound int
}

// gaps draws the distributions of the first objective that any run has a gap in.
func (f *figure) gaps(w io.Writer, format string) error {
	for _, o := range bench.Objectives(f.records) {
		if boxes := f.gapBoxes(o); len(boxes) > 0 {
			return f.drawBoxes(w, format, o, boxes)
		}
	}
	return ErrNothing
}

// gapBoxes are the policies that have gaps, from the bottom of the figure up: the smallest
// mean at the top, or as the bench has them.
func (f *figure) gapBoxes(objective string) []gapBox {
	var boxes []gapBox
	for _, p := range f.c.Policies {
		list, toBound := f.c.Gaps(f.records, p, objective)
		at := slices.IndexFunc(boxes, func(b gapBox) bool { return slices.Equal(b.gaps, list) })
		switch {
		case len(list) == 0:
		case at >= 0:
			boxes[at].policy += " = " + p
		default:
			boxes = append(boxes, gapBox{p, list, stats.MeanOf(list).Mean, toBound})
		}
	}
	if f.style.Given {
		slices.Reverse(boxes)
	} else {
		slices.SortStableFunc(boxes, func(a, b gapBox) int { return cmp.Compare(b.mean, a.mean) })
	}
	return boxes
}

// drawBoxes draws the distribution of each policy's gaps as a box: quartiles, whiskers to
// the farthest value within one and a half times the box, points beyond; the mean as a
// triangle.
func (f *figure) drawBoxes(w io.Writer, format, objective string, boxes []gapBox) error {
	p := plot.New()
	chart.Plain(p, f.title("Gap to the optimum: "+objective), objective+" of the run − optimum (runs that can be compared)", "")
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
	p.Y.Min, p.Y.Max = -0.7, float64(len(boxes))-0.3
	p.X.Min = min(p.X.Min, 0)
	if p.X.Max == p.X.Min {
		p.X.Max = p.X.Min + 1
	}
	own := chart.Size{Width: 9 * vg.Inch, Height: 1.2*vg.Inch + vg.Length(len(boxes))*18}
	return chart.Alone(w, format, f.style.Size.Or(own), p)
}
