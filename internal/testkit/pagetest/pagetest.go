// Package pagetest has what tests of pages in a browser begin with: a window of Chromium, and
// what every page has to stand: no word on the console, paper, touch, and readers who do not
// see it.
package pagetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Step is a step in the browser that has no answer.
type Step = chromedp.Action[chromedp.Void]

// Element is the first that matches a CSS selector.
type Element = chromedp.CSS

// Part is a part of an explorer by its name, in an element of the page, "" for the first.
func Part(of, name string) Element { return Element(of + ` [data-part="` + name + `"]`) }

// Window is one of Chromium, for a test.
type Window struct {
	testing.TB
	ctx context.Context
}

// Main runs the tests of a package, and closes the browser in which they opened windows: they
// share one, which takes a second or more to start.
func Main(m *testing.M) int {
	defer func() { stop() }()
	return m.Run()
}

// stop ends the browser.
var stop = func() {}

// path is that of Chromium, "" where there is none.
var path = sync.OnceValue(func() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
})

// browser is the one that windows share, once it is started.
var browser = sync.OnceValues(func() (context.Context, error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path()), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, close := chromedp.NewContext(allocator)
	stop = func() { close(); end() }
	_, err := chromedp.Run(ctx, chromedp.Steps())
	return ctx, err
})

// Open opens a window of so many pixels, or skips the test where there is no Chromium.
// Whatever pages write to the console, and every fault of their scripts, fails the test.
func Open(tb testing.TB, width, height int) *Window {
	tb.Helper()
	if path() == "" {
		tb.Skip("there is no Chromium here")
	}
	shared, err := browser()
	if err != nil {
		tb.Fatal(err)
	}
	ctx, close := chromedp.NewContext(shared)
	tb.Cleanup(close)
	w := &Window{tb, ctx}
	w.Do(chromedp.EmulateViewport(int64(width), int64(height)))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			tb.Errorf("the page says on the console: %+v", m)
		}
	}()
	return w
}

// Do runs steps one after the other.
func (w *Window) Do(steps ...Step) {
	w.Helper()
	Value(w, chromedp.Steps(steps...))
}

// Value runs a step that has an answer.
func Value[T any](w *Window, step chromedp.Action[T]) T {
	w.Helper()
	v, err := chromedp.Run(w.ctx, step)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// Script is the value of an expression of the page's.
func Script[T any](w *Window, expression string) T {
	w.Helper()
	return Value(w, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Visit shows a page that was written to a file, until its drawing is there; hash goes after
// its address.
func (w *Window) Visit(text []byte, hash string) {
	w.Helper()
	path := filepath.Join(w.TempDir(), "page.html")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		w.Fatal(err)
	}
	w.Do(chromedp.Navigate("file://"+path+hash), chromedp.WaitVisible(Part("", "chart")))
}

// Small makes the window that of a telephone, with touch.
func (w *Window) Small() {
	w.Do(chromedp.EmulateViewport(400, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
}

// Prefer asks pages for a colour scheme, light or dark.
func (w *Window) Prefer(scheme string) {
	w.Helper()
	w.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// Keep leaves a picture of the page in the folder that DOWNBEAT_PICTURES names, for people to
// look at.
func (w *Window) Keep(name string) {
	w.Helper()
	w.keep(name, func() []byte { return Value(w, chromedp.FullScreenshot(100)) })
}

func (w *Window) keep(name string, make func() []byte) {
	w.Helper()
	if dir := os.Getenv("DOWNBEAT_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), make(), 0o666); err != nil {
			w.Fatal(err)
		}
	}
}

// State is what the script of a drawing tells of itself.
type State struct {
	From, To, Top      float64
	Rows, Chain, Found int
	Chosen             *struct{ Task, Job, Slave *int }
	Open               []bool
	Axis               []string
}

// State is that of the page's first drawing.
func (w *Window) State() State {
	w.Helper()
	return Script[State](w, "downbeat.state()")
}

// Chose tells that a job, slave or task is chosen, by its number, and nothing else; -1 stands
// for none.
func (s *State) Chose(job, slave, task int) bool {
	has := func(p *int, want int) bool { return want < 0 && p == nil || p != nil && *p == want }
	return s.Chosen != nil && has(s.Chosen.Job, job) && has(s.Chosen.Slave, slave) && has(s.Chosen.Task, task)
}
