// Swim reads traces in the format of SWIM, such as those that Facebook published,
// and has the rules that make tasks of them: a trace has submit times and bytes only.

package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// SwimJob is a line of a trace.
type SwimJob struct {
	ID string
	// Submit is in seconds since the start of the trace.
	Submit int64
	// Input, Shuffle and Output are bytes read by the maps, passed to the
	// reduces, and written.
	Input, Shuffle, Output int64
}

// swimColumns names the columns of the format; a seventh, a path, is ignored.
var swimColumns = []string{"the job's id", "the submit time", "the gap to the submit before", "the input size", "the shuffle size", "the output size"}

// lineReader reads a trace in the format of SWIM: a line per job in the order of
// submission, with tabs between id, submit time and gap in seconds, and bytes of
// map input, shuffle and output.
type lineReader struct {
	in   *Input
	job  SwimJob // of the line at hand
	last int64   // submit time of the job before; -1 before the first
}

// next reads the next job; a line that is wrong gives a fault instead. It is false at the
// end.
func (r *lineReader) next() (f *Fault, ok bool) {
	for r.in.Next() {
		if len(strings.TrimSpace(string(r.in.Line()))) > 0 {
			return r.line(string(r.in.Line())), true
		}
	}
	return nil, false
}

func (r *lineReader) fault(offset int, format string, args ...any) *Fault {
	f := r.in.Fault(offset, fmt.Sprintf(format, args...), "")
	return &f
}

func (r *lineReader) line(text string) *Fault {
	fields := strings.Split(text, "\t")
	if len(fields) < len(swimColumns) {
		return r.fault(len(text), "%s is missing: want %d columns with tabs between, here are %d", swimColumns[len(fields)], len(swimColumns), len(fields))
	}
	if len(fields) > len(swimColumns)+1 {
		return r.fault(0, "%d columns: want %d, or one more for a path", len(fields), len(swimColumns))
	}
	var figures [6]int64
	var offsets [6]int
	at := len(fields[0]) + 1
	for i := 1; i < len(figures); i++ {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 {
			return r.fault(at, "%s is %q: want a whole number ≥ 0", swimColumns[i], fields[i])
		}
		figures[i], offsets[i] = n, at
		at += len(fields[i]) + 1
	}
	last := r.last
	r.job = SwimJob{ID: fields[0], Submit: figures[1], Input: figures[3], Shuffle: figures[4], Output: figures[5]}
	r.last = max(last, r.job.Submit)
	switch {
	case r.job.ID == "":
		return r.fault(0, "the job has no id")
	case last >= 0 && r.job.Submit < last:
		return r.fault(offsets[1], "submitted at %d, before the job of the line above (%d): want lines in the order of submission", r.job.Submit, last)
	case last >= 0 && r.job.Submit-last != figures[2]:
		return r.fault(offsets[2], "the gap is %d, but the submit times differ by %d", figures[2], r.job.Submit-last)
	}
	return nil
}

// maxFaults is how many faults ReadAll lists before it gives up.
const maxFaults = 20

// ReadSwim reads a whole trace in which nothing is wrong. The error lists up to 20 faults,
// each a *[Fault]; what follows a fault in the order of submission is compared with
// what came before.
func ReadSwim(in *Input) ([]SwimJob, error) {
	r := lineReader{in: in, last: -1}
	var jobs []SwimJob
	var faults []error
	place := map[string]int{}
	for len(faults) < maxFaults {
		f, ok := r.next()
		if !ok {
			break
		}
		before, seen := place[r.job.ID]
		switch {
		case f != nil:
			faults = append(faults, f)
			continue
		case seen:
			faults = append(faults, r.fault(0, "job %q stands in line %d already", r.job.ID, before))
		}
		place[r.job.ID] = in.At(0).Line
		jobs = append(jobs, r.job)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(jobs) == 0 && len(faults) == 0 {
		f := in.Empty("job", "")
		faults = append(faults, &f)
	}
	return jobs, errors.Join(faults...)
}

// Swim reads traces by rules that make tasks of bytes.
type Swim struct{ Rules SwimRules }

// Close implements Reader.
func (*Swim) Close(*Trace) {}

// Read implements Reader.
func (r *Swim) Read(in *Input, t *Trace) error {
	lines := lineReader{in: in, last: -1}
	read := false
	for {
		f, ok := lines.next()
		switch {
		case !ok && in.Err() != nil:
			return in.Err()
		case !ok && !read:
			f := in.Empty("job", "a job is a line of six columns with tabs between")
			return &f
		case !ok:
			return nil
		case f != nil:
			t.Unusable.AddByReason("lines that are no job of SWIM", *f)
		default:
			t.Add(r.job(&lines.job, in.At(0)), false)
		}
		read = true
	}
}

// job makes a job of a line.
func (r *Swim) job(line *SwimJob, at Place) Job {
	j := NewJob(Name(line.ID), at)
	j.Submit = min(line.Submit, Most/1000) * 1000
	s := r.Rules.Shape(*line)
	stage := func(name string, count int, task Task) {
		st := NewStage(name)
		st.Reduce = name == "reduce"
		task.Count = int32(count)
		st.Tasks = []Task{task}
		j.Stages = append(j.Stages, st)
	}
	stage("map", s.Maps, NewTask(1000*r.Rules.MapSeconds(s)))
	if s.Reduces > 0 {
		tk := NewTask(1000 * r.Rules.ReduceSeconds(s))
		tk.Fetch = 1000 * SwimSeconds(s.Shuffle/r.Rules.Network)
		stage("reduce", s.Reduces, tk)
	}
	return j
}
