// Package scene has pictures in shapes, and paints them as SVG, PNG and PDF.
package scene

import (
	"image/color"
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

// Tone is a colour that changes between light and dark pages.
type Tone uint8

const (
	TonePaper Tone = iota
	TonePanel      // behind the lanes
	ToneGrid       // lines of time, edges of rows
	ToneMuted      // secondary text
	ToneInk        // text
	ToneLate       // misses
	ToneAway       // absences
	toneCount
)

// Tones holds names and colours, light and dark.
var Tones = [toneCount]struct {
	name        string
	Light, dark color.NRGBA
}{
	TonePaper: {"paper", rgb(0xffffff), rgb(0x16181d)},
	TonePanel: {"panel", rgb(0xf5f6f8), rgb(0x1f232a)},
	ToneGrid:  {"grid", rgb(0xd9dce1), rgb(0x3a404b)},
	ToneMuted: {"muted", rgb(0x6a7180), rgb(0x98a1b0)},
	ToneInk:   {"ink", rgb(0x1d222b), rgb(0xe6e9ee)},
	ToneLate:  {"late", rgb(0xc8102e), rgb(0xff5c6c)},
	ToneAway:  {"away", rgb(0xa9afba), rgb(0x59606d)},
}

// Paint is a tone or, for jobs, a fixed colour.
type Paint struct {
	tone  Tone
	fixed color.NRGBA // used if its A > 0
	// alpha in (0, 1]
	alpha float64
}

// Toned is paint that follows the page.
func Toned(t Tone) Paint { return Paint{tone: t, alpha: 1} }

// Colored is the same on all pages.
func Colored(c color.NRGBA) Paint { return Paint{fixed: c, alpha: 1} }

// Faded lets so much of the paint through as alpha in (0, 1] says.
func (p Paint) Faded(alpha float64) Paint {
	p.alpha *= alpha
	return p
}

// light is the colour on a light page.
func (p Paint) light() color.NRGBA {
	c := p.fixed
	if c.A == 0 {
		c = Tones[p.tone].Light
	}
	c.A = uint8(p.alpha*255 + 0.5)
	return c
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// JobColors can be told apart with the common forms of colour blindness (after
// Paul Tol's "bright" and "muted" schemes); the red of late jobs is not among them.
var JobColors = []color.NRGBA{
	rgb(0x4477aa), rgb(0xddaa33), rgb(0x228833), rgb(0xaa4499), rgb(0x66ccee),
	rgb(0x999933), rgb(0x5b4bb5), rgb(0x44aa99), rgb(0xe8c7a0), rgb(0xcc79a7),
}

// JobColor cycles through the colours, the second time lighter, the third darker.
func JobColor(i int) color.NRGBA {
	c := JobColors[i%len(JobColors)]
	switch i / len(JobColors) % 3 {
	case 1:
		return mix(c, rgb(0xffffff), 0.4)
	case 2:
		return mix(c, rgb(0x000000), 0.35)
	}
	return c
}

// mix is a with a share of b.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 0xff}
}

// InkOn is black or white, whichever reads better on c.
func InkOn(c color.NRGBA) color.NRGBA {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return rgb(0x14171c)
	}
	return rgb(0xffffff)
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
