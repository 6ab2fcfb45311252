// Package planfile reads and writes plans as JSON, YAML and CSV, and finds the tasks of
// a plan in a job set.
package planfile

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"

	"gopkg.in/yaml.v3"
)

// Read reads a plan from JSON, YAML or CSV: by the end of the name, or by
// the looks of the text if the name does not tell. Whatever is wrong with the
// file comes back at once, as a *[document.Faults].
//
// Required are the version and the tasks; all else is a claim that a plan can
// do without. Fields that start with x- belong to other programs and are
// passed over, and so are clock times beside times, what bounds rest on, and the conflict,
// the analysis, the remedies, statistics and the notes that come with an answer that is no plan. A CSV file holds tasks and no claims. Whether names, times
// and claims are right is for package model/check to say.
func Read(name string, src []byte) (*model.Plan, error) {
	r := &planReader{Reader: document.NewReader("plan", src)}
	r.read(name)
	if err := r.Err(name); err != nil {
		return nil, err
	}
	return &r.plan, nil
}

// read reads the plan in a file of that name.
func (r *planReader) read(name string) {
	format, err := FormatOf(name)
	if err != nil {
		format = r.sniff()
	}
	advice := "write the plan as CSV, which is shorter"
	if format == CSV {
		advice = "leave clock times out"
	}
	if r.Fits(MaxSize, advice) {
		if format == CSV {
			r.csv()
		} else if root := r.Parse(format == JSON, "write the plan as CSV"); root != nil {
			r.readPlan(root)
		}
	}
}

// sniff tells the format of a plan, or of a run, by its looks.
func (r *planReader) sniff() Format {
	src := bytes.TrimLeft(r.Source(), " \t\r\n")
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if r.run != nil && isHeader(string(line)) {
		return CSV
	}
	columns := 0
	for _, c := range planColumns {
		if bytes.Contains(line, []byte(c)) {
			columns++
		}
	}
	switch {
	case bytes.HasPrefix(src, []byte("{")):
		return JSON
	case bytes.ContainsRune(line, ',') && columns > 1 && !bytes.ContainsAny(line, ":{"):
		return CSV
	}
	return YAML
}

// planReader reads plans value by value.
type planReader struct {
	*document.Reader
	plan model.Plan
	// run is set where a run is read; else nil.
	run *runReader
}

// MaxSize of a plan file in bytes admits half a million tasks in JSON, two million in CSV.
const MaxSize = 128 << 20

// record reads a mapping as object does, but passes over fields of others.
func (r *planReader) record(f document.Field, what string, known ...string) *document.Object {
	fields, ok := r.Mapping(f, what)
	if !ok {
		return nil
	}
	o := &document.Object{Node: document.Deref(f.Value), What: what}
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		switch {
		case slices.Contains(known, name):
			o.Add(name, p)
		case strings.HasPrefix(name, "x-"):
		default:
			r.FaultAt(p.Key, fmt.Sprintf("unknown field %q in %s", document.Shorten(name), what),
				r.DidYouMean(name, known, "fields of your own start with x-, the others are "))
		}
	}
	return o
}

func (r *planReader) readPlan(root *yaml.Node) {
	if r.run != nil && root.Kind == yaml.SequenceNode {
		r.list(root)
		return
	}
	top := r.record(document.Field{Value: root}, "the plan", "version", "program", "kind", "jobset", "digest", "time_unit", "origin", "zone", "status", "relaxed", "now", "now"+clockSuffix,
		"objectives", "jobs", "tasks", "changes", "left_out", "rejected", "lost", "solver", "certificate", "certainly_late", "conflict", "analysis", "remedies", "notes", "why", "claims", "stats", "followed")
	if top == nil {
		return
	}
	p := &r.plan
	if f := r.Require(top, "version", "version: 1"); f != nil {
		p.Version = int(r.int64(*f, "version"))
		if p.Version != model.PlanVersion {
			r.Fault(*f, fmt.Sprintf("version is %d, and this program reads version %d only", p.Version, model.PlanVersion), "write version: 1")
		}
	}
	if f := top.Get("kind"); f != nil {
		p.Kind, _ = r.Word(*f, "kind", []string{model.KindExecuted})
	}
	p.Program = r.optionalName(top.Get("program"))
	p.JobSet, p.Digest = r.optionalName(top.Get("jobset")), r.optionalName(top.Get("digest"))
	r.readClock(top)
	if f := top.Get("status"); f != nil {
		p.Status, _ = r.Word(*f, "status", model.StatusNames())
	}
	if f := top.Get("relaxed"); f != nil {
		p.Relaxed, _ = r.Boolean(*f, "relaxed")
	}
	if f := top.Get("now"); f != nil {
		p.Now = model.Time(r.int64(*f, "now"))
	}
	p.Objectives = readItems(r, top, "objectives", r.objectiveValue)
	p.Jobs = readItems(r, top, "jobs", r.jobResult)
	tasks := r.Require(top, "tasks", "tasks: [], with an item for each task") != nil
	if r.run != nil {
		r.lines(top)
	} else if tasks {
		p.Tasks = readItems(r, top, "tasks", r.taskResult)
	}
	p.Changes = readItems(r, top, "changes", r.change)
	p.LeftOut = readItems(r, top, "left_out", func(f document.Field) string { return r.optionalName(&f) })
	p.Rejected = readItems(r, top, "rejected", func(f document.Field) string { return r.optionalName(&f) })
	if r.run == nil {
		p.Lost = readItems(r, top, "lost", r.taskResult)
	}
	if f := top.Get("solver"); f != nil {
		p.Solver = r.solver(*f)
	}
	if f := top.Get("certificate"); f != nil {
		p.Certificate = r.certificate(*f)
	}
}

