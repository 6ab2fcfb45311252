package gantt

import (
	"sort"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"

	"downbeat/cmd/internal/chart"
)

// A scene is a picture in shapes, origin top left, lengths in pixels. The
// layout makes it once; the painters of SVG and PNG only draw.
type scene struct {
	Width, Height float64
	// Sized tells that the size was asked for: a pixel is one of a bitmap, and a 96th of an
	// inch on paper.
	Sized bool
	// About says what is to be seen, for those who do not see it.
	About  string
	Groups []group
}

// group is what a pointer hovers over as one thing.
type group struct {
	// Title is the tooltip, empty for none.
	Title  string
	Shapes []shape
}

// shape is a rect, line, ticks, polygon or label.
type shape interface{}

// rect is filled; X, Y is its upper left corner.
type rect struct {
	X, Y, W, H float64
	Fill       paint
	// Stroke is drawn inside the edge if strokeWidth > 0.
	Stroke      paint
	StrokeWidth float64
	// Hatched draws diagonal lines in stroke over the fill.
	Hatched bool
}

// line goes from one point to another.
type line struct {
	X1, Y1, X2, Y2 float64
	Stroke         paint
	Width          float64
	Dashed         bool
}

// ticks are vertical lines side by side.
type ticks struct {
	Xs     []float64
	Y1, Y2 float64
	Stroke paint
	Width  float64
}

// polygon is filled and closed; points are x, y pairs.
type polygon struct {
	Points []float64
	Fill   paint
}

// anchor says which point of a label its x is.
type anchor uint8

const (
	anchorStart anchor = iota
	anchorMiddle
	anchorEnd
)

// label is a line of text.
type label struct {
	// X, y is on the baseline.
	X, Y   float64
	Text   string
	Size   float64
	Bold   bool
	Anchor anchor
	Fill   paint
}

// face is Liberation Sans at a size in pixels. It has the widths of Arial and Helvetica, so
// that text measured here fits in a browser as well.
func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return chart.Face(f, font.Length(size))
}

// textWidth is the width of text in pixels.
func textWidth(text string, size float64, bold bool) float64 {
	f := face(size, bold)
	return float64(f.Width(text))
}

// shorten cuts text to a width in pixels, with an ellipsis; "" if not even
// three letters fit.
func shorten(text string, width, size float64, bold bool) string {
	if textWidth(text, size, bold) <= width {
		return text
	}
	runes := []rune(text)
	n := sort.Search(len(runes), func(n int) bool { return textWidth(string(runes[:n])+"…", size, bold) > width })
	if n--; n < 3 {
		return ""
	}
	return string(runes[:n]) + "…"
}
