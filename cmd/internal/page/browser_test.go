package page

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/wording"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/pagetest"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

var rewrite = flag.Bool("update", false, "rewrite the files in testdata")

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

// pageOf is the page of a plan that lists make.
func pageOf(tb testing.TB, js *model.JobSet) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := Write(&b, &gantt.Drawing{Summary: summary.Summarize(js, reporttest.ListPlan(tb, js))}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
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

// part is a part of the drawing.
func part(name string) pagetest.Element { return pagetest.Part("", name) }

// A page loads without a word on the console, and keys, the find box, buttons and tables
// all lead where they say.
func TestPageInBrowser(t *testing.T) {
	w := pagetest.Open(t, 1300, 1000)
	w.Visit(pageOf(t, exampleNight(t)), "")
	begin := w.State()
	if begin.Rows < 20 || begin.Chosen != nil {
		t.Fatalf("at first %+v", begin)
	}
	keys := func(text string) pagetest.Step { return chromedp.SendKeys(part("chart"), text) }
	find := func(text string) pagetest.Step {
		return chromedp.Steps(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-part=find]").value = ""`), chromedp.SendKeys(part("find"), text))
	}

	w.Do(keys("++"))
	if e := w.State(); e.To-e.From > 0.5*(begin.To-begin.From) {
		t.Errorf("two times + shows %v of %v", e.To-e.From, begin.To-begin.From)
	}
	w.Do(keys("0."))
	if e := w.State(); e.From != begin.From || e.To != begin.To || !e.Chose(-1, -1, 0) || e.Chain == 0 {
		t.Errorf("after 0 and a full stop %+v", e)
	}
	if details := pagetest.Value(w, chromedp.Text(part("details"))); !strings.Contains(details, "handed out") || !strings.Contains(details, "fast-1") {
		t.Errorf("details %q", details)
	}
	w.Do(find("billing"))
	if e := w.State(); e.Found != 1 || !e.Chose(2, -1, -1) {
		t.Errorf("finding billing %+v", e)
	}
	w.Do(find("slow"))
	if e := w.State(); e.Found != 2 || !e.Chose(-1, 2, -1) {
		t.Errorf("finding slow %+v", e)
	}
	w.Do(chromedp.Click(part("fold")))
	if e := w.State(); slices.Contains(e.Open, true) || e.Rows >= begin.Rows {
		t.Errorf("folded %+v", e)
	}
	w.Do(chromedp.Click(part("fold")), chromedp.Click(part("late")))
	if e := w.State(); e.Rows >= begin.Rows {
		t.Errorf("late only %+v", e)
	}
	w.Do(chromedp.Click(part("late")), chromedp.Click(pagetest.Element("#jobs tbody tr[data-job='4'] button")))
	if e := w.State(); !e.Chose(4, -1, -1) {
		t.Errorf("chosen in the table %+v", e)
	}
	pagetest.Script[bool](w, `document.querySelector("[data-part=chart]").dispatchEvent(
		new WheelEvent("wheel", {deltaY: -300, ctrlKey: true, clientX: 600, clientY: 300, bubbles: true, cancelable: true}))`)
	if e := w.State(); e.To-e.From >= begin.To-begin.From {
		t.Errorf("the wheel shows %v of %v", e.To-e.From, begin.To-begin.From)
	}
}

// The page speaks to those who do not see it: headings, regions, names of everything that
// can be reached by keys, and text that stands out from what is behind it, light and dark,
// the details of what is chosen included.
func TestPageIsAccessible(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	w.Visit(pageOf(t, exampleNight(t)), "")
	w.Do(chromedp.SendKeys(part("chart"), "]"))
	w.Accessible("toolbar", "complementary", "searchbox")
	w.Prefer("dark")
	w.Keep("dark.png")
}

// A drawing looks as it did. Look at the picture before -update.
func TestPageLooks(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1000, 900)
	w.Visit(pageOf(t, reporttest.LoadNightly(t)), "")
	w.Looks("testdata/page.png", *rewrite)
}

// On a narrow screen nothing but the drawing and tables is wider than the screen.
func TestPageIsNarrow(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	w.Small()
	w.Visit(pageOf(t, exampleNight(t)), "")
	if wide := pagetest.Script[float64](w, "document.documentElement.scrollWidth"); wide > 400 {
		t.Errorf("the page is %v pixels wide", wide)
	}
	w.Keep("narrow.png")
}

