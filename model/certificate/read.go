package certificate

import (
	"bytes"
	"errors"
	"fmt"
)

// longest is the longest line that is read, in bytes.
const longest = 1 << 26

// next gives the fields of the next line that is no comment, valid until the one after.
func (c *checker) next() (*fields, error) {
	for c.again || c.scan.Scan() {
		if !c.again {
			c.line++
		}
		c.again = false
		if text := c.scan.Bytes(); len(text) == 0 || text[0] != '#' {
			c.at = fields{left: text}
			return &c.at, nil
		}
	}
	c.line++
	if err := c.scan.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("the file ends before its last line: it was cut off")
}

// back has next give the same line once more.
func (c *checker) back() { c.again = true }

// fields are what is left of a line, or of a field that has parts, and the first fault found
// in it.
type fields struct {
	left  []byte
	dots  bool // between them, and not spaces
	ended bool
	err   error
}

// fail keeps the first fault.
func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// more reports whether another field follows.
func (f *fields) more() bool { return f.err == nil && !f.ended }

// word is the next field; empty, and a fault, if there is none.
func (f *fields) word() []byte {
	if f.ended {
		f.fail("the line ends too soon")
		return nil
	}
	between := []byte(" ")
	if f.dots {
		between = []byte(".")
	}
	word, rest, more := bytes.Cut(f.left, between)
	f.left, f.ended = rest, !more
	if len(word) == 0 {
		f.fail("an empty field")
	}
	return word
}

// atColon reports whether the next field is a colon.
func (f *fields) atColon() bool {
	return !f.ended && len(f.left) > 0 && f.left[0] == ':' && (len(f.left) == 1 || f.left[1] == ' ')
}

// parts is the next field, to be read part by part.
func (f *fields) parts() *fields { return &fields{left: f.word(), dots: true} }

// expect fails if the next field is another word.
func (f *fields) expect(due string) {
	if word := f.word(); string(word) != due {
		f.fail("%.40q where %q is due", word, due)
	}
}

// number is the next field as a number from least to most, both included; least after a
// fault.
func (f *fields) number(least, most int64) int64 {
	word := f.word()
	n, ok := parse(word)
	if !ok || n < least || n > most {
		f.fail("%.40q where a number from %d to %d is due", word, least, most)
		return least
	}
	return n
}

// end is the fault of the line, if it has any or goes on.
func (f *fields) end() error {
	if f.more() {
		f.fail("%.40q at the end of the line", f.left)
	}
	return f.err
}

// parse reads a decimal integer as it is written: no leading zeros, no plus.
func parse(word []byte) (int64, bool) {
	digits := bytes.TrimPrefix(word, []byte("-"))
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(word) > 1 {
		return 0, false
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int64(d-'0')
	}
	if len(digits) < len(word) {
		n = -n
	}
	return n, true
}
