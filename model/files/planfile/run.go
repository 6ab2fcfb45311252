package planfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// Run is what a run left, or has come to so far, with the places of its lines in their file.
type Run struct {
	*model.Plan
	name        string
	reader      *planReader
	tasks, lost []*yaml.Node
}

// ReadRun reads what was executed of a job set, which may be under way: a plan of kind
// executed as [Write] leaves it, or what people and engines have. That is a task a line, in
// JSON, YAML, or a table with a comma, a semicolon, a tab or | between its cells, with when it
// started and finished, in ticks or as clock times, on which slave, and perhaps its state and
// when it was handed out.
//
// Of a task that has not fetched, started or finished that time is model.Never in the answer.
// What is not told and follows from the rest is model.Unsaid: assigned, beat and fetch. Clock
// times between two ticks count as the earlier one. Lines of tasks that have not been handed
// out are left out. Whatever is wrong with the file comes back at once, as a
// *[document.Faults].
func ReadRun(name string, src []byte, js *model.JobSet) (*Run, error) {
	r := &planReader{Reader: document.NewReader("plan", src)}
	run := &Run{Plan: &r.plan, name: name, reader: r}
	r.run = &runReader{planReader: r, out: run, js: js, jobs: map[string]*model.Job{}}
	for i := range js.Jobs {
		r.run.jobs[js.Jobs[i].Name] = &js.Jobs[i]
	}
	r.read(name)
	if r.Sound() && r.plan.Kind != model.KindExecuted {
		r.Note(document.Fault{Line: 1, Column: 1, Message: "this is a plan, and not what was executed",
			Advice: "name it with --from; what has been executed says kind: executed, or has a column state in a table"})
	}
	if err := r.Err(name); err != nil {
		return nil, err
	}
	return run, nil
}

// Fault is the error of a line of the run, by its index in Tasks or Lost: a
// *[document.Faults] that shows it.
func (run *Run) Fault(index int, lost bool, message, advice string) error {
	at := run.tasks
	if lost {
		at = run.lost
	}
	run.reader.FaultAt(at[index], message, advice)
	return run.reader.Err(run.name)
}

// runReader reads what was executed of a job set.
type runReader struct {
	*planReader
	out  *Run
	js   *model.JobSet
	jobs map[string]*model.Job
}

// lineFields are those of a line, however it is written.
var lineFields = append(slices.Clone(taskFields), stateField)

// toldFields are how people write those that they need.
var toldFields = append(slices.Clone(runColumns), "state", "assigned")

// lines reads what a run tells of tasks.
func (r *planReader) lines(top *document.Object) {
	read := func(lost bool) func(document.Field) bool {
		return func(f document.Field) bool {
			o := r.run.record(f)
			if o != nil {
				r.run.line(o, lost)
			}
			return o != nil
		}
	}
	readItems(r, top, "tasks", read(false))
	readItems(r, top, "lost", read(true))
}

// list reads a run that is a list of lines and nothing else.
func (r *planReader) list(root *yaml.Node) {
	r.plan.Version, r.plan.Kind = model.PlanVersion, model.KindExecuted
	top := &document.Object{Node: root, What: "the run"}
	top.Add("tasks", document.Field{Value: root})
	r.lines(top)
}

// record reads a line, whose fields may be called as the columns of tables.
func (r *runReader) record(f document.Field) *document.Object {
	fields, ok := r.Mapping(f, "the task")
	if !ok {
		return nil
	}
	o := &document.Object{Node: document.Deref(f.Value), What: "the task"}
	for _, field := range fields {
		heading := document.Deref(field.Key).Value
		switch name := runHeading(heading); {
		case strings.HasPrefix(heading, "x-"):
		case !slices.Contains(lineFields, name):
			r.FaultAt(field.Key, fmt.Sprintf("unknown field %q in the task", document.Shorten(heading)),
				r.DidYouMean(name, toldFields, "leave it out, or let it start with x-; a task has "))
		case o.Get(name) != nil:
			r.FaultAt(field.Key, fmt.Sprintf("%s is given twice", name), "leave out one")
		default:
			o.Add(name, field)
		}
	}
	return o
}

