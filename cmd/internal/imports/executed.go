package imports

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/trace"
)

// ExecutedKinds are the formats in which engines say what they are doing now.
func ExecutedKinds() []Kind {
	return []Kind{
		{"yarn", "an answer of YARN's application masters", "saved answers of MapReduce's application masters and of the history server (…/mapreduce/jobs and below): jobs, tasks, attempts",
			fourByFour, func(*Rules) trace.Reader { return &trace.HadoopNow{} }, looksHistory},
		{"airflow", "a table or an answer of Airflow", "Airflow's tables task_instance and dag_run, and answers of its REST API about them: the last run of each DAG",
			fourByFour, func(*Rules) trace.Reader { return &trace.Airflow{Now: true} }, looksAirflow},
		{"dbt", "a file of dbt", "dbt's target/run_results.json: what the last run has done",
			fourByFour, func(*Rules) trace.Reader { return &trace.Dbt{Now: true} }, dbtFile.Match},
		{"slurm", "an output of Slurm", "what Slurm's scontrol show job, sacct (-P, --json) and squeue say of jobs that export slurm has submitted",
			fourByFour, func(r *Rules) trace.Reader { return &trace.SlurmNow{Zone: r.zone()} }, looksSlurm},
		{"kubernetes", "what kubectl get prints", "what kubectl get jobs,pods prints (-o json, -o yaml): Pods by the annotations of export, or by Jobs and their indexes",
			fourByFour, func(*Rules) trace.Reader { return &trace.KubernetesNow{} }, looksKubernetes},
	}
}

// ExecutedNamed is the kind of that name among them.
func ExecutedNamed(name string) (Kind, bool) { return named(ExecutedKinds(), name) }

// ExecutedNames are those of all of them.
func ExecutedNames() []string { return namesOf(ExecutedKinds()) }

// Executed is what engines say of the tasks of a job set: the lines of a run.
type Executed struct {
	// Lines are by job, stage and number in the order of the job set, or of their names where
	// that is not known; attempts of a task by their start.
	Lines []ExecutedLine
	// Notes are for people: what was left out, and what is odd.
	Notes []string
}

// ExecutedLine is what is said of an attempt to run a task.
type ExecutedLine struct {
	Job, Stage string
	// Task counts from 1 within the stage.
	Task int
	// Slave is the machine, empty where that is not told.
	Slave string
	State trace.AttemptState
	// Start and Finish are in milliseconds since 1970; trace.Unknown for what has not happened.
	Start, Finish int64

	at trace.Place
	// job and stage are places in the job set, 0 where that is not known.
	job, stage int
}

// ImportExecuted reads what an engine says now of the tasks of js, or of one job set that is
// not known where that is nil. Clock times without a zone are in zone, or in that of js where it
// is nil. With strict nothing may be of no use.
func ImportExecuted(ctx context.Context, kind *Kind, paths []string, stdin io.Reader, js *model.JobSet, zone *time.Location, strict bool) (*Executed, error) {
	files, err := Files(paths)
	if err != nil {
		return nil, err
	}
	rules := DefaultRules()
	if rules.Zone = zone; zone == nil && js != nil {
		rules.Zone = js.Origin.Location()
	}
	t, _, err := read(ctx, ExecutedKinds(), "import executed", kind, files, stdin, trace.Everything, &rules)
	if err != nil {
		return nil, err
	}
	m := &matcher{t: t}
	if js != nil {
		if err := m.know(js); err != nil {
			return nil, err
		}
	}
	for i := range t.Attempts {
		m.match(&t.Attempts[i])
	}
	if err := m.oneSet(); err != nil {
		return nil, err
	}
	if strict {
		if err := Strict(t); err != nil {
			return nil, err
		}
	}
	if len(m.lines) == 0 {
		return nil, m.nothing()
	}
	m.sort()
	return &Executed{Lines: m.lines, Notes: m.notes()}, nil
}

