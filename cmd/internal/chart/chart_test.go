package chart

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"
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
	p, err := c.plot()
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
	p, err := c.plot()
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
}
