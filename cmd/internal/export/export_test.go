package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// played is what FIFO makes of a random set: every third with early ends and lost attempts,
// every second with a clock.
func played(t *testing.T, seed uint64) (*model.JobSet, *summary.Summary) {
	t.Helper()
	js := gen.Small(seed, 20)
	if seed%5 == 0 {
		js = gen.TodayTiny(seed)
	}
	if seed%2 == 0 {
		js.TimeUnit, js.Origin = []time.Duration{time.Minute, 1500 * time.Microsecond, 250}[seed%3], time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)
	}
	opt := online.Options{Seed: seed}
	if seed%3 == 0 {
		opt.Durations, opt.Faults = durations.Uniform{Lo: 0.3, Hi: 1}, &online.Faults{MTBF: 25, MTTR: 5}
	}
	out, err := online.Run(t.Context(), js, basic.FIFO(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return js, summary.SummarizePlan(js, out.Plan())
}

// traceFile is what Chrome writes, read without its types.
type traceFile struct {
	DisplayTimeUnit string            `json:"displayTimeUnit"`
	OtherData       map[string]string `json:"otherData"`
	TraceEvents     []struct {
		Ph   string         `json:"ph"`
		Name *string        `json:"name"`
		Cat  string         `json:"cat"`
		S    string         `json:"s"`
		Pid  *int           `json:"pid"`
		Tid  int            `json:"tid"`
		Ts   *json.Number   `json:"ts"`
		Dur  *json.Number   `json:"dur"`
		Args map[string]any `json:"args"`
	} `json:"traceEvents"`
}

// nanos reads microseconds with up to three places.
func nanos(t *testing.T, n *json.Number) int64 {
	t.Helper()
	whole, rest, _ := strings.Cut(n.String(), ".")
	v, err := strconv.ParseInt(whole+(rest + "000")[:3], 10, 64)
	if err != nil || len(rest) > 3 {
		t.Fatalf("time %s", n)
	}
	return v
}

// TestChrome: traces have what Perfetto's loader demands (events in the order of time,
// slices that nest in each thread, numbers of threads that are no one else's), and their
// figures are those of the plan.
func TestChrome(t *testing.T) {
	lost, named, clocked := 0, 0, 0
	for seed := range testkit.Sets[uint64](60, 1000) {
		js, s := played(t, seed)
		var b bytes.Buffer
		if err := Chrome(&b, s); err != nil {
			t.Fatal(err)
		}
		var f traceFile
		if err := json.Unmarshal(b.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		unit := int64(time.Millisecond)
		if js.TimeUnit > 0 {
			unit = int64(js.TimeUnit)
			clocked++
		}
		checkTrace(t, seed, js, s, &f, unit)
		if len(js.Named) > 0 {
			named++
		}
		for i := range s.Attempts {
			if s.Attempts[i].Lost {
				lost++
			}
		}
	}
	if lost < 5 || named < 3 || clocked < 10 {
		t.Errorf("%d lost attempts, %d sets with resources, %d with clocks: too few to tell", lost, named, clocked)
	}
}

func checkTrace(t *testing.T, seed uint64, js *model.JobSet, s *summary.Summary, f *traceFile, unit int64) {
	t.Helper()
	if f.DisplayTimeUnit != "ms" || f.OtherData["digest"] != js.Digest() {
		t.Fatalf("seed %d: head %q %v", seed, f.DisplayTimeUnit, f.OtherData)
	}
	processes, threads := map[int]string{}, map[int]int{}
	open := map[int][]int64{} // by thread, when the slices that hold what comes next end
	type figures struct{ run, held, fetch int64 }
	sums := make([]figures, len(js.Slaves))
	inUse, since, area, most := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	last, deadlines, begun := int64(0), 0, false
	for i, e := range f.TraceEvents {
		if e.Name == nil || e.Pid == nil {
			t.Fatalf("seed %d: event %d has no name or no process", seed, i)
		}
		if e.Ph == "M" {
			if begun {
				t.Fatalf("seed %d: event %d names something that others came before", seed, i)
			}
			switch *e.Name {
			case "process_name":
				processes[*e.Pid] = e.Args["name"].(string)
			case "thread_name":
				if _, twice := threads[e.Tid]; twice || processes[*e.Pid] == "" {
					t.Fatalf("seed %d: thread %d is one of two, or of no process", seed, e.Tid)
				}
				threads[e.Tid] = *e.Pid
			case "process_sort_index", "thread_sort_index":
			default:
				t.Fatalf("seed %d: metadata %q", seed, *e.Name)
			}
			continue
		}
		begun = true
		at := nanos(t, e.Ts)
		if at < last || processes[*e.Pid] == "" {
			t.Fatalf("seed %d: event %d at %d, after one at %d", seed, i, at, last)
		}
		last = at
		slave := *e.Pid - 2
		switch e.Ph {
		case "X":
			end := at + nanos(t, e.Dur)
			stack := open[e.Tid]
			for len(stack) > 0 && stack[len(stack)-1] <= at {
				stack = stack[:len(stack)-1]
			}
			if len(stack) > 0 && end > stack[len(stack)-1] || threads[e.Tid] != *e.Pid || end <= at {
				t.Fatalf("seed %d: event %d [%d, %d) does not nest in thread %d", seed, i, at, end, e.Tid)
			}
			open[e.Tid] = append(stack, end)
			switch length := (end - at) / unit; e.Cat {
			case "task", "lost":
				sums[slave].held += length
				for _, field := range []string{"job", "stage", "task", "assigned", "start", "finish"} {
					if e.Args[field] == nil {
						t.Fatalf("seed %d: a slice without %s", seed, field)
					}
				}
			case "run":
				sums[slave].run += length
			case "fetch":
				sums[slave].fetch += length
			case "job", "away":
			default:
				t.Fatalf("seed %d: category %q", seed, e.Cat)
			}
		case "C":
			for unit, v := range e.Args { // one
				key := fmt.Sprint(slave, " ", *e.Name, " ", unit)
				area[key] += inUse[key] * (at - since[key])
				inUse[key], since[key] = int64(v.(float64)), at
				most[key] = max(most[key], inUse[key])
				if inUse[key] < 0 {
					t.Fatalf("seed %d: %s is %d", seed, key, inUse[key])
				}
			}
		case "i":
			if e.S != "t" || e.Cat != "deadline" || threads[e.Tid] != 1 {
				t.Fatalf("seed %d: instant %+v", seed, e)
			}
			deadlines++
		default:
			t.Fatalf("seed %d: phase %q", seed, e.Ph)
		}
	}
	due := 0
	for i := range js.Jobs {
		if js.Jobs[i].Kind != model.BestEffort {
			due++
		}
	}
	if deadlines != due || len(processes) != len(js.Slaves)+1 {
		t.Errorf("seed %d: %d deadlines of %d, %d processes", seed, deadlines, due, len(processes))
	}
	for i := range js.Slaves {
		line, slave := &s.Slaves[i], &js.Slaves[i]
		key := func(name string) string { return fmt.Sprint(i, " ", name, " in use") }
		if sums[i].held != int64(line.Held) || sums[i].fetch != int64(line.Fetch) {
			t.Errorf("seed %d: %s holds %d and fetches %d, not %d and %d", seed, slave.Name, sums[i].held, sums[i].fetch, line.Held, line.Fetch)
		}
		cores, slots := area[key("cores")]/unit, area[key("slots")]/unit
		if cores != int64(line.Run) || slots != int64(line.Held) || most[key("cores")] > int64(slave.Cores) || most[key("slots")] > int64(slave.TotalSlots()) {
			t.Errorf("seed %d: %s uses %d core-ticks and %d slot-ticks, not %d and %d", seed, slave.Name, cores, slots, line.Run, line.Held)
		}
		for k, name := range js.Named {
			if got := area[key(name)] / unit; got != line.Units[k] || most[key(name)] > slave.Offers(k) {
				t.Errorf("seed %d: %s uses %d of %s, not %d", seed, slave.Name, got, name, line.Units[k])
			}
		}
		for of, left := range inUse {
			if left != 0 {
				t.Errorf("seed %d: %s is %d in the end", seed, of, left)
			}
		}
	}
}

// TestTable: each attempt has its line, with the figures of the plan.
func TestTable(t *testing.T) {
	for seed := range testkit.Sets[uint64](30, 300) {
		js, s := played(t, seed)
		var b bytes.Buffer
		if err := Table(&b, s); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != len(s.Attempts)+1 {
			t.Fatalf("seed %d: %d rows for %d attempts, %v", seed, len(rows), len(s.Attempts), err)
		}
		column := map[string]int{}
		for i, name := range rows[0] {
			column[name] = i
		}
		for i, row := range rows[1:] {
			a := &s.Attempts[i]
			job := &js.Jobs[js.Tasks[a.Task].Job]
			want := map[string]string{
				"slave": js.Slaves[a.Slave].Name, "assigned": fmt.Sprint(a.Assigned), "fetch_start": fmt.Sprint(a.Fetch), "fetch_end": fmt.Sprint(a.Fetched),
				"start": fmt.Sprint(a.Start), "end": fmt.Sprint(a.Finish), "release": fmt.Sprint(job.Release), "hard": fmt.Sprint(job.Kind == model.Hard),
				"due": "", "outcome": "done", "weight": fmt.Sprint(job.Weight),
			}
			if job.Kind != model.BestEffort {
				want["due"] = fmt.Sprint(job.Due())
			}
			if a.Lost {
				want["outcome"] = "lost"
			}
			if !js.Origin.IsZero() {
				want["start_clock"] = s.Clock.Stamp(a.Start)
			}
			for name, text := range want {
				if row[column[name]] != text {
					t.Fatalf("seed %d, line %d: %s is %q, not %q", seed, i+2, name, row[column[name]], text)
				}
			}
			if name := strings.Join(row[:2], "/") + "/" + row[2]; name != js.TaskName(a.Task) {
				t.Errorf("seed %d, line %d: task %s", seed, i+2, name)
			}
		}
		if _, has := column["start_clock"]; has == js.Origin.IsZero() {
			t.Errorf("seed %d: clock times %t", seed, has)
		}
	}
}

// mermaidLine is a bar or a milestone.
var mermaidLine = regexp.MustCompile(`^    ([^:;#]*\S) :((?:crit, |milestone, )*)([0-9T:.-]+), ([0-9T:.-]+|0d)$`)

// TestMermaid: charts have a bar for each attempt, as long as it is, and one milestone for
// each deadline.
func TestMermaid(t *testing.T) {
	for seed := range testkit.Sets[uint64](30, 300) {
		js, s := played(t, seed)
		if seed%3 == 1 {
			js.Jobs[0].Name = "a:b;c #1 {\"<title> %% x"
		}
		var b bytes.Buffer
		if err := Mermaid(&b, s); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if lines[0] != "gantt" || !strings.HasPrefix(lines[1], "    %% made by downbeat ") || !strings.HasPrefix(lines[3], "    dateFormat ") {
			t.Fatalf("seed %d: %q", seed, lines[:4])
		}
		sections, bars, milestones, late := 0, 0, 0, 0
		length := time.Duration(0)
		for _, line := range lines[6:] {
			if strings.HasPrefix(line, "    section ") {
				sections++
				continue
			}
			m := mermaidLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("seed %d: %q", seed, line)
			}
			if strings.Contains(m[2], "milestone") {
				milestones++
				if strings.Contains(m[2], "crit") {
					late++
				}
				continue
			}
			bars++
			length += stamp(t, m[4]) - stamp(t, m[3])
		}
		due, lateJobs := 0, len(s.LateJobs())
		for i := range js.Jobs {
			if js.Jobs[i].Kind != model.BestEffort {
				due++
			}
		}
		held := model.Time(0)
		for i := range s.Slaves {
			held += s.Slaves[i].Held
		}
		want, exact := time.Duration(held)*time.Millisecond, js.TimeUnit%time.Millisecond == 0
		if js.TimeUnit > 0 {
			want = time.Duration(held) * js.TimeUnit
		}
		if sections != len(js.Jobs) || bars != len(s.Attempts) || milestones != due || late != lateJobs || exact && length != want {
			t.Errorf("seed %d: %d sections, %d bars in all %v of %v, %d milestones of %d, %d late of %d", seed, sections, bars, length, want, milestones, due, late, lateJobs)
		}
	}
}

// stamp is a time of a chart, milliseconds where it has no clock.
func stamp(t *testing.T, text string) time.Duration {
	t.Helper()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(n) * time.Millisecond
	}
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Sub(time.Unix(0, 0))
}

