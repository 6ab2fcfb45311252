package gantt

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"strconv"
)

// Color is what is seen on light pages, and what on dark ones.
type Color struct{ Light, Dark color.NRGBA }

// CSS is what is seen on a light page, and what on a dark one, each as #rrggbb.
func (c Color) CSS() [2]string { return [2]string{hex(c.Light), hex(c.Dark)} }

// MarshalJSON writes what [Color.CSS] says.
func (c Color) MarshalJSON() ([]byte, error) { return json.Marshal(c.CSS()) }

// tone is a colour that has a meaning.
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

// tones holds names and colours.
var tones = [toneCount]struct {
	name string
	Color
}{
	tonePaper: {"paper", pair(0xffffff, 0x16181d)},
	tonePanel: {"panel", pair(0xf5f6f8, 0x1f232a)},
	toneGrid:  {"grid", pair(0xd9dce1, 0x3a404b)},
	toneMuted: {"muted", pair(0x6a7180, 0x98a1b0)},
	toneInk:   {"ink", pair(0x1d222b, 0xe6e9ee)},
	toneLate:  {"late", pair(0xc8102e, 0xff5c6c)},
	toneAway:  {"away", pair(0xa9afba, 0x59606d)},
}

// jobColors stand out from paper and panels, three to one at least, can be told apart with
// the common forms of colour blindness, and are far from the red of late jobs.
var jobColors = []Color{
	pair(0x1f68bc, 0x3ebbff), pair(0xb68015, 0xfff26d), pair(0x067a3e, 0x1acc49), pair(0x7d0084, 0xc377cf), pair(0x2a989c, 0x66ede1),
	pair(0x436f08, 0xbe8609), pair(0x906dfe, 0x778bff), pair(0x68936d, 0x6db46f), pair(0x8b8e41, 0xf6b2aa), pair(0xa41e64, 0xff6baf),
}

// jobColorCount is how many different colours jobs have.
const jobColorCount = 30

// jobColor cycles through the colours, the second and the third time in other shades: darker
// on light pages, lighter and then darker on dark ones.
func jobColor(i int) Color {
	c := jobColors[i%len(jobColors)]
	black, white := rgb(0x000000), rgb(0xffffff)
	switch i % jobColorCount / len(jobColors) {
	case 1:
		return Color{mix(c.Light, black, 0.25), mix(c.Dark, white, 0.45)}
	case 2:
		return Color{mix(c.Light, black, 0.5), mix(c.Dark, black, 0.22)}
	}
	return c
}

// inkOn is black or white, whichever reads better on c.
func inkOn(c Color) Color { return Color{blackOrWhite(c.Light), blackOrWhite(c.Dark)} }

func blackOrWhite(c color.NRGBA) color.NRGBA {
	black, white := rgb(0x14171c), rgb(0xffffff)
	if contrast(black, c) > contrast(white, c) {
		return black
	}
	return white
}

// linear is a share of light, of a byte of a colour.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// contrast is that of WCAG 2.
func contrast(a, b color.NRGBA) float64 {
	light := func(c color.NRGBA) float64 { return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B) }
	x, y := light(a)+0.05, light(b)+0.05
	return max(x/y, y/x)
}

// paint is a colour by its name, with so much of it as alpha says.
type paint struct {
	name string
	Color
	// alpha in (0, 1]
	alpha float64
}

// toned is paint of a tone.
func toned(t tone) paint { return paint{tones[t].name, tones[t].Color, 1} }

// jobPaint is the paint of a job by the number of its colour.
func jobPaint(i int) paint { return paint{"job" + strconv.Itoa(i%jobColorCount), jobColor(i), 1} }

// inkOnJob is for text upon the paint of a job.
func inkOnJob(i int) paint {
	return paint{"ink" + strconv.Itoa(i%jobColorCount), inkOn(jobColor(i)), 1}
}

// faded lets so much of the paint through as alpha in (0, 1] says.
func (p paint) faded(alpha float64) paint {
	p.alpha *= alpha
	return p
}

// light is the colour on a light page.
func (p paint) light() color.NRGBA {
	c := p.Light
	c.A = uint8(p.alpha*255 + 0.5)
	return c
}

// hex is the colour as #rrggbb.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func pair(light, dark uint32) Color { return Color{rgb(light), rgb(dark)} }

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// mix is a with a share of b.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 0xff}
}
