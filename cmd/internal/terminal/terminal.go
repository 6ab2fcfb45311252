// Package terminal is what a command reads from and writes to, and whether a
// person watches it.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"downbeat/solve/memory"
)

// Streams are what a command reads from and writes to.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InFile is the file behind In, nil if there is none.
	InFile os.FileInfo
	// OutTerminal and ErrTerminal tell whether a person watches; a dumb
	// terminal does not count for Err, as no line on it can be erased.
	OutTerminal, ErrTerminal bool
	// Width and Height, in columns and lines, of the terminal behind Out or, for
	// want of that, the defaults; Height 0 means no limit.
	Width, Height int
	// ErrWidth is the width of the terminal behind Err, the default without one.
	ErrWidth int
	// NoColor is what the environment asks for (https://no-color.org).
	NoColor bool
}

// defaultWidth is assumed where there is no terminal to ask.
const defaultWidth = 100

// New looks at what is behind the streams, and at the environment.
func New(in io.Reader, out, err io.Writer) *Streams {
	s := &Streams{In: in, Out: out, Err: err, Width: defaultWidth, ErrWidth: defaultWidth}
	if w, h, ok := terminalSize(out); ok {
		s.OutTerminal, s.Width, s.Height = true, w, h
	}
	if f, isFile := in.(*os.File); isFile {
		if info, err := f.Stat(); err == nil {
			s.InFile = info
		}
	}
	dumb := os.Getenv("TERM") == "dumb"
	if w, _, ok := terminalSize(err); ok && !dumb {
		s.ErrTerminal, s.ErrWidth = true, w
	}
	s.NoColor = os.Getenv("NO_COLOR") != "" || dumb
	return s
}

// What ends a command before its input was read.
var (
	ErrInterrupted = errors.New("interrupted before the input was read")
	ErrTimeLimit   = errors.New("the time limit was reached before the input was read")
)

// TimeLimit is an ErrTimeLimit that tells how long it was, whatever it ended.
type TimeLimit time.Duration

// Error is a sentence for people.
func (l TimeLimit) Error() string {
	return fmt.Sprintf("the time limit of %v was reached", time.Duration(l))
}

// Is has it be an ErrTimeLimit.
func (l TimeLimit) Is(target error) bool { return target == ErrTimeLimit }

// Ended reports whether err is the end of a command by a limit or an interrupt, which is no fault.
func Ended(err error) bool {
	return errors.Is(err, ErrInterrupted) || errors.Is(err, ErrTimeLimit) || errors.Is(err, memory.ErrCeiling)
}

// Why is the error of a command whose context is done: the limit that is the cause, else
// [ErrInterrupted].
func Why(ctx context.Context) error {
	if cause := context.Cause(ctx); Ended(cause) {
		return cause
	}
	return ErrInterrupted
}

// Until does work that knows no contexts: reading, parsing, checking. When ctx is done
// it is left behind, to end with the program, and the answer is that of [Why].
func Until[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
		fault any // of a panic
	}
	done := make(chan result, 1)
	go func() {
		var got result
		defer func() {
			got.fault = recover()
			done <- got
		}()
		got.value, got.err = work()
	}()
	select {
	case got := <-done:
		if got.fault != nil {
			panic(got.fault)
		}
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, Why(ctx)
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

// Status tells of something that runs: the time since it began, and what it is at. On a
// terminal it keeps one line up to date, elsewhere it writes a line now and then. A nil
// Status shows nothing.
type Status struct {
	w       io.Writer
	plain   bool // no terminal
	width   int
	started time.Time

	mu     sync.Mutex
	latest string
	kept   string // to be left above the line
	shown  string // of a plain status, the last one
	done   chan struct{}
	idle   sync.WaitGroup
}

// repaintPause is the time between two repaints, linePause between two lines where there is
// no terminal: what takes no longer leaves none.
const (
	repaintPause = 100 * time.Millisecond
	linePause    = 30 * time.Second
)

// StartStatus shows the line until Stop is called. It is nil for who asked to be left alone.
func StartStatus(s *Streams, quiet bool) *Status {
	pause := linePause
	if s.ErrTerminal {
		pause = repaintPause
	}
	return startStatus(s, quiet, pause)
}

func startStatus(s *Streams, quiet bool, pause time.Duration) *Status {
	if quiet || s.Err == nil {
		return nil
	}
	l := &Status{w: s.Err, plain: !s.ErrTerminal, width: s.ErrWidth, started: time.Now(), done: make(chan struct{})}
	l.idle.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-l.done:
				return
			case <-tick.C:
				l.paint()
			}
		}
	})
	return l
}

// Show takes what the next repaint shows after the time; nothing if empty.
func (l *Status) Show(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest = text
}

// Keep has the next repaint leave a line that stays, above what Show says; where the end comes first
// it is left out.
func (l *Status) Keep(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = text
}

func (l *Status) paint() {
	l.mu.Lock()
	latest, kept := l.latest, l.kept
	l.kept = ""
	l.mu.Unlock()
	if kept != "" && l.plain {
		fmt.Fprintln(l.w, kept)
	} else if kept != "" {
		fmt.Fprintf(l.w, "\r%s\x1b[K\n", kept)
	}
	if l.plain {
		if latest != l.shown {
			fmt.Fprintf(l.w, "%.0fs · %s\n", time.Since(l.started).Seconds(), latest)
		}
		l.shown = latest
		return
	}
	line := fmt.Sprintf("%.1fs", time.Since(l.started).Seconds())
	if latest != "" {
		line += " · " + latest
	}
	text := []rune(line)
	if room := max(1, l.width-1); len(text) > room {
		text = text[:room]
	}
	fmt.Fprintf(l.w, "\r%s\x1b[K", string(text))
}

// Stop erases the line on a terminal.
func (l *Status) Stop() {
	if l == nil {
		return
	}
	close(l.done)
	l.idle.Wait()
	if l.plain {
		return
	}
	fmt.Fprint(l.w, "\r\x1b[K")
}