// Bars are as fine as there is room for.
func TestMermaidBars(t *testing.T) {
	for _, c := range []struct {
		tasks, fewest, most int
		named               string
	}{{150, 150, 150, "map/1 on "}, {600, 2, MaxBars, "/all :"}} {
		js := gen.Scale(c.tasks, 1)
		out, err := online.Run(t.Context(), js, basic.FIFO(), online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := summary.SummarizePlan(js, out.Plan())
		var b bytes.Buffer
		if err := Mermaid(&b, s); err != nil {
			t.Fatal(err)
		}
		bars := strings.Count(b.String(), " :") - strings.Count(b.String(), "milestone")
		if bars < c.fewest || bars > c.most || !strings.Contains(b.String(), c.named) {
			t.Errorf("%d tasks: %d bars\n%s", c.tasks, bars, b.String()[:400])
		}
	}
	var many *TooManyBars
	s := &summary.Summary{Jobs: make([]summary.JobLine, MaxBars+1)}
	if err := Mermaid(nil, s); fmt.Sprintf("%T", err) != fmt.Sprintf("%T", many) {
		t.Errorf("%v", err)
	}
}

// TestYarn: bodies have the fields of those that Hadoop's own tests submit, ask for every
// task once, and their stages fit between arrival and deadline.
func TestYarn(t *testing.T) {
	ordered := 0
	for seed := range testkit.Sets[uint64](60, 600) {
		js, s := played(t, seed)
		all := make([]model.JobID, len(js.Jobs))
		for i := range all {
			all[i] = model.JobID(i)
		}
		r := &Reservation{Queue: "dedicated", Memory: 512}
		when, err := ClockOf(s, time.Time{})
		if js.TimeUnit == 0 {
			if err != ErrNoClock {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Yarn(&b, when, all); err != nil {
			t.Fatal(err)
		}
		var list []submission
		if err := json.Unmarshal(b.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		tasks, i := 0, -1
		for _, sub := range list {
			d := &sub.Definition
			for i++; js.Jobs[i].Name != d.Name; i++ {
			}
			length := int64(0)
			for _, ask := range d.Requests.Requests {
				tasks += ask.Containers
				length += ask.Duration
				if ask.MinConcurrency != 1 || ask.Capability.VCores < 1 || ask.Capability.Memory < 512 || ask.Duration < 1 {
					t.Errorf("seed %d: %+v", seed, ask)
				}
			}
			if d.Requests.Interpreter == rOrder {
				ordered++
				if d.Arrival+length > d.Deadline+int64(len(d.Requests.Requests)) { // lengths are rounded up
					t.Errorf("seed %d: %s takes %d from %d, until %d", seed, d.Name, length, d.Arrival, d.Deadline)
				}
			}
		}
		done := 0
		for k := range s.Attempts {
			if !s.Attempts[k].Lost {
				done++
			}
		}
		if tasks != done || len(list) != len(js.Jobs) {
			t.Errorf("seed %d: %d containers for %d tasks, %d jobs", seed, tasks, done, len(list))
		}
	}
	if ordered < 20 {
		t.Errorf("only %d jobs in sequence", ordered)
	}
}

// TestYarnFields: the names are those of a body that Hadoop's documentation has.
func TestYarnFields(t *testing.T) {
	sample, err := os.ReadFile(filepath.Join("../../../../shared/data/yarn-reservation/submit-reservation.doc-sample.json"))
	if err != nil {
		t.Skip("no sample of a submission here:", err)
	}
	var want, got any
	if err := json.Unmarshal(sample, &want); err != nil {
		t.Fatal(err)
	}
	_, s := played(t, 2)
	var b bytes.Buffer
	when, err := ClockOf(s, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reservation{Queue: "q"}).Yarn(&b, when, []model.JobID{0}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shape(want), shape(got.([]any)[0])); diff != "" {
		t.Errorf("other fields (-Hadoop +ours):\n%s", strings.ReplaceAll(diff, "priority", ""))
	}
}

// shape is a value with words for what is no object; priority may be left out.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			if k != "priority" {
				out[k] = shape(inner)
			}
		}
		return out
	case []any:
		return shape(v[0])
	default:
		return fmt.Sprintf("%T", v)
	}
}

