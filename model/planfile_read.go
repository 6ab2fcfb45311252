package model

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// ReadPlan reads a plan from JSON, YAML or CSV: by the end of the name, or by
// the looks of the text if the name does not tell. Whatever is wrong with the
// file comes back at once, as a *[Faults].
//
// Required are the version and the tasks; all else is a claim that a plan can
// do without. Fields that start with x- belong to other programs and are
// passed over, and so are the conflict and the notes that come with an answer
// that is no plan. A CSV file holds tasks and no claims. Whether names, times
// and claims are right is for package model/verify to say.
func ReadPlan(name string, src []byte) (*Plan, error) {
	r := &planReader{loader: loader{text: newText(src)}}
	format, err := PlanFormatOf(name)
	if err != nil {
		format = sniffPlan(r.text.src)
	}
	if r.fits() {
		if format == PlanCSV {
			r.csv()
		} else if root := r.parse(format); root != nil {
			r.readPlan(root)
		}
	}
	if err := r.faults.err(name, r.text); err != nil {
		return nil, err
	}
	return &r.plan, nil
}

// sniffPlan tells the format of a plan by its looks.
func sniffPlan(src []byte) PlanFormat {
	src = bytes.TrimLeft(src, " \t\r\n")
	line, _, _ := bytes.Cut(src, []byte("\n"))
	columns := 0
	for _, c := range planColumns {
		if bytes.Contains(line, []byte(c)) {
			columns++
		}
	}
	switch {
	case bytes.HasPrefix(src, []byte("{")):
		return PlanJSON
	case bytes.ContainsRune(line, ',') && columns > 1 && !bytes.ContainsAny(line, ":{"):
		return PlanCSV
	}
	return PlanYAML
}

// planReader reads plans with the means of the job set loader.
type planReader struct {
	loader
	plan Plan
}

// maxPlanSize admits half a million tasks and more, and so does maxNodes.
const maxPlanSize = 128 << 20 // bytes

