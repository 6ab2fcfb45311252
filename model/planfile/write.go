package planfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
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
	// in a line that names only the job.
	CSV
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
	out.plan(p)
	return out.w.Flush() // a bufio.Writer keeps its first error
}

// planWriter writes objects in a fixed order of fields, one line for each
// item of a list.
type planWriter struct {
	w     *bufio.Writer
	yaml  bool
	begun bool // a field of the plan has been written
}

// pair is a field of an item; the value is as it stands in the file.
type pair struct{ key, value string }

func (o *planWriter) plan(p *model.Plan) {
	o.open()
	o.field("version", strconv.Itoa(p.Version))
	o.optional("kind", p.Kind)
	o.optional("jobset", p.JobSet)
	o.optional("digest", p.Digest)
	o.optional("status", p.Status)
	if p.Relaxed {
		o.field("relaxed", "true")
	}
	writeList(o, "objectives", p.Objectives, o.objective)
	writeList(o, "jobs", p.Jobs, o.jobResult)
	writeList(o, "tasks", p.Tasks, o.taskResult)
	if len(p.Rejected) > 0 {
		writeList(o, "rejected", p.Rejected, o.quote)
	}
	if len(p.Lost) > 0 {
		writeList(o, "lost", p.Lost, o.taskResult)
	}
	if p.Solver != nil {
		o.field("solver", o.solver(p.Solver))
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
		o.field(name, o.quote(value))
	}
}

// writeList writes items a line each.
func writeList[T any](o *planWriter, name string, items []T, form func(T) string) {
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
		o.w.WriteString(form(item))
	}
	if !o.yaml {
		o.w.WriteString("\n ]")
	}
}

func (o *planWriter) object(pairs []pair) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range pairs {
		if i > 0 {
			b.WriteString(", ")
		}
		if o.yaml {
			b.WriteString(p.key)
		} else {
			b.WriteString(strconv.Quote(p.key))
		}
		b.WriteString(": " + p.value)
	}
	b.WriteByte('}')
	return b.String()
}

func (o *planWriter) objective(v model.ObjectiveValue) string {
	bound := "null"
	if v.Bound != nil {
		bound = strconv.FormatInt(*v.Bound, 10)
	}
	pairs := []pair{{"name", o.quote(v.Name)}, {"value", strconv.FormatInt(v.Value, 10)}, {"bound", bound}}
	if v.Proof != "" {
		pairs = append(pairs, pair{"proof", o.quote(v.Proof)})
	}
	return o.object(pairs)
}

// jobResult leaves out the lateness of a job that cannot be late.
func (o *planWriter) jobResult(r model.JobResult) string {
	deadline, late := "null", decimal(r.Late)
	if r.Deadline != nil {
		deadline = decimal(*r.Deadline)
	} else if r.Late == 0 {
		late = "null"
	}
	return o.object([]pair{{"job", o.quote(r.Job)}, {"finish", decimal(r.Finish)}, {"deadline", deadline}, {"late", late}})
}

func (o *planWriter) taskResult(r model.TaskResult) string {
	return o.object([]pair{
		{"job", o.quote(r.Job)}, {"stage", o.quote(r.Stage)}, {"task", strconv.Itoa(r.Task)}, {"slave", o.quote(r.Slave)},
		{"beat", decimal(r.Beat)}, {"assigned", decimal(r.Assigned)},
		{"fetch", decimal(r.Fetch)}, {"start", decimal(r.Start)}, {"finish", decimal(r.Finish)},
	})
}

func (o *planWriter) solver(info *model.SolverInfo) string {
	pairs := []pair{
		{"seconds", strconv.FormatFloat(info.Seconds, 'g', -1, 64)},
		{"proof", o.quote(info.Proof)},
		{"seed", strconv.FormatUint(info.Seed, 10)},
	}
	if from := info.From; from != nil {
		pairs = append(pairs, pair{"from", o.object([]pair{
			{"kept", strconv.Itoa(from.Kept)}, {"moved", strconv.Itoa(from.Moved)},
			{"new", strconv.Itoa(from.New)}, {"unchanged", strconv.Itoa(from.Unchanged)},
		})})
	}
	return o.object(pairs)
}

func decimal(t model.Time) string { return strconv.FormatInt(int64(t), 10) }

var (
	plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	// yamlWords are not text where some YAML reader meets them unquoted.
	yamlWords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)

// quote is a text as it stands in the file: as JSON writes it, or plain where
// YAML takes it for text. Quoted YAML takes all that JSON writes.
func (o *planWriter) quote(s string) string {
	if o.yaml && plainText.MatchString(s) && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // text always encodes
	// A byte order mark is a character like any other only when escaped.
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\ufeff", `\ufeff`)
}

// The columns of a CSV plan. An executed plan has outcomeColumn as well.
var planColumns = []string{"job", "stage", "task", "slave", "beat", "assigned", "fetch", "start", "finish"}

const outcomeColumn = "outcome"

// Outcomes of the lines of an executed plan.
const (
	outcomeDone     = "done"
	outcomeLost     = "lost"
	outcomeRejected = "rejected"
)

func writeCSV(w io.Writer, p *model.Plan) error {
	out := csv.NewWriter(w)
	executed := p.Kind == model.KindExecuted
	header := planColumns
	if executed {
		header = append(slices.Clone(planColumns), outcomeColumn)
	}
	out.Write(header) // a csv.Writer keeps its first error
	line := func(r *model.TaskResult, outcome string) {
		record := []string{
			r.Job, r.Stage, strconv.Itoa(r.Task), r.Slave, decimal(r.Beat), decimal(r.Assigned),
			decimal(r.Fetch), decimal(r.Start), decimal(r.Finish), outcome,
		}
		out.Write(record[:len(header)])
	}
	for i := range p.Tasks {
		line(&p.Tasks[i], outcomeDone)
	}
	if executed {
		for i := range p.Lost {
			line(&p.Lost[i], outcomeLost)
		}
		for _, job := range p.Rejected {
			record := make([]string, len(header))
			record[0], record[len(header)-1] = job, outcomeRejected
			out.Write(record)
		}
	}
	out.Flush()
	return out.Error()
}
