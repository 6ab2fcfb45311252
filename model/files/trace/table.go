// Table reads tables of tasks, such as people keep in spreadsheets and schedulers
// of workflows hand out, and tables of plans: CSV with a header.

package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"downbeat/model"
)

// Table reads tables.
type Table struct {
	// Origin is when the table begins, in the zone of clock times; the zero time where that
	// is not known.
	Origin time.Time
	// Tick is how long a tick is in tables of plans without clock times; 0 for a second, which
	// is then remarked.
	Tick time.Duration

	separator byte
	columns   []string // by position; empty for one that is passed over
	plan      bool     // the table is of a plan: tasks start when they have been waited for, not when their job may
	ticks     bool     // points in time may be bare numbers: ticks
	bare      bool     // one was
	tick      time.Duration
	in        *Input
	rec       records
	t         *Trace
	runs      map[string]*run
	order     []*run
	kept      int             // tasks
	began     point           // when the task of the line at hand began, if it says so
	others    map[string]bool // those that were left out because there are enough
}

// run is a run of a job as it is put together.
type run struct {
	Job
	epoch, timed bool              // Submit is known, and counts from 1970
	broken       bool              // a line of it cannot be used
	alike        map[alike]int32   // tasks by their place in the stage
	begun        bool              // a line says when its task began
	first        point             // the first such time
	said         map[string]string // cells about the job as a whole, by column
	stages       map[string]int
	after        []after
}

// alike is what tasks have in common that are counted as one; stage is that of the job.
type alike struct {
	time, fetch  int64
	stage, cores int32
	host         Host
}

// after is what a line says that its stage comes after.
type after struct {
	stage int
	names []string
	none  bool // nothing, which was said
	jobs  bool // the names are of jobs
	place Fault
}

// Read implements Reader.
func (r *Table) Read(in *Input, t *Trace) error {
	r.in, r.t, r.rec, r.tick = in, t, records{in: in}, cmp.Or(r.Tick, time.Second)
	if r.runs == nil {
		r.runs, r.others = map[string]*run{}, map[string]bool{}
	}
	f, ok := r.rec.next()
	switch {
	case !ok && in.Err() != nil:
		return in.Err()
	case !ok:
		f := in.Empty("table", "begin with a line of headings; downbeat init --csv prints one")
		return &f
	case f != nil:
		return f
	}
	r.separator = r.rec.separator
	if f := r.header(); f != nil {
		return f
	}
	for {
		f, ok := r.rec.next()
		if !ok {
			if r.bare && r.Tick == 0 {
				t.Remarks.Add("tables with times that are bare numbers, each taken for a number of seconds", Fault{Place: Place{File: in.Name},
					Message: "no clock tells how long a tick is", Advice: "--tick 1m takes them for minutes"})
			}
			return in.Err()
		}
		if f == nil {
			f = r.line()
		}
		if f != nil {
			t.Unusable.AddByReason("lines that cannot be used", *f)
		}
	}
}

// fault is one at a cell of the line at hand.
func (r *Table) fault(cell int, message, advice string) *Fault {
	f := r.in.Fault(r.rec.offsets[min(cell, len(r.rec.offsets)-1)], message, advice)
	return &f
}

