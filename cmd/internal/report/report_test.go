package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/chart"
	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/jobfile"
	"downbeat/model/planfile"
	"downbeat/model/proof"
	"downbeat/model/verify"
	"downbeat/solve"
	"downbeat/solve/remedy"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// nightly has both kinds of slots, an absence, a wait, a late job and a job
// without a deadline; its clock passes midnight.
const nightly = `version: 1
name: nightly <1>
time_unit: 1s
origin: 2026-11-21T23:59:40Z
cluster:
  heartbeat: 3
  slaves:
    - {name: fast, cores: 2, slots: 3}
    - {name: slow, map_slots: 1, reduce_slots: 1, first_heartbeat: 1, down: [[18, 24]]}
jobs:
  - name: etl
    deadline: 30
    hard: true
    map: {tasks: 2, wcet: {fast: 5, slow: 9}, transfer: 2}
    reduce: {tasks: 1, wcet: 6, transfer: 1}
  - {name: "report & \"mail\"", release: 2, deadline: 15, weight: 2, map: {tasks: 2, wcet: 7, transfer: 1}}
  - {name: sweep, map: {tasks: 1, wcet: 10}}
`

// nightlyPlan places its tasks by hand.
var nightlyPlan = model.Schedule{
	{Slave: 0, Beat: 0, Fetch: 0, Start: 2},
	{Slave: 1, Beat: 0, Fetch: 1, Start: 3},
	{Slave: 0, Beat: 4, Fetch: 12, Start: 14},
	{Slave: 0, Beat: 1, Fetch: 3, Start: 7},
	{Slave: 0, Beat: 2, Fetch: 6, Start: 14},
	{Slave: 1, Beat: 8, Fetch: 25, Start: 25},
}

func loadNightly(t *testing.T) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("nightly", []byte(nightly))
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Schedule(js, nightlyPlan, false).Err(); err != nil {
		t.Fatal(err)
	}
	return js
}

func nightlyResult() *solve.Result {
	bound := int64(1)
	return &solve.Result{
		Status: model.Feasible, Schedule: nightlyPlan, Seed: 1, Elapsed: 1234 * time.Millisecond,
		Objectives: []model.ObjectiveValue{{Name: "misses", Value: 2, Bound: &bound}, {Name: "makespan", Value: 35}},
	}
}

// golden compares with a file in testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func TestGoldenReports(t *testing.T) {
	js, res := loadNightly(t), nightlyResult()
	for name, print := range map[string]func(io.Writer) error{
		"plan.txt":   printText(js, res, Page{Width: 100}),
		"plan.ansi":  printText(js, res, Page{Width: 100, Color: true}),
		"plan.json":  func(w io.Writer) error { return NewJSON(w).Plan(js, res) },
		"plan.svg":   func(w io.Writer) error { return Draw(w, Picture{Format: "svg"}, js, res) },
		"plan.html":  func(w io.Writer) error { return drawPage(w, js, res) },
		"narrow.txt": printText(js, res, Page{Width: 45, Fit: true}),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
	}
}

// drawPage draws a page without what is the same in all: style and script.
func drawPage(w io.Writer, js *model.JobSet, res *solve.Result) error {
	var b bytes.Buffer
	if err := Draw(&b, Picture{Format: "html"}, js, res); err != nil {
		return err
	}
	_, err := w.Write(regexp.MustCompile(`(?s)<style>\n:root.*?</style>\n|<script>.*?</script>\n`).ReplaceAll(b.Bytes(), nil))
	return err
}

// printText prints a plan on a page.
func printText(js *model.JobSet, res *solve.Result, page Page) func(io.Writer) error {
	return func(w io.Writer) error { return NewText(w, page).Plan(js, res) }
}

