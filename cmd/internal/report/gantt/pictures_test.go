package gantt

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve"
)

// draw draws a plan.
func draw(w io.Writer, p Picture, js *model.JobSet, plan model.Schedule) error {
	d := Drawing{Summary: summary.Summarize(js, plan)}
	return d.Write(w, p)
}

// sceneOf is the picture of a summary.
func sceneOf(s *summary.Summary, title, subtitle string, size chart.Size) (*scene, error) {
	return newScene(s, LayOut(s), title, subtitle, size)
}

// example is a job set that the program comes with.
func example(tb testing.TB, name string) *model.JobSet {
	tb.Helper()
	src, err := os.ReadFile("../../../../examples/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	js, err := jobfile.Load(name, src)
	if err != nil {
		tb.Fatal(err)
	}
	return js
}

func exampleNight(tb testing.TB) *model.JobSet { return example(tb, "nightly.yaml") }

// Pictures of random plans are well formed, alike when drawn twice, and keep
// their marks within their edges.
func TestPictures(t *testing.T) {
	for seed := range uint64(20) {
		js := gen.Small(seed, 15)
		if seed%2 == 1 {
			js = gen.Coupled(js, seed, false)
		}
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		var svg, again bytes.Buffer
		for _, b := range []*bytes.Buffer{&svg, &again} {
			if err := draw(b, Picture{Format: "svg"}, js, plan); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if !bytes.Equal(svg.Bytes(), again.Bytes()) {
			t.Errorf("seed %d: drawn twice, two pictures", seed)
		}
		reporttest.CheckXML(t, svg.Bytes())
		pic, err := sceneOf(summary.Summarize(js, plan), "title", "subtitle", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range pic.Groups {
			for _, sh := range g.Shapes {
				if r, ok := sh.(rect); ok && (r.X < 0 || r.Y < 0 || r.X+r.W > pic.Width+0.01 || r.Y+r.H > pic.Height+0.01) {
					t.Errorf("seed %d: %s: %+v leaves the picture of %v × %v", seed, g.Title, r, pic.Width, pic.Height)
				}
			}
		}
	}
}

// The bitmap has the picture's size, twice over, and the jobs' colours in it.
func TestPNG(t *testing.T) {
	js, plan := reporttest.LoadNightly(t), reporttest.NightlyPlan
	var b bytes.Buffer
	if err := draw(&b, Picture{Format: "png"}, js, plan); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	pic, err := sceneOf(summary.Summarize(js, plan), "nightly", "", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != int(2*pic.Width) || got.Y != int(2*pic.Height) {
		t.Errorf("%v pixels for a picture of %v × %v", got, pic.Width, pic.Height)
	}
	pixels := map[string]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			pixels[fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)]++
		}
	}
	for i := range js.Jobs {
		if c := hex(jobColor(i).Light); pixels[c] < 1000 {
			t.Errorf("job %d: %d pixels of %s", i, pixels[c], c)
		}
	}
	if c := hex(tones[toneLate].Light); pixels[c] < 200 {
		t.Errorf("%d pixels of %s for a late job", pixels[c], c)
	}
}

// A plan beyond all measure is refused in words; a large one is drawn, slaves of a class
// together, idle ones in a line.
func TestPictureLimits(t *testing.T) {
	var picture bytes.Buffer
	draw := func(slaves, tasks int, class string) error {
		js := &model.JobSet{Heartbeat: 1}
		for i := range slaves {
			js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Class: class, Cores: 1, Slots: 1})
		}
		profile := model.NewProfile(model.ConstRow(slaves, 3), model.ConstRow(slaves, 0))
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: tasks, Profile: profile}}}}}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		plan := model.NewSchedule(tasks)
		for i := range plan {
			at := model.Time(3 * (i / slaves))
			plan[i] = model.Placement{Slave: model.SlaveID(i % slaves), Beat: at, Fetch: at, Start: at}
		}
		picture.Reset()
		return draw(&picture, Picture{Format: "svg"}, js, plan)
	}
	has := func(words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(picture.String(), ">"+w+"<") {
				t.Errorf("the picture has no %q", w)
			}
		}
	}
	if err := draw(1500, 4000, ""); err != nil {
		t.Error(err)
	}
	has("s0", "s1499")
	if err := draw(3001, 4000, ""); err == nil || !strings.Contains(err.Error(), "3001 lanes") {
		t.Errorf("3001 lanes: %v", err)
	}
	if err := draw(3001, 4000, "node"); err != nil {
		t.Error(err)
	}
	has("node ×3001", "use of 3001 cores")
	if err := draw(3001, 100, "node"); err != nil {
		t.Error(err)
	}
	has("s0", "s99", "2901 idle")
}

