package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoColorEnvironment(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	if !New(nil, nil, nil).NoColor {
		t.Error("NO_COLOR=1 does not count")
	}
	t.Setenv("NO_COLOR", "")
	if New(nil, nil, nil).NoColor {
		t.Error("an empty NO_COLOR counts")
	}
	t.Setenv("TERM", "dumb")
	if !New(nil, nil, nil).NoColor {
		t.Error("TERM=dumb does not count")
	}
}

// The status is one line that is gone at the end, on a terminal only.
func TestStatus(t *testing.T) { synctest.Test(t, status) }

func status(t *testing.T) {
	var stderr bytes.Buffer
	s := New(nil, nil, &stderr)
	var nobody *Status
	nobody.Show("unseen")
	nobody.Stop()
	s.ErrTerminal, s.ErrWidth = true, 30
	if StartStatus(s, true) != nil {
		t.Error("a status in spite of quiet")
	}
	l := StartStatus(s, false)
	l.Show("searching · misses 5, bound 2, gap 3")
	time.Sleep(3 * repaintPause)
	l.Stop()
	text := stderr.String()
	if strings.Contains(text, "\n") || !strings.HasSuffix(text, "\r\x1b[K") || !strings.Contains(text, "s · searching · misses 5") {
		t.Errorf("the status wrote %q", text)
	}
	for _, line := range strings.Split(text, "\r") {
		if n := len([]rune(strings.TrimSuffix(line, "\x1b[K"))); n >= 30 {
			t.Errorf("%q has %d columns, the terminal 30", line, n)
		}
	}
}

// A line that is kept stays above the status; what ends before it is seen leaves none.
func TestKeptLine(t *testing.T) { synctest.Test(t, keptLine) }

func keptLine(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		var stderr bytes.Buffer
		s := New(nil, nil, &stderr)
		s.ErrTerminal, s.ErrWidth = terminal, 80
		l := startStatus(s, false, 10*time.Millisecond)
		l.Keep("infeasible")
		l.Show("looking for why")
		time.Sleep(100 * time.Millisecond)
		l.Stop()
		text := strings.ReplaceAll(stderr.String(), "\x1b[K", "")
		if strings.Count(text, "infeasible\n") != 1 || strings.Index(text, "looking for why") < strings.Index(text, "infeasible\n") {
			t.Errorf("terminal %v: %q", terminal, text)
		}
		stderr.Reset()
		l = startStatus(s, false, time.Hour)
		l.Keep("infeasible")
		if l.Stop(); strings.Contains(stderr.String(), "infeasible") {
			t.Errorf("terminal %v: what was over at once leaves %q", terminal, stderr.String())
		}
	}
}

// Where there is no terminal the status is a line now and then, where something is new.
func TestPlainStatus(t *testing.T) { synctest.Test(t, plainStatus) }

func plainStatus(t *testing.T) {
	var stderr bytes.Buffer
	l := startStatus(New(nil, nil, &stderr), false, 10*time.Millisecond)
	l.Show("searching")
	time.Sleep(50 * time.Millisecond)
	l.Show("misses 5")
	time.Sleep(50 * time.Millisecond)
	l.Stop()
	if got := stderr.String(); got != "0s · searching\n0s · misses 5\n" {
		t.Errorf("the status wrote %q", got)
	}
	stderr.Reset()
	l = StartStatus(New(nil, nil, &stderr), false)
	l.Show("soon over")
	l.Stop()
	if stderr.Len() > 0 {
		t.Errorf("what was over soon wrote %q", stderr.String())
	}
}

// Work that knows no contexts is left behind when its context is done, even while it
// waits.
func TestUntil(t *testing.T) {
	if text, err := Until(t.Context(), func() (string, error) { return "text", io.EOF }); text != "text" || err != io.EOF {
		t.Errorf("%q, %v", text, err)
	}
	r, w := io.Pipe()
	defer w.Close()
	read := func() (int, error) { return r.Read(make([]byte, 1)) }
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(nil)
	if n, err := Until(ctx, read); n != 0 || !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted: %d bytes, %v", n, err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(ErrTimeLimit)
	if n, err := Until(ctx, read); n != 0 || !errors.Is(err, ErrTimeLimit) {
		t.Errorf("time limit: %d bytes, %v", n, err)
	}
}

// What is no terminal has the default width and no height; a file is known.
func TestNew(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := New(f, f, f)
	if s.OutTerminal || s.ErrTerminal || s.Width != defaultWidth || s.Height != 0 || s.InFile == nil || s.InFile.Name() != "in" {
		t.Errorf("%+v", s)
	}
}
