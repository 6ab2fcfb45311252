package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
)

// Formats are the endings of the files that figures are written to.
func Formats() []string { return []string{"svg", "png", "pdf"} }

// The same figure is the same file, whenever it is drawn.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// Size is the width and height of a figure; zero is what suits it.
type Size struct{ Width, Height vg.Length }

// units of length by their names.
var units = []struct {
	name string
	one  vg.Length
}{{"cm", vg.Centimeter}, {"mm", vg.Millimeter}, {"in", vg.Inch}, {"pt", 1}}

// ParseSize reads "8.8x6cm": width and height in cm, mm, in or pt, each from 3 cm to 2 m.
func ParseSize(text string) (Size, error) {
	wrong := fmt.Errorf("%q is no size: write width and height, such as 8.8x6cm, in cm, mm, in or pt, from 3cm to 200cm", text)
	at := slices.IndexFunc(units, func(u struct {
		name string
		one  vg.Length
	}) bool {
		return strings.HasSuffix(text, u.name)
	})
	if at < 0 {
		return Size{}, wrong
	}
	w, h, _ := strings.Cut(strings.TrimSuffix(text, units[at].name), "x")
	size := Size{length(w) * units[at].one, length(h) * units[at].one}
	for _, l := range []vg.Length{size.Width, size.Height} {
		if !(l >= 3*vg.Centimeter-1e-9 && l <= 200*vg.Centimeter+1e-9) { // not-a-number is neither
			return Size{}, wrong
		}
	}
	return size, nil
}

func length(text string) vg.Length {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return vg.Length(math.NaN())
	}
	return vg.Length(v)
}

// or is the size with what is zero filled in.
func (s Size) or(width, height vg.Length) Size {
	if s.Width == 0 {
		return Size{width, height}
	}
	return s
}