// One finger moves the drawing, and the page where the drawing does not move; two zoom; a tap
// chooses.
func TestPageUnderFingers(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	w.Small()
	w.Visit(pageOf(t, exampleNight(t)), "")
	pagetest.Script[bool](w, `(document.querySelector("[data-part=stage]").scrollIntoView({block: "start"}), true)`)
	at := func(x, y float64) []pagetest.At { return []pagetest.At{{X: x, Y: y}} }
	begin := w.State()

	w.Move([]pagetest.At{{X: 180, Y: 200}, {X: 220, Y: 200}}, []pagetest.At{{X: 110, Y: 260}, {X: 330, Y: 140}})
	zoomed := w.State()
	if wide := zoomed.To - zoomed.From; wide > 0.5*(begin.To-begin.From) || zoomed.Chosen != nil {
		t.Errorf("two fingers that part show %v of %v, %+v", wide, begin.To-begin.From, zoomed.Chosen)
	}
	w.Move(at(300, 200), at(150, 200))
	panned := w.State()
	if panned.From <= zoomed.From || panned.To-panned.From != zoomed.To-zoomed.From {
		t.Errorf("one finger moves from %v to %v, then %v to %v", zoomed.From, zoomed.To, panned.From, panned.To)
	}
	w.Move([]pagetest.At{{X: 110, Y: 260}, {X: 330, Y: 140}}, []pagetest.At{{X: 210, Y: 201}, {X: 225, Y: 199}})
	if e := w.State(); e.To-e.From <= panned.To-panned.From {
		t.Errorf("two fingers that meet show %v of %v", e.To-e.From, panned.To-panned.From)
	}
	before := pagetest.Script[float64](w, "scrollY")
	w.Move(at(200, 500), at(200, 100))
	if after := pagetest.Script[float64](w, "scrollY"); after <= before {
		t.Errorf("one finger up the drawing leaves the page at %v", after)
	}
	pagetest.Script[bool](w, `(document.querySelector("[data-part=stage]").scrollIntoView({block: "start"}), true)`)
	y := pagetest.Script[float64](w, "downbeat.rowOf(2)")
	w.Move(at(200, y), at(200, y))
	if e := w.State(); !e.Chose(2, -1, -1) {
		t.Errorf("a tap on the third job chooses %+v", e.Chosen)
	}
}

// The page has no box that scrolls by itself: machines follow the jobs, and finding one scrolls
// the page to it. While nothing is chosen, jobs that are late or tight stand beside.
func TestPageScrollsAsOne(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 600)
	w.Visit(pageOf(t, exampleNight(t)), "")
	if inner := pagetest.Script[float64](w, `(() => { const s = document.querySelector("[data-part=stage]"); return s.scrollHeight - s.clientHeight; })()`); inner > 0 {
		t.Errorf("%v pixels of the drawing are hidden in a box", inner)
	}
	if text := pagetest.Value(w, chromedp.Text(part("details"))); !strings.Contains(text, "least slack") || !strings.Contains(text, "billing") {
		t.Errorf("beside the drawing stands %q", text)
	}
	w.Do(chromedp.Click(pagetest.Element("[data-part=details] button")))
	if e := w.State(); e.Chosen == nil || e.Chosen.Job == nil {
		t.Errorf("a job beside the drawing chooses %+v", e.Chosen)
	}
	for _, narrow := range []bool{false, true} {
		if narrow {
			w.Small()
			w.Visit(pageOf(t, exampleNight(t)), "")
		}
		w.Do(chromedp.SendKeys(part("find"), "slow-2"))
		pagetest.Script[bool](w, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
		if e := w.State(); e.Chosen == nil || e.Chosen.Slave == nil || pagetest.Script[float64](w, "scrollY") == 0 {
			t.Errorf("narrow %t: finding slow-2 does not scroll: %+v", narrow, e.Chosen)
		}
	}
}

// Recurring jobs share a row, in which the one that is pointed at is chosen, and of many rows
// those with more slack wait until they are asked for, or found.
func TestPageFoldsJobs(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	js, plan := reporttest.SeriesPlan(t, nil)
	var b bytes.Buffer
	if err := Write(&b, &gantt.Drawing{Summary: summary.Summarize(js, plan)}); err != nil {
		t.Fatal(err)
	}
	w.Visit(b.Bytes(), "")
	rows := func() map[float64]bool {
		out := map[float64]bool{}
		for j := range js.Jobs {
			out[pagetest.Script[float64](w, fmt.Sprintf("downbeat.rowOf(%d)", j))] = true
		}
		return out
	}
	if got := rows(); len(got) != 3 {
		t.Errorf("%d jobs of three families are in %d rows", len(js.Jobs), len(got))
	}
	for _, j := range []int{0, 3} { // of etl
		x := pagetest.Script[float64](w, fmt.Sprintf("downbeat.placeOf(%d)", js.Jobs[j].Release+2))
		y := pagetest.Script[float64](w, fmt.Sprintf("downbeat.rowOf(%d)", j))
		w.Do(chromedp.MouseClickXY(x, y))
		if e := w.State(); !e.Chose(j, -1, -1) {
			t.Errorf("at the time of %s %+v is chosen", js.Jobs[j].Name, e.Chosen)
		}
	}

	large := gen.Scale(3000, 1)
	w.Visit(pageOf(t, large), "")
	begin := w.State()
	if begin.Rows > 100+40 {
		t.Errorf("of %d jobs there are %d rows", len(large.Jobs), begin.Rows)
	}
	rowsOf := gantt.LayOut(summary.Summarize(large, reporttest.ListPlan(t, large))).Rows
	spare := slices.IndexFunc(rowsOf, func(r gantt.Row) bool { return r.Spare })
	if spare < 0 {
		t.Fatalf("none of %d rows is spare", len(rowsOf))
	}
	w.Do(chromedp.SendKeys(part("find"), rowsOf[spare].Name))
	if e := w.State(); e.Rows < len(rowsOf) || e.Chosen == nil || e.Chosen.Job == nil {
		t.Errorf("%d rows after %s was found, of %d of jobs: %+v", e.Rows, rowsOf[spare].Name, len(rowsOf), e.Chosen)
	}
}