// matcher finds the tasks of a job set that attempts are of.
type matcher struct {
	t  *trace.Trace
	js *model.JobSet // nil where it is not known
	// jobs, and slaves by their names and by their host names without a domain.
	jobs   map[string]int
	slaves map[string]string
	lines  []ExecutedLine
	// digests are those of labels, each with the first place.
	digests map[string]trace.Place
}

// know takes in the job set, which needs a clock.
func (m *matcher) know(js *model.JobSet) error {
	if js.TimeUnit == 0 || js.Origin.IsZero() {
		return usage.Errorf("--job-set: the job set has no origin, so that the times of an engine say nothing of it; give it a time_unit and an origin")
	}
	m.js, m.jobs, m.slaves = js, map[string]int{}, map[string]string{}
	for i := range js.Jobs {
		m.jobs[js.Jobs[i].Name] = i
	}
	for i := range js.Slaves {
		name := js.Slaves[i].Name
		short := shortHost(name)
		if _, twice := m.slaves[short]; twice {
			m.slaves[short] = "" // which of them is not known
		} else {
			m.slaves[short] = name
		}
	}
	for i := range js.Slaves {
		m.slaves[js.Slaves[i].Name] = js.Slaves[i].Name
	}
	return nil
}

// shortHost is a host name without its domain; an address is all one name.
func shortHost(host string) string {
	if strings.Trim(host, "0123456789.:") == "" {
		return host
	}
	short, _, _ := strings.Cut(host, ".")
	return short
}

// match keeps the line of an attempt, or counts why there is none.
func (m *matcher) match(a *trace.Attempt) {
	line := ExecutedLine{Job: a.Job, Stage: a.Stage, Task: a.Task, Slave: a.Host, State: a.State, Start: a.Start, Finish: a.Finish, at: a.At}
	if a.Label != "" {
		l, ok := tasklabel.Parse(a.Label)
		if !ok {
			m.passOver("tasks of others, whose label is none of ours", a.At, fmt.Sprintf("the label is %q", document.Shorten(a.Label)))
			return
		}
		if m.js != nil && l.Digest != tasklabel.Short(m.js.Digest()) {
			m.passOver("tasks of other job sets, or of earlier forms of this one", a.At, fmt.Sprintf("%s is of another job set", a.Label))
			return
		}
		line.Job, line.Stage = l.Job, l.Stage
		if l.Task > 0 {
			line.Task = l.Task
		}
		if _, known := m.digests[l.Digest]; !known {
			if m.digests == nil {
				m.digests = map[string]trace.Place{}
			}
			m.digests[l.Digest] = a.At
		}
	} else if line.Job == "" {
		m.passOver("tasks of others, without a label", a.At, "the task has no label JOB/STAGE/TASK@DIGEST")
		return
	} else if name, ok := m.otherName(a); ok {
		line.Job = name
	}
	if m.js != nil && line.Start != trace.Unknown && line.Start < m.js.Origin.UnixMilli() {
		m.passOver("tasks that began before the job set does, as those of other nights", a.At, fmt.Sprintf("it began at %s", m.stamp(line.Start)))
		return
	}
	if m.known(&line) && m.whole(&line) {
		m.lines = append(m.lines, line)
	}
}

// otherName is the first of an attempt's other names that the job set has a job of which was released
// by the time that it began: of a job that runs again and again earlier runs have the name too.
func (m *matcher) otherName(a *trace.Attempt) (name string, ok bool) {
	if _, own := m.jobs[a.Job]; own || m.js == nil {
		return "", false
	}
	for _, name := range a.Others {
		if i, known := m.jobs[name]; known {
			release := m.js.Origin.Add(time.Duration(m.js.Jobs[i].Release) * m.js.TimeUnit)
			return name, a.Start == trace.Unknown || a.Start >= release.UnixMilli()
		}
	}
	return "", false
}

