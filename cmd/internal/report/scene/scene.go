// Package scene has pictures in shapes, and paints them as SVG, PNG and PDF.
package scene

import (
	"sort"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"

	"downbeat/cmd/internal/canvas"
)

// A scene is a picture in shapes, origin top left, lengths in pixels. The
// layout makes it once; the painters of SVG and PNG only draw.
type Scene struct {
	Width, Height float64
	// Sized tells that the size was asked for: a pixel is one of a bitmap, and a 96th of an
	// inch on paper.
	Sized bool
	// About says what is to be seen, for those who do not see it.
	About  string
	Groups []Group
}

// Group is what a pointer hovers over as one thing.
type Group struct {
	// Title is the tooltip, empty for none.
	Title  string
	Shapes []Shape
}

// Shape is a rect, line, ticks, polygon or label.
type Shape interface{}

// Rect is filled; X, Y is its upper left corner.
type Rect struct {
	X, Y, W, H float64
	Fill       Paint
	// Stroke is drawn inside the edge if strokeWidth > 0.
	Stroke      Paint
	StrokeWidth float64
	// Hatched draws diagonal lines in stroke over the fill.
	Hatched bool
}

// Line goes from one point to another.
type Line struct {
	X1, Y1, X2, Y2 float64
	Stroke         Paint
	Width          float64
	Dashed         bool
}

// Ticks are vertical lines side by side.
type Ticks struct {
	Xs     []float64
	Y1, Y2 float64
	Stroke Paint
	Width  float64
}

// Polygon is filled and closed; points are x, y pairs.
type Polygon struct {
	Points []float64
	Fill   Paint
}

// anchor says which point of a label its x is.
type anchor uint8

const (
	anchorStart anchor = iota
	AnchorMiddle
	AnchorEnd
)

// Label is a line of text.
type Label struct {
	// X, y is on the baseline.
	X, Y   float64
	Text   string
	Size   float64
	Bold   bool
	Anchor anchor
	Fill   Paint
}

// Face is Liberation Sans at a size in pixels. It has the widths of Arial and Helvetica, so
// that text measured here fits in a browser as well.
func Face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return canvas.Face(f, font.Length(size))
}

// TextWidth is the width of text in pixels.
func TextWidth(text string, size float64, bold bool) float64 {
	f := Face(size, bold)
	return float64(f.Width(text))
}

// Shorten cuts text to a width in pixels, with an ellipsis; "" if not even
// three letters fit.
func Shorten(text string, width, size float64, bold bool) string {
	if TextWidth(text, size, bold) <= width {
		return text
	}
	runes := []rune(text)
	n := sort.Search(len(runes), func(n int) bool { return TextWidth(string(runes[:n])+"…", size, bold) > width })
	if n--; n < 3 {
		return ""
	}
	return string(runes[:n]) + "…"
}
