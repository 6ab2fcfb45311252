package gantt

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"
)

// lab is a colour in CIE L*a*b*, in which a distance of 2 can just be seen.
func lab(c color.NRGBA) [3]float64 {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.95047), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b color.NRGBA) float64 {
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// Every colour of jobs stands out from what lies behind it, on light pages and on dark ones,
// differs from all others and from what marks late jobs, and has ink that reads upon it.
func TestJobColors(t *testing.T) {
	shades := map[string]func(Color) color.NRGBA{
		"light": func(c Color) color.NRGBA { return c.Light }, "dark": func(c Color) color.NRGBA { return c.Dark },
	}
	for name, of := range shades {
		for i := range jobColorCount {
			c := of(jobColor(i))
			for _, tone := range []tone{tonePaper, tonePanel} {
				if got := contrast(c, of(tones[tone].Color)); got < 3 {
					t.Errorf("%s: color %d, %s, has a contrast of %.2f on %s", name, i, hex(c), got, tones[tone].name)
				}
			}
			if got := contrast(c, of(inkOn(jobColor(i)))); got < 4 {
				t.Errorf("%s: ink on color %d, %s, has a contrast of %.2f", name, i, hex(c), got)
			}
			if got := distance(c, of(tones[toneLate].Color)); got < 25 {
				t.Errorf("%s: color %d, %s, is like that of late jobs: %.1f", name, i, hex(c), got)
			}
			for k := range i {
				if got := distance(c, of(jobColor(k))); got < 10 {
					t.Errorf("%s: colors %d and %d, %s and %s, are alike: %.1f", name, i, k, hex(c), hex(of(jobColor(k))), got)
				}
			}
		}
	}
}

// An SVG has for each of its colours one for dark pages, and a background.
func TestSVGOnDarkPages(t *testing.T) {
	s := scene{Width: 20, Height: 10, Groups: []group{{Shapes: []shape{
		rect{W: 20, H: 10, Fill: toned(tonePaper)}, rect{W: 5, H: 5, Fill: jobPaint(22)}, label{Text: "x", Fill: inkOnJob(22)},
	}}}}
	var b bytes.Buffer
	s.writeSVG(&b)
	light, dark, _ := strings.Cut(b.String(), "prefers-color-scheme:dark")
	for _, p := range []paint{toned(tonePaper), jobPaint(22), inkOnJob(22)} {
		if !strings.Contains(light, fmt.Sprintf(".f-%s{fill:%s}", p.name, hex(p.Light))) || !strings.Contains(dark, fmt.Sprintf(".f-%s{fill:%s}", p.name, hex(p.Dark))) ||
			!strings.Contains(dark, `class="f-`+p.name+`"`) {
			t.Errorf("%s is not in both shades, or not used:\n%s", p.name, &b)
		}
	}
}