// fits reports whether the text can be read at all.
func (r *planReader) fits() bool {
	if len(r.text.src) > maxPlanSize {
		r.faults.add(Fault{Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, more than %d MiB", len(r.text.src), maxPlanSize>>20)})
		return false
	}
	if f, bad := r.text.badCharacter(); bad {
		r.faults.add(f)
		return false
	}
	return true
}

// parse gives the root of a JSON or YAML text, nil if there is none.
func (r *planReader) parse(format PlanFormat) *yaml.Node {
	parser := parseYAML
	if format == PlanJSON {
		parser = parseJSON
	}
	if f, many := r.text.tooManyNodes(); many {
		r.faults.add(Fault{Line: f.Line, Column: f.Column, Message: f.Message, Advice: "write the plan as CSV"})
		return nil
	}
	root, f, ok := parser(r.text)
	if ok {
		f, ok = checkExpansion(root)
	}
	if !ok {
		// The parsers speak of what they mostly read.
		f.Message = strings.ReplaceAll(f.Message, "job set", "plan")
		f.Advice = strings.ReplaceAll(f.Advice, "job set", "plan")
		r.faults.add(f)
		return nil
	}
	return root
}

// record reads a mapping as object does, but passes over fields of others.
func (r *planReader) record(f field, what string, known ...string) *object {
	fields, ok := r.mapping(f, what)
	if !ok {
		return nil
	}
	o := &object{node: deref(f.value), what: what}
	for _, p := range fields {
		name := deref(p.key).Value
		switch {
		case slices.Contains(known, name):
			o.fields = append(o.fields, p)
			o.names = append(o.names, name)
		case strings.HasPrefix(name, "x-"):
		default:
			r.faultAt(p.key, fmt.Sprintf("unknown field %q in %s", shorten(name), what),
				r.didYouMean(name, known, "fields of your own start with x-, the others are "))
		}
	}
	return o
}

func (r *planReader) readPlan(root *yaml.Node) {
	top := r.record(field{value: root}, "the plan", "version", "kind", "jobset", "digest", "status", "relaxed",
		"objectives", "jobs", "tasks", "rejected", "lost", "solver", "conflict", "notes")
	if top == nil {
		return
	}
	p := &r.plan
	if f := r.require(top, "version", "version: 1"); f != nil {
		p.Version = int(r.int64(*f, "version"))
		if p.Version != PlanVersion {
			r.fault(*f, fmt.Sprintf("version is %d, and this program reads version %d only", p.Version, PlanVersion), "write version: 1")
		}
	}
	if f := top.get("kind"); f != nil {
		p.Kind, _ = r.word(*f, "kind", []string{KindExecuted})
	}
	if f := top.get("jobset"); f != nil {
		p.JobSet, _ = r.name(*f)
	}
	if f := top.get("digest"); f != nil {
		p.Digest, _ = r.name(*f)
	}
	if f := top.get("status"); f != nil {
		p.Status, _ = r.word(*f, "status", statusNames[:])
	}
	if f := top.get("relaxed"); f != nil {
		p.Relaxed, _ = r.boolean(*f, "relaxed")
	}
	p.Objectives = readItems(r, top, "objectives", r.objectiveValue)
	p.Jobs = readItems(r, top, "jobs", r.jobResult)
	if r.require(top, "tasks", "tasks: [], with an item for each task") != nil {
		p.Tasks = readItems(r, top, "tasks", r.taskResult)
	}
	p.Rejected = readItems(r, top, "rejected", func(f field) string { return r.optionalName(&f) })
	p.Lost = readItems(r, top, "lost", r.taskResult)
	if f := top.get("solver"); f != nil {
		p.Solver = r.solver(*f)
	}
}

// readItems reads a list; nil if it is empty or not there.
func readItems[T any](r *planReader, o *object, name string, read func(field) T) []T {
	f := o.get(name)
	if f == nil {
		return nil
	}
	n := deref(f.value)
	if n.Kind != yaml.SequenceNode {
		r.fault(*f, fmt.Sprintf("%s is %s where a list is expected", name, describe(n)), "write [] for none")
		return nil
	}
	if len(n.Content) == 0 {
		return nil
	}
	out := make([]T, len(n.Content))
	for i, c := range n.Content {
		out[i] = read(field{value: c})
	}
	return out
}

// optionalName reads a name; empty if the field is not there.
func (r *planReader) optionalName(f *field) string {
	if f == nil {
		return ""
	}
	s, _ := r.name(*f)
	return s
}

// int64 reads a whole number.
func (r *planReader) int64(f field, what string) int64 {
	if _, ok := r.plainInteger(f, what); !ok {
		return 0
	}
	v, err := strconv.ParseInt(deref(f.value).Value, 10, 64)
	if err != nil {
		r.fault(f, fmt.Sprintf("%s is %s, which does not fit in 64 bits", what, shorten(deref(f.value).Value)),
			fmt.Sprintf("write a number between %d and %d", math.MinInt64, math.MaxInt64))
		return 0
	}
	return v
}

// orNull is nil for null.
func (r *planReader) orNull(f *field, what string) *int64 {
	if f == nil || isNull(deref(f.value)) {
		return nil
	}
	v := r.int64(*f, what)
	return &v
}

func (r *planReader) objectiveValue(f field) ObjectiveValue {
	const what = "the objective"
	o := r.record(f, what, "name", "value", "bound")
	if o == nil {
		return ObjectiveValue{}
	}
	v := ObjectiveValue{
		Name:  r.optionalName(r.require(o, "name", "name: misses")),
		Bound: r.orNull(o.get("bound"), "bound"),
	}
	if f := r.require(o, "value", "the value that the plan reaches, value: 0"); f != nil {
		v.Value = r.int64(*f, "value")
	}
	return v
}

func (r *planReader) jobResult(f field) JobResult {
	o := r.record(f, "the job's result", "job", "finish", "deadline", "late")
	if o == nil {
		return JobResult{}
	}
	res := JobResult{Job: r.optionalName(r.require(o, "job", "the name of the job, job: j1"))}
	if f := r.require(o, "finish", "the time of its last finish, finish: 9"); f != nil {
		res.Finish = Time(r.int64(*f, "finish"))
	}
	if f := r.require(o, "deadline", "the absolute deadline, or deadline: null"); f != nil {
		res.Deadline = (*Time)(r.orNull(f, "deadline"))
	}
	if f := r.require(o, "late", "the lateness, late: 0"); f != nil {
		late := r.orNull(f, "late")
		switch {
		case late != nil:
			res.Late = Time(*late)
		case res.Deadline != nil:
			r.fault(*f, "late is null for a job with a deadline", "write late: 0 if it is in time")
		}
	}
	return res
}

func (r *planReader) taskResult(f field) TaskResult {
	o := r.record(f, "the task", planColumns...)
	if o == nil {
		return TaskResult{}
	}
	return r.taskOf(o)
}

// taskOf reads a task's line from its fields.
func (r *planReader) taskOf(o *object) TaskResult {
	number := func(name string) int64 {
		if f := r.require(o, name, name+": 0"); f != nil {
			return r.int64(*f, name)
		}
		return 0
	}
	res := TaskResult{
		Job:   r.optionalName(r.require(o, "job", "the name of its job, job: j1")),
		Stage: r.optionalName(r.require(o, "stage", "the name of its stage, stage: map")),
		Slave: r.optionalName(r.require(o, "slave", "the name of its slave, slave: s1")),
		Beat:  Time(number("beat")), Assigned: Time(number("assigned")),
		Fetch: Time(number("fetch")), Start: Time(number("start")), Finish: Time(number("finish")),
	}
	if f := r.require(o, "task", "its number within the stage, task: 1"); f != nil {
		res.Task = int(r.int64(*f, "task"))
	}
	return res
}

var plainFloat = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (r *planReader) solver(f field) *SolverInfo {
	o := r.record(f, "the solver's part", "seconds", "proof", "seed", "from")
	if o == nil {
		return nil
	}
	info := &SolverInfo{Proof: NoProof.String()}
	if f := o.get("seconds"); f != nil {
		if n, ok := r.scalar(*f, "seconds", "a number, like 0.5"); ok {
			v, err := strconv.ParseFloat(n.Value, 64)
			if n.Style != 0 || !plainFloat.MatchString(n.Value) || err != nil {
				r.fault(*f, fmt.Sprintf("seconds is %s, not a number of seconds", describe(n)), "write a number, like 0.5")
			}
			info.Seconds = v
		}
	}
	if f := o.get("proof"); f != nil {
		info.Proof, _ = r.word(*f, "proof", proofNames[:])
	}
	if f := o.get("seed"); f != nil {
		if _, ok := r.plainInteger(*f, "seed"); ok {
			v, err := strconv.ParseUint(deref(f.value).Value, 10, 64)
			if err != nil {
				r.fault(*f, fmt.Sprintf("seed is %s", shorten(deref(f.value).Value)), fmt.Sprintf("write a whole number from 0 to %d", uint64(math.MaxUint64)))
			}
			info.Seed = v
		}
	}
	if f := o.get("from"); f != nil {
		info.From = r.from(*f)
	}
	return info
}

func (r *planReader) from(f field) *FromInfo {
	o := r.record(f, "what became of the earlier plan", "kept", "moved", "new", "unchanged")
	if o == nil {
		return nil
	}
	count := func(name string) int {
		if f := o.get(name); f != nil {
			return int(r.int64(*f, name))
		}
		return 0
	}
	return &FromInfo{Kept: count("kept"), Moved: count("moved"), New: count("new"), Unchanged: count("unchanged")}
}
