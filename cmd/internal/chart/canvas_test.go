package chart

import (
	"bytes"
	"compress/zlib"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/image/font"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Texts are shown from left to right, with accents upon their letters, and with boxes for
// letters that there are none of.
func TestLegible(t *testing.T) {
	for text, want := range map[string]string{
		"pulse ×10": "pulse ×10", "a · 4 cores": "a · 4 cores", "Ж-отчёт": "Ж-отчёт", "1 ≤ 2 − 1…": "1 ≤ 2 − 1…",
		"e\u0301te\u0301": "été", "夜間 batch": "□□ batch", "🚀 launch": "□ launch", "x\u0e31y": "xy",
		"עבודה": "הדובע", "עבודה/map/1": "הדובע/map/1", "etl עבודה x": "etl הדובע x", "עבודה-2": "2-הדובע", "עבודה-2/map/1": "2-הדובע/map/1",
		"": "", "a\ufffdb": "a□b",
	} {
		if got := Legible(text); got != want {
			t.Errorf("Legible(%q) = %q, want %q", text, got, want)
		}
	}
	names := []string{"naïve ×10", "作 batch", "🚀作", "e\u0301", "a\ufffd"}
	for format, want := range map[string]string{"svg": "", "png": "the font of PNG pictures lacks 2 letters of names (作🚀)", "pdf": "the font of PDF pictures lacks 2 letters of names (作🚀)"} {
		if got := Lacking(format, names...); got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
	if got := Lacking("png", names[0], names[4]); got != "" {
		t.Error(got)
	}
}

var streams = regexp.MustCompile(`(?s)/Filter /FlateDecode.*?stream\n(.*?)\nendstream`)

// pdfText is what is drawn in a PDF.
func pdfText(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for _, m := range streams.FindAllSubmatch(pdf, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // part of a picture or a font
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func utf16be(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// A PDF has letters beyond ASCII as such, bold ones in a font of their own, and what shows
// through with its colour; drawn twice it is the same.
func TestPDFText(t *testing.T) {
	draw := func() []byte {
		c, err := newCanvas(200, 100, "pdf")
		if err != nil {
			t.Fatal(err)
		}
		sans := plotfont.Font{Typeface: "Liberation", Variant: "Sans"}
		c.FillString(Face(sans, 12), vg.Point{X: 10, Y: 50}, "naïve ×10 · Ж")
		sans.Weight = font.WeightBold
		c.FillString(Face(sans, 12), vg.Point{X: 10, Y: 20}, "bold 夜")
		c.SetColor(color.NRGBA{200, 0, 0, 51})
		c.Fill(vg.Rectangle{Max: vg.Point{X: 5, Y: 5}}.Path())
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	pdf := draw()
	text := pdfText(t, pdf)
	for _, want := range []string{utf16be("naïve ×10 · Ж"), utf16be("bold □"), "0.784 0.000 0.000 rg"} {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF has no %q", want)
		}
	}
	for _, want := range []string{"LiberationSans-Bold", "LiberationSans-Regular", "/ca 0.200"} {
		if !bytes.Contains(bytes.ToLower(pdf), []byte(strings.ToLower(want))) {
			t.Errorf("the PDF has no %s", want)
		}
	}
	if !bytes.Equal(pdf, draw()) {
		t.Error("drawn twice, two files")
	}
}

// Every page has a background that hides what it lies upon, up to its edges.
func TestBackground(t *testing.T) {
	for format, want := range map[string]string{"svg": `fill:#FFFFFF`, "pdf": "1.000 g\n1.000 G\n/GS1 gs\n0.00 0.00 m\n200.00 0.00 l\n200.00 100.00 l\n0.00 100.00 l\nh\nf", "png": ""} {
		c, err := newCanvas(200, 100, format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		switch format {
		case "png":
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if got := color.NRGBAModel.Convert(img.At(0, 0)); got != (color.NRGBA{255, 255, 255, 255}) {
				t.Errorf("the corner is %v", got)
			}
		case "pdf":
			b = *bytes.NewBufferString(pdfText(t, b.Bytes()))
			fallthrough
		default:
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no background %q in\n%s", format, want, &b)
			}
		}
	}
	if _, err := newCanvas(200, 100, "gif"); err == nil {
		t.Error("gif is no format")
	}
}