// On a narrow screen the times above are more than two, and none stands on another.
func TestPageAxis(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	autumn, _ := reporttest.SeriesPlan(t, nil)
	short := *exampleNight(t)
	short.TimeUnit, short.Origin = time.Millisecond, time.Time{}
	for name, js := range map[string]*model.JobSet{"nightly": exampleNight(t), "autumn": autumn, "ticks": gen.Small(3, 15), "milliseconds": &short} {
		for _, width := range []int64{320, 400, 700, 1300} {
			w.Do(chromedp.EmulateViewport(width, 800))
			w.Visit(pageOf(t, js), "")
			if e := w.State(); len(e.Axis) < 3 || len(e.Axis) > 16 {
				t.Errorf("%s, %d pixels: %q above", name, width, e.Axis)
			}
		}
	}
}

// Paper has the drawing on the first page, whole or cut between rows, and no page is blank;
// a plan of many tasks too.
func TestPageOnPaper(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	type paper struct {
		name        string
		js          *model.JobSet
		least, most int // pages
	}
	all := []paper{{"nightly", exampleNight(t), 2, 2}, {"tall", gen.Scale(400, 1), 2, 8}, {"large", gen.Scale(3000, 1), 3, 16}}
	for _, c := range all[:testkit.Sets(2, 3)] {
		w.Visit(pageOf(t, c.js), "")
		w.Keep(c.name + ".png")
		sheets := w.Print(c.name + ".pdf")
		if len(sheets) < c.least || len(sheets) > c.most {
			t.Errorf("%s: %d pages", c.name, len(sheets))
		} else if sheets[0] < pagetest.Heading {
			t.Errorf("%s: the drawing is not on the first page: %+v", c.name, sheets)
		}
		if begin := w.State(); begin.From != 0 || begin.Rows == 0 {
			t.Errorf("%s: after printing %+v", c.name, begin)
		}
	}
}

// BenchmarkPage is how long a plan of 100,000 tasks takes to show, and to zoom in and out
// of while scrolling, with all classes open.
func BenchmarkPage(b *testing.B) {
	text := pageOf(b, gen.Scale(100_000, 1))
	w := pagetest.Open(b, 1300, 1000)
	for b.Loop() {
		begun := time.Now()
		w.Visit(text, "#open")
		b.ReportMetric(time.Since(begun).Seconds(), "s/first")
		frames := pagetest.Script[[]float64](w, "downbeat.frames(60)")
		slices.Sort(frames)
		b.ReportMetric(frames[len(frames)/2], "ms/frame")
		b.ReportMetric(frames[len(frames)*95/100], "ms/slowframe")
	}
	b.ReportMetric(float64(len(text))/1e6, "MB")
}

// The script writes times as the program does: ticks, durations, clock times, and over a
// change of clocks.
func TestPageWritesTimes(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 800, 600)
	autumn, _ := reporttest.SeriesPlan(t, nil)
	sets := []*model.JobSet{exampleNight(t), reporttest.LoadNightly(t), autumn}
	for _, unit := range []time.Duration{0, time.Millisecond, 1500 * time.Millisecond, 7 * time.Minute} {
		plain := *exampleNight(t)
		plain.TimeUnit, plain.Origin = unit, time.Time{}
		sets = append(sets, &plain)
	}
	for _, js := range sets {
		w.Visit(pageOf(t, js), "")
		c := wording.ClockOf(js)
		var want []string
		for tick := model.Time(0); tick < 1500; tick += 7 {
			want = append(want, c.Point(tick), c.Span(tick))
		}
		got := pagetest.Script[[]string](w,
			"Array.from({length: Math.ceil(1500 / 7)}, (_, k) => [downbeat.point(7 * k), downbeat.span(7 * k)]).flat()")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, unit %v, origin %v (-want +got):\n%s", js.Name, js.TimeUnit, js.Origin, diff)
		}
	}
}