// Over a change of clocks charts have what clocks show, no bar ends before it begins, and a
// remark tells of the change.
func TestMermaidOverChangesOfClocks(t *testing.T) {
	for origin, want := range map[string][]string{
		"2026-10-24T20:00:00+02:00": {
			"%% on 2026-10-25 clocks are put back from 03:00 to 02:00: ",
			"long :2026-10-24T23:00:00, 2026-10-25T04:00:00", "deadline :milestone, 2026-10-25T05:00:00, 0d",
			"twice :2026-10-25T02:50:00, 2026-10-25T03:10:00", "after :2026-10-25T03:00:00, 2026-10-25T03:20:00",
		},
		"2026-03-28T20:00:00+01:00": {
			"%% on 2026-03-29 clocks are put forward from 02:00 to 03:00: ",
			"long :2026-03-28T23:00:00, 2026-03-29T06:00:00", "deadline :milestone, 2026-03-29T07:00:00, 0d",
			"twice :2026-03-29T03:50:00, 2026-03-29T04:10:00", "after :2026-03-29T05:00:00, 2026-03-29T05:20:00",
		},
		"2026-10-26T20:00:00+01:00": {"long :2026-10-26T23:00:00, 2026-10-27T05:00:00", "after :2026-10-27T04:00:00, 2026-10-27T04:20:00"},
	} {
		js, err := jobfile.Load("dst.yaml", []byte("version: 1\ntime_unit: 1m\nzone: Europe/Berlin\norigin: "+origin+`
cluster: {heartbeat: 1, slaves: [{name: a, cores: 4}]}
jobs:
  - {name: long, release: 180, deadline: 420, hard: true, map: {tasks: 1, wcet: 360}}
  - {name: twice, release: 410, map: {tasks: 1, wcet: 20}}
  - {name: after, release: 480, map: {tasks: 1, wcet: 20}}
`))
		if err != nil {
			t.Fatal(err)
		}
		var plan model.Schedule
		for i := range js.Jobs {
			at := js.Jobs[i].Release
			plan = append(plan, model.Placement{Slave: 0, Beat: at, Fetch: at, Start: at})
		}
		var b bytes.Buffer
		if err := Mermaid(&b, summary.Summarize(js, plan)); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(b.String(), "\n    map/1 on a :", "\n    ")
		for _, line := range want {
			if name, times, bar := strings.Cut(line, " :"); bar && name != "deadline" {
				line = "section " + name + "\n    " + times
			}
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", origin, line, got)
			}
		}
		if told := strings.Contains(got, "clocks are put"); told != (len(want) > 2) {
			t.Errorf("%s: told of a change: %t", origin, told)
		}
	}
}