// readClock reads what says when ticks are.
func (r *planReader) readClock(top *document.Object) {
	times := jobfile.TimeReader{Reader: r.Reader, JS: &model.JobSet{}}
	unit, origin := top.Get("time_unit"), top.Get("origin")
	if unit != nil {
		times.TimeUnit(*unit)
	}
	if f := top.Get("zone"); f != nil {
		times.Zone(*f, origin != nil)
	}
	if origin != nil {
		times.Origin(*origin, unit != nil)
	}
	r.plan.TimeUnit, r.plan.Origin, r.plan.Zone = times.JS.TimeUnit, times.JS.Origin, times.JS.Zone
}

// readItems reads a list; nil if it is empty or not there.
func readItems[T any](r *planReader, o *document.Object, name string, read func(document.Field) T) []T {
	f := o.Get(name)
	if f == nil {
		return nil
	}
	n := document.Deref(f.Value)
	if n.Kind != yaml.SequenceNode {
		r.Fault(*f, fmt.Sprintf("%s is %s where a list is expected", name, document.Describe(n)), "write [] for none")
		return nil
	}
	if len(n.Content) == 0 {
		return nil
	}
	out := make([]T, len(n.Content))
	for i, c := range n.Content {
		out[i] = read(document.Field{Value: c})
	}
	return out
}

// optionalName reads a name; empty if the field is not there.
func (r *planReader) optionalName(f *document.Field) string {
	if f == nil {
		return ""
	}
	s, _ := r.Name(*f)
	return s
}

// int64 reads a whole number.
func (r *planReader) int64(f document.Field, what string) int64 {
	if _, ok := r.Number(f, what, document.WholeNumber); !ok {
		return 0
	}
	v, err := strconv.ParseInt(document.Deref(f.Value).Value, 10, 64)
	if err != nil {
		r.Fault(f, fmt.Sprintf("%s is %s, which does not fit in 64 bits", what, document.Shorten(document.Deref(f.Value).Value)),
			fmt.Sprintf("write a number between %d and %d", math.MinInt64, math.MaxInt64))
		return 0
	}
	return v
}

// orNull is nil for null.
func (r *planReader) orNull(f *document.Field, what string) *int64 {
	if f == nil || document.IsNull(document.Deref(f.Value)) {
		return nil
	}
	v := r.int64(*f, what)
	return &v
}

func (r *planReader) objectiveValue(f document.Field) model.ObjectiveValue {
	const what = "the objective"
	o := r.record(f, what, "name", "value", "bound", "proof", "certified")
	if o == nil {
		return model.ObjectiveValue{}
	}
	v := model.ObjectiveValue{
		Name:  r.optionalName(r.Require(o, "name", "name: misses")),
		Bound: r.orNull(o.Get("bound"), "bound"), Certified: r.orNull(o.Get("certified"), "certified"),
	}
	if f := r.Require(o, "value", "the value that the plan reaches, value: 0"); f != nil {
		v.Value = r.int64(*f, "value")
	}
	if f := o.Get("proof"); f != nil {
		v.Proof, _ = r.Word(*f, "proof", model.ProofNames())
	}
	return v
}

func (r *planReader) jobResult(f document.Field) model.JobResult {
	o := r.record(f, "the job's result", "job", "finish", "finish"+clockSuffix, "deadline", "deadline"+clockSuffix, "late")
	if o == nil {
		return model.JobResult{}
	}
	res := model.JobResult{Job: r.optionalName(r.Require(o, "job", "the name of the job, job: j1"))}
	if f := r.Require(o, "finish", "the time of its last finish, finish: 9"); f != nil {
		res.Finish = model.Time(r.int64(*f, "finish"))
	}
	if f := r.Require(o, "deadline", "the absolute deadline, or deadline: null"); f != nil {
		res.Deadline = (*model.Time)(r.orNull(f, "deadline"))
	}
	if f := r.Require(o, "late", "the lateness, late: 0"); f != nil {
		late := r.orNull(f, "late")
		switch {
		case late != nil:
			res.Late = model.Time(*late)
		case res.Deadline != nil:
			r.Fault(*f, "late is null for a job with a deadline", "write late: 0 if it is in time")
		}
	}
	return res
}

