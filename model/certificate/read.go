package certificate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// longest is the longest line that is read, in bytes.
const longest = 1 << 26

// reader gives a file line by line, without comments.
type reader struct {
	in   *bufio.Reader
	line int // of what next gave last
	long []byte
	at   fields
	seen bool // next gives at once more
}

// readError is that of the reader of a file: no fault of its content.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

func newReader(r io.Reader) *reader { return &reader{in: bufio.NewReaderSize(r, 1<<16)} }

// next gives the fields of the next line; they are valid until the one after.
func (r *reader) next() (*fields, error) {
	if r.seen {
		r.seen = false
		return &r.at, nil
	}
	for {
		line, err := r.read()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[0] != '#' {
			r.at = fields{left: line}
			return &r.at, nil
		}
	}
}

// peek gives a copy of what next will give.
func (r *reader) peek() (*fields, error) {
	f, err := r.next()
	if err != nil {
		return nil, err
	}
	r.seen = true
	ahead := *f
	return &ahead, nil
}

// read gives the next line, whatever it is.
func (r *reader) read() ([]byte, error) {
	r.line++
	line, err := r.in.ReadSlice('\n')
	for r.long = r.long[:0]; errors.Is(err, bufio.ErrBufferFull); {
		if r.long = append(r.long, line...); len(r.long) > longest {
			return nil, errors.New("the line is too long")
		}
		line, err = r.in.ReadSlice('\n')
	}
	if len(r.long) > 0 {
		r.long = append(r.long, line...)
		line = r.long
	}
	switch {
	case err == io.EOF:
		return nil, errors.New("the file ends here, before its last line: it was cut off")
	case err != nil:
		return nil, &readError{err}
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// more reports whether anything follows.
func (r *reader) more() bool {
	_, err := r.in.ReadByte()
	return err == nil
}

// fields are what is left of a line, and the first fault found in it.
type fields struct {
	left  []byte
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

// all is the whole line.
func (f *fields) all() []byte { return f.left }

// rest is what is left of the line.
func (f *fields) rest() []byte { return f.left }

// word is the next field; empty, and a fault, if there is none.
func (f *fields) word() []byte {
	if f.ended {
		f.fail("the line ends too soon")
		return nil
	}
	word, rest, more := bytes.Cut(f.left, []byte(" "))
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

// colon passes over a colon, which is due.
func (f *fields) colon() {
	if !f.atColon() {
		f.fail("a colon is missing")
		return
	}
	f.word()
}

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
	negative := len(digits) < len(word)
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
	if negative {
		n = -n
	}
	return n, true
}
