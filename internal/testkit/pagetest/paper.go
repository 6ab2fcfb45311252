package pagetest

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"

	"github.com/chromedp/chromedp"
)

// What of a sheet of paper is blank, or has no more than a heading, by its marks.
const (
	blank   = 10
	Heading = 80
)

// Print prints the page, keeps the PDF like a picture, and answers with how many marks each
// sheet of paper has: strokes, fills, texts and pictures. It tells of sheets that are blank.
func (w *Window) Print(name string) []int {
	w.Helper()
	pdf := Value(w, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
	w.keep(name, func() []byte { return pdf })
	var sheets []int
	for _, page := range pages.FindAllSubmatch(pdf, -1) {
		marks := len(operators.FindAll(content(w, pdf, string(page[1])), -1))
		if sheets = append(sheets, marks); marks < blank {
			w.Errorf("%s: sheet %d has %d marks", name, len(sheets), marks)
		}
	}
	if len(sheets) == 0 {
		w.Errorf("no pages in %d bytes", len(pdf))
	}
	return sheets
}

var (
	pages     = regexp.MustCompile(`(?s)<</Type /Page\n.*?/Contents (\d+) 0 R`)
	operators = regexp.MustCompile(`(?m)(^|\s)(Tj|TJ|Do|f|S|B)$`)
)

// content is what the object of that number of a PDF draws.
func content(w *Window, pdf []byte, object string) []byte {
	w.Helper()
	_, rest, found := bytes.Cut(pdf, []byte("\n"+object+" 0 obj\n"))
	_, rest, streamed := bytes.Cut(rest, []byte("stream\n"))
	if !found || !streamed {
		w.Fatalf("the PDF has no contents %s", object)
	}
	r, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		w.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		w.Fatal(err)
	}
	return text
}
