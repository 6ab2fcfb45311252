package planfile

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/clock"
)

// Format is a format of plan files.
type Format uint8

const (
	// JSON holds everything, a task a line.
	JSON Format = iota
	// YAML holds everything, a task a line.
	YAML
	// CSV holds the tasks only, for spreadsheets: a header, then a task a
	// line. Executed plans have a last column outcome: done, lost, or rejected
	// in a line that names only the job; and before it a column duration where tasks
	// have one.
	//
	// Where the plan has an origin, each point in time has its clock time in the
	// column after it.
	CSV
	// ClockedJSON is JSON with the clock time beside each point in time, where the
	// plan has an origin.
	ClockedJSON
)

// FormatOf tells the format of a plan file by the end of its name.
func FormatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return JSON, nil
	case ".yaml", ".yml":
		return YAML, nil
	case ".csv":
		return CSV, nil
	}
	return JSON, fmt.Errorf("%s: a plan's name ends in .json, .yaml, .yml or .csv", path)
}

// Write writes a plan. JSON and YAML come back from [Read] as they are;
// CSV brings back the tasks. The only errors are those of w.
func Write(w io.Writer, p *model.Plan, format Format) error {
	if format == CSV {
		return writeCSV(w, p)
	}
	out := &planWriter{w: bufio.NewWriter(w), yaml: format == YAML}
	if format == ClockedJSON {
		out.clock = clockOf(p)
	}
	out.plan(p)
	return out.w.Flush() // a bufio.Writer keeps its first error
}

// planWriter writes objects in a fixed order of fields, one line for each
// item of a list.
type planWriter struct {
	w     *bufio.Writer
	yaml  bool
	begun bool // a field of the plan has been written
	// item is the object at hand, as far as it has come.
	item []byte
	// clock gives clock times beside times, none where it has no origin.
	clock clock.Clock
}

func clockOf(p *model.Plan) clock.Clock { return clock.Clock{Unit: p.TimeUnit, Origin: p.Origin} }

func (o *planWriter) plan(p *model.Plan) {
	o.open()
	o.field("version", strconv.Itoa(p.Version))
	o.optional("program", p.Program)
	o.optional("kind", p.Kind)
	o.optional("jobset", p.JobSet)
	o.optional("digest", p.Digest)
	if p.TimeUnit != 0 {
		o.optional("time_unit", clock.FormatDuration(p.TimeUnit))
	}
	if !p.Origin.IsZero() {
		o.optional("origin", clock.Stamp(p.Origin))
	}
	o.optional("zone", p.Zone)
	o.optional("status", p.Status)
	if p.Relaxed {
		o.field("relaxed", "true")
	}
	if p.Now != 0 {
		o.field("now", strconv.FormatInt(int64(p.Now), 10))
		o.optional("now"+clockSuffix, o.clock.Stamp(p.Now))
	}
	writeList(o, "objectives", p.Objectives, o.objective)
	writeList(o, "jobs", p.Jobs, o.jobResult)
	writeList(o, "tasks", p.Tasks, o.taskResult)
	if len(p.Changes) > 0 {
		writeList(o, "changes", p.Changes, o.change)
	}
	if len(p.LeftOut) > 0 {
		writeList(o, "left_out", p.LeftOut, o.quote)
	}
	if len(p.Rejected) > 0 {
		writeList(o, "rejected", p.Rejected, o.quote)
	}
	if len(p.Lost) > 0 {
		writeList(o, "lost", p.Lost, o.taskResult)
	}
	if p.Solver != nil {
		o.key("solver")
		o.w.WriteByte(' ')
		o.solver(p.Solver)
		o.flush()
	}
	if p.Certificate != nil {
		o.key("certificate")
		o.w.WriteByte(' ')
		o.certificate(p.Certificate)
		o.flush()
	}
	o.close()
}

func (o *planWriter) open() {
	if !o.yaml {
		o.w.WriteString("{")
	}
}

func (o *planWriter) close() {
	if !o.yaml {
		o.w.WriteString("\n}")
	}
	o.w.WriteString("\n")
}

// key starts a field of the plan.
func (o *planWriter) key(name string) {
	switch {
	case o.yaml && o.begun:
		o.w.WriteString("\n" + name + ":")
	case o.yaml:
		o.w.WriteString(name + ":")
	case o.begun:
		o.w.WriteString(",\n " + strconv.Quote(name) + ":")
	default:
		o.w.WriteString("\n " + strconv.Quote(name) + ":")
	}
	o.begun = true
}

func (o *planWriter) field(name, value string) {
	o.key(name)
	o.w.WriteString(" " + value)
}

