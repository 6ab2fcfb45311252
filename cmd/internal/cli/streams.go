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
	// noColor is what the environment asks for (https://no-color.org).
	noColor bool
}

// defaultWidth is assumed where there is no terminal to ask.
const defaultWidth = 100

func newStreams(in io.Reader, out, err io.Writer) *streams {
	s := &streams{in: in, out: out, err: err, width: defaultWidth}
	s.errTerminal = isTerminal(err)
	if s.outTerminal = isTerminal(out); s.outTerminal {
		if w, h, e := term.GetSize(int(out.(*os.File).Fd())); e == nil && w > 0 {
			s.width, s.height = w, h
		}
	}
	s.noColor = os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return s
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
