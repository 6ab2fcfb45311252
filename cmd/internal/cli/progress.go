package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"downbeat/model"
	"downbeat/solve"
)

// progress keeps one line on a terminal up to date while a search runs.
type progress struct {
	w       io.Writer
	width   int
	started time.Time

	mu     sync.Mutex
	latest solve.Progress
	done   chan struct{}
	idle   sync.WaitGroup
}

// progressPause is the time between two repaints.
const progressPause = 100 * time.Millisecond

// startProgress shows the line until stop is called. It is nil, and does
// nothing, if nobody watches or asked to be left alone.
func startProgress(s *streams, quiet bool) *progress {
	if !s.errTerminal || quiet {
		return nil
	}
	p := &progress{w: s.err, width: s.errWidth, started: time.Now(), done: make(chan struct{})}
	p.idle.Go(func() {
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-tick.C:
				p.paint()
			}
		}
	})
	return p
}

// update notes what the search tells; the next repaint shows it.
func (p *progress) update(now solve.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = now
}

// observer is what the search should call, nil if nobody watches.
func (p *progress) observer() func(solve.Progress) {
	if p == nil {
		return nil
	}
	return p.update
}

func (p *progress) paint() {
	p.mu.Lock()
	latest := p.latest
	p.mu.Unlock()
	text := []rune(progressLine(time.Since(p.started), latest))
	if room := max(1, p.width-1); len(text) > room {
		text = text[:room]
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", string(text))
}

// stop erases the line.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.done)
	p.idle.Wait()
	fmt.Fprint(p.w, "\r\x1b[K")
}

// progressLine says how long, what, and how good so far.
func progressLine(elapsed time.Duration, now solve.Progress) string {
	parts := []string{fmt.Sprintf("%.1fs", elapsed.Seconds())}
	if now.Phase != "" {
		parts = append(parts, now.Phase)
	}
	if now.HavePlan && len(now.Objectives) == 0 {
		parts = append(parts, "have a plan")
	}
	for _, o := range now.Objectives {
		parts = append(parts, progressValue(o, now.HavePlan))
	}
	return strings.Join(parts, " · ")
}

func progressValue(o model.ObjectiveValue, havePlan bool) string {
	switch {
	case !havePlan && o.Bound == nil:
		return o.Name
	case !havePlan:
		return fmt.Sprintf("%s ≥ %d", o.Name, *o.Bound)
	case o.Bound == nil:
		return fmt.Sprintf("%s %d", o.Name, o.Value)
	default:
		return fmt.Sprintf("%s %d, bound %d, gap %d", o.Name, o.Value, *o.Bound, o.Value-*o.Bound)
	}
}