// optional writes a text unless it is empty, which claims nothing.
func (o *planWriter) optional(name, value string) {
	if value != "" {
		o.key(name)
		o.w.WriteByte(' ')
		o.quote(value)
		o.flush()
	}
}

// writeList writes items a line each; form adds one to o.item.
func writeList[T any](o *planWriter, name string, items []T, form func(T)) {
	o.key(name)
	if len(items) == 0 {
		o.w.WriteString(" []")
		return
	}
	if !o.yaml {
		o.w.WriteString(" [")
	}
	for i, item := range items {
		switch {
		case o.yaml:
			o.w.WriteString("\n  - ")
		case i > 0:
			o.w.WriteString(",\n  ")
		default:
			o.w.WriteString("\n  ")
		}
		form(item)
		o.flush()
	}
	if !o.yaml {
		o.w.WriteString("\n ]")
	}
}

// flush writes what stands in o.item.
func (o *planWriter) flush() {
	o.w.Write(o.item)
	o.item = o.item[:0]
}

// object adds an object to o.item, with what fields adds by name.
func (o *planWriter) object(fields func()) {
	o.item = append(o.item, '{')
	fields()
	o.item = append(o.item, '}')
}

// name begins a field of the object at hand.
func (o *planWriter) name(name string) {
	if o.item[len(o.item)-1] != '{' {
		o.item = append(o.item, ", "...)
	}
	if o.yaml {
		o.item = append(append(o.item, name...), ": "...)
	} else {
		o.item = append(append(append(o.item, '"'), name...), `": `...)
	}
}

func (o *planWriter) text(name, value string) {
	o.name(name)
	o.quote(value)
}

func (o *planWriter) number(name string, value int64) {
	o.name(name)
	o.item = strconv.AppendInt(o.item, value, 10)
}

func (o *planWriter) time(name string, value model.Time) { o.number(name, int64(value)) }

// point adds a point in time, and its clock time.
func (o *planWriter) point(name string, value model.Time) {
	o.time(name, value)
	if stamp := o.clock.Stamp(value); stamp != "" {
		o.text(name+clockSuffix, stamp)
	}
}

func (o *planWriter) null(name string) {
	o.name(name)
	o.item = append(o.item, "null"...)
}

func (o *planWriter) objective(v model.ObjectiveValue) {
	o.object(func() {
		o.text("name", v.Name)
		o.number("value", v.Value)
		if v.Bound != nil {
			o.number("bound", *v.Bound)
		} else {
			o.null("bound")
		}
		if v.Proof != "" {
			o.text("proof", v.Proof)
		}
		if v.Certified != nil {
			o.number("certified", *v.Certified)
		}
	})
}

// jobResult leaves out the lateness of a job that cannot be late.
func (o *planWriter) change(c model.Change) {
	o.object(func() {
		o.text("change", string(c.Kind))
		if c.Name != "" {
			o.text("of", c.Name)
		}
		if c.Resource != "" {
			o.text("resource", c.Resource)
		}
		if c.At != 0 {
			o.time("time", c.At)
		}
		if c.N != 0 {
			o.number("number", c.N)
		}
	})
}

func (o *planWriter) jobResult(r model.JobResult) {
	o.object(func() {
		o.text("job", r.Job)
		o.point("finish", r.Finish)
		if r.Deadline != nil {
			o.point("deadline", *r.Deadline)
		} else {
			o.null("deadline")
		}
		if r.Deadline != nil || r.Late != 0 {
			o.time("late", r.Late)
		} else {
			o.null("late")
		}
	})
}

func (o *planWriter) taskResult(r model.TaskResult) {
	o.object(func() {
		o.text("job", r.Job)
		o.text("stage", r.Stage)
		o.number("task", int64(r.Task))
		o.text("slave", r.Slave)
		o.time("beat", r.Beat)
		o.point("assigned", r.Assigned)
		o.point("fetch", r.Fetch)
		o.point("start", r.Start)
		o.point("finish", r.Finish)
		if r.Duration != 0 {
			o.time(durationColumn, r.Duration)
		}
	})
}

func (o *planWriter) solver(info *model.SolverInfo) {
	o.object(func() {
		o.name("seconds")
		o.item = strconv.AppendFloat(o.item, info.Seconds, 'g', -1, 64)
		o.text("proof", info.Proof)
		o.name("seed")
		o.item = strconv.AppendUint(o.item, info.Seed, 10)
		if from := info.From; from != nil {
			o.name("from")
			o.object(func() {
				o.number("kept", int64(from.Kept))
				o.number("moved", int64(from.Moved))
				o.number("new", int64(from.New))
				o.number("unchanged", int64(from.Unchanged))
			})
		}
	})
}