// passOver counts what has nothing to do with the job set.
func (m *matcher) passOver(what string, at trace.Place, message string) {
	m.t.Remarks.Add(what+", which are passed over", trace.Fault{Place: at, Message: message})
}

// unusable counts what should have a line and has none.
func (m *matcher) unusable(what string, line *ExecutedLine, message, advice string) {
	m.t.Unusable.Add(what, trace.Fault{Place: line.at, Message: message, Advice: advice})
}

// known finds the task and its machine in the job set, if that is known.
func (m *matcher) known(line *ExecutedLine) bool {
	if m.js == nil {
		line.Task = max(line.Task, 1)
		return true
	}
	i, ok := m.jobs[line.Job]
	if !ok {
		m.passOver("tasks of jobs that are not in the job set", line.at, fmt.Sprintf("there is no job %q in the job set", document.Shorten(line.Job)))
		return false
	}
	job := &m.js.Jobs[i]
	k := slices.IndexFunc(job.Stages, func(st model.Stage) bool { return st.Name == line.Stage })
	if line.Stage == "" && len(job.Stages) == 1 {
		k, line.Stage = 0, job.Stages[0].Name
	}
	if k < 0 {
		m.unusable("tasks of stages that are not in the job set", line, fmt.Sprintf("%s has no stage %q", line.Job, document.Shorten(line.Stage)), "")
		return false
	}
	tasks := int(job.Stages[k].End - job.Stages[k].First)
	switch {
	case line.Task == 0 && tasks == 1:
		line.Task = 1
	case line.Task < 1 || line.Task > tasks:
		m.unusable("tasks that are not in the job set", line, fmt.Sprintf("%s/%s/%d: the stage has %s", line.Job, line.Stage, line.Task, document.Plural(tasks, "task")), "")
		return false
	}
	line.job, line.stage = i, k
	return m.machine(line)
}

// machine finds the slave of the line.
func (m *matcher) machine(line *ExecutedLine) bool {
	if line.Slave == "" {
		return true // whole asks where one is needed
	}
	name := m.slaves[line.Slave]
	if name == "" {
		name = m.slaves[shortHost(line.Slave)]
	}
	if name == "" {
		m.unusable("tasks on machines that are not in the job set", line, fmt.Sprintf("%s/%s/%d is on %q", line.Job, line.Stage, line.Task, document.Shorten(line.Slave)), "name the slaves of the job set as the engine does")
		return false
	}
	line.Slave = name
	return true
}

// whole reports whether the line has what its state needs. What has not happened is left empty.
func (m *matcher) whole(line *ExecutedLine) bool {
	name := fmt.Sprintf("%s/%s/%d", line.Job, line.Stage, line.Task)
	switch {
	case line.State == trace.Waiting:
		line.Start, line.Finish, line.Slave = trace.Unknown, trace.Unknown, ""
		return true
	case line.State == trace.Failed && line.Start == trace.Unknown:
		m.passOver("attempts that ended before they began", line.at, name+" failed without a start")
		return false
	case line.Start == trace.Unknown:
		m.unusable("tasks without a start", line, name+" has begun, and it is not told when", "")
		return false
	case line.Slave == "":
		m.unusable("tasks without a machine", line, name+" has begun, and it is not told where", "")
		return false
	case line.State == trace.Finished && line.Finish == trace.Unknown:
		m.unusable("finished tasks without an end", line, name+" has finished, and it is not told when", "")
		return false
	case line.Finish != trace.Unknown && line.Finish < line.Start:
		m.unusable("tasks that end before they begin", line, name+" ends before it begins", "")
		return false
	}
	if line.State == trace.Running {
		line.Finish = trace.Unknown
	}
	return true
}

