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
