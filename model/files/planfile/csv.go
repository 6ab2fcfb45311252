package planfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// csv reads the tasks of a CSV plan, or those of a run. Each line is read as the object that
// it would be in YAML, so that all formats share their checks.
func (r *planReader) csv() {
	in := &csvReader{planReader: r, csv: csv.NewReader(bytes.NewReader(r.Source()))}
	in.csv.FieldsPerRecord = -1 // checked here
	in.csv.ReuseRecord = true
	r.plan.Version = model.PlanVersion
	if r.run != nil {
		in.csv.Comma = separatorOf(firstLine(string(r.Source())))
	}
	if !in.header() {
		return
	}
	for in.next() {
		if len(in.record) != len(in.columns) {
			in.headerFault(0, fmt.Sprintf("the line has %d fields, the header has %d", len(in.record), len(in.columns)), "write as many as the header has")
			continue
		}
		switch {
		case r.run == nil:
			in.task()
		case !in.empty():
			in.complete = in.complete && !slices.Contains(in.record, "")
			r.run.line(in.object(), false)
		}
	}
	if r.run != nil && !in.complete {
		r.plan.Kind = model.KindExecuted
	}
}

// csvReader reads a CSV plan line by line.
type csvReader struct {
	*planReader
	csv     *csv.Reader
	columns []string // empty for a column to pass over
	record  []string
	// complete: this may be a plan, of a run no line so far lacks anything or says what
	// became of its task.
	complete bool
}

// next reads a line; false at the end and after a fault of form.
func (in *csvReader) next() bool {
	record, err := in.csv.Read()
	if errors.Is(err, io.EOF) {
		return false
	}
	var form *csv.ParseError
	if errors.As(err, &form) {
		in.Note(document.Fault{Line: form.Line, Column: in.characters(form.Line, form.Column),
			Message: "not CSV: " + form.Err.Error(), Advice: `put a value with quotes in quotes and double those inside, "like ""this"""`})
		return false
	}
	in.record = record
	return true
}

// position of field i of the line at hand.
func (in *csvReader) position(i int) (line, column int) {
	line, column = in.csv.FieldPos(i)
	return line, in.characters(line, column)
}

// characters turns a column in bytes into one in characters.
func (in *csvReader) characters(line, column int) int {
	text := in.Line(line)
	return utf8.RuneCountInString(text[:min(max(0, column-1), len(text))]) + 1
}

func (in *csvReader) headerFault(i int, message, advice string) {
	line, column := in.position(i)
	in.Note(document.Fault{Line: line, Column: column, Message: message, Advice: advice})
}

// header reads the names of the columns, in any order.
func (in *csvReader) header() bool {
	if !in.next() {
		if in.Sound() {
			in.Note(document.Fault{Line: 1, Column: 1, Message: "the file is empty", Advice: "start with the line " + strings.Join(in.expected(), ",")})
		}
		return false
	}
	if in.run != nil {
		return in.runHeader()
	}
	known := append(slices.Clone(taskFields), outcomeColumn)
	good := true
	for i, name := range in.record {
		name = strings.TrimSpace(name)
		switch {
		case strings.HasPrefix(name, "x-"), slices.Contains(clockColumns, name):
			name = ""
		case !slices.Contains(known, name):
			in.headerFault(i, fmt.Sprintf("unknown column %q", document.Shorten(name)), in.DidYouMean(name, known, "columns of your own start with x-, the others are "))
			good = false
		case slices.Contains(in.columns, name):
			in.headerFault(i, fmt.Sprintf("column %s is given twice", name), "leave out one")
			good = false
		}
		in.columns = append(in.columns, name)
	}
	for _, name := range planColumns {
		if !slices.Contains(in.columns, name) {
			in.headerFault(0, "there is no column "+name, "write the columns "+strings.Join(planColumns, ","))
			good = false
		}
	}
	if good && slices.Contains(in.columns, outcomeColumn) {
		in.plan.Kind = model.KindExecuted
	}
	return good
}

// task reads a task, or what became of one.
func (in *csvReader) task() {
	o := in.object()
	outcome := outcomeDone
	if f := o.Get(outcomeColumn); f != nil {
		outcome, _ = in.Word(*f, outcomeColumn, []string{outcomeDone, outcomeLost, outcomeRejected})
	}
	switch outcome {
	case outcomeDone:
		in.plan.Tasks = append(in.plan.Tasks, in.taskOf(o))
	case outcomeLost:
		in.plan.Lost = append(in.plan.Lost, in.taskOf(o))
	case outcomeRejected:
		in.plan.Rejected = append(in.plan.Rejected, in.optionalName(o.Get("job")))
		for _, f := range o.Fields {
			if name := f.Key.Value; name != "job" && name != outcomeColumn && f.Value.Value != "" {
				in.Fault(f, fmt.Sprintf("%s is given for a rejected job", name), "leave it empty")
			}
		}
	}
}

// object is the line at hand with the header's names as keys.
func (in *csvReader) object() *document.Object {
	line, column := in.position(0)
	o := &document.Object{Node: &yaml.Node{Kind: yaml.MappingNode, Line: line, Column: column}, What: "the line"}
	for i, name := range in.columns {
		if name == "" || name == durationColumn && in.record[i] == "" {
			continue
		}
		line, column := in.position(i)
		o.Add(name, document.Field{
			Key:   &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name, Line: line, Column: column},
			Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: in.record[i], Line: line, Column: column},
		})
	}
	return o
}
