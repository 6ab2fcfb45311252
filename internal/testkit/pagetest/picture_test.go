package pagetest

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// bars are a picture with bars, the edges of which are smoothed by a shade.
func bars(width int, edge uint8, from ...int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, 120))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for k, x := range from {
		draw.Draw(img, image.Rect(x, 10+20*k, x+80, 24+20*k), image.NewUniform(color.RGBA{R: 0x44, G: 0x77, B: 0xaa, A: 0xff}), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(x, 10+20*k, x+1, 24+20*k), image.NewUniform(color.Gray{Y: edge}), image.Point{}, draw.Src)
	}
	return img
}

// Edges that are smoothed otherwise make no other picture; a bar that is gone or elsewhere, or
// another size, does.
func TestDiffers(t *testing.T) {
	want := bars(400, 160, 20, 60, 200)
	for name, c := range map[string]struct {
		got   image.Image
		other bool
	}{
		"the same": {want, false}, "smoothed otherwise": {bars(400, 90, 20, 60, 200), false},
		"a bar is gone": {bars(400, 160, 20, 60), true}, "a bar is elsewhere": {bars(400, 160, 20, 68, 200), true}, "wider": {bars(404, 160, 20, 60, 200), true},
	} {
		share, where := Differs(c.got, want)
		if other := share > mostOthers; other != c.other {
			t.Errorf("%s: %.4f of it differ", name, share)
		}
		red := where.At(205, 56) == color.RGBA{R: 0xff, A: 0xff}
		if c.other && name == "a bar is gone" && !red {
			t.Error("the bar that is gone is not marked")
		}
	}
}
