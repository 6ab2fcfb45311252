package version

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"
)

// A stamped picture says what made it, and is still one.
func TestStamp(t *testing.T) {
	for format, file := range map[string]string{
		"svg":  "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>\n",
		"html": "<!doctype html>\n<html><head>\n<meta charset=\"utf-8\">\n<title>x</title></head></html>\n",
	} {
		got := string(Stamp(format, []byte(file)))
		if !strings.Contains(got, Made()) || len(got) <= len(file) {
			t.Errorf("%s: %s", format, got)
		}
		if rest := regexp.MustCompile(`<metadata>.*</metadata>\n|<meta name="generator".*>\n`).ReplaceAllString(got, ""); rest != file {
			t.Errorf("%s: more was changed: %s", format, got)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	stamped := Stamp("png", b.Bytes())
	if _, err := png.Decode(bytes.NewReader(stamped)); err != nil || !bytes.Contains(stamped, []byte("tEXtSoftware\x00"+Made())) {
		t.Errorf("png: %v, %q", err, stamped)
	}
	for _, format := range []string{"svg", "html", "png", "pdf", "csv"} {
		if got := string(Stamp(format, []byte("none"))); got != "none" {
			t.Errorf("%s: what is none becomes %q", format, got)
		}
	}
}

// A stamped PDF has its new information where its table of objects says, and readers find it.
func TestStampPDF(t *testing.T) {
	doc := fpdf.New("P", "pt", "A4", "")
	doc.AddPage()
	doc.Line(1, 2, 3, 4)
	var b bytes.Buffer
	if err := doc.Output(&b); err != nil {
		t.Fatal(err)
	}
	stamped := Stamp("pdf", b.Bytes())
	if !bytes.HasPrefix(stamped, b.Bytes()) {
		t.Fatal("more than the end was changed")
	}
	at := regexp.MustCompile(`xref\n(\d+) 1\n(\d{10}) 00000 n \n`).FindSubmatch(stamped[b.Len():])
	if at == nil {
		t.Fatalf("no table: %s", stamped[b.Len():])
	}
	want := string(at[1]) + " 0 obj\n<< /Producer (downbeat "
	if object := string(stamped[b.Len():]); !strings.HasPrefix(object, want) || strings.TrimLeft(string(at[2]), "0") != strconv.Itoa(b.Len()) {
		t.Errorf("the table points to %s, the object is %q", at[2], object)
	}
	info, err := exec.LookPath("pdfinfo")
	if err != nil {
		t.Skip("pdfinfo is not installed: no other reader has a say")
	}
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, stamped, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(info, path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), Made()) || strings.Contains(string(out), "rror") {
		t.Errorf("%v: %s", err, out)
	}
}