// header reads the headings.
func (r *Table) header() *Fault {
	r.columns, r.plan, r.bare = r.columns[:0], false, false
	var unknown []Fault
	for i, heading := range r.rec.cells {
		name, known := TableHeading(heading)
		r.plan = r.plan || slices.Contains(planned, name)
		switch {
		case heading == "" || strings.HasPrefix(name, "x_") || slices.Contains(passedOver, name):
			name = ""
		case !known:
			if near := meant(name); near != "" {
				return r.fault(i, fmt.Sprintf("unknown heading %q", heading), fmt.Sprintf("did you mean %s? Headings of your own start with x-", near))
			}
			unknown = append(unknown, *r.fault(i, fmt.Sprintf("unknown heading %q", heading), ""))
			name = ""
		case name == "run" && r.has(name): // Airflow has several
			r.t.Remarks.Add("headings that tell runs apart beside the first, whose columns are passed over", *r.fault(i, fmt.Sprintf("heading %q", heading), ""))
			name = ""
		case slices.Contains(r.columns, name):
			return r.fault(i, fmt.Sprintf("heading %q: the column %s is there already", heading, name), "leave out one")
		}
		r.columns = append(r.columns, name)
	}
	if !slices.Contains(r.columns, "job") {
		return r.fault(0, "there is no column job", "begin with a line of headings; downbeat init --csv prints one")
	}
	if !slices.ContainsFunc(lengths, r.has) {
		return r.fault(0, "no column says how long tasks take", "add minutes, seconds, hours or duration, or start and end")
	}
	r.passOver(unknown)
	r.ticks = r.plan || r.has("task") && r.has("slave") && r.has("stage")
	r.t.Planned = r.plan
	if r.has("deadline") || r.has("due") || r.has("due"+clockSuffix) {
		r.t.Deadlines = true
	}
	return nil
}

// passOver tells of headings that are not known, all of them with the first.
func (r *Table) passOver(unknown []Fault) {
	for i, f := range unknown {
		if i == 0 && len(unknown) > 1 {
			var others []string
			for _, o := range unknown[1:min(len(unknown), mostNamed)] {
				others = append(others, strings.TrimPrefix(o.Message, "unknown heading "))
			}
			f.Message += ", then " + strings.Join(others, ", ")
			if more := len(unknown) - mostNamed; more > 0 {
				f.Message += fmt.Sprintf(" and %d more", more)
			}
		}
		r.t.Remarks.Add("headings that are not known, whose columns are passed over", f)
	}
}

// mostNamed bounds the unknown headings of a file that are named.
const mostNamed = 40

// has reports whether there is a column of that name.
func (r *Table) has(name string) bool { return slices.Contains(r.columns, name) }

// cell is the text in the column of that name, empty if there is none, or a word for that.
func (r *Table) cell(name string) (text string, at int) {
	i := slices.Index(r.columns, name)
	if i < 0 || i >= len(r.rec.cells) {
		return "", 0
	}
	if text = r.rec.cells[i]; name != "job" && name != "stage" && slices.Contains(nothing, text) {
		text = ""
	}
	return text, i
}

// succeeded are states of tasks that count.
var succeeded = []string{"", "success", "succeeded", "successful", "complete", "completed", "done", "finished", "ok"}

// line reads a line.
func (r *Table) line() *Fault {
	if len(r.rec.cells) > len(r.columns) {
		return r.fault(len(r.columns), fmt.Sprintf("the line has %d cells, the header has %d", len(r.rec.cells), len(r.columns)), "put cells that hold a separator in quotes")
	}
	if !utf8.Valid(r.in.Line()) {
		r.t.Remarks.Add("lines that are not UTF-8, whose odd bytes become spaces", *r.fault(0, "the line is not UTF-8", "save the table as UTF-8"))
	}
	name, at := r.cell("job")
	if name = Name(name); name == "" {
		return r.fault(at, "the line names no job", "")
	}
	state, at := r.cell("state")
	switch {
	case !slices.Contains(succeeded, strings.ToLower(state)):
		r.t.Remarks.Add(fmt.Sprintf("lines of tasks that did not succeed, which are left out: %q", strings.ToLower(state)), *r.fault(at, fmt.Sprintf("the state is %q", state), ""))
		return nil
	case state == "" && r.has("state") && !r.lasts():
		r.t.Remarks.Add("lines of tasks with neither a state nor a time, which are left out", *r.fault(at, "there is no state", ""))
		return nil
	}
	j := r.run(name)
	if j == nil {
		return nil
	}
	task, f := r.task()
	if f == nil {
		f = r.job(j)
	}
	if f == nil {
		f = r.stage(j, task)
	}
	if f == nil && task.Start != Unknown {
		f = r.begins(j)
	}
	j.broken = j.broken || f != nil
	return f
}

