package gantt

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/gen"
)

func pixels(width, height float64) chart.Size {
	return chart.Size{Width: vg.Length(width) * chart.Pixel, Height: vg.Length(height) * chart.Pixel}
}

// Pictures have the size that is asked for, with all that is in them: small and large plans
// alike, folded where they have to be, and with rows that can be read.
func TestPicturesOfASize(t *testing.T) {
	for name, js := range map[string]*model.JobSet{"nightly": exampleNight(t), "large": gen.Scale(3000, 1)} {
		s := summary.Summarize(js, reporttest.ListPlan(t, js))
		for _, size := range []chart.Size{pixels(1600, 900), pixels(800, 0), pixels(0, 700), pixels(700, 2500)} {
			pic, err := sceneOf(s, "title", "subtitle", size)
			if err != nil {
				t.Errorf("%s, %v: %v", name, size, err)
				continue
			}
			want := fmt.Sprintf("%.0f × %.0f", size.Width/chart.Pixel, size.Height/chart.Pixel)
			if w, h := size.Width > 0 && pic.Width != float64(size.Width/chart.Pixel), size.Height > 0 && pic.Height != float64(size.Height/chart.Pixel); w || h {
				t.Errorf("%s: %.2f × %.2f, wanted %s", name, pic.Width, pic.Height, want)
			}
			within(t, name+" "+want, pic)
		}
	}
}

// within tells of bars and words that leave a picture.
func within(t *testing.T, name string, s *scene) {
	t.Helper()
	for _, g := range s.Groups {
		for _, sh := range g.Shapes {
			switch sh := sh.(type) {
			case rect:
				if sh.X < 0 || sh.Y < 0 || sh.X+sh.W > s.Width+0.01 || sh.Y+sh.H > s.Height+0.01 {
					t.Errorf("%s: %s: %+v leaves the picture of %v × %v", name, g.Title, sh, s.Width, s.Height)
				}
			case label:
				w := textWidth(sh.Text, sh.Size, sh.Bold)
				left := sh.X - [...]float64{0, w / 2, w}[sh.Anchor]
				if sh.Text != "" && (left < 0 || left+w > s.Width+0.01 || sh.Y-sh.Size < -2 || sh.Y > s.Height) {
					t.Errorf("%s: %q at %.0f to %.0f, %.0f leaves the picture of %v × %v", name, sh.Text, left, left+w, sh.Y, s.Width, s.Height)
				}
			}
		}
	}
}

// What cannot be drawn at a size is refused with the size that it needs.
func TestPicturesTooSmall(t *testing.T) {
	js := exampleNight(t)
	s := summary.Summarize(js, reporttest.ListPlan(t, js))
	for _, c := range []struct {
		size chart.Size
		want string
	}{{pixels(200, 0), "too narrow: this plan needs a width of "}, {pixels(0, 150), "too low: this plan needs a height of "}} {
		_, err := sceneOf(s, "title", "subtitle", c.size)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.size, err)
			continue
		}
		var least int
		if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), c.want)+len(c.want):], "%d", &least); err != nil {
			t.Fatal(err)
		}
		size := pixels(float64(least), 0)
		if c.size.Width == 0 {
			size = pixels(0, float64(least))
		}
		if _, err := sceneOf(s, "title", "subtitle", size); err != nil {
			t.Errorf("at the size that was named: %v", err)
		}
	}
}

// A bitmap has the pixels that are asked for, and a page of paper the inches.
func TestFilesOfASize(t *testing.T) {
	js := exampleNight(t)
	plan := reporttest.ListPlan(t, js)
	draw := func(format string) []byte {
		var b bytes.Buffer
		if err := draw(&b, Picture{Format: format, Size: pixels(960, 480)}, js, plan); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	img, err := png.DecodeConfig(bytes.NewReader(draw("png")))
	if err != nil || img.Width != 960 || img.Height != 480 {
		t.Errorf("a PNG of %d × %d, %v", img.Width, img.Height, err)
	}
	if svg := draw("svg"); !bytes.Contains(svg, []byte(`width="960" height="480"`)) {
		t.Errorf("an SVG of %.120s", svg)
	}
	if pdf := draw("pdf"); !bytes.Contains(pdf, []byte("/MediaBox [0 0 720.00 360.00]")) {
		t.Error("no PDF of 10 by 5 inches")
	}
}

// Where a deadline lies beyond the end of the chart its slack is told beside the arrow.
func TestSlackBeyondTheChart(t *testing.T) {
	js := exampleNight(t)
	s := summary.Summarize(js, reporttest.ListPlan(t, js))
	for i := range s.JS.Jobs {
		job := &s.JS.Jobs[i]
		told := false
		pic, err := sceneOf(s, "", "", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range pic.Groups {
			for _, sh := range g.Shapes {
				text, ok := sh.(label)
				told = told || ok && strings.HasPrefix(g.Title, job.Name+" ") && text.Text == "slack "+s.Clock.Span(s.Jobs[i].Slack(js))
			}
		}
		if beyond := job.Kind != model.BestEffort && job.Due() > summary.ChartEnd(s); told != beyond {
			t.Errorf("%s: beyond the chart %v, told %v", job.Name, beyond, told)
		}
	}
}
