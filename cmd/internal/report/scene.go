package report

import (
	"image/color"
	"sort"
	"sync"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// A scene is a picture in shapes, origin top left, lengths in pixels. The
// layout makes it once; the painters of SVG and PNG only draw.
type scene struct {
	width, height float64
	// sized tells that the size was asked for: a pixel is one of a bitmap, and a 96th of an
	// inch on paper.
	sized bool
	// about says what is to be seen, for those who do not see it.
	about  string
	groups []group
}

// group is what a pointer hovers over as one thing.
type group struct {
	// title is the tooltip, empty for none.
	title  string
	shapes []shape
}

// shape is a rect, line, ticks, polygon or label.
type shape interface{}

type rect struct {
	x, y, w, h float64
	fill       paint
	// stroke is drawn inside the edge if strokeWidth > 0.
	stroke      paint
	strokeWidth float64
	// hatched draws diagonal lines in stroke over the fill.
	hatched bool
}

type line struct {
	x1, y1, x2, y2 float64
	stroke         paint
	width          float64
	dashed         bool
}

// ticks are vertical lines side by side.
type ticks struct {
	xs     []float64
	y1, y2 float64
	stroke paint
	width  float64
}

// polygon is filled and closed; points are x, y pairs.
type polygon struct {
	points []float64
	fill   paint
}

// anchor says which point of a label its x is.
type anchor uint8

const (
	anchorStart anchor = iota
	anchorMiddle
	anchorEnd
)

type label struct {
	// x, y is on the baseline.
	x, y   float64
	text   string
	size   float64
	bold   bool
	anchor anchor
	fill   paint
}

// tone is a colour that changes between light and dark pages.
type tone uint8

const (
	tonePaper tone = iota
	tonePanel      // behind the lanes
	toneGrid       // lines of time, edges of rows
	toneMuted      // secondary text
	toneInk        // text
	toneLate       // misses
	toneAway       // absences
	toneCount
)

// tones holds names and colours, light and dark.
var tones = [toneCount]struct {
	name        string
	light, dark color.NRGBA
}{
	tonePaper: {"paper", rgb(0xffffff), rgb(0x16181d)},
	tonePanel: {"panel", rgb(0xf5f6f8), rgb(0x1f232a)},
	toneGrid:  {"grid", rgb(0xd9dce1), rgb(0x3a404b)},
	toneMuted: {"muted", rgb(0x6a7180), rgb(0x98a1b0)},
	toneInk:   {"ink", rgb(0x1d222b), rgb(0xe6e9ee)},
	toneLate:  {"late", rgb(0xc8102e), rgb(0xff5c6c)},
	toneAway:  {"away", rgb(0xa9afba), rgb(0x59606d)},
}

// paint is a tone or, for jobs, a fixed colour.
type paint struct {
	tone  tone
	fixed color.NRGBA // used if its A > 0
	// alpha in (0, 1]
	alpha float64
}

func toned(t tone) paint { return paint{tone: t, alpha: 1} }

func colored(c color.NRGBA) paint { return paint{fixed: c, alpha: 1} }

func (p paint) faded(alpha float64) paint {
	p.alpha *= alpha
	return p
}

// light is the colour on a light page.
func (p paint) light() color.NRGBA {
	c := p.fixed
	if c.A == 0 {
		c = tones[p.tone].light
	}
	c.A = uint8(p.alpha*255 + 0.5)
	return c
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// jobColors can be told apart with the common forms of colour blindness (after
// Paul Tol's "bright" and "muted" schemes); the red of late jobs is not among them.
var jobColors = []color.NRGBA{
	rgb(0x4477aa), rgb(0xddaa33), rgb(0x228833), rgb(0xaa4499), rgb(0x66ccee),
	rgb(0x999933), rgb(0x5b4bb5), rgb(0x44aa99), rgb(0xe8c7a0), rgb(0xcc79a7),
}

// jobColor cycles through the colours, the second time lighter, the third darker.
func jobColor(i int) color.NRGBA {
	c := jobColors[i%len(jobColors)]
	switch i / len(jobColors) % 3 {
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

// inkOn is black or white, whichever reads better on c.
func inkOn(c color.NRGBA) color.NRGBA {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return rgb(0x14171c)
	}
	return rgb(0xffffff)
}

// fonts are Liberation Sans, which has the widths of Arial and Helvetica, so
// that text measured here fits in a browser as well.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, font.Length(size))
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