// begins notes when the task at hand began.
func (r *Table) begins(j *run) *Fault {
	switch {
	case !j.begun || j.first.epoch == r.began.epoch && r.began.at < j.first.at:
		j.begun, j.first = true, r.began
	case j.first.epoch != r.began.epoch:
		_, at := r.cell("start")
		return r.fault(at, "the start counts from elsewhere than in earlier lines of the job", "write all by the clock, or give --origin")
	}
	return nil
}

// lasts reports whether the line has a cell that says how long its task took.
func (r *Table) lasts() bool {
	return slices.ContainsFunc(lengths, func(name string) bool {
		text, _ := r.cell(name)
		return text != ""
	})
}

// lengths are the columns one of which says how long a task takes.
var lengths = []string{"minutes", "seconds", "hours", "duration", "end", "end" + clockSuffix}

// run is the run of the job that the line is of; nil where there are enough.
func (r *Table) run(name string) *run {
	id, _ := r.cell("run")
	key := name + "\x00" + id
	if j, ok := r.runs[key]; ok {
		return j
	}
	if len(r.order) >= r.t.Filter.runs() {
		if len(r.others) < mostOthers {
			r.others[key] = true
		}
		return nil
	}
	j := &run{Job: NewJob(name, r.in.At(0)), stages: map[string]int{}}
	if id = Name(id); id != "" {
		j.ID = name + " " + id
	}
	r.runs[key] = j
	r.order = append(r.order, j)
	return j
}

// mostOthers bounds the jobs that are only counted.
const mostOthers = 100_000

// units are the columns that tell how long a task takes, with the milliseconds of a bare
// tableNumber.
var units = []struct {
	name string
	unit float64
}{{"seconds", 1000}, {"minutes", 60e3}, {"hours", 3600e3}, {"duration", 1000}}

// span is the time between two columns, by the clock where both have one.
func (r *Table) span(from, to string) (begin point, length int64, given bool, f *Fault) {
	var ends [2]point
	suffix := clockSuffix
	for _, name := range []string{from, to} {
		if text, _ := r.cell(name + clockSuffix); text == "" {
			suffix = ""
		}
	}
	for i, name := range []string{from, to} {
		text, at := r.cell(name + suffix)
		if text == "" {
			return begin, 0, false, nil
		}
		var advice string
		if ends[i], advice = r.time(text, nil); advice != "" {
			return begin, 0, false, r.fault(at, fmt.Sprintf("%s is %q", name, text), advice)
		}
	}
	_, at := r.cell(to)
	if ends[0].epoch != ends[1].epoch || ends[1].at < ends[0].at {
		return begin, 0, false, r.fault(at, fmt.Sprintf("%s is before %s", to, from), "")
	}
	return ends[0], ends[1].at - ends[0].at, true, nil
}

// task reads what the line says of a task.
func (r *Table) task() (Task, *Fault) {
	tk := NewTask(Unknown)
	for _, u := range units {
		text, at := r.cell(u.name)
		if text == "" {
			continue
		}
		unit := u.unit
		if r.plan && u.name == "duration" {
			unit = float64(r.tick) / 1e6
		}
		ms, ok := r.duration(text, unit)
		if !ok || ms == 0 {
			return tk, r.fault(at, fmt.Sprintf("%s is %q", u.name, text), "write a number, or a duration such as 90s, 1h30m or 00:12:30")
		}
		tk.Time = ms
	}
	begin, length, given, f := r.span("start", "end")
	if f != nil {
		return tk, f
	}
	if given {
		tk.Start, r.began = begin.at, begin
		if tk.Time == Unknown {
			tk.Time = length
		}
	}
	if tk.Time == Unknown {
		return tk, r.fault(0, "nothing says how long the task takes", "fill in the column minutes, seconds, hours or duration, or start and end")
	}
	if tk.Fetch, f = r.fetch(); f != nil {
		return tk, f
	}
	if text, at := r.cell("tasks"); text != "" {
		n, ok := r.number(text)
		if !ok || n != math.Trunc(n) || n < 1 || n > tableMostTasks {
			return tk, r.fault(at, fmt.Sprintf("tasks is %q", text), fmt.Sprintf("write a whole number from 1 to %d", tableMostTasks))
		}
		tk.Count = int32(n)
	}
	host, _ := r.cell("slave")
	tk.Host = r.t.Host(Name(host))
	return tk, nil
}