// line reads what is told of a task, which is among the lost ones where that is known.
func (r *runReader) line(o *document.Object, lost bool) {
	state, at := r.state(o)
	if state == stateRejected {
		r.rejected(o)
		return
	}
	res := model.TaskResult{}
	r.task(o, &res)
	if f := o.Get(durationColumn); f != nil && !blank(f) {
		res.Duration = model.Time(r.int64(*f, durationColumn))
	}
	r.times(o, &res, state)
	if lost {
		state = stateLost
	}
	switch began, ended := res.Start < model.Never, res.Finish < model.Never; {
	case state == stateRunning && ended:
		r.Fault(*at, "the state is "+document.Deref(at.Value).Value+", and there is a finish", "leave finish empty while the task runs")
	case state == stateFinished && !ended:
		r.Fault(*at, "the state is "+document.Deref(at.Value).Value+", and there is no finish", "write when the task ended")
	case state == stateLost && !ended && began:
		res.Finish = res.Start
	case state == stateLost && !ended && res.Assigned != model.Unsaid:
		res.Finish = res.Assigned
	}
	if res.Start == model.Never && res.Finish == model.Never && res.Assigned == model.Unsaid {
		return // it has not been handed out
	}
	if f := o.Get("slave"); blank(f) {
		r.FaultAt(placeOf(o, "slave"), "the line says when something happened, and not on which machine", "add slave: the name of the machine in the job set")
	} else {
		res.Slave = r.optionalName(f)
	}
	if state == stateLost {
		r.plan.Lost, r.out.lost = append(r.plan.Lost, res), append(r.out.lost, o.Node)
	} else {
		r.plan.Tasks, r.out.tasks = append(r.plan.Tasks, res), append(r.out.tasks, o.Node)
	}
}

// rejected is for the line of a job that was rejected.
func (r *runReader) rejected(o *document.Object) {
	r.plan.Rejected = append(r.plan.Rejected, r.optionalName(o.Get("job")))
	for _, f := range o.Fields {
		if name := f.Key.Value; name != "job" && name != stateField && f.Value.Value != "" {
			r.Fault(f, fmt.Sprintf("%s is given for a rejected job", name), "leave it empty")
		}
	}
}

// blank reports that a field is not there, or says nothing.
func blank(f *document.Field) bool {
	if f == nil {
		return true
	}
	n := document.Deref(f.Value)
	return document.IsNull(n) || n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == ""
}

// placeOf is where a fault of a field stands, of the line where it has none.
func placeOf(o *document.Object, name string) *yaml.Node {
	if f := o.Get(name); f != nil {
		return f.At()
	}
	return o.Node
}

// task reads which task a line is of: by job, stage and number, or by its name in reports,
// job/stage/number. A job's only stage, and a stage's only task, need not be said.
func (r *runReader) task(o *document.Object, res *model.TaskResult) {
	name := func(field string) string {
		if f := o.Get(field); !blank(f) {
			return r.optionalName(f)
		}
		return ""
	}
	res.Job, res.Stage = name("job"), name("stage")
	f := o.Get("task")
	if !blank(f) && !r.number(*f, res) {
		return
	}
	job := r.jobs[res.Job]
	switch {
	case res.Job == "":
		r.FaultAt(placeOf(o, "job"), "the line says nothing of the job", "add job, or write the task as job/stage/number")
		return
	case job == nil:
		res.Task = max(res.Task, 1)
		return // a note tells
	case res.Stage == "" && len(job.Stages) == 1:
		res.Stage = job.Stages[0].Name
	case res.Stage == "":
		var stages []string
		for k := range job.Stages {
			stages = append(stages, job.Stages[k].Name)
		}
		r.FaultAt(placeOf(o, "stage"), "the line says nothing of the stage", fmt.Sprintf("add stage: the stages of %s are %s", res.Job, strings.Join(stages, ", ")))
		return
	}
	if k := slices.IndexFunc(job.Stages, func(s model.Stage) bool { return s.Name == res.Stage }); k >= 0 && blank(f) {
		if n := job.Stages[k].End - job.Stages[k].First; n > 1 {
			r.FaultAt(placeOf(o, "task"), "the line does not say which task it is", fmt.Sprintf("add task: its number in the stage, from 1 to %d", n))
		}
		res.Task = 1
	}
}

// number reads a task's number, perhaps behind its job and stage; false if there is none.
func (r *runReader) number(f document.Field, res *model.TaskResult) bool {
	n := document.Deref(f.Value)
	text := strings.TrimSpace(n.Value)
	at := strings.LastIndexByte(text, '/')
	switch {
	case n.Kind != yaml.ScalarNode || !document.IsPlainDecimal(text[at+1:]):
		r.Fault(f, fmt.Sprintf("task is %s, not a number in its stage", document.Describe(n)), "write a whole number, like 4, or job/stage/number")
		return false
	case at < 0:
		res.Task = int(r.int64(f, "task"))
		return true
	}
	before := text[:at]
	number, err := strconv.Atoi(text[at+1:])
	if err != nil {
		number = 0 // no task has one that large
	}
	res.Task = number
	job, stage := res.Job, before
	switch at := strings.LastIndexByte(before, '/'); {
	case job == "" && r.jobs[before] != nil:
		job, stage = before, ""
	case job == "" && at >= 0:
		job, stage = before[:at], before[at+1:]
	case job == "":
		job, stage = before, ""
	default:
		stage = strings.TrimPrefix(strings.TrimPrefix(before, job), "/")
	}
	if res.Stage != "" && stage != "" && stage != res.Stage {
		r.Fault(f, fmt.Sprintf("task is %s, and the line is of %s/%s", document.Shorten(text), document.Shorten(job), document.Shorten(res.Stage)), "write the number alone")
	}
	res.Job = job
	if res.Stage == "" {
		res.Stage = stage
	}
	return true
}
