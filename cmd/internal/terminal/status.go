package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Status keeps one line on a terminal up to date while something runs: the
// time since it began, and what it is at. A nil Status shows nothing.
type Status struct {
	w       io.Writer
	width   int
	started time.Time

	mu     sync.Mutex
	latest string
	done   chan struct{}
	idle   sync.WaitGroup
}

// repaintPause is the time between two repaints.
const repaintPause = 100 * time.Millisecond

// StartStatus shows the line until Stop is called. It is nil if nobody watches
// or asked to be left alone.
func StartStatus(s *Streams, quiet bool) *Status {
	if !s.ErrTerminal || quiet {
		return nil
	}
	l := &Status{w: s.Err, width: s.ErrWidth, started: time.Now(), done: make(chan struct{})}
	l.idle.Go(func() {
		tick := time.NewTicker(repaintPause)
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

func (l *Status) paint() {
	l.mu.Lock()
	latest := l.latest
	l.mu.Unlock()
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

// Stop erases the line.
func (l *Status) Stop() {
	if l == nil {
		return
	}
	close(l.done)
	l.idle.Wait()
	fmt.Fprint(l.w, "\r\x1b[K")
}
