package pagetest

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"

	"github.com/chromedp/chromedp"
)

// A picture looks as it did if of its cells, so many pixels wide and high, no more than a
// share differs by more than a shade in any colour: edges are smoothed in ways that change.
const (
	cell       = 4
	shade      = 24
	mostOthers = 0.003
)

// wordless lets drawings have no letters, whose shapes depend on the fonts of the machine, and
// takes each for six pixels wide.
const wordless = `(() => {
	CanvasRenderingContext2D.prototype.fillText = () => {};
	CanvasRenderingContext2D.prototype.measureText = (s) => ({ width: 6 * s.length });
	window.dispatchEvent(new Event("theme"));
	return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector("canvas").toDataURL()))));
})()`

// Looks compares the page's first drawing, without its letters, with the picture in a file,
// or writes that. Where they differ, what there is and where it differs go beside it.
func (w *Window) Looks(golden string, update bool) {
	w.Helper()
	text := Value(w, chromedp.Evaluate[string](wordless, chromedp.EvalAwaitPromise))
	src, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "data:image/png;base64,"))
	if err != nil {
		w.Fatal(err)
	}
	if update {
		w.write(golden, src)
		return
	}
	was, err := os.ReadFile(golden)
	if err != nil {
		w.Fatal(err)
	}
	got, want := w.decode(src), w.decode(was)
	share, where := Differs(got, want)
	if share <= mostOthers {
		return
	}
	stem := strings.TrimSuffix(golden, ".png")
	var b bytes.Buffer
	if err := png.Encode(&b, where); err != nil {
		w.Fatal(err)
	}
	w.write(stem+"-got.png", src)
	w.write(stem+"-diff.png", b.Bytes())
	w.Errorf("%.2f %% of the drawing look otherwise than %s; see %s-got.png and, in red, %s-diff.png", 100*share, golden, stem, stem)
}

func (w *Window) write(path string, text []byte) {
	w.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		w.Fatal(err)
	}
}

func (w *Window) decode(src []byte) image.Image {
	w.Helper()
	img, err := png.Decode(bytes.NewReader(src))
	if err != nil {
		w.Fatal(err)
	}
	return img
}

// Differs is the share of cells in which two pictures differ, and the first with these in red;
// all of it where they differ in size.
func Differs(got, want image.Image) (share float64, where *image.RGBA) {
	box := got.Bounds()
	where = image.NewRGBA(box)
	cells, others := 0, 0
	for y := box.Min.Y; y < box.Max.Y; y += cell {
		for x := box.Min.X; x < box.Max.X; x += cell {
			part := image.Rect(x, y, x+cell, y+cell).Intersect(box)
			a, b := mean(got, part), mean(want, part)
			other := box != want.Bounds()
			for k := range a {
				other = other || a[k]-b[k] > shade || b[k]-a[k] > shade
			}
			cells++
			if other {
				others++
			}
			for i := part.Min.Y; i < part.Max.Y; i++ {
				for j := part.Min.X; j < part.Max.X; j++ {
					if where.Set(j, i, got.At(j, i)); other {
						where.Set(j, i, color.RGBA{R: 0xff, A: 0xff})
					}
				}
			}
		}
	}
	return float64(others) / float64(max(1, cells)), where
}

// mean is the colour of a part of a picture, of 256 shades.
func mean(img image.Image, part image.Rectangle) (c [3]int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			c[0], c[1], c[2] = c[0]+int(r>>8), c[1]+int(g>>8), c[2]+int(b>>8)
		}
	}
	for k := range c {
		c[k] /= part.Dx() * part.Dy()
	}
	return c
}