// tableMostTasks is the largest number of tasks in a line.
const tableMostTasks = 1_000_000

// fetch is how long it takes to get the input of a task.
func (r *Table) fetch() (int64, *Fault) {
	if _, length, given, f := r.span("fetch_start", "fetch_end"); f != nil || given {
		return length, f
	}
	text, at := r.cell("fetch")
	if text == "" {
		return 0, nil
	}
	_, bare := r.number(text)
	ms, ok := r.duration(text, 1000)
	if r.plan || bare && r.ticks { // a point in time, after which the task may have waited too
		_, length, _, f := r.span("fetch", "start")
		if f == nil && length > 0 {
			r.t.Remarks.Add("tasks of a plan that were fetched for, and may have waited: all until they started counts as fetching", *r.fault(at, "fetched for before the start", "a table of export csv tells these apart"))
		}
		return length, f
	}
	if !ok {
		return 0, r.fault(at, fmt.Sprintf("fetch is %q", text), "write a duration such as 30s")
	}
	return ms, nil
}

// job reads what the line says of the job as a whole. What several lines say has to agree,
// or the later one counts.
func (r *Table) job(j *run) *Fault {
	point := func(name string, from *point) (point, bool, *Fault) {
		text, at := r.cell(name + clockSuffix)
		if text == "" {
			text, at = r.cell(name)
		}
		if text == "" {
			return point{}, false, nil
		}
		p, advice := r.time(text, from)
		if advice != "" {
			return p, false, r.fault(at, fmt.Sprintf("%s is %q", name, text), advice)
		}
		return p, true, nil
	}
	r.agree(j)
	release, given, f := point("release", nil)
	if f != nil {
		return f
	}
	if given {
		j.Submit, j.epoch, j.timed = release.at, release.epoch, true
	}
	from := &release
	if !given {
		from = nil
	}
	due, given, f := point("due", from)
	if f != nil {
		return f
	}
	if given {
		if from != nil && from.epoch != due.epoch {
			return r.fault(0, "release and due do not count from the same start", "write both by the clock, or give --origin")
		}
		j.Due, j.epoch, j.Deadline = due.at, due.epoch, Unknown
	}
	if text, at := r.cell("deadline"); text != "" && j.Due == Unknown {
		ms, ok := r.duration(text, 1000)
		if !ok || ms == 0 {
			return r.fault(at, fmt.Sprintf("deadline is %q", text), "write a duration such as 2h, or a point in time in the column due")
		}
		j.Deadline = ms
	}
	if text, at := r.cell("hard"); text != "" {
		hard, ok := yes(text)
		if !ok {
			return r.fault(at, fmt.Sprintf("hard is %q", text), "write yes or no")
		}
		j.Hard = hard
	}
	if r.has("hard") {
		j.Soft = !j.Hard
	}
	if text, at := r.cell("weight"); text != "" {
		w, ok := r.number(text)
		if !ok || w != math.Trunc(w) || w < 1 || w > 1e6 {
			return r.fault(at, fmt.Sprintf("weight is %q", text), "write a whole number from 1 to 1000000")
		}
		j.Weight = int64(w)
	}
	return nil
}

// agree tells of cells about the job as a whole that say otherwise than earlier lines of it.
func (r *Table) agree(j *run) {
	for _, name := range []string{"release", "due", "deadline", "hard", "weight"} {
		text, at := r.cell(name)
		before, known := j.said[name]
		switch {
		case text == "":
			continue
		case known && before != text:
			r.t.Remarks.Add("cells about a job that say otherwise than a line of it before, of which the last counts",
				*r.fault(at, fmt.Sprintf("%s of job %s is %q, and was %q", name, j.ID, text, before), ""))
		case j.said == nil:
			j.said = map[string]string{}
		}
		j.said[name] = text
	}
}

