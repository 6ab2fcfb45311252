package document

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// text is the source of an input file, cut into lines. Lines end in \n, \r\n
// or \r, as YAML and editors have it.
type text struct {
	src    []byte
	starts []int // offset of each line
}

var utf8BOM = []byte("\xef\xbb\xbf")

// newText drops a byte order mark and finds the lines.
func newText(src []byte) *text {
	t := &text{src: bytes.TrimPrefix(src, utf8BOM), starts: []int{0}}
	for i, c := range t.src {
		if c == '\n' || c == '\r' && (i+1 == len(t.src) || t.src[i+1] != '\n') {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line is the text of line n, counted from 1, without its end.
func (t *text) line(n int) string {
	if n < 1 || n > len(t.starts) {
		return ""
	}
	end := len(t.src)
	if n < len(t.starts) {
		end = t.starts[n]
	}
	return string(bytes.TrimRight(t.src[t.starts[n-1]:end], "\r\n"))
}

// within is the position itself, or the end of the text for one beyond it:
// yaml.v3 lets a file end on a line of its own.
func (t *text) within(line, column int) (int, int) {
	if line > len(t.starts) {
		line, column = len(t.starts), len(t.src)+1
	}
	return line, min(column, utf8.RuneCountInString(t.line(line))+1)
}

// cursor turns ascending offsets into positions without starting over.
type cursor struct {
	t      *text
	line   int // from 0
	offset int
	column int // of offset, from 1
}

func (t *text) cursor() *cursor { return &cursor{t: t, column: 1} }

// position is the line and column, from 1, of the character at offset, which
// must not be smaller than in the call before.
func (c *cursor) position(offset int) (line, column int) {
	offset = min(offset, len(c.t.src))
	for c.line+1 < len(c.t.starts) && c.t.starts[c.line+1] <= offset {
		c.line++
		c.offset, c.column = c.t.starts[c.line], 1
	}
	c.column += utf8.RuneCount(c.t.src[c.offset:offset])
	c.offset = offset
	return c.line + 1, c.column
}

// fault makes a fault at an offset.
func (t *text) fault(offset int, message, advice string) Fault {
	line, column := t.cursor().position(offset)
	return Fault{Line: line, Column: column, Message: message, Advice: advice}
}

// badCharacter finds the first byte that is not UTF-8 and the first character
// that no job set needs and that YAML and editors treat each in their own way.
func (t *text) badCharacter() (Fault, bool) {
	for i := 0; i < len(t.src); {
		c := t.src[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(t.src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return t.notUTF8(i), true
		case unbidden(r) || r == '\ufeff':
			return t.fault(i, fmt.Sprintf("the character %U is not allowed", r), "remove it, or in quotes write it as an escape"), true
		}
		i += size
	}
	return Fault{}, false
}

func (t *text) notUTF8(offset int) Fault {
	advice := "save the file as UTF-8"
	if offset == 0 && (bytes.HasPrefix(t.src, []byte{0xff, 0xfe}) || bytes.HasPrefix(t.src, []byte{0xfe, 0xff})) {
		return t.fault(offset, "the file is UTF-16", advice)
	}
	return t.fault(offset, fmt.Sprintf("the byte 0x%02x is not UTF-8", t.src[offset]), advice)
}

// unbidden tells control characters and the line ends that only YAML knows.
func unbidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		r == 0xfffe || r == 0xffff
}
