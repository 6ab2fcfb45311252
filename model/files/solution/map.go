// Package solution reads what SAT, MaxSAT and pseudo-Boolean solvers answer to a formula
// about a job set, and makes a schedule of it by what comments in the formula tell of its
// variables. It knows the text of these comments alone, not how formulas are made.
package solution

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"downbeat/model"
)

// Fault is something wrong with a file. Line counts from 1; 0 stands for the whole file.
type Fault struct {
	File    string
	Line    int
	Message string
}

// Error is the message with its place.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// Map is what the comments of a formula tell of its variables.
type Map struct {
	// Digest is that of the job set, empty where no comment has it.
	Digest string
	// Hard tells that every hard job was to meet its deadline, AtMost what objectives were to
	// be at most.
	Hard   bool
	AtMost map[model.Objective]int64
	// unit is a tick of the formula.
	unit model.Time
	runs []run
	// times are, by what is said of which task, when it first holds.
	times map[sentence]timed
}

// run says that a task runs on a slave if a variable is true, or in any case for variable 0.
type run struct {
	variable    int
	task, slave string
	// ahead is by how much the fetch begins before the start, -1 where it has a time of its own.
	ahead model.Time
}

// sentence is what is said of a task: starts, fetches, is handed out.
type sentence struct{ verb, task string }

// timed are variables in a row, the first of which that is true tells the time. Where none is
// it is the last one, which there is one more of.
type timed struct {
	first, n int
	// from is the first time where they follow each other, else list has all.
	from model.Time
	list []model.Time
}

// at is time number i.
func (t *timed) at(i int) model.Time {
	if t.list != nil {
		return t.list[min(i, len(t.list)-1)]
	}
	return t.from + model.Time(i)
}

var (
	jobSet   = regexp.MustCompile(`^Job set ".*", (sha256:[0-9a-f]+)$`)
	asked    = regexp.MustCompile(`^(?:Is there a|What is the best) plan( in which every hard job meets its deadline)?((?:, and [a-z-]+ <= \d+)*)\?$`)
	bound    = regexp.MustCompile(`, and ([a-z-]+) <= (\d+)`)
	tickLine = regexp.MustCompile(`^A tick of the formula is (\d+) ticks`)
	said     = regexp.MustCompile(`^(?:var (\d+) says|vars (\d+)\.\.(\d+) says|always) (".*)$`)
	runsOn   = regexp.MustCompile(`^ runs on (".*"), fetch (?:free|at start - (\d+))$`)
	byTimes  = regexp.MustCompile(`^ (starts|fetches|is handed out) by (?:(-?\d+)(?:\.\.(-?\d+))?|(-?\d+(?: -?\d+)+))$`)
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// lines yields the lines of a file, with their numbers, until yield answers with an error.
func lines(ctx context.Context, file string, r io.Reader, yield func(n int, line string) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxLine)
	n := 0
	for in.Scan() {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(n, in.Text()); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return &Fault{file, n + 1, fmt.Sprintf("the line has more than %d MB", maxLine>>20)}
	}
	if in.Err() != nil {
		return &Fault{File: file, Message: in.Err().Error()}
	}
	return nil
}

// ReadMap reads the comments of a formula, in DIMACS, WCNF or OPB. What is wrong with them is
// a [*Fault]; any other error is that of ctx.
func ReadMap(ctx context.Context, file string, r io.Reader) (*Map, error) {
	m := &Map{unit: 1, times: map[sentence]timed{}, AtMost: map[model.Objective]int64{}}
	err := lines(ctx, file, r, func(n int, line string) error {
		text, comment := strings.CutPrefix(line, "c ")
		if !comment {
			if text, comment = strings.CutPrefix(line, "* "); !comment {
				return nil
			}
		}
		if !m.comment(strings.TrimRight(text, "\r")) {
			return &Fault{file, n, "this comment tells of a variable, but not as downbeat export writes it"}
		}
		return nil
	})
	if err == nil && m.Digest == "" {
		err = &Fault{File: file, Message: "no comment tells of a job set; is this a formula that downbeat export wrote?"}
	}
	return m, err
}

// comment takes what a comment tells; false if it looks like one that tells something and does
// not.
func (m *Map) comment(text string) bool {
	if found := jobSet.FindStringSubmatch(text); found != nil {
		m.Digest = found[1]
	}
	if found := asked.FindStringSubmatch(text); found != nil {
		return m.question(found)
	}
	if found := tickLine.FindStringSubmatch(text); found != nil {
		unit, err := strconv.ParseInt(found[1], 10, 64)
		m.unit = model.Time(unit)
		return err == nil && unit >= 1 && unit <= int64(model.MaxTime)
	}
	found := said.FindStringSubmatch(text)
	if found == nil {
		return true
	}
	quoted, err := strconv.QuotedPrefix(found[4])
	if err != nil {
		return false
	}
	subject, _ := strconv.Unquote(quoted) // as QuotedPrefix has found
	rest := found[4][len(quoted):]
	if on := runsOn.FindStringSubmatch(rest); on != nil {
		return m.run(subject, found, on)
	}
	if times := byTimes.FindStringSubmatch(rest); times != nil {
		return m.time(subject, found, times)
	}
	return strings.HasPrefix(rest, " is placed") || strings.HasPrefix(rest, " has finished by ")
}

