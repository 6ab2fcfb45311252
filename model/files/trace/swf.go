// Batch reads the Standard Workload Format of batch systems (SWF, of the Parallel
// Workloads Archive): a job a line in 18 columns, and comments that describe the machine.

package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The columns of a line, from 0. The others are of no use here.
const (
	number    = 0
	submit    = 1
	wait      = 2
	runTime   = 3
	procs     = 4
	asked     = 7 // processors
	askedTime = 8
	askedMem  = 9 // in KB, of each processor
	status    = 10
	preceding = 16
	columns   = 18
)

// columnNames are what people call the columns that are read.
var columnNames = map[int]string{
	number: "the job number", submit: "the submit time", wait: "the wait time", runTime: "the run time", procs: "the number of processors",
	asked: "the processors asked for", askedTime: "the time asked for", askedMem: "the memory asked for", status: "the status", preceding: "the preceding job",
}

// SWFMachine is what the machine is called.
const SWFMachine = "machine"

// SWF reads a file. A job is one task that holds its processors for the time that it ran;
// the machine has all processors in one place.
func SWF(in *Input, t *Trace) error {
	r := &reader{in: in, t: t, machine: Machine{Name: SWFMachine, Cores: Unknown, Memory: Unknown}, start: Unknown}
	lines := 0
	for in.Next() {
		text := bytes.TrimSpace(in.Line())
		switch {
		case len(text) == 0:
		case text[0] == ';':
			r.comment(string(text))
		default:
			lines++
			if f := r.line(); f != nil {
				t.Unusable.Add(f.what, f.Fault)
			}
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	if lines == 0 {
		f := in.Empty("job", "a job is a line of 18 whole numbers")
		return &f
	}
	t.AddMachine(r.machine)
	return nil
}

type reader struct {
	in      *Input
	t       *Trace
	machine Machine
	start   int64 // time 0 in milliseconds since 1970; Unknown if no comment tells
}

// fault is a line that is of no use, and what such lines are called.
type fault struct {
	what string
	Fault
}

// comment reads what a comment at the head says: "; MaxProcs: 128".
func (r *reader) comment(text string) {
	key, value, _ := strings.Cut(strings.TrimLeft(text, "; \t"), ":")
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil || n < 0 || n > Most/1000 {
		return
	}
	switch strings.TrimSpace(key) {
	case "MaxProcs":
		r.machine.Cores = max(r.machine.Cores, n)
	case "MaxNodes":
		if r.machine.Cores == Unknown {
			r.machine.Cores = n // files of clusters with a processor a node have only this
		}
	case "UnixStartTime":
		if n > 0 {
			r.start = n * 1000
		}
	}
}

// line reads a job.
func (r *reader) line() *fault {
	text := r.in.Line()
	var figures [columns]int64
	at := 0
	for i := range columns {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		end := at
		for end < len(text) && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		if at == end {
			return &fault{"lines with too few columns", r.in.Fault(at, fmt.Sprintf("the line has %d columns, of %d", i, columns), "-1 stands for what is not known")}
		}
		v, err := strconv.ParseFloat(string(text[at:end]), 64)
		if name, read := columnNames[i]; err != nil && read {
			return &fault{"lines with something else than numbers", r.in.Fault(at, fmt.Sprintf("%s is %q", name, string(text[at:min(end, at+40)])), "write a whole number, or -1 for what is not known")}
		}
		if v < 0 || err != nil {
			v = Unknown
		}
		figures[i] = int64(min(v, float64(Most/2000)))
		at = end
	}
	return r.job(&figures)
}

// job hands the job of a line to the trace.
func (r *reader) job(figures *[columns]int64) *fault {
	length, cores := figures[runTime], figures[procs]
	if cores <= 0 {
		cores = figures[asked]
	}
	j := NewJob(fmt.Sprintf("job-%d", figures[number]), r.in.At(0))
	switch {
	case figures[submit] == Unknown:
		return &fault{"jobs without a submit time", r.in.Fault(0, j.ID+" has no submit time", "")}
	case length <= 0:
		return &fault{"jobs that did not run", r.in.Fault(0, fmt.Sprintf("%s has no run time (status %d)", j.ID, figures[status]), "")}
	case cores <= 0:
		return &fault{"jobs without processors", r.in.Fault(0, j.ID+" has no number of processors", "")}
	}
	offset := max(0, r.start)
	j.Submit = offset + figures[submit]*1000
	if figures[wait] >= 0 {
		j.Finish = j.Submit + (figures[wait]+length)*1000
	}
	if figures[preceding] > 0 {
		j.After = []string{fmt.Sprintf("job-%d", figures[preceding])}
	}
	tk := NewTask(length * 1000)
	if figures[askedTime] > 0 {
		tk.Declared = max(tk.Time, figures[askedTime]*1000)
	}
	if j.Finish != Unknown {
		tk.Start = j.Finish - tk.Time
	}
	tk.Host = r.t.Host(SWFMachine)
	st := NewStage("run")
	st.Cores = cores
	if kb := figures[askedMem]; kb > 0 && kb < Most/1024/cores {
		st.Memory = kb * 1024 * cores
	}
	st.Tasks = []Task{tk}
	j.Stages = []Stage{st}
	r.machine.Cores = max(r.machine.Cores, min(cores, maxCores))
	r.t.Add(j, r.start != Unknown)
	return nil
}

// maxCores bounds what a machine is taken to have because a job says that it used so many.
const maxCores = 100_000_000