// What a plan is worth is told in the same words for every kind of answer.
func TestHeadline(t *testing.T) {
	one, two := int64(1), int64(2)
	misses := func(bound *int64) []model.ObjectiveValue {
		return []model.ObjectiveValue{{Name: "misses", Value: 2, Bound: bound}}
	}
	conflict := &solve.Conflict{Proof: model.EnergyProof}
	for want, res := range map[string]*solve.Result{
		unknownLine: {},
		"optimal (misses 2 = bound 2, proved by SAT)":                                        {Status: model.Optimal, Objectives: misses(&two), Proof: model.SATProof},
		"feasible (misses 2 > bound 1)":                                                      {Status: model.Feasible, Objectives: misses(&one), Proof: model.SATProof},
		"feasible (misses 2)":                                                                {Status: model.Feasible, Objectives: misses(nil)},
		"feasible (every hard deadline is met)":                                              {Status: model.Feasible},
		"infeasible (proved by energy)":                                                      {Status: model.Infeasible, Conflict: conflict},
		"infeasible (proved by energy); relaxed (misses 2 > bound 1)":                        {Status: model.Infeasible, Conflict: conflict, Relaxed: true, Objectives: misses(&one)},
		"relaxed (no plan meets every hard deadline as far as is known; misses 2 > bound 1)": {Relaxed: true, Objectives: misses(&one)},
	} {
		if got := Headline(res); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	s := Summarize(loadNightly(t), nightlyPlan)
	if s.End != 35 {
		t.Errorf("End = %d", s.End)
	}
	wantJobs := []JobLine{
		{ID: 0, First: 0, Finish: 20, Uses: []Use{{0, 2}, {1, 1}}},
		{ID: 1, First: 3, Finish: 21, Late: 4, Uses: []Use{{0, 2}}},
		{ID: 2, First: 25, Finish: 35, Uses: []Use{{1, 1}}},
	}
	if diff := cmp.Diff(wantJobs, s.Jobs); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	wantSlaves := []SlaveLine{
		{ID: 0, Tasks: 4, Run: 5 + 6 + 7 + 7, Held: 7 + 8 + 11 + 15, Fetch: 2 + 1 + 1 + 1, Up: 35, Lanes: [2]int{3, 0}},
		{ID: 1, Tasks: 2, Run: 9 + 10, Held: 11 + 10, Fetch: 2, Up: 35 - 6, Lanes: [2]int{1, 1}},
	}
	if diff := cmp.Diff(wantSlaves, s.Slaves); diff != "" {
		t.Errorf("slaves (-want +got):\n%s", diff)
	}
}

// In every valid plan the attempts of a lane follow each other, and a pool
// needs no more lanes than it has slots.
func TestLanesAreSlots(t *testing.T) {
	for seed := range uint64(200) {
		js := gen.Small(seed, 20)
		s := Summarize(js, heuristics.Complete(js, model.NewSchedule(len(js.Tasks))))
		type lane struct {
			slave model.SlaveID
			lane  int
		}
		until := map[lane]model.Time{}
		for _, a := range s.Attempts {
			l := lane{a.Slave, a.Lane}
			if a.Assigned < until[l] {
				t.Errorf("seed %d: %s is assigned at %d to lane %v, taken until %d", seed, js.TaskName(a.Task), a.Assigned, l, until[l])
			}
			until[l] = a.Finish
			slave, row := &js.Slaves[a.Slave], &s.Slaves[a.Slave]
			from, to := 0, row.Lanes[0]
			if slave.Pool(js.Tasks[a.Task].Slot) == 1 {
				from, to = row.Lanes[0], row.LaneCount()
			}
			if a.Lane < from || a.Lane >= to || to-from > slave.PoolSize(slave.Pool(js.Tasks[a.Task].Slot)) {
				t.Errorf("seed %d: %s lies in lane %d of [%d, %d)", seed, js.TaskName(a.Task), a.Lane, from, to)
			}
		}
	}
}

// Pictures of random plans are well formed, alike when drawn twice, and keep
// their marks within their edges.
func TestPictures(t *testing.T) {
	for seed := range uint64(20) {
		js := gen.Small(seed, 15)
		res := &solve.Result{Status: model.Feasible, Schedule: heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))}
		var svg, again bytes.Buffer
		for _, b := range []*bytes.Buffer{&svg, &again} {
			if err := Draw(b, Picture{Format: "svg"}, js, res); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if !bytes.Equal(svg.Bytes(), again.Bytes()) {
			t.Errorf("seed %d: drawn twice, two pictures", seed)
		}
		checkXML(t, svg.Bytes())
		scene, err := newScene(Summarize(js, res.Schedule), "title", "subtitle", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range scene.groups {
			for _, sh := range g.shapes {
				if r, ok := sh.(rect); ok && (r.x < 0 || r.y < 0 || r.x+r.w > scene.width+0.01 || r.y+r.h > scene.height+0.01) {
					t.Errorf("seed %d: %s: %+v leaves the picture of %v × %v", seed, g.title, r, scene.width, scene.height)
				}
			}
		}
	}
}

// checkXML reads to the end and refuses an attribute given twice, which the
// decoder lets pass.
func checkXML(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			seen := map[xml.Name]bool{}
			for _, a := range start.Attr {
				if seen[a.Name] {
					t.Errorf("<%s> has %s twice", start.Name.Local, a.Name.Local)
				}
				seen[a.Name] = true
			}
		}
	}
}