// Of many jobs those are drawn that are late, or have the least slack.
func TestPictureOfManyJobs(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}}}
	profile := model.NewProfile(model.ConstRow(1, 3), model.ConstRow(1, 0))
	const jobs = 130
	plan := model.NewSchedule(jobs)
	for i := range jobs {
		due := model.Time(1000 - i)
		if i == 17 {
			due = 3
		}
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Weight: 1, Deadline: due,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
		at := model.Time(3 * i)
		plan[i] = model.Placement{Slave: 0, Beat: at, Fetch: at, Start: at}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := draw(&picture, Picture{Format: "svg"}, js, plan); err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string]bool{"j17": true, "j129": true, "j31": true, "j30": false, "and 30 rows with more slack": true} {
		if strings.Contains(picture.String(), ">"+name+"<") != shown {
			t.Errorf("%s: shown is not %v", name, shown)
		}
	}
}

// Where several tasks share a column, the one with most of it is shown.
func TestTextChartColumns(t *testing.T) {
	js, err := jobfile.Load("columns", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a}]}
jobs:
  - {name: long, map: {tasks: 1, wcet: 60, transfer: 5}}
  - {name: short, map: {tasks: 1, wcet: 1}}
  - {name: last, map: {tasks: 1, wcet: 4}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan := model.Schedule{{Slave: 0, Fetch: 0, Start: 5}, {Slave: 0, Beat: 65, Fetch: 65, Start: 65}, {Slave: 0, Beat: 66, Fetch: 66, Start: 66}}
	g, fits := NewText(summary.Summarize(js, plan), table.Page{Width: 39})
	if !fits {
		t.Fatal("does not fit")
	}
	var b strings.Builder
	g.Write(&b, false)
	want := strings.Join([]string{
		"    |0        |20       |40       |60",
		"a   ░░AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACC",
		"░ fetch   ─ wait   · free",
		"a column is 2 ticks   A long   B short",
		"C last", "",
	}, "\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A name that turns the reading direction around shows as what it is, and one
// with markup as text.
func TestHostileNames(t *testing.T) {
	js, err := jobfile.Load("jobs.json", []byte(`{"version": 1, "name": "<b>\u202eset", "cluster": {"heartbeat": 1, "slaves": [{"name": "<i>\u202eslave"}]},
"jobs": [{"name": "<script>\u202ejob", "deadline": 90, "map": {"tasks": 1, "wcet": 60}, "reduce": {"tasks": 1, "wcet": 9}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := draw(&b, Picture{Format: "svg"}, js, res.Schedule); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\u202e", "<b>", "<i>", "<script>\uFFFD"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the picture holds %q", bad)
		}
	}
	if want := "&lt;script&gt;\uFFFDjob/map/1"; !strings.Contains(b.String(), want) {
		t.Errorf("the picture lacks %q", want)
	}
}

// Where there is no room for the stage, the number goes with it: reduce/1 must
// not read like map/1.
func TestShortTaskNames(t *testing.T) {
	js, err := jobfile.Load("jobs.yaml", []byte(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: a}]}
jobs:
  - {name: pair, map: {tasks: 1, wcet: 5}, reduce: {tasks: 1, wcet: 5}}
  - {name: long, map: {tasks: 1, wcet: 250}}
  - {name: solo, map: {tasks: 1, wcet: 11}}
`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := draw(&b, Picture{Format: "svg"}, js, res.Schedule); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{">pair/1<": false, ">pair<": true, ">solo/1<": true, ">long/map/1<": true} {
		if got := strings.Contains(b.String(), text); got != want {
			t.Errorf("bar %s: %t, want %t", text, got, want)
		}
	}
}

// A PDF has all of its text, and the same picture is the same file; letters that its font
// lacks, and that of a PNG, are told.
func TestPDF(t *testing.T) {
	js, plan := reporttest.LoadNightly(t), reporttest.NightlyPlan
	draw := func() []byte {
		var b bytes.Buffer
		if err := draw(&b, Picture{Format: "pdf"}, js, plan); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	once := draw()
	if !bytes.HasPrefix(once, []byte("%PDF-")) || !bytes.Contains(once, []byte("%%EOF")) {
		t.Errorf("no PDF: %.40q", once)
	}
	if !bytes.Contains(once, []byte("(D:19700101000000)")) || !bytes.Equal(once, draw()) {
		t.Error("the same picture is another file")
	}
	if text := Unpainted(js, "pdf"); text != "" {
		t.Error(text)
	}
	strange := *js
	strange.Name = "夜間 é Ж"
	for format, want := range map[string]string{"pdf": "2 letters of names (夜間)", "png": "2 letters of names (夜間)", "svg": "", "html": ""} {
		if text := Unpainted(&strange, format); !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: %q", format, text)
		}
	}
	staged, err := jobfile.Load("jobs.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: 甲, count: 2, resources: {"乙": 2}}]}
jobs: [{name: etl, stages: [{name: 丙, tasks: 1, wcet: 5}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if text := Unpainted(staged, "png"); !strings.Contains(text, "3 letters of names (乙丙甲)") {
		t.Errorf("names of stages, classes and resources: %q", text)
	}
}

// The legend of a chart has recurring jobs as one.
func TestLegendOfRecurringJobs(t *testing.T) {
	s := summary.Summarize(reporttest.SeriesPlan(t, map[string]model.Time{"etl-2": 15, "etl-4": 3}))
	chart, fits := NewText(s, table.Page{Width: 80})
	if !fits {
		t.Fatal("there is no chart")
	}
	legend := strings.Join(chart.legend(), "\n")
	for _, entry := range []string{"A etl ×5 (1 late, a task is on 2 cores)", "B mail ×5 ", "C sum"} {
		if !strings.Contains(legend+"\n", entry) {
			t.Errorf("the legend does not say %q:\n%s", entry, legend)
		}
	}
}

// leftOut has a slave that goes for good, and jobs that fit nowhere else; the plan has tasks of
// the others, or of none.
func leftOut(t *testing.T, gone string, others bool) *summary.Summary {
	t.Helper()
	src := `version: 1
cluster: {heartbeat: 1, slaves: [{name: std}, {name: big, down: [[` + gone + `, never]]}]}
jobs:
  - {name: fits, deadline: 60, hard: true, map: {tasks: 1, wcet: 50, slaves: [std]}}
  - {name: graph, deadline: 55, map: {tasks: 1, wcet: 50, slaves: [big]}}
  - {name: hourly, deadline: 5, repeat: {every: 10, times: 4}, map: {tasks: 1, wcet: 2, slaves: [big]}}
`
	js, err := jobfile.Load("jobs.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	plan := model.NewSchedule(len(js.Tasks))
	if others {
		plan[js.Jobs[0].First] = model.Placement{}
		for i := range 3 { // the last of them is left out
			at := js.Jobs[2+i].Release
			plan[js.Jobs[2+i].First] = model.Placement{Slave: 1, Beat: at, Fetch: at, Start: at}
		}
	}
	return summary.Summarize(js, plan)
}

// Jobs that are left out are told, an absence without an end is drawn to the right edge and does
// not stretch the times shown, and there is something to see of a plan without tasks.
func TestPicturesOfJobsLeftOut(t *testing.T) {
	for _, c := range []struct {
		gone   string
		others bool
		has    map[string]bool
	}{
		{"28", true, map[string]bool{">no tasks<": true, "graph (soft)\nrelease 0\ndeadline 55\nno tasks": true, ">machine away<": true, ">1 without tasks<": true}},
		{"500", true, map[string]bool{">no tasks<": true, ">machine away<": false}},
		{"0", false, map[string]bool{">no tasks<": true, ">machine away<": true, ">4 without tasks<": true, ">60<": true}},
	} {
		s := leftOut(t, c.gone, c.others)
		for _, format := range []string{"svg", "png", "pdf"} {
			var b bytes.Buffer
			d := Drawing{Summary: s}
			if err := d.Write(&b, Picture{Format: format}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "NaN") && format != "png" && format != "pdf" {
				t.Errorf("gone at %s: no numbers in %s", c.gone, format)
			}
			for text, want := range c.has {
				if format == "svg" && strings.Contains(b.String(), text) != want {
					t.Errorf("gone at %s: %q in the picture is not %t", c.gone, text, want)
				}
			}
		}
		pic, err := sceneOf(s, "title", "subtitle", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		within(t, "gone at "+c.gone, pic)
		p := LayOut(s)
		if p.Until > 60 {
			t.Errorf("gone at %s: the page shows times until %d", c.gone, p.Until)
		}
		for _, away := range p.Slaves[1].Away {
			if away[1] != p.Until+1 || away[0] > away[1] {
				t.Errorf("gone at %s: away %v of %d on the page", c.gone, away, p.Until)
			}
		}
		text, fits := NewText(s, table.Page{Width: 80})
		if !fits {
			t.Fatal("there is no chart")
		}
		var b strings.Builder
		text.Write(&b, false)
		if c.gone != "500" != strings.Contains(b.String(), "××") || !strings.Contains(b.String(), "graph (no tasks)") {
			t.Errorf("gone at %s:\n%s", c.gone, &b)
		}
	}
	if rows := leftOut(t, "28", true).JobRows(); len(rows) != 4 || len(rows[2]) != 3 {
		t.Errorf("the instance that is left out shares a line: %v", rows)
	}
}

// Names of all kinds are drawn in every format, within the picture, and leave files well formed.
func TestPicturesOfStrangeNames(t *testing.T) {
	js := exampleNight(t)
	names := []string{"🚀 launch", "עבודה-2", "e\u0301te\u0301", "a\tb\x1b[2Jc\u202e", strings.Repeat("long ", 32), "作业", "𝒳", "&<>\"'", "\u0301", " "}
	for i, name := range names {
		js.Jobs[i].Name = name
		js.Slaves[i%len(js.Slaves)].Name = name
		js.Name = name
		s := summary.Summarize(js, reporttest.ListPlan(t, js))
		for _, format := range PictureFormats() {
			if format != "svg" && i >= testkit.Sets(3, len(names)) {
				continue
			}
			var b bytes.Buffer
			d := Drawing{Summary: s, Headline: "optimal"}
			if err := d.Write(&b, Picture{Format: format}); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if format == "svg" {
				reporttest.CheckXML(t, b.Bytes())
			}
		}
		pic, err := sceneOf(s, table.Printable(name), "subtitle", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		within(t, name, pic)
	}
}
