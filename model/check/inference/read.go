package inference

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
)

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 1 << 26

// lines are those of a file, read one by one and field by field. The first fault found is
// kept, and there is no line after it, or once the context is done.
type lines struct {
	ctx  context.Context
	work int
	scan *bufio.Scanner
	line int // from 1 on
	rest
	err error
}

// rest is what is left of a line, or of a field that has parts.
type rest struct {
	left  []byte
	dots  bool // are between its fields, and not spaces
	ended bool
}

// stoppedAfter reports whether the context is done; it looks now and then, and is asked before
// what goes through so many times, jobs or the like.
func (r *lines) stoppedAfter(steps int) bool {
	looked := r.work / 1024
	r.work += steps
	return r.work/1024 > looked && r.ctx.Err() != nil
}

// next goes to the next line that is no comment, whose fields are valid until the one after.
func (r *lines) next() bool {
	r.end()
	for r.err == nil && !r.stoppedAfter(1) && r.scan.Scan() {
		r.line++
		if text := r.scan.Bytes(); len(text) == 0 || text[0] != '#' {
			r.rest = rest{left: text}
			return true
		}
	}
	if r.err == nil {
		r.line++
		r.err = r.unread()
		r.fail("the file ends before its last line: it was cut off")
	}
	return false
}

// unread is why no line follows; nil at the end of the file.
func (r *lines) unread() error {
	if errors.Is(r.scan.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line of more than %d MiB, which no proof needs", MaxLine>>20)
	}
	return r.scan.Err()
}

// fail keeps the first fault.
func (r *lines) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// more reports whether another field follows, and is to be read.
func (r *lines) more() bool { return r.err == nil && !r.ended && !r.stoppedAfter(1) }

// end fails if another field follows.
func (r *lines) end() {
	if r.more() {
		r.fail("%.40q at the end of the line", r.left)
	}
}

// word is the next field; empty, and a fault, if there is none.
func (r *lines) word() []byte {
	if r.ended {
		r.fail("the line ends too soon")
		return nil
	}
	between := []byte(" ")
	if r.dots {
		between = []byte(".")
	}
	word, left, more := bytes.Cut(r.left, between)
	r.left, r.ended = left, !more
	if len(word) == 0 {
		r.fail("an empty field")
	}
	return word
}

// parts reads the next field part by part.
func (r *lines) parts(read func()) {
	word := r.word()
	line := r.rest
	r.rest = rest{left: word, dots: true}
	read()
	r.end()
	r.rest = line
}

// atColon reports whether the next field is a colon.
func (r *lines) atColon() bool {
	return !r.ended && len(r.left) > 0 && r.left[0] == ':' && (len(r.left) == 1 || r.left[1] == ' ')
}

// expect fails if the next field is another word.
func (r *lines) expect(due string) {
	if word := r.word(); string(word) != due {
		r.fail("%.40q where %q is due", word, due)
	}
}

// number is the next field as a number from least to most, both included; least after a
// fault.
func (r *lines) number(least, most int64) int64 {
	word := r.word()
	n, err := parse(word)
	if err != nil || n < least || n > most {
		r.fail("%.40q where a number from %d to %d is due", word, least, most)
		return least
	}
	return n
}

// parse reads a decimal integer as it is written: no leading zeros, no plus.
func parse(word []byte) (int64, error) {
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err == nil && string(strconv.AppendInt(nil, n, 10)) != string(word) {
		err = errors.New("not as numbers are written")
	}
	return n, err
}
