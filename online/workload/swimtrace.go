package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TraceJob is a line of a SWIM trace.
type TraceJob struct {
	ID string
	// Submit is in seconds since the start of the trace.
	Submit int64
	// Input, Shuffle and Output are bytes read by the maps, passed to the
	// reduces, and written.
	Input, Shuffle, Output int64
}

// TraceFault is something wrong with a trace, at a place that counts from 1;
// Column counts characters.
type TraceFault struct {
	File         string
	Line, Column int
	Message      string
}

// Error is file:line:column: message.
func (f *TraceFault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// maxTraceFaults is how many faults ReadTrace lists before it gives up.
const maxTraceFaults = 20

// traceColumns names the columns of the format; a seventh, a path, is ignored.
var traceColumns = []string{"the job's id", "the submit time", "the gap to the submit before", "the input size", "the shuffle size", "the output size"}

// ReadTrace reads a trace in the format of SWIM: a line per job in the order of
// submission, with tabs between id, submit time and gap in seconds, and bytes of
// map input, shuffle and output. The file name is for messages. The error joins
// up to 20 TraceFaults.
func ReadTrace(r io.Reader, file string) ([]TraceJob, error) {
	t := traceReader{file: file, lineOf: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(t.faults) < maxTraceFaults {
		t.line++
		if text := strings.TrimSuffix(lines.Text(), "\r"); strings.TrimSpace(text) != "" {
			t.read(text)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: after line %d: %w", file, t.line, err)
	}
	if len(t.jobs) == 0 && len(t.faults) == 0 {
		t.line++
		t.fault(1, "the trace holds no job")
	}
	return t.jobs, errors.Join(t.faults...)
}

type traceReader struct {
	file   string
	line   int
	jobs   []TraceJob
	lineOf map[string]int
	faults []error
}

func (t *traceReader) fault(column int, format string, args ...any) {
	t.faults = append(t.faults, &TraceFault{t.file, t.line, column, fmt.Sprintf(format, args...)})
}

func (t *traceReader) read(text string) {
	fields := strings.Split(text, "\t")
	if len(fields) < len(traceColumns) {
		t.fault(utf8.RuneCountInString(text)+1, "%s is missing: want %d columns with tabs between, here are %d",
			traceColumns[len(fields)], len(traceColumns), len(fields))
		return
	}
	if len(fields) > len(traceColumns)+1 {
		t.fault(1, "%d columns: want %d, or one more for a path", len(fields), len(traceColumns))
		return
	}
	columns, at := make([]int, len(fields)), 1
	for i, f := range fields {
		columns[i] = at
		at += utf8.RuneCountInString(f) + 1
	}
	var figures [6]int64
	for i := 1; i < len(figures); i++ {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 {
			t.fault(columns[i], "%s is %q: want a whole number ≥ 0", traceColumns[i], fields[i])
			return
		}
		figures[i] = n
	}
	job := TraceJob{ID: fields[0], Submit: figures[1], Input: figures[3], Shuffle: figures[4], Output: figures[5]}
	switch before, seen := t.lineOf[job.ID]; {
	case job.ID == "":
		t.fault(1, "the job has no id")
	case seen:
		t.fault(1, "job %q stands in line %d already", job.ID, before)
	}
	t.lineOf[job.ID] = t.line
	if n := len(t.jobs); n > 0 {
		switch last := t.jobs[n-1].Submit; {
		case job.Submit < last:
			t.fault(columns[1], "submitted at %d, before the job of the line above (%d): want lines in the order of submission", job.Submit, last)
		case job.Submit-last != figures[2]:
			t.fault(columns[2], "the gap is %d, but the submit times differ by %d", figures[2], job.Submit-last)
		}
	}
	t.jobs = append(t.jobs, job)
}
