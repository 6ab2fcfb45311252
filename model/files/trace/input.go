package trace

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"downbeat/model/files/document"
)

// Input is a file that is read in one pass.
type Input struct {
	// Name is what to call the file.
	Name string

	in   *bufio.Reader
	line int    // of text, from 1; 0 before the first
	text []byte // the line at hand
	err  error
}

// packed are the first bytes of formats that have to be unpacked first, and with what.
var packed = []struct{ magic, name, advice string }{
	{"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
	{"\x04\x22\x4d\x18", "lz4", "unlz4"},
	{"LZ4Block", "lz4 as Spark writes it", "turn spark.eventLog.compress off, or let Spark's history server hand the log out, which unpacks it;"},
	{"\xfd7zXZ\x00", "xz", "unxz"},
	{"BZh", "bzip2", "bunzip2"},
	{"PK\x03\x04", "zip", "unzip"},
	{"\x82SNAPPY\x00", "snappy", "turn spark.eventLog.compress off, or let Spark's history server hand the log out, which unpacks it;"},
}

// NewInput is the file of that name behind r, unpacked if it is packed by gzip.
// Reading ends when ctx does, with its error.
func NewInput(ctx context.Context, name string, r io.Reader) (*Input, error) {
	in := &Input{Name: name, in: bufio.NewReaderSize(heeding{ctx, r}, 1<<16)}
	head, err := in.in.Peek(16)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, in.failed(err)
	}
	for _, p := range packed {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return nil, &Fault{Place: Place{File: name}, Message: "the file is packed by " + p.name, Advice: p.advice + " first"}
		}
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		unpacked, err := gzip.NewReader(in.in)
		if err != nil {
			return nil, in.failed(err)
		}
		in.in = bufio.NewReaderSize(unpacked, 1<<16)
		head, _ = in.in.Peek(16)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		in.in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, &Fault{Place: Place{File: name}, Message: "the file is UTF-16", Advice: "save it as UTF-8"}
	}
	return in, nil
}

// heeding is a reader that ends with its context.
type heeding struct {
	ctx context.Context
	r   io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.r.Read(p)
}

// failed makes a fault of an error of reading; that of a context stays what it is.
func (in *Input) failed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	at := Place{File: in.Name, Line: in.line + 1, Column: 1}
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		return &Fault{Place: at, Message: "the packed file is damaged or ends too early", Advice: "copy it again; gzip -t tells whether it is whole"}
	}
	return &Fault{Place: at, Message: fmt.Sprintf("cannot be read on: %v", err)}
}

// Peek gives up to n bytes of what comes, n ≤ 65536, without reading them.
func (in *Input) Peek(n int) []byte {
	head, _ := in.in.Peek(n)
	return head
}

// MaxLine is the longest line, in bytes, that is read; of a longer one the rest is passed over.
const MaxLine = 32 << 20

// mostPassed is how much of a line, in bytes, is passed over: what goes on has no lines.
const mostPassed = 1 << 30

// Next reads the next line; false at the end, for which Err tells the reason.
func (in *Input) Next() bool {
	in.text = in.text[:0]
	length := 0
	for {
		part, err := in.in.ReadSlice('\n')
		length += len(part)
		if room := MaxLine + 1 - len(in.text); room > 0 {
			in.text = append(in.text, part[:min(len(part), room)]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && length > mostPassed:
			in.err = &Fault{Place: Place{File: in.Name, Line: in.line + 1, Column: 1}, Message: "the line has no end within 1 GiB", Advice: "this is no text"}
			return false
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			in.err = in.failed(err)
			return false
		case err != nil && length == 0:
			return false
		}
		in.line++
		in.text = bytes.TrimRight(in.text, "\r\n")
		return true
	}
}

// Err is why reading ended early; nil at the end of the file.
func (in *Input) Err() error { return in.err }

// Line is the line at hand without its end, until Next is called again.
func (in *Input) Line() []byte { return in.text }

// TooLong reports whether the line at hand is longer than MaxLine.
func (in *Input) TooLong() bool { return len(in.text) > MaxLine }

// At is the place of a byte of the line at hand, counted from 0.
func (in *Input) At(offset int) Place {
	offset = min(max(offset, 0), len(in.text))
	return Place{in.Name, max(1, in.line), utf8.RuneCount(in.text[:offset]) + 1}
}

// maxShown bounds the line that a fault keeps.
const maxShown = 4096

// Fault is one at a byte of the line at hand.
func (in *Input) Fault(offset int, message, advice string) Fault {
	f := Fault{Place: in.At(offset), Message: message, Advice: advice}
	if len(in.text) <= maxShown || offset < maxShown/2 {
		return f.Within(strings.ToValidUTF8(string(in.text[:min(len(in.text), maxShown)]), "\ufffd"))
	}
	return f
}

// Empty is the fault of a file without what it should hold.
func (in *Input) Empty(what, advice string) Fault {
	return Fault{Place: Place{File: in.Name, Line: max(1, in.line), Column: 1}, Message: "the file holds no " + what, Advice: advice}
}

// Name makes a name that job sets can have of any text: control characters become spaces,
// and what is too long is cut. It is empty if nothing is left.
func Name(text string) string {
	text = strings.Map(func(r rune) rune {
		if problem, _ := document.BadName(string(r)); problem != "" || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	const most = document.MaxName - 40 // leaves room for what tells runs apart
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}

// ReadByte implements io.ByteReader, for formats without lines.
func (in *Input) ReadByte() (byte, error) {
	b, err := in.in.ReadByte()
	in.keep(err)
	return b, err
}

// Bytes reads up to n bytes, none at the end of the file, for formats without lines.
func (in *Input) Bytes(n int) []byte {
	out := make([]byte, n)
	n, err := io.ReadFull(in.in, out)
	in.keep(err)
	return out[:n]
}

// keep notes why reading ended, if that is not the end of the file.
func (in *Input) keep(err error) {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		in.err = in.failed(err)
	}
}
