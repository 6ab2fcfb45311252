package document

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is one thing wrong with an input file.
type Fault struct {
	// Line and Column count from 1; Column counts characters, not bytes.
	Line, Column int
	// Message says what is wrong.
	Message string
	// Advice says what to write instead; empty where the message says it all.
	Advice string
}

// String is the message and the advice in one line, without the position.
func (f Fault) String() string {
	if f.Advice == "" {
		return f.Message
	}
	return f.Message + "; " + f.Advice
}

// MaxFaults is the number of faults that Faults lists; the rest is counted.
const MaxFaults = 50

// Faults is the error of an input file: everything that is wrong with it.
type Faults struct {
	// File is the name that the caller gave.
	File string
	// List holds the first faults in the order of their positions, at least
	// one and at most MaxFaults.
	List []Fault
	// More counts the faults beyond List.
	More int

	excerpts []string
}

// Error lists the faults, each as file:line:column: message; advice, followed
// by the line of the file and a mark under the column.
func (f *Faults) Error() string {
	var b strings.Builder
	for i, fault := range f.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s", f.File, fault.Line, fault.Column, fault)
		if f.excerpts[i] != "" {
			b.WriteByte('\n')
			b.WriteString(f.excerpts[i])
		}
	}
	if f.More > 0 {
		fmt.Fprintf(&b, "\n%s: and %d more", f.File, f.More)
	}
	return b.String()
}

// kind stands in messages for what people call the document; no text holds it.
const kind = "\x00"

// maxKept bounds the faults that are collected before they are sorted.
const maxKept = 10_000

// faultList collects faults in any order.
type faultList struct {
	kept []Fault
	seen map[Fault]bool
	lost int
}

// add notes a fault. The same fault at the same place counts once: an anchor's
// content is read wherever it is used.
func (l *faultList) add(f Fault) {
	if l.seen[f] {
		return
	}
	if len(l.kept) == maxKept {
		l.lost++
		return
	}
	if l.seen == nil {
		l.seen = map[Fault]bool{}
	}
	l.seen[f] = true
	l.kept = append(l.kept, f)
}

// sorted gives the first faults in the order of their positions, and the number of the
// others.
func (l *faultList) sorted() (list []Fault, more int) {
	slices.SortStableFunc(l.kept, func(a, b Fault) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	n := min(len(l.kept), MaxFaults)
	return l.kept[:n:n], len(l.kept) - n + l.lost
}

// err is nil if nothing was noted, else the *Faults of the file.
func (l *faultList) err(file string, t *text) error {
	if len(l.kept) == 0 {
		return nil
	}
	list, more := l.sorted()
	out := &Faults{File: file, List: list, More: more}
	for i := range out.List {
		f := &out.List[i]
		f.Line, f.Column = t.within(f.Line, f.Column)
		out.excerpts = append(out.excerpts, Excerpt(t.line(f.Line), f.Column))
	}
	return out
}

const (
	excerptIndent = "  "
	excerptBefore = 60 // characters shown before the column of a long line
	excerptWidth  = 110
)

// Excerpt shows a line and, beneath it, a mark under the given column. Of a
// long line it shows the part around the column.
func Excerpt(line string, column int) string {
	at := max(column-1, 0)
	from, lead, tail := 0, "", ""
	if at > excerptWidth-20 {
		from, lead = at-excerptBefore, "…"
	}
	var shown, marker []rune
	i := -1
	for _, r := range line {
		i++
		if i < from {
			continue
		}
		if len(shown) == excerptWidth {
			tail = "…"
			break
		}
		if r != '\t' && !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		shown = append(shown, r)
		switch {
		case i >= at:
		case r == '\t':
			marker = append(marker, '\t')
		default:
			marker = append(marker, ' ')
		}
	}
	if strings.TrimSpace(string(shown)) == "" {
		return ""
	}
	pad := strings.Repeat(" ", utf8.RuneCountInString(lead))
	return excerptIndent + lead + string(shown) + tail + "\n" + excerptIndent + pad + string(marker) + "^"
}

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
