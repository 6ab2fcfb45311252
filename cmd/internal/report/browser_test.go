package report

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/jobfile"
	"downbeat/solve"
)

// void is a step in the browser that has no answer.
type void = chromedp.Action[chromedp.Void]

// css selects the first element that matches.
type css = chromedp.CSS

// browser starts Chromium for a test; whatever pages write to the console, and every fault
// of their scripts, fails the test.
func browser(tb testing.TB, width, height int) context.Context {
	tb.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		tb.Skip("there is no Chromium here")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(width, height))
	ctx, stop := chromedp.NewExecAllocator(tb.Context(), options...)
	tb.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	tb.Cleanup(stop)
	act(tb, ctx) // starts it
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			tb.Errorf("the page says on the console: %+v", m)
		}
	}()
	return ctx
}

// act runs steps one after the other.
func act(tb testing.TB, ctx context.Context, steps ...void) {
	tb.Helper()
	value(tb, ctx, chromedp.Steps(steps...))
}

// value runs a step that has an answer.
func value[T any](tb testing.TB, ctx context.Context, step chromedp.Action[T]) T {
	tb.Helper()
	v, err := chromedp.Run(ctx, step)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// visit shows a page that was written to a file.
func visit(tb testing.TB, ctx context.Context, text []byte, hash string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "plan.html")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		tb.Fatal(err)
	}
	act(tb, ctx, chromedp.Navigate("file://"+path+hash), chromedp.WaitVisible(css("#chart")))
}

// explorer is what the script of the page tells of itself.
type explorer struct {
	From, To, Top      float64
	Rows, Chain, Found int
	Chosen             *struct{ Task, Job, Slave *int }
	Open               []bool
}

func explored(tb testing.TB, ctx context.Context) explorer {
	tb.Helper()
	return value(tb, ctx, chromedp.Evaluate[explorer]("downbeat.state()"))
}

