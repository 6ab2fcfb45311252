package gantt

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"
)

// TestBackground: a bitmap is white where nothing but its background was painted, and what is
// there to be pointed at changes no pixel; what is painted over these shows.
func TestBackground(t *testing.T) {
	s := scene{Width: 20, Height: 10, Groups: []group{{Shapes: []shape{
		rect{W: 20, H: 10, Fill: toned(tonePaper)},
		rect{W: 20, H: 5, Fill: toned(toneInk).faded(0.01)},
		rect{X: 10, W: 10, H: 10, Fill: toned(toneInk)},
		rect{X: 15, W: 5, H: 10, Fill: toned(tonePaper)},
	}}}}
	var b bytes.Buffer
	if err := s.writePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	paper, ink := color.NRGBAModel.Convert(tones[tonePaper].Light), color.NRGBAModel.Convert(tones[toneInk].Light)
	for x, want := range map[int]color.Color{5: paper, 25: ink, 35: paper} {
		if got := color.NRGBAModel.Convert(img.At(x, 5)); got != want {
			t.Errorf("%v at %d, not %v", got, x, want)
		}
	}
}