// stageName is that of the stage the line is of. In a table without stages tasks may have names.
func (r *Table) stageName() string {
	name, _ := r.cell("stage")
	if task, at := r.cell("task"); !r.has("stage") && strings.Trim(task, "0123456789") != "" {
		r.t.Remarks.Add("tasks with names in a table without a column stage, each of which is taken for a stage", *r.fault(at, fmt.Sprintf("task is %q", task), "call the column stage"))
		name = task
	}
	return cmp.Or(Name(name), "tasks")
}

// stage puts the task into its stage.
func (r *Table) stage(j *run, tk Task) *Fault {
	name := r.stageName()
	st := NewStage(name)
	if text, at := r.cell("cores"); text != "" {
		n, ok := r.number(text)
		if !ok || n > 1e9 {
			return r.fault(at, fmt.Sprintf("cores is %q", text), "write a number")
		}
		st.Cores = max(1, int64(math.Ceil(n)))
	}
	if text, at := r.cell("memory"); text != "" {
		var ok bool
		if st.Memory, ok = r.memory(text); !ok {
			return r.fault(at, fmt.Sprintf("memory is %q", text), "write 512M or 2G")
		}
	}
	st.Reduce = strings.EqualFold(name, "reduce")
	if text, at := r.cell("slot"); text != "" {
		if text != "map" && text != "reduce" {
			return r.fault(at, fmt.Sprintf("slot is %q", text), "write map or reduce")
		}
		st.Reduce = text == "reduce"
	}
	allowed, _ := r.cell("slaves")
	for _, host := range names(allowed) {
		st.Hosts = append(st.Hosts, r.t.Host(host))
	}
	i, known := j.stages[name]
	if !known {
		i = len(j.Stages)
		j.stages[name] = i
		j.Stages = append(j.Stages, st)
		r.waits(j, i)
	}
	own := &j.Stages[i]
	own.Cores, own.Memory, own.Reduce = max(own.Cores, st.Cores), max(own.Memory, st.Memory), own.Reduce || st.Reduce
	tk.Cores = int32(max(0, st.Cores))
	if tk.Start == Unknown { // nothing tells it from others that took as long
		key := alike{tk.Time, tk.Fetch, int32(i), tk.Cores, tk.Host}
		if k, known := j.alike[key]; known && own.Tasks[k].Count <= tableMostTasks {
			own.Tasks[k].Count += tk.Count
			return nil
		}
		if j.alike == nil {
			j.alike = map[alike]int32{}
		}
		j.alike[key] = int32(len(own.Tasks))
	}
	if r.kept++; r.kept > tableMostTasks {
		return r.fault(0, fmt.Sprintf("more than %d lines of tasks, the most that a job set can have", tableMostTasks), "take fewer jobs by --limit")
	}
	own.Tasks = append(own.Tasks, tk)
	return nil
}

// waits notes what a new stage comes after.
func (r *Table) waits(j *run, stage int) {
	apart := slices.Contains(r.columns, "after_jobs")
	if text, at := r.cell("after"); text != "" || apart {
		j.after = append(j.after, after{stage, names(strings.TrimSpace(strings.Trim(text, "-"))), text == "-" || apart && text == "", false, *r.fault(at, "", "")})
	}
	if text, at := r.cell("after_jobs"); text != "" {
		j.after = append(j.after, after{stage, names(text), false, true, *r.fault(at, "", "")})
	}
}