// change reads one by which the job set differs from its file.
func (r *planReader) change(f document.Field) model.Change {
	o := r.record(f, "a change", "change", "of", "resource", "time", "number")
	if o == nil {
		return model.Change{}
	}
	c := model.Change{Name: r.optionalName(o.Get("of")), Resource: r.optionalName(o.Get("resource"))}
	if f := r.Require(o, "change", "what is changed, change: drop"); f != nil {
		word, _ := r.Word(*f, "change", model.ChangeKinds())
		c.Kind = model.ChangeKind(word)
	}
	if f := o.Get("time"); f != nil {
		c.At = model.Time(r.int64(*f, "time"))
	}
	if f := o.Get("number"); f != nil {
		c.N = r.int64(*f, "number")
	}
	return c
}

// taskFields are those of a task in JSON and YAML.
var taskFields = slices.Concat(planColumns, clockColumns, []string{durationColumn})

func (r *planReader) taskResult(f document.Field) model.TaskResult {
	o := r.record(f, "the task", taskFields...)
	if o == nil {
		return model.TaskResult{}
	}
	return r.taskOf(o)
}

// taskOf reads a task's line from its fields.
func (r *planReader) taskOf(o *document.Object) model.TaskResult {
	number := func(name string) int64 {
		if f := r.Require(o, name, name+": 0"); f != nil {
			return r.int64(*f, name)
		}
		return 0
	}
	res := model.TaskResult{
		Job:   r.optionalName(r.Require(o, "job", "the name of its job, job: j1")),
		Stage: r.optionalName(r.Require(o, "stage", "the name of its stage, stage: map")),
		Slave: r.optionalName(r.Require(o, "slave", "the name of its slave, slave: s1")),
		Beat:  model.Time(number("beat")), Assigned: model.Time(number("assigned")),
		Fetch: model.Time(number("fetch")), Start: model.Time(number("start")), Finish: model.Time(number("finish")),
	}
	if f := r.Require(o, "task", "its number within the stage, task: 1"); f != nil {
		res.Task = int(r.int64(*f, "task"))
	}
	if f := o.Get(durationColumn); f != nil {
		res.Duration = model.Time(r.int64(*f, durationColumn))
	}
	return res
}

var plainFloat = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (r *planReader) solver(f document.Field) *model.SolverInfo {
	o := r.record(f, "the solver's part", "seconds", "proof", "seed", "from")
	if o == nil {
		return nil
	}
	info := &model.SolverInfo{Proof: model.NoProof.String()}
	if f := o.Get("seconds"); f != nil {
		if n, ok := r.Scalar(*f, "seconds", "a number, like 0.5"); ok {
			v, err := strconv.ParseFloat(n.Value, 64)
			if n.Style != 0 || !plainFloat.MatchString(n.Value) || err != nil {
				r.Fault(*f, fmt.Sprintf("seconds is %s, not a number of seconds", document.Describe(n)), "write a number, like 0.5")
			}
			info.Seconds = v
		}
	}
	if f := o.Get("proof"); f != nil {
		info.Proof, _ = r.Word(*f, "proof", model.ProofNames())
	}
	if f := o.Get("seed"); f != nil {
		if _, ok := r.Number(*f, "seed", document.WholeNumber); ok {
			v, err := strconv.ParseUint(document.Deref(f.Value).Value, 10, 64)
			if err != nil {
				r.Fault(*f, fmt.Sprintf("seed is %s", document.Shorten(document.Deref(f.Value).Value)), fmt.Sprintf("write a whole number from 0 to %d", uint64(math.MaxUint64)))
			}
			info.Seed = v
		}
	}
	if f := o.Get("from"); f != nil {
		info.From = r.from(*f)
	}
	return info
}

func (r *planReader) certificate(f document.Field) *model.CertificateInfo {
	o := r.record(f, "the certificate", "digest", "certified")
	if o == nil {
		return nil
	}
	info := &model.CertificateInfo{Digest: r.optionalName(o.Get("digest"))}
	if f := r.Require(o, "certified", "whether a checker has accepted the proof, certified: false"); f != nil {
		info.Certified, _ = r.Boolean(*f, "certified")
	}
	return info
}

func (r *planReader) from(f document.Field) *model.FromInfo {
	o := r.record(f, "what became of the earlier plan", "kept", "moved", "new", "unchanged")
	if o == nil {
		return nil
	}
	count := func(name string) int {
		if f := o.Get(name); f != nil {
			return int(r.int64(*f, name))
		}
		return 0
	}
	return &model.FromInfo{Kept: count("kept"), Moved: count("moved"), New: count("new"), Unchanged: count("unchanged")}
}