func (o *planWriter) certificate(info *model.CertificateInfo) {
	o.object(func() {
		if info.Digest != "" {
			o.text("digest", info.Digest)
		}
		o.name("certified")
		o.item = strconv.AppendBool(o.item, info.Certified)
	})
}

// yamlWords are not text where some YAML reader meets them unquoted.
var yamlWords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// plain reports whether any YAML reader takes a text for one without quotes.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '-') {
			return false
		}
	}
	return s != "" && !slices.Contains(yamlWords, strings.ToLower(s))
}

// quote adds a text as it stands in the file: as JSON writes it, or plain where
// YAML takes it for text. Quoted YAML takes all that JSON writes.
func (o *planWriter) quote(s string) {
	if o.yaml && plain(s) {
		o.item = append(o.item, s...)
		return
	}
	if standsForItself(s) {
		o.item = append(append(append(o.item, '"'), s...), '"')
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // text always encodes
	// A byte order mark is a character like any other only when escaped.
	o.item = append(o.item, strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\ufeff", `\ufeff`)...)
}

// standsForItself reports whether JSON writes a text as it is, but for the quotes. Most
// names are such, and there are three to a task.
func standsForItself(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// The columns of a CSV plan. An executed plan has outcomeColumn as well, and
// durationColumn if any line of it has a duration.
var planColumns = []string{"job", "stage", "task", "slave", "beat", "assigned", "fetch", "start", "finish"}

// timeColumns are those of points in time, which clockColumns can stand beside.
var (
	timeColumns  = []string{"assigned", "fetch", "start", "finish"}
	clockColumns = []string{"assigned_clock", "fetch_clock", "start_clock", "finish_clock"}
)

// clockSuffix tells the clock time of a point in time from the tick.
const clockSuffix = "_clock"

const (
	durationColumn = "duration"
	outcomeColumn  = "outcome"
)

func decimal(t model.Time) string { return strconv.FormatInt(int64(t), 10) }

// Outcomes of the lines of an executed plan.
const (
	outcomeDone     = "done"
	outcomeLost     = "lost"
	outcomeRejected = "rejected"
)

func writeCSV(w io.Writer, p *model.Plan) error {
	out := &csvWriter{Writer: csv.NewWriter(w), clock: clockOf(p), executed: p.Kind == model.KindExecuted}
	out.clocked = out.clock.Stamp(0) != ""
	timed := func(r model.TaskResult) bool { return r.Duration != 0 }
	out.timed = slices.ContainsFunc(p.Tasks, timed) || slices.ContainsFunc(p.Lost, timed)
	out.header()
	for i := range p.Tasks {
		out.task(&p.Tasks[i], outcomeDone)
	}
	if out.executed {
		for i := range p.Lost {
			out.task(&p.Lost[i], outcomeLost)
		}
		for _, job := range p.Rejected {
			record := make([]string, out.width)
			record[0], record[out.width-1] = job, outcomeRejected
			out.Write(record)
		}
	}
	out.Flush()
	return out.Error()
}

// csvWriter writes a task a line. A csv.Writer keeps its first error.
type csvWriter struct {
	*csv.Writer
	clock clock.Clock
	// clocked, timed and executed tell which columns there are beside planColumns.
	clocked, timed, executed bool
	width                    int
}

func (o *csvWriter) header() {
	var header []string
	for _, c := range planColumns {
		header = append(header, c)
		if o.clocked && slices.Contains(timeColumns, c) {
			header = append(header, c+clockSuffix)
		}
	}
	if o.timed {
		header = append(header, durationColumn)
	}
	if o.executed {
		header = append(header, outcomeColumn)
	}
	o.width = len(header)
	o.Write(header)
}

func (o *csvWriter) task(r *model.TaskResult, outcome string) {
	record := append(make([]string, 0, o.width), r.Job, r.Stage, strconv.Itoa(r.Task), r.Slave, decimal(r.Beat))
	for _, t := range [...]model.Time{r.Assigned, r.Fetch, r.Start, r.Finish} {
		record = append(record, decimal(t))
		if o.clocked {
			record = append(record, o.clock.Stamp(t))
		}
	}
	if o.timed {
		duration := ""
		if r.Duration != 0 {
			duration = decimal(r.Duration)
		}
		record = append(record, duration)
	}
	if o.executed {
		record = append(record, outcome)
	}
	o.Write(record)
}

//go:embed schema.json
var schemaJSON []byte

// Schema is a JSON Schema (draft 2020-12) of plan files in JSON and YAML.
func Schema() []byte { return slices.Clone(schemaJSON) }