// The bitmap has the picture's size, twice over, and the jobs' colours in it.
func TestPNG(t *testing.T) {
	js, res := loadNightly(t), nightlyResult()
	var b bytes.Buffer
	if err := Draw(&b, Picture{Format: "png"}, js, res); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	scene, err := newScene(Summarize(js, res.Schedule), "nightly", "", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != int(2*scene.width) || got.Y != int(2*scene.height) {
		t.Errorf("%v pixels for a picture of %v × %v", got, scene.width, scene.height)
	}
	pixels := map[string]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			pixels[fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)]++
		}
	}
	for i := range js.Jobs {
		if c := hex(jobColor(i)); pixels[c] < 1000 {
			t.Errorf("job %d: %d pixels of %s", i, pixels[c], c)
		}
	}
	if c := hex(tones[toneLate].light); pixels[c] < 200 {
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
		return Draw(&picture, Picture{Format: "svg"}, js, &solve.Result{Status: model.Feasible, Schedule: plan})
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
	if err := Draw(&picture, Picture{Format: "svg"}, js, &solve.Result{Status: model.Feasible, Schedule: plan}); err != nil {
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
	g, fits := newTextGantt(Summarize(js, plan), Page{Width: 39})
	if !fits {
		t.Fatal("does not fit")
	}
	var b strings.Builder
	g.write(&b, false)
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

// The JSON of an answer without a plan is one object, and a plan file to read.
func TestJSONWithoutPlan(t *testing.T) {
	js := loadNightly(t)
	for name, res := range map[string]*solve.Result{
		"unknown": {Notes: []string{"a \"note\""}},
		"conflict": {Status: model.Infeasible, Conflict: &solve.Conflict{
			Jobs: []model.JobID{0}, Irreducible: true, Proof: model.EnergyProof,
			Overloads: []proof.Overload{{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 40, Have: 30}},
		}, Remedies: &solve.Remedies{Single: laterDeadlines(js, 50, 40)}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := NewJSON(&b).Plan(js, res); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", b.Bytes())
			var object map[string]any
			if err := json.Unmarshal(b.Bytes(), &object); err != nil {
				t.Error(err)
			}
			plan, err := planfile.Read("plan.json", b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(res.Status.String(), plan.Status); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A real plan as JSON comes back as the plan that it is.
func TestJSONPlanComesBack(t *testing.T) {
	js := loadNightly(t)
	res, err := solve.Plan(context.Background(), js, solve.Options{Workers: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := NewJSON(&b).Plan(js, res); err != nil {
		t.Fatal(err)
	}
	plan, err := planfile.Read("plan.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Stamped(PlanFile(js, res)), plan); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := verify.Plan(js, plan).Err(); err != nil {
		t.Error(err)
	}
}

func TestPrintable(t *testing.T) {
	if got := Printable("a\x1b[2Jb\nc\u202e"); got != "a\ufffd[2Jb\ufffdc\ufffd" {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "作业": 4} {
		if got := displayWidth(text); got != want {
			t.Errorf("displayWidth(%q) = %d, want %d", text, got, want)
		}
	}
	for _, test := range []struct {
		text string
		n    int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"作业作业", 6, "作业…"}} {
		if got := truncate(test.text, test.n); got != test.want {
			t.Errorf("truncate(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func TestJobColorsDiffer(t *testing.T) {
	var seen []string
	for i := range 3 * len(jobColors) {
		c := hex(jobColor(i))
		if slices.Contains(seen, c) {
			t.Errorf("color %d, %s, comes twice", i, c)
		}
		seen = append(seen, c)
	}
}

// A name that turns the reading direction around shows as what it is, and one
// with markup as text, in every picture that is text.
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
	for _, format := range []string{"svg", "html"} {
		var b strings.Builder
		if err := Draw(&b, Picture{Format: format}, js, res); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\u202e", "<b>", "<i>", "<script>\uFFFD"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s holds %q", format, bad)
			}
		}
		if want := "&lt;script&gt;\uFFFDjob/map/1"; !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q", format, want)
		}
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
	res, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, TimeLimit: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Draw(&b, Picture{Format: "svg"}, js, res); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{">pair/1<": false, ">pair<": true, ">solo/1<": true, ">long/map/1<": true} {
		if got := strings.Contains(b.String(), text); got != want {
			t.Errorf("bar %s: %t, want %t", text, got, want)
		}
	}
}

// laterDeadlines are remedies for job 0, the last of them the least.
func laterDeadlines(js *model.JobSet, deadlines ...model.Time) []remedy.Remedy {
	var out []remedy.Remedy
	for k, d := range deadlines {
		out = append(out, remedy.Remedy{
			Changes: []model.Change{{Kind: model.ChangeDeadline, Name: js.Jobs[0].Name, At: d}}, Least: []bool{k > 0 && k == len(deadlines)-1},
		})
	}
	return out
}

// A PDF has all of its text, and the same picture is the same file; letters that its font
// lacks, and that of a PNG, are told.
func TestPDF(t *testing.T) {
	js, res := loadNightly(t), nightlyResult()
	draw := func() []byte {
		var b bytes.Buffer
		if err := Draw(&b, Picture{Format: "pdf"}, js, res); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	once := draw()
	if !bytes.HasPrefix(once, []byte("%PDF-")) || !bytes.Contains(once, []byte("%%EOF")) {
		t.Errorf("no PDF: %.40q", once)
	}
	if !bytes.Contains(once, []byte("(D:20000101000000)")) || !bytes.Equal(once, draw()) {
		t.Error("the same picture is another file")
	}
	if text := Unpainted(js, "pdf"); text != "" {
		t.Error(text)
	}
	strange := *js
	strange.Name = "夜間 é Ж"
	for format, want := range map[string]string{"pdf": "3 letters of names (夜間Ж)", "png": "2 letters of names (夜間)", "svg": "", "html": ""} {
		if text := Unpainted(&strange, format); !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: %q", format, text)
		}
	}
}

// On a terminal no line of an answer is wider than the screen, but for the words of sentences,
// which terminals break between.
func TestTablesFit(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		columns := 1 + rng.IntN(8)
		tab := table{align: strings.Repeat("<", columns)}
		word := func() string { return strings.Repeat("x", rng.IntN(20)) + "é"[:2*rng.IntN(2)] }
		for range 1 + rng.IntN(5) {
			row := make([]any, columns)
			for i := range row {
				row[i] = word()
			}
			tab.add(row...)
		}
		if rng.IntN(2) == 0 {
			for i := range tab.rows[0] {
				tab.rows[0][i].style = faint
			}
		}
		words := 0
		if tab.wrap = rng.IntN(2) == 0; tab.wrap {
			for i := range tab.rows {
				last := &tab.rows[i][columns-1]
				for range min(i, 1) * rng.IntN(9) {
					last.text += " " + word()
				}
				words += strings.Count(last.text, "x")
			}
		}
		var b bytes.Buffer
		width := 40 + rng.IntN(60)
		tab.write(&b, Page{Width: width, Fit: true})
		if got := strings.Count(b.String(), "x"); columns == 1 && got < words {
			t.Errorf("seed %d: %d letters of %d are left:\n%s", seed, got, words, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("seed %d: %d columns on a page of %d:\n%s", seed, n, width, &b)
			}
		}
	}
}
