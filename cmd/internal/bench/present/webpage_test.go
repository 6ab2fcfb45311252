package present

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/schedulers"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/pagetest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online/durations"
	"downbeat/solve"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

func config() *bench.Config {
	return &bench.Config{
		Policies: []string{"fifo", "edf"}, New: schedulers.New,
		Objectives: []model.Objective{model.Makespan}, SolverSeed: 1, Workers: 1, Budget: 200, Program: "test",
	}
}

// swept are job sets at two levels.
func swept(t *testing.T) []bench.Set {
	t.Helper()
	sweep, err := bench.ParseSweep("utilisation=0.3,0.7")
	if err != nil {
		t.Fatal(err)
	}
	sets, err := bench.FromWorkloads([]string{"realtime:streams=2,slaves=2,period=20..40"}, sweep, []uint64{1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// pageOf is the page of a bench over the sets; ctx ends what comes after the bench itself.
func pageOf(t *testing.T, ctx context.Context, c *bench.Config, sets []bench.Set) []byte {
	t.Helper()
	runs := NewRuns(c, sets)
	records, err := bench.Run(t.Context(), c, sets, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := runs.Draw(ctx, c, sets, records); err != nil {
		t.Fatal(err)
	}
	return written(t, c, records, runs)
}

func written(t *testing.T, c *bench.Config, records []*bench.Record, runs *Runs) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WebPage(&b, c, records, c.Summarize(records, []string{"fifo", "edf"}), bench.Page{Measures: []string{"makespan", "hard-met"}}, Style{}, runs); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The page has the tables of the report, a row for each level and policy, the figures, and the
// runs; the same bench is the same page, and nothing in it is elsewhere.
func TestPage(t *testing.T) {
	once := string(pageOf(t, t.Context(), config(), swept(t)))
	if again := string(pageOf(t, t.Context(), config(), swept(t))); again != once {
		t.Error("the same bench is another page")
	}
	for _, want := range []string{
		"<h1>Bench over utilisation</h1>", "4 job sets, 2 policies each.", "<caption>Means of each policy by utilisation, with 95 % intervals</caption>",
		`<th scope="rowgroup" class="level" rowspan="2">0.3`, `<th scope="rowgroup" class="level" rowspan="2">0.7`, `<th scope="row">edf<td>`, `<th scope="col">makespan`,
		"fifo against edf by utilisation, paired by job set and seed", `alt="Figure: share of job sets without a hard miss`, `alt="Figure: mean makespan by policy`,
		"<dt>makespan</dt><dd>the time at which the last task finishes</dd>", `"headline":"edf meets every hard deadline`, "The optimum's plan",
	} {
		if !strings.Contains(once, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(once, "<p class=\"set\">Runs") || strings.Contains(once, "http") {
		t.Error("the page leaves runs out, or names something elsewhere")
	}
}

// What is not drawn is told: without a player, after an interruption, of too many sets, of
// several seeds, and where there is no optimum.
func TestPageTellsWhatIsLeftOut(t *testing.T) {
	c := config()
	sets := swept(t)
	records, err := bench.Run(t.Context(), c, sets, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	has := func(text []byte, want string) {
		t.Helper()
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	has(written(t, c, records, nil), "not from journals")
	ended, stop := context.WithCancel(t.Context())
	stop()
	has(pageOf(t, ended, c, sets), "the bench was interrupted")

	c = config()
	c.Durations = durations.Uniform{Lo: 0.5, Hi: 1}
	has(pageOf(t, t.Context(), c, sets), "for worst-case times without failures, which the run above did not have")

	c = config()
	c.NoOptimum, c.Policies = true, []string{"fifo", "edf"}
	var many []bench.Set
	for seed := range uint64(maxSets + 3) {
		many = append(many, bench.Set{ID: fmt.Sprint("set <", seed), Seeds: []uint64{seed, seed + 1}, Make: func(context.Context) (*model.JobSet, error) { return gen.Tiny(seed), nil }})
	}
	text := pageOf(t, t.Context(), c, many)
	has(text, fmt.Sprintf("Runs on %d of %d job sets are drawn, the first ones", maxSets, maxSets+3))
	has(text, "Of runs with several seeds that with the first is drawn.")
	has(text, "This bench did not ask for the optimum.")
	has(text, "set &lt;0")
}

// The plan beside a run is the answer that the bench itself had; a set that it knew from
// elsewhere is solved for the page.
func TestOptimumIsThatOfTheBench(t *testing.T) {
	c, sets := config(), swept(t)
	runs := NewRuns(c, sets)
	records, err := bench.Run(t.Context(), c, sets, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets[1:] {
		if runs.best[s.ID] == nil {
			t.Fatalf("the answer on %s was not kept", s.ID)
		}
		runs.best[s.ID] = &solve.Result{Status: model.Infeasible}
	}
	runs.best[sets[0].ID] = nil
	if err := runs.Draw(t.Context(), c, sets, records); err != nil {
		t.Fatal(err)
	}
	if len(runs.plays) != len(sets) || runs.plays[0].Best.Plan == nil || runs.plays[1].Best.Plan != nil || !strings.HasPrefix(runs.plays[1].Best.Headline, "infeasible") {
		t.Errorf("%d plays", len(runs.plays))
	}
}

// In a browser the page loads without a word on the console; sets and policies are chosen, and
// the two drawings move and light up together.
func TestPageInBrowser(t *testing.T) {
	w := pagetest.Open(t, 1300, 1000)
	w.Visit(pageOf(t, t.Context(), config(), swept(t)), "")
	text := func(of string) string { return pagetest.Value(w, chromedp.Text(pagetest.Element(of))) }
	if text("#run-head") != "fifo" || !strings.HasSuffix(text("#best-head"), " plan") && !strings.Contains(text("#best-head"), "best") {
		t.Errorf("at first %q and %q", text("#run-head"), text("#best-head"))
	}
	w.Do(chromedp.SendKeys(pagetest.Element("#policy"), "e"))
	if text("#run-head") != "edf" || !strings.HasPrefix(text("#run-line"), "edf ") {
		t.Errorf("edf was chosen: %q, %q", text("#run-head"), text("#run-line"))
	}
	first := pagetest.Script[string](w, `document.querySelector("#run canvas").toDataURL()`)
	w.Do(chromedp.Evaluate[chromedp.Void](`(() => { const s = document.getElementById("set"); s.value = 3; s.dispatchEvent(new Event("change")); })()`))
	if text("#run-head") != "edf" {
		t.Errorf("another set, and the policy is %q", text("#run-head"))
	}
	if next := pagetest.Script[string](w, `new Promise((done) => requestAnimationFrame(() => done(document.querySelector("#run canvas").toDataURL())))`); next == first {
		t.Error("another set has the same drawing")
	}
	begin := w.State()
	w.Do(chromedp.SendKeys(pagetest.Part("#run", "chart"), "+]"))
	run, best := w.State(), pagetest.Script[pagetest.State](w, "downbeat.twin.state()")
	if run.From != best.From || run.To != best.To || run.To-run.From >= begin.To-begin.From || !run.Chose(0, -1, -1) || !best.Chose(0, -1, -1) {
		t.Errorf("after plus and a bracket %+v and %+v", run, best)
	}
	w.Do(chromedp.SendKeys(pagetest.Part("#best", "chart"), "0"))
	if run := w.State(); run.From != begin.From || run.To != begin.To {
		t.Errorf("the other drawing shows the whole, and this %+v", run)
	}
	w.Keep("bench.png")
}

// Readers who do not see the page, or see it on a telephone, in the dark or on paper, have all
// of it.
func TestPageForAll(t *testing.T) {
	testkit.Long(t)
	w := pagetest.Open(t, 1300, 1000)
	w.Visit(pageOf(t, t.Context(), config(), swept(t)), "")
	w.Accessible("toolbar", "complementary", "searchbox", "combobox", "image")
	if sheets := w.Print("bench.pdf"); len(sheets) > 8 {
		t.Errorf("%d pages", len(sheets))
	}
	w.Small()
	w.Visit(pageOf(t, t.Context(), config(), swept(t)), "")
	if wide := pagetest.Script[float64](w, "document.documentElement.scrollWidth"); wide > 400 {
		t.Errorf("the page is %v pixels wide", wide)
	}
	w.Keep("bench-narrow.png")
}
