package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// streams are what a command reads from and writes to.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// inFile is the file behind in, nil if there is none.
	inFile os.FileInfo
	// outTerminal and errTerminal tell whether a person watches; a dumb
	// terminal does not count for err, as no line on it can be erased.
	outTerminal, errTerminal bool
	// width and height of the terminal behind out or, for want of that, the
	// defaults; height 0 means no limit.
	width, height int
	// errWidth is the width of the terminal behind err, defaultWidth without one.
	errWidth int
	// noColor is what the environment asks for (https://no-color.org).
	noColor bool
}

// defaultWidth is assumed where there is no terminal to ask.
const defaultWidth = 100

func newStreams(in io.Reader, out, err io.Writer) *streams {
	s := &streams{in: in, out: out, err: err, width: defaultWidth, errWidth: defaultWidth}
	if w, h, ok := terminalSize(out); ok {
		s.outTerminal, s.width, s.height = true, w, h
	}
	if f, isFile := in.(*os.File); isFile {
		if info, err := f.Stat(); err == nil {
			s.inFile = info
		}
	}
	dumb := os.Getenv("TERM") == "dumb"
	if w, _, ok := terminalSize(err); ok && !dumb {
		s.errTerminal, s.errWidth = true, w
	}
	s.noColor = os.Getenv("NO_COLOR") != "" || dumb
	return s
}

// interruptible is a reader that ends with errInterrupted when its context
// does, even while it waits for input. What it waited for is lost then.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

var errInterrupted = errors.New("interrupted before the input was read")

func (r *interruptible) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	buffer := make([]byte, len(p)) // p must not change after an interrupt
	go func() {
		n, err := r.in.Read(buffer)
		done <- result{buffer[:n], err}
	}()
	select {
	case got := <-done:
		return copy(p, got.data), got.err
	case <-r.ctx.Done():
		return 0, errInterrupted
	}
}

// terminalSize is the size of the terminal behind w; ok is false if there is none.
func terminalSize(w io.Writer) (width, height int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return defaultWidth, 0, true // a terminal that does not tell its size
	}
	return width, height, true
}