// question takes what was asked.
func (m *Map) question(found []string) bool {
	m.Hard = found[1] != ""
	for _, b := range bound.FindAllStringSubmatch(found[2], -1) {
		o, err := model.ParseObjective(b[1])
		v, bad := strconv.ParseInt(b[2], 10, 64)
		if err != nil || bad != nil {
			return false
		}
		m.AtMost[o] = v
	}
	return true
}

// Check tells why a complete schedule is not what was asked for, as far as objectives go.
func (m *Map) Check(js *model.JobSet, s model.Schedule) error {
	finishes := js.Finishes(s)
	for _, name := range model.ObjectiveNames() {
		o, _ := model.ParseObjective(name) // it is a name
		if most, bounded := m.AtMost[o]; bounded && js.Value(o, finishes) > most {
			return fmt.Errorf("%s is %d, and was to be at most %d", o, js.Value(o, finishes), most)
		}
	}
	return nil
}

func (m *Map) run(task string, found, on []string) bool {
	slave, err := strconv.Unquote(on[1])
	variable, ok := number(found[1], 0)
	ahead, good := number(on[2], -1)
	m.runs = append(m.runs, run{variable, task, slave, model.Time(ahead)})
	return err == nil && ok && good && found[2] == ""
}

func (m *Map) time(task string, found, said []string) bool {
	first, ok := number(found[2], 1)
	last, good := number(found[3], 0)
	t := timed{first: first, n: last - first + 1}
	for _, word := range strings.Fields(said[4]) {
		at, ok := number(word, 0)
		good = good && ok
		t.list = append(t.list, model.Time(at))
	}
	if t.list == nil {
		from, fine := number(said[2], 0)
		t.from, good = model.Time(from), good && fine
	}
	m.times[sentence{said[1], task}] = t
	return ok && good && t.n >= 0 && found[1] == "" && (t.list == nil || t.n <= len(t.list))
}

// number reads a number, or takes another where there is none; ok is false for one that is
// too large.
func number(text string, otherwise int) (n int, ok bool) {
	if text == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= int(model.MaxTime) && n >= -int(model.MaxTime)
}

// Schedule places the tasks that the comments tell of. Tasks that they do not tell of, or that
// an answer leaves out, are not placed. An error says what the job set does not have.
func (m *Map) Schedule(js *model.JobSet, a *Answer) (model.Schedule, error) {
	tasks, slaves := map[string]model.TaskID{}, map[string]model.SlaveID{}
	for t := range js.Tasks {
		tasks[js.TaskName(model.TaskID(t))] = model.TaskID(t)
	}
	for s := range js.Slaves {
		slaves[js.Slaves[s].Name] = model.SlaveID(s)
	}
	out := model.NewSchedule(len(js.Tasks))
	for _, r := range m.runs {
		t, known := tasks[r.task]
		slave, there := slaves[r.slave]
		if !known || !there {
			return nil, fmt.Errorf("the job set has no task %s, or no slave %s", r.task, r.slave)
		}
		if r.variable == 0 || a.True(r.variable) {
			p, err := m.place(js, a, &r, slave)
			if err != nil {
				return nil, err
			}
			out[t] = p
		}
	}
	return out, nil
}

// place reads the times of a task.
func (m *Map) place(js *model.JobSet, a *Answer, r *run, slave model.SlaveID) (model.Placement, error) {
	start, ok := m.when(a, "starts", r.task)
	if !ok {
		return model.Placement{}, fmt.Errorf("no comment tells when %s starts", r.task)
	}
	p := model.Placement{Slave: slave, Start: start, Fetch: start - r.ahead*m.unit}
	if r.ahead < 0 {
		if p.Fetch, ok = m.when(a, "fetches", r.task); !ok {
			return model.Placement{}, fmt.Errorf("no comment tells when %s is fetched", r.task)
		}
	}
	handed, ok := m.when(a, "is handed out", r.task)
	if !ok {
		handed = p.Fetch
	}
	if p.Beat, _ = js.BeatAtOrBefore(slave, handed); p.Beat < 0 {
		return model.Placement{}, fmt.Errorf("%s has no heartbeat at %d or before, where %s is handed out", r.slave, handed, r.task)
	}
	return p, nil
}

// when is the time of a sentence, in ticks of the job set.
func (m *Map) when(a *Answer, verb, task string) (model.Time, bool) {
	t, ok := m.times[sentence{verb, task}]
	if !ok {
		return 0, false
	}
	i := t.n
	for k := range min(t.n, max(0, len(a.values)-t.first)) { // the others are false
		if a.True(t.first + k) {
			i = k
			break
		}
	}
	return t.at(i) * m.unit, true
}
