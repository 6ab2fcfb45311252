package chart

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func example() *Chart {
	x := []float64{0.2, 0.4, 0.6, 0.8, 1}
	c := &Chart{Title: "Share of job sets without a miss", XLabel: "utilisation", YLabel: "share", YMax: 1}
	c.Series = append(c.Series,
		Series{Name: "exact", Bold: true, X: x, Y: []float64{1, 1, 0.9, 0.7, 0.3}},
		Series{Name: "edf", X: x, Y: []float64{1, 0.9, 0.7, math.NaN(), 0.1},
			Lo: []float64{0.9, 0.8, 0.6, math.NaN(), 0}, Hi: []float64{1, 1, 0.8, math.NaN(), 0.2}})
	return c
}

// A chart is there in both formats, the same each time, with its words in it.
func TestDraw(t *testing.T) {
	var first, second, picture bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := example().Draw(w, "svg"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two drawings of one chart differ")
	}
	for _, word := range []string{"exact", "edf", "utilisation", "share", "0.6"} {
		if !strings.Contains(first.String(), ">"+word+"<") {
			t.Errorf("no %q in the picture", word)
		}
	}
	if err := example().Draw(&picture, "png"); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(picture.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 600 || b.Dy() < 300 {
		t.Errorf("picture of %v", b)
	}
	if keep := os.Getenv("DOWNBEAT_KEEP"); keep != "" {
		os.WriteFile(keep, picture.Bytes(), 0o644)
	}
}

// A gap parts a line in two.
func TestRuns(t *testing.T) {
	s := example().Series[1]
	if got := runs(&s); len(got) != 2 || len(got[0]) != 3 || len(got[1]) != 1 {
		t.Errorf("runs %v", got)
	}
}

// Panels stand in a grid under one legend, with a line in it for a series that
// a panel has nothing of.
func TestPanels(t *testing.T) {
	var one, four bytes.Buffer
	empty := example()
	empty.Title = "Nothing of edf"
	empty.Series[1].Y = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if err := Panels(&four, "svg", 2, []*Chart{empty, example(), example()}); err != nil {
		t.Fatal(err)
	}
	text := four.String()
	for word, want := range map[string]int{"exact": 1, "edf": 1, "Nothing of edf": 1, "Share of job sets without a miss": 2} {
		if got := strings.Count(text, ">"+word+"<"); got != want {
			t.Errorf("%q stands there %d times, want %d", word, got, want)
		}
	}
	if err := Panels(&one, "png", 1, []*Chart{example()}); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&one); err != nil {
		t.Error(err)
	}
}

// An axis that is fixed is not that of the values.
func TestFixedAxes(t *testing.T) {
	c := example()
	c.XMin, c.XMax = 0, 2
	p, _, err := c.plot()
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Min != 0 || p.X.Max != 2 || p.Y.Min != 0 || p.Y.Max != 1 {
		t.Errorf("x from %g to %g, y from %g to %g", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}

// A logarithmic axis runs from a power of ten to a power of ten.
func TestLogarithmic(t *testing.T) {
	c := &Chart{LogX: true, LogY: true, Series: []Series{{Name: "s", X: []float64{100, 2000}, Y: []float64{0.02, 5}}}}
	p, _, err := c.plot()
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"x from": {p.X.Min, 100}, "x to": {p.X.Max, 10000}, "y from": {p.Y.Min, 0.01}, "y to": {p.Y.Max, 10},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, pair[0], pair[1])
		}
	}
	if err := c.Draw(&bytes.Buffer{}, "svg"); err != nil {
		t.Error(err)
	}
	single := &Chart{LogX: true, Series: []Series{{Name: "s", X: []float64{0.001}, Y: []float64{3}}}}
	if err := single.Draw(&bytes.Buffer{}, "svg"); err != nil {
		t.Error(err)
	}
}

// Labels of an axis have as many decimals as tell them apart, and no more.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		most   int
		want   string
	}{
		{0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0"}, {0, 2500, 6, "0 500 1000 1500 2000 2500"}, {0, 60000, 3, "0 20,000 40,000 60,000"},
		{-0.01, 1.04, 3, "0.0 0.5 1.0"}, {0.1, 0.13, 4, "0.10 0.11 0.12 0.13"}, {-3, 3, 3, "-2 0 2"}, {5, 5, 3, "5"},
	} {
		var got []string
		for _, tick := range (ticks{c.most}).Ticks(c.lo, c.hi) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("from %g to %g: %v, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// Points of an axis are labelled as far as there is room, with how many stand behind each
// where that differs.
func TestCountedTicks(t *testing.T) {
	text := func(most int, counts ...Count) string {
		var got []string
		for _, tick := range (countedTicks{counts, most}).Ticks(0, 1) {
			got = append(got, tick.Label)
		}
		return strings.Join(got, "|") + " " + countedTicks{counts: counts}.each()
	}
	if got := text(9, Count{0.25, 4}, Count{0.5, 4}); got != "0.25|0.5 n = 4 at each point" {
		t.Error(got)
	}
	if got := text(2, Count{0, 4}, Count{0.3333, 5}, Count{0.6667, 4}); got != "0\nn=4||0.67\nn=4 n = 4 to 5 at a point" {
		t.Error(got)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{
		"8x6cm": {8 * vg.Centimeter, 6 * vg.Centimeter}, "3.5x2.5in": {3.5 * vg.Inch, 2.5 * vg.Inch},
		"90x60mm": {90 * vg.Millimeter, 60 * vg.Millimeter}, "252x180pt": {252, 180},
		"960x480px": {10 * vg.Inch, 5 * vg.Inch}, "8cm": {Width: 8 * vg.Centimeter}, "x960px": {Height: 10 * vg.Inch},
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "8x6", "xcm", "8", "1600", "100px", "cm", "8x6km", "0x6cm", "8x-6cm", "1x1cm", "NaNx6cm", "8x900cm", "8x6x3cm"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// No two of many lines have the same colour and marker.
func TestStyles(t *testing.T) {
	seen := map[string]int{}
	for n := range 64 {
		line, glyph := style(n)
		look := fmt.Sprintf("%v %T", line.Color, glyph.Shape)
		if m, twice := seen[look]; twice {
			t.Errorf("lines %d and %d look alike", m, n)
		}
		seen[look] = n
	}
}

// A legend stands beside a wide figure and below a narrow one.
func TestLegend(t *testing.T) {
	l := Legend{}.Point("a policy of the user's own", 0).Point("b\n= c", 1)
	if l.beside(Size{width, height}) == 0 || l.beside(Size{200, height}) != 0 {
		t.Errorf("a legend %v wide", l.width())
	}
	if l.columns(1000) != 2 || l.columns(200) != 1 || l.height(1000) != 2*line || l.height(200) != 3*line {
		t.Errorf("in columns %d and %d, %v and %v high", l.columns(1000), l.columns(200), l.height(1000), l.height(200))
	}
}

// Small charts share the labels of their axes; each has its title, and the bold series its
// place in the legend.
func TestMultiples(t *testing.T) {
	one, two := example(), example()
	one.Title, two.Title = "first", "second"
	for i := range two.Series {
		two.Series[i].Ghost = true
	}
	var out bytes.Buffer
	if err := Multiples(&out, "svg", Size{}, "All", []string{"a = b"}, []*Chart{one, two}); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"All": 1, "first": 1, "second": 1, "utilisation": 1, "share": 1, "a = b": 1, "exact": 1, "edf": 0} {
		if got := strings.Count(out.String(), ">"+word+"<"); got != want {
			t.Errorf("%q stands there %d times, want %d", word, got, want)
		}
	}
}