// pageOf is the page of a plan that lists make.
func pageOf(tb testing.TB, js *model.JobSet) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := Draw(&b, Picture{Format: "html"}, js, &solve.Result{Schedule: listPlan(tb, js), Status: model.Feasible}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// listPlan is a plan that lists make.
func listPlan(tb testing.TB, js *model.JobSet) model.Schedule {
	tb.Helper()
	board := heuristics.NewBoard(heuristics.NewFigures(js), 1)
	board.Construct(tb.Context(), heuristics.Rules()[0].Order(heuristics.NewFigures(js)), heuristics.NewDeferral(js, js.Objectives, nil))
	return board.Place
}

func exampleNight(tb testing.TB) *model.JobSet {
	tb.Helper()
	src, err := os.ReadFile("../../../examples/nightly.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	js, err := jobfile.Load("nightly.yaml", src)
	if err != nil {
		tb.Fatal(err)
	}
	return js
}

// A page loads without a word on the console, and keys, the find box, buttons and tables
// all lead where they say.
func TestPageInBrowser(t *testing.T) {
	ctx := browser(t, 1300, 1000)
	visit(t, ctx, pageOf(t, exampleNight(t)), "")
	begin := explored(t, ctx)
	if begin.Rows < 20 || begin.Chosen != nil {
		t.Fatalf("at first %+v", begin)
	}
	keys := func(text string) void { return chromedp.SendKeys(css("#chart"), text) }
	find := func(text string) void {
		return chromedp.Steps(chromedp.Evaluate[chromedp.Void](`document.getElementById("find").value = ""`), chromedp.SendKeys(css("#find"), text))
	}
	is := func(e explorer, job, slave, task int) bool {
		has := func(p *int, want int) bool { return want < 0 && p == nil || p != nil && *p == want }
		return e.Chosen != nil && has(e.Chosen.Job, job) && has(e.Chosen.Slave, slave) && has(e.Chosen.Task, task)
	}

	act(t, ctx, keys("++"))
	if e := explored(t, ctx); e.To-e.From > 0.5*(begin.To-begin.From) {
		t.Errorf("two times + shows %v of %v", e.To-e.From, begin.To-begin.From)
	}
	act(t, ctx, keys("0."))
	if e := explored(t, ctx); e.From != begin.From || e.To != begin.To || !is(e, -1, -1, 0) || e.Chain == 0 {
		t.Errorf("after 0 and a full stop %+v", e)
	}
	if details := value(t, ctx, chromedp.Text(css("#details"))); !strings.Contains(details, "handed out") || !strings.Contains(details, "fast-1") {
		t.Errorf("details %q", details)
	}
	act(t, ctx, find("billing"))
	if e := explored(t, ctx); e.Found != 1 || !is(e, 2, -1, -1) {
		t.Errorf("finding billing %+v", e)
	}
	act(t, ctx, find("slow"))
	if e := explored(t, ctx); e.Found != 2 || !is(e, -1, 2, -1) {
		t.Errorf("finding slow %+v", e)
	}
	act(t, ctx, chromedp.Click(css("#fold")))
	if e := explored(t, ctx); slices.Contains(e.Open, true) || e.Rows >= begin.Rows {
		t.Errorf("folded %+v", e)
	}
	act(t, ctx, chromedp.Click(css("#fold")), chromedp.Click(css("#late")))
	if e := explored(t, ctx); e.Rows >= begin.Rows {
		t.Errorf("late only %+v", e)
	}
	act(t, ctx, chromedp.Click(css("#late")), chromedp.Click(css("#jobs tbody tr[data-job='4'] button")))
	if e := explored(t, ctx); !is(e, 4, -1, -1) {
		t.Errorf("chosen in the table %+v", e)
	}
	value(t, ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("chart").dispatchEvent(
		new WheelEvent("wheel", {deltaY: -300, ctrlKey: true, clientX: 600, clientY: 300, bubbles: true, cancelable: true}))`))
	if e := explored(t, ctx); e.To-e.From >= begin.To-begin.From {
		t.Errorf("the wheel shows %v of %v", e.To-e.From, begin.To-begin.From)
	}
}

// The page speaks to those who do not see it: headings, regions, names of everything that
// can be reached by keys, and text that stands out from what is behind it, light and dark.
func TestPageIsAccessible(t *testing.T) {
	ctx := browser(t, 1300, 1000)
	visit(t, ctx, pageOf(t, exampleNight(t)), "")
	tree := value(t, ctx, func(ctx context.Context, _ *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	seen := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := text(n.Role), text(n.Name)
		seen[role]++
		if slices.Contains([]string{"button", "searchbox", "img", "image", "table", "heading", "region", "toolbar", "complementary"}, role) && name == "" {
			t.Errorf("a %s without a name", role)
		}
	}
	for _, role := range []string{"main", "heading", "table", "columnheader", "rowheader", "toolbar", "complementary", "searchbox"} {
		if seen[role] == 0 {
			t.Errorf("there is no %s: %v", role, seen)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		act(t, ctx, preferring(scheme))
		for _, pair := range []string{"ink", "muted", "late"} {
			if c := value(t, ctx, chromedp.Evaluate[float64](contrast(pair))); c < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f, 4.5 is the least that people read (WCAG 1.4.3)", scheme, pair, c)
			}
		}
	}
}

// text is what a node of the accessibility tree says, without the quotes.
func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}

func preferring(scheme string) void {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// contrast is a script for the ratio of a colour's luminance to that of the paper.
func contrast(name string) string {
	return `(() => {
		const style = getComputedStyle(document.documentElement);
		const light = (name) => {
			const c = document.createElement("canvas").getContext("2d");
			c.fillStyle = style.getPropertyValue("--" + name).trim();
			c.fillRect(0, 0, 1, 1);
			const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const [a, b] = [light("` + name + `"), light("paper")].sort((x, y) => y - x);
		return (a + 0.05) / (b + 0.05);
	})()`
}

// On a narrow screen nothing but the drawing and tables is wider than the screen.
func TestPageIsNarrow(t *testing.T) {
	ctx := browser(t, 1300, 1000)
	act(t, ctx, chromedp.EmulateViewport(400, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	visit(t, ctx, pageOf(t, exampleNight(t)), "")
	if w := value(t, ctx, chromedp.Evaluate[float64]("document.documentElement.scrollWidth")); w > 400 {
		t.Errorf("the page is %v pixels wide", w)
	}
	keep(t, ctx, "narrow.png")
}

// keep leaves a picture of the window in the folder that DOWNBEAT_PICTURES names, for
// people to look at.
func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	picture := value(t, ctx, chromedp.FullScreenshot(100))
	if dir := os.Getenv("DOWNBEAT_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), picture, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Paper has the drawing on the first page, whole, and no tools; a plan of many tasks too.
func TestPageOnPaper(t *testing.T) {
	ctx := browser(t, 1300, 1000)
	for name, js := range map[string]*model.JobSet{"nightly": exampleNight(t), "large": gen.Scale(3000, 1)} {
		visit(t, ctx, pageOf(t, js), "")
		keep(t, ctx, name+".png")
		pdf := value(t, ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
		pages := bytes.Count(pdf, []byte("/Type /Page\n")) + bytes.Count(pdf, []byte("/Type /Page "))
		if pages == 0 {
			t.Errorf("%s: no pages in %d bytes", name, len(pdf))
		}
		if name == "nightly" && pages > 2 {
			t.Errorf("%d pages", pages)
		}
		if dir := os.Getenv("DOWNBEAT_PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".pdf"), pdf, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if begin := explored(t, ctx); begin.From != 0 || begin.Rows == 0 {
			t.Errorf("%s: after printing %+v", name, begin)
		}
	}
}

// BenchmarkPage is how long a plan of 100,000 tasks takes to show, and to zoom in and out
// of while scrolling, with all classes open.
func BenchmarkPage(b *testing.B) {
	text := pageOf(b, gen.Scale(100_000, 1))
	ctx := browser(b, 1300, 1000)
	for b.Loop() {
		begun := time.Now()
		visit(b, ctx, text, "#open")
		b.ReportMetric(time.Since(begun).Seconds(), "s/first")
		frames := value(b, ctx, chromedp.Evaluate[[]float64]("downbeat.frames(60)", chromedp.EvalAwaitPromise))
		slices.Sort(frames)
		b.ReportMetric(frames[len(frames)/2], "ms/frame")
		b.ReportMetric(frames[len(frames)*95/100], "ms/slowframe")
	}
	b.ReportMetric(float64(len(text))/1e6, "MB")
}

// The script writes times as the program does: ticks, durations, clock times, and over a
// change of clocks.
func TestPageWritesTimes(t *testing.T) {
	ctx := browser(t, 800, 600)
	autumn, _ := seriesPlan(t, nil)
	sets := []*model.JobSet{exampleNight(t), loadNightly(t), autumn}
	for _, unit := range []time.Duration{0, time.Millisecond, 1500 * time.Millisecond, 7 * time.Minute} {
		plain := *exampleNight(t)
		plain.TimeUnit, plain.Origin = unit, time.Time{}
		sets = append(sets, &plain)
	}
	for _, js := range sets {
		visit(t, ctx, pageOf(t, js), "")
		c := ClockOf(js)
		var want []string
		for tick := model.Time(0); tick < 1500; tick += 7 {
			want = append(want, c.Point(tick), c.Span(tick))
		}
		got := value(t, ctx, chromedp.Evaluate[[]string](
			"Array.from({length: Math.ceil(1500 / 7)}, (_, k) => [downbeat.point(7 * k), downbeat.span(7 * k)]).flat()"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, unit %v, origin %v (-want +got):\n%s", js.Name, js.TimeUnit, js.Origin, diff)
		}
	}
}
