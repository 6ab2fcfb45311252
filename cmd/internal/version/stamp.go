package version

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"regexp"
	"strings"
)

// Made is what files say of the program that made them: its name and version.
func Made() string { return "downbeat " + String() }

// Stamp puts Made where a picture of a format (svg, png, pdf or html) has room for such
// words. A file that does not look like one stays as it is.
func Stamp(format string, file []byte) []byte {
	switch format {
	case "svg":
		return insert(file, bytes.LastIndex(file, []byte("</svg>")), "<metadata>"+html.EscapeString(Made())+"</metadata>\n")
	case "html":
		const charset = "<meta charset=\"utf-8\">\n"
		at := bytes.Index(file, []byte(charset))
		if at >= 0 {
			at += len(charset)
		}
		return insert(file, at, `<meta name="generator" content="`+html.EscapeString(Made())+"\">\n")
	case "png":
		return stampPNG(file)
	case "pdf":
		return stampPDF(file)
	}
	return file
}

// insert puts text at a place; a place below 0 is none.
func insert(file []byte, at int, text string) []byte {
	if at < 0 {
		return file
	}
	return bytes.Join([][]byte{file[:at], []byte(text), file[at:]}, nil)
}

// pngHead is how long the signature of a PNG and its first chunk, the header, are.
const pngHead = 8 + 25

// stampPNG adds a chunk of text behind the header (PNG, 11.3.3.2).
func stampPNG(file []byte) []byte {
	if len(file) < pngHead || !bytes.HasPrefix(file, []byte("\x89PNG")) {
		return file
	}
	body := "tEXtSoftware\x00" + Made()
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-len("tEXt")))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(body)))
	return insert(file, pngHead, string(chunk))
}

// trailer is the end of a PDF: how many objects there are, the root, and where the table of
// objects stands.
var trailer = regexp.MustCompile(`(?s)/Size (\d+)\s+/Root (\d+ \d+ R).*startxref\s+(\d+)\s+%%EOF\s*$`)

// stampPDF adds an incremental update (PDF 1.7, 7.5.6) whose only object is the document
// information.
func stampPDF(file []byte) []byte {
	tail := file[max(0, len(file)-1024):]
	m := trailer.FindSubmatch(tail)
	if m == nil {
		return file
	}
	size, root, table := string(m[1]), m[2], m[3]
	var objects int
	if _, err := fmt.Sscan(size, &objects); err != nil {
		return file
	}
	var out bytes.Buffer
	out.Write(file)
	at := out.Len()
	fmt.Fprintf(&out, "%s 0 obj\n<< /Producer (%s) >>\nendobj\n", size, strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(Made()))
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n%s 1\n%010d 00000 n \ntrailer\n<< /Size %d /Root %s /Info %s 0 R /Prev %s >>\nstartxref\n%d\n%%%%EOF\n",
		size, at, objects+1, root, size, table, xref)
	return out.Bytes()
}
