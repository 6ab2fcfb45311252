package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// streams are what a command reads from and writes to.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// outTerminal and errTerminal tell whether a person watches.
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
	if w, _, ok := terminalSize(err); ok {
		s.errTerminal, s.errWidth = true, w
	}
	s.noColor = os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return s
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
