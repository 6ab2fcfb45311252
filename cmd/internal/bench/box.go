package bench

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"

	"downbeat/cmd/internal/stats"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