// Close implements Reader: with all lines read, names can be told apart.
func (r *Table) Close(t *Trace) {
	jobs := map[string]bool{}
	for _, j := range r.order {
		jobs[j.Name] = true
	}
	clocked := r.anyEpoch()
	for _, j := range r.order {
		j.alike = nil
		if j.broken {
			t.Unusable.Add("jobs of which a line cannot be used", Fault{Place: j.At, Message: fmt.Sprintf("a line of job %s cannot be used", j.ID)})
			continue
		}
		for _, a := range j.after {
			j.link(a, jobs, t)
		}
		j.sort()
		if clocked && !j.epoch && !r.plan {
			j.count(r.begin())
		}
		switch {
		case j.timed:
		case j.begun && !r.plan: // it was there when its first task began
			j.Submit, j.epoch = j.first.at, j.first.epoch
			t.Remarks.Add("jobs of which nothing says when they may begin, each of which may when the first of its tasks did", j.unreleased())
		default:
			j.Submit, j.epoch = 0, clocked
			if clocked {
				j.Submit = r.begin()
			}
			if r.plan {
				t.Remarks.Add("jobs of a plan that does not say when they may begin, each of which may when the first of all tasks starts", j.unreleased())
			}
		}
		t.Add(j.Job, j.epoch)
	}
	t.Beyond += len(r.others)
	r.runs, r.order = nil, nil
}

// sort puts stages behind those that they come after, as far as these do not go in a
// circle: tables of plans are in the order of slaves.
func (j *run) sort() {
	before := func(k int32) []int32 {
		if after := j.Stages[k].After; after != nil || k == 0 {
			return after
		}
		return []int32{k - 1}
	}
	if len(model.FindCycle(len(j.Stages), before)) > 0 {
		return // whoever makes a job of it tells
	}
	sorted := model.Topological(len(j.Stages), before)
	place := make([]int32, len(sorted))
	for i, k := range sorted {
		place[k] = int32(i)
	}
	stages := make([]Stage, len(sorted))
	for i, k := range sorted {
		st := j.Stages[k]
		if after := before(k); st.After != nil || int(k) != i || len(after) > 0 && place[after[0]] != int32(i-1) {
			st.After = []int32{}
			for _, b := range after {
				st.After = append(st.After, place[b])
			}
			slices.Sort(st.After)
		}
		stages[i] = st
	}
	j.Stages = stages
}

// count has points in time that count from the start of the table count from 1970, of which
// the start is given.
func (j *run) count(start int64) {
	if j.epoch = true; j.timed {
		j.Submit += start
	}
	if j.Due != Unknown {
		j.Due += start
	}
}

// unreleased tells of a job without a release.
func (j *run) unreleased() Fault {
	return Fault{Place: j.At, Message: fmt.Sprintf("job %s has no release", j.ID), Advice: "a column release says when it may begin"}
}

// anyEpoch reports whether points in time count from 1970.
func (r *Table) anyEpoch() bool {
	return !r.Origin.IsZero() || slices.ContainsFunc(r.order, func(j *run) bool { return j.epoch || j.begun && j.first.epoch })
}

// begin is when the table begins: its origin, or else the first point in time in it.
func (r *Table) begin() int64 {
	if !r.Origin.IsZero() {
		return r.Origin.UnixMilli()
	}
	first := Most
	for _, j := range r.order {
		if j.timed && j.epoch {
			first = min(first, j.Submit)
		}
		if j.begun && j.first.epoch {
			first = min(first, j.first.at)
		}
	}
	if first == Most {
		return 0
	}
	return first
}

// link resolves the names that a stage comes after: stages of the job, or other jobs.
func (j *run) link(a after, jobs map[string]bool, t *Trace) {
	if a.none {
		j.Stages[a.stage].After = []int32{}
	}
	for _, name := range a.names {
		k, isStage := j.stages[name]
		switch {
		case isStage && !a.jobs && k != a.stage:
			j.Stages[a.stage].After = append(j.Stages[a.stage].After, int32(k))
		case jobs[name] && name != j.Name:
			if !slices.Contains(j.After, name) {
				j.After = append(j.After, name)
			}
		default:
			a.place.Message = fmt.Sprintf("%s comes after %q, which is neither a stage of it nor another job", j.Name, name)
			t.Unusable.Add("names of things to come after that there are not", a.place)
		}
	}
}
