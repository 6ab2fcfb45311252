package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/event"
	"downbeat/solve/portfolio"
)

// events are those of a solve, one of each kind at least.
func events(t testing.TB) []event.Event {
	t.Helper()
	js, _, err := gen.Family("misses-30", 3)
	if err != nil {
		t.Fatal(err)
	}
	var all []event.Event
	_, err = solve.Plan(t.Context(), js, solve.Options{Seed: 1, Budget: 900, Events: func(e event.Event) { all = append(all, e) }})
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range event.Kinds() {
		if !slices.ContainsFunc(all, func(e event.Event) bool { return e.Kind == event.Kind(k) }) {
			t.Fatalf("no event of kind %s", name)
		}
	}
	return all
}

// TestJSON: what is written is valid under the schema, whose words are those of the program,
// and comes back as it was.
func TestJSON(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	var b bytes.Buffer
	log := New(&b, "json")
	var sent []Line
	for _, e := range events(t) {
		log.Take(e)
		sent = append(sent, lineOf(e))
	}
	log.Note("a remark")
	sent = append(sent, Line{Event: "note", Note: "a remark"})
	for line := range strings.Lines(b.String()) {
		if err := schema.Validate(schematest.Value(t, []byte(line))); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
	for _, other := range []string{`{}`, `[]`, `{"event": "dance", "seconds": 1}`, `{"event": "phase", "seconds": 1}`, `{"event": "end", "seconds": 1, "status": "optimal"}`} {
		if schema.Validate(schematest.Value(t, []byte(other))) == nil {
			t.Errorf("%s is valid under the schema", other)
		}
	}
	back, err := Read("log", &b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, back); diff != "" {
		t.Errorf("(-sent +read):\n%s", diff)
	}
	var words struct {
		Properties struct {
			Event, Reason struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(Schema(), &words); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, r := range event.Reasons() {
		reasons = append(reasons, string(r))
	}
	kinds := append(event.Kinds(), "note")
	slices.Sort(kinds)
	slices.Sort(words.Properties.Event.Enum)
	if !slices.Equal(words.Properties.Reason.Enum, reasons) || !slices.Equal(words.Properties.Event.Enum, kinds) {
		t.Errorf("the schema knows %v", words)
	}
}

// textLine is a line for people.
var textLine = regexp.MustCompile(`^ *\d+\.\d{3}s  (start|phase|verdict|plan|bound|strategy|end) +\S.*\n$`)

func TestText(t *testing.T) {
	var b bytes.Buffer
	log := New(&b, "text")
	for _, e := range events(t) {
		log.Take(e)
	}
	for line := range strings.Lines(b.String()) {
		if !textLine.MatchString(line) || strings.Contains(line, "%!") {
			t.Errorf("%q", line)
		}
	}
	b.Reset()
	log.Note("a remark")
	log.Take(event.Event{Kind: event.End, Elapsed: 1500 * time.Millisecond, Ended: &event.Ended{Status: model.Infeasible, Reason: event.Proved, Memory: 2e6}})
	if want := "note: a remark\n   1.500s  end       infeasible (proved); 2 MB\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestCourse(t *testing.T) {
	const log = `noise of another program
{"event":"start","seconds":0,"version":1,"jobset":"old","seed":1,"workers":1}
{"event":"plan","seconds":0.5,"objectives":[{"name":"misses","value":9,"bound":0}]}
{"event":"start","seconds":0,"version":1,"jobset":"n","digest":"sha256:0","jobs":1,"tasks":2,"slaves":3,"goal":["misses"],"seed":1,"workers":1,"budget":7}
{"event":"plan","seconds":1,"objectives":[{"name":"misses","value":4,"bound":0},{"name":"makespan","value":30,"bound":null}]}
{"event":"plan","seconds":1.5,"objectives":[{"name":"misses","value":4,"bound":0},{"name":"makespan","value":30,"bound":null}]}
{"event":"bound","seconds":2,"objectives":[{"name":"misses","value":4,"bound":2},{"name":"makespan","value":30,"bound":null}]}
{"event":"plan","seconds":4,"objectives":[{"name":"misses","value":2,"bound":2},{"name":"makespan","value":31,"bound":10}]}
{"event":"end","seconds":5,"objectives":[{"name":"misses","value":2,"bound":2},{"name":"makespan","value":31,"bound":10}],"status":"feasible","reason":"budget","calls":1,"conflicts":2,"restarts":0,"steps":0,"constructions":3,"memory":4000000}
`
	lines, err := Read("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	c := CourseOf(lines)
	if diff := cmp.Diff([]string{"misses", "makespan"}, c.Names); diff != "" || c.Start.JobSet != "n" || len(c.Points) != 4 {
		t.Errorf("%d points of %s\n%s", len(c.Points), c.Start.JobSet, diff)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `   0.000s  start     n: jobs 1, tasks 2, machines 3; minimising [misses]; seed 1, workers 1, budget 7
   1.000s  plan      misses 4 ≥ 0, makespan 30
   2.000s  bound     misses 4 ≥ 2, makespan 30
   4.000s  plan      misses 2 ≥ 2, makespan 31 ≥ 10
   5.000s  end       feasible (budget); misses 2 ≥ 2, makespan 31 ≥ 10; calls 1, conflicts 2, constructions 3, 4 MB

words: bound, makespan, misses (downbeat help words)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	drawn := c.Chart("misses", false)
	if diff := cmp.Diff([][2][]float64{
		{{1, 2, 2, 4, 4, 5, 5}, {4, 4, 4, 4, 2, 2, 2}}, {{1, 2, 2, 4, 4, 5, 5}, {0, 0, 2, 2, 2, 2, 2}},
	}, [][2][]float64{{drawn.Series[0].X, drawn.Series[0].Y}, {drawn.Series[1].X, drawn.Series[1].Y}}); diff != "" || drawn.Title != "n: misses" {
		t.Errorf("%s\n%s", drawn.Title, diff)
	}
	b.Reset()
	if err := drawn.Draw(&b, "svg"); err != nil || !strings.Contains(b.String(), "<svg") {
		t.Errorf("no picture: %v", err)
	}
	early := &Course{Points: slices.Concat([]Point{{Seconds: 0, Event: "plan", Objectives: c.Points[0].Objectives}}, c.Points)}
	if early := early.Chart("misses", true); !early.LogX || early.Series[0].X[0] != soonest {
		t.Errorf("on a logarithmic axis (%t) what is known at once stands at %g", early.LogX, early.Series[0].X[0])
	} else if err := early.Draw(&b, "svg"); err != nil {
		t.Error(err)
	}
	if n := len(c.Chart("makespan", false).Series); n != 2 {
		t.Errorf("%d series of makespan", n)
	}
}

// What is no log is told with its line.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "log: there is no line of a log in JSON; --log json writes one",
		"0.1s  phase  searching\n":         "log: there is no line of a log in JSON",
		"\n{\"event\": \"plan\",\n":        "log:2: no line of a log: unexpected end of JSON input",
		`{"event": 3}`:                     "log:1: no line of a log: ",
		`{"seconds": 3}`:                   "log:1: no line of a log: it has no event",
		`{"event": "plan", "seconds": -1}`: "log:1: no line of a log: it has no event, or a time before its start",
	} {
		_, err := Read("log", strings.NewReader(text))
		var fault *Fault
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	if _, err := Read("log", strings.NewReader("{"+strings.Repeat(" ", maxLine))); err == nil {
		t.Error("a line without end was read")
	}
	if s := Seconds(1234567 * time.Microsecond); math.Abs(s-1.235) > 1e-9 {
		t.Errorf("%v seconds", s)
	}
}

// FuzzRead: whatever a log has, it is told or drawn, or refused.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	log := New(&b, "json")
	for _, e := range events(f) {
		log.Take(e)
	}
	f.Add(b.String())
	f.Add(`{"event":"end","seconds":1}` + "\n" + `{"event":"strategy","seconds":1}` + "\n" + `{"event":"start","seconds":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := Read("log", strings.NewReader(text))
		if err != nil {
			return
		}
		c := CourseOf(lines)
		if err := c.Write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
		for _, name := range c.Names {
			c.Chart(name, false)
		}
	})
}

// TestSchemaIsOfLine: the schema says what the type of a line says.
func TestSchemaIsOfLine(t *testing.T) {
	var ends []string
	outcomes := []string{"improved"} // of earlier versions
	for _, r := range event.Reasons() {
		ends = append(ends, string(r))
	}
	for o := portfolio.Open; o <= portfolio.Refused; o++ {
		outcomes = append(outcomes, o.String())
	}
	schematest.Types{
		Of: map[string]any{"#": Line{}},
		Words: map[string][]string{
			"#/properties/event": append(event.Kinds(), "note"), "#/properties/reason": ends, "#/properties/outcome": outcomes, "#/properties/status": model.StatusNames(),
		},
	}.Check(t, Schema())
}