// oneSet refuses labels of several job sets where it is not told which is meant.
func (m *matcher) oneSet() error {
	if len(m.digests) < 2 {
		return nil
	}
	var places []string
	for _, d := range slices.Sorted(maps.Keys(m.digests)) {
		at := m.digests[d]
		places = append(places, fmt.Sprintf("%s (%s:%d)", d, at.File, at.Line))
	}
	return usage.Errorf("the files tell of tasks of %s, by the digests in their labels: %s; name the one that is meant by --job-set FILE",
		document.Plural(len(places), "job set"), wording.Listed(places, "and"))
}

// nothing is the fault of files without a line.
func (m *matcher) nothing() error {
	var reasons []string
	for _, tally := range []trace.Tally{m.t.Unusable, m.t.Remarks} {
		for _, k := range tally.Kinds {
			reasons = append(reasons, fmt.Sprintf("%s (%d; the first: %s)", k.What, k.Count, k.First.String()))
		}
	}
	if len(reasons) == 0 {
		return usage.Errorf("the files tell of no task")
	}
	return usage.Errorf("the files tell of no task of the job set: %s", strings.Join(reasons, "; "))
}

// sort sorts the lines, of a task those that wait first, and keeps of an attempt that several files tell of the line that tells most.
func (m *matcher) sort() {
	slices.SortStableFunc(m.lines, func(a, b ExecutedLine) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.Job, b.Job), cmp.Compare(a.stage, b.stage), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(a.Task, b.Task), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Slave, b.Slave), cmp.Compare(a.State, b.State))
	})
	kept := m.lines[:0]
	for _, l := range m.lines {
		if n := len(kept); n > 0 && kept[n-1].sameTask(&l) && (kept[n-1].State == trace.Waiting || l.State == trace.Waiting || kept[n-1].Start == l.Start && kept[n-1].Slave == l.Slave) {
			if l.State != trace.Waiting {
				kept[n-1] = l // finished and failed come after running
			}
			continue
		}
		kept = append(kept, l)
	}
	m.lines = kept
}

func (l *ExecutedLine) sameTask(o *ExecutedLine) bool {
	return l.Job == o.Job && l.Stage == o.Stage && l.Task == o.Task
}

// notes say how much there is of what, and what was left out.
func (m *matcher) notes() []string {
	count, last := map[trace.AttemptState]int{}, int64(0)
	for i := range m.lines {
		l := &m.lines[i]
		count[l.State]++
		last = max(last, l.Start, l.Finish)
	}
	text := fmt.Sprintf("%s: %d finished, %d running, %d waiting, %d failed", document.Plural(len(m.lines), "line"),
		count[trace.Finished], count[trace.Running], count[trace.Waiting], count[trace.Failed])
	if last > 0 {
		text += fmt.Sprintf("; the last that happened was at %s, so that --now is that or later", m.stamp(last))
	}
	notes := []string{text}
	for _, k := range m.t.Unusable.Kinds {
		notes = append(notes, fmt.Sprintf("left out: %s (%d); the first: %s", k.What, k.Count, k.First.String()))
	}
	for _, k := range m.t.Remarks.Kinds {
		notes = append(notes, fmt.Sprintf("%s (%d); the first: %s", k.What, k.Count, k.First.String()))
	}
	return notes
}

// stamp is a point in time in the zone of the job set.
func (m *matcher) stamp(ms int64) string {
	at := time.UnixMilli(ms).UTC()
	if m.js != nil {
		at = at.In(m.js.Origin.Location())
	}
	return at.Format(time.RFC3339Nano)
}

// Write writes the lines as the table of a run, which plan --executed takes.
func (e *Executed) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	cell := func(ms int64) string {
		if ms == trace.Unknown {
			return ""
		}
		return time.UnixMilli(ms).UTC().Format(time.RFC3339Nano)
	}
	if err := out.Write([]string{"job", "stage", "task", "slave", "start", "finish", "state"}); err != nil {
		return err
	}
	for i := range e.Lines {
		l := &e.Lines[i]
		if err := out.Write([]string{l.Job, l.Stage, strconv.Itoa(l.Task), l.Slave, cell(l.Start), cell(l.Finish), l.State.String()}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
