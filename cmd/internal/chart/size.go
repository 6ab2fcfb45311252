package chart

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"downbeat/cmd/internal/version"
)

// write writes a drawing in one of Formats, with what made it.
func write(w io.Writer, format string, drawing io.WriterTo) error {
	var file bytes.Buffer
	if _, err := drawing.WriteTo(&file); err != nil {
		return err
	}
	_, err := w.Write(version.Stamp(format, file.Bytes()))
	return err
}

// Formats are the endings of the files that figures are written to.
func Formats() []string { return []string{"svg", "png", "pdf"} }

// Size is the width and height of a figure; what is zero is as suits it.
type Size struct{ Width, Height vg.Length }

// units of length by their names.
var units = []struct {
	name string
	one  vg.Length
}{{"cm", vg.Centimeter}, {"mm", vg.Millimeter}, {"in", vg.Inch}, {"pt", 1}, {"px", Pixel}}

// Pixel is that of CSS, and of bitmaps.
const Pixel = vg.Inch / 96

// ParseSize reads "8.8x6cm": width and height in cm, mm, in, pt or px, each from 3 cm to 2 m;
// of "1600px" the height, and of "x900px" the width, is left to the figure.
func ParseSize(text string) (Size, error) {
	wrong := fmt.Errorf("%q is no size: write width and height, such as 8.8x6cm or 1600x900px, or one of them, 1600px or x900px, in cm, mm, in, pt or px, from 3cm to 200cm", text)
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
	if w == "" && h == "" {
		return Size{}, wrong
	}
	var size Size
	for _, side := range []struct {
		text string
		at   *vg.Length
	}{{w, &size.Width}, {h, &size.Height}} {
		if side.text == "" {
			continue
		}
		l := length(side.text) * units[at].one
		if !(l >= 3*vg.Centimeter-1e-9 && l <= 200*vg.Centimeter+1e-9) { // not-a-number is neither
			return Size{}, wrong
		}
		*side.at = l
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

// Or is the size with what is zero taken from another.
func (s Size) Or(other Size) Size {
	if s.Width == 0 {
		s.Width = other.Width
	}
	if s.Height == 0 {
		s.Height = other.Height
	}
	return s
}
