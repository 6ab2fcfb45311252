package jobfile

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

const (
	maxTasks  = 1_000_000
	maxWeight = 1_000_000
)

// JobFields are the fields of a job, and StageFields those that a stage has, whether it is map, reduce or one
// of a list; NamedStageFields are those of one of a list.
var (
	JobFields        = []string{"name", "release", "deadline", "due", "hard", "weight", "at_most", "repeat", "after", "map", "reduce", "stages"}
	StageFields      = []string{"tasks", "wcet", "durations", "transfer", "cores", "resources", "pools", "data", "slaves", "at_most", "gang", "apart"}
	NamedStageFields = slices.Concat([]string{"name", "slot", "after"}, StageFields)
)

// jobReader reads jobs, their stages and groups of tasks.
type jobReader struct {
	*profileReader

	jobNames     map[string]jobRef
	jobNamesSure bool     // all names are known, so an unknown one is a fault
	jobsWhole    bool     // all jobs and instances are there, with all that they come after
	entries      []string // the names that the file gives, for suggestions
	afters       []jobAfter
	tasks        int64 // so far
	stageAt      map[stagePlace]*document.Object
	links        int // so far, pairs of stages of which one waits for the other
}

func (r *jobReader) jobs(f document.Field) {
	r.jobNames, r.jobNamesSure, r.jobsWhole = map[string]jobRef{}, true, true
	for _, item := range r.List(f, "jobs", "one job") {
		if !r.job(item) {
			r.jobNamesSure = false
		}
	}
	r.linkJobs()
}

// job reads a job and its instances, and reports whether their names could be made out.
func (r *jobReader) job(item document.Field) (named bool) {
	o := r.Object(item, "a job", JobFields...)
	if o == nil {
		return false
	}
	j := model.Job{Weight: 1}
	nameField := r.Require(o, "name", "name: j1")
	if nameField != nil {
		if j.Name, named = r.Name(*nameField); named {
			o.What = fmt.Sprintf("job %q", j.Name)
		}
	}
	rep, sure := r.repeat(o)
	count := 0
	if rep != nil && sure {
		count = rep.count
	}
	ref := jobRef{first: model.JobID(len(r.JS.Jobs)), count: count}
	if named {
		named = r.nameJob(*nameField, j.Name, count) && sure // so that names of instances are known
	}
	sure = r.timing(o, &j) && sure
	j.AtMost = r.cap(o)
	j.Stages = r.stages(o, o.What)
	if f := o.Get("after"); f != nil {
		names, ok := r.afterNames(*f, "etl")
		r.afters = append(r.afters, jobAfter{ref, j.Name, *f, names})
		r.jobsWhole = r.jobsWhole && ok
	}
	if count == 0 {
		r.JS.Jobs = append(r.JS.Jobs, j)
	} else if !sure || !r.instances(j, rep, o.Get("due")) {
		r.jobsWhole = false
	}
	return named
}

// timing reads release, deadline, kind and weight, and reports whether release and
// deadline can be relied on.
func (r *jobReader) timing(o *document.Object, j *model.Job) (sure bool) {
	sure = true
	if f := o.Get("release"); f != nil {
		j.Release, sure = r.Point(*f, "release", since{})
	}
	deadline, due, hard := o.Get("deadline"), o.Get("due"), o.Get("hard")
	if deadline != nil || due != nil {
		j.Kind = model.Soft
		sure = r.deadline(o, deadline, due, j, sure)
	}
	if hard != nil {
		isHard, _ := r.Boolean(*hard, "hard")
		switch {
		case isHard && j.Kind == model.BestEffort && (o.Meant("deadline") || o.Meant("due")):
		case isHard && j.Kind == model.BestEffort:
			r.Fault(*hard, o.What+" is hard without a deadline", "add a deadline or leave out hard")
		case isHard:
			j.Kind = model.Hard
		}
	}
	if f := o.Get("weight"); f != nil {
		j.Weight, _ = r.Integer(*f, "weight", 1, maxWeight, "")
	}
	return sure
}

// deadline reads a deadline, relative or absolute; released is false if the release
// cannot be relied on.
func (r *jobReader) deadline(o *document.Object, deadline, due *document.Field, j *model.Job, released bool) (sure bool) {
	j.Deadline = 1 // until it is known
	switch {
	case deadline != nil && due != nil:
		r.FaultAt(due.Key, o.What+" has both deadline and due", "give either the time from release to deadline, or when it is due")
	case deadline != nil && r.IsClockTime(*deadline):
		advice := "write due: " + document.Deref(deadline.Value).Value
		if r.JS.Origin.IsZero() {
			advice += ", with time_unit and origin"
		}
		r.Fault(*deadline, fmt.Sprintf("deadline is the clock time %s, and it counts from the release", document.Deref(deadline.Value).Value), advice)
	case deadline != nil:
		t, ok := r.Time(*deadline, "deadline", 1, "write the time from release to deadline, or leave it out for a best-effort job")
		if ok {
			j.Deadline = t
		}
		return ok && released
	case !released:
		r.Point(*due, "due", since{}) // for what is wrong with it alone
	default:
		at, ok := r.Point(*due, "due", since{Tick: j.Release, After: true})
		if ok && at <= j.Release {
			c := clock.Of(r.JS)
			r.Fault(*due, fmt.Sprintf("due is %s, and the release is at %s", c.Point(at), c.Point(j.Release)), "write a later time; it counts from tick 0, and deadline from the release")
			return false
		}
		if ok {
			j.Deadline, j.ByDue = at-j.Release, true
			r.noteNextDay(o, due, j)
		}
		return ok
	}
	return false
}

// stages reads map and reduce, or the general form.
func (r *jobReader) stages(o *document.Object, what string) []model.Stage {
	maps, reduces, general := o.Get("map"), o.Get("reduce"), o.Get("stages")
	var out []model.Stage
	for _, f := range []*document.Field{maps, reduces} {
		if f == nil {
			continue
		}
		st := model.Stage{Name: f.Key.Value, After: []int32{}}
		if f == reduces {
			st.Slot = model.ReduceSlot
		}
		if len(out) > 0 {
			st.After = []int32{0}
		}
		name := fmt.Sprintf("stage %q of %s", st.Name, what)
		if o := r.Object(*f, name, StageFields...); o != nil {
			r.together(o, &st, len(out))
			st.Groups = r.groups(o, st.Slot)
			out = append(out, st)
		}
	}
	switch {
	case general != nil && (maps != nil || reduces != nil):
		r.FaultAt(general.Key, what+" has stages beside map or reduce", "give either map and reduce, or stages")
	case general != nil:
		return r.generalStages(*general, what)
	case maps == nil && reduces == nil:
		r.FaultAt(o.Node, what+" has no stage", "add map, reduce or stages, like map: {tasks: 1, wcet: 5}")
	}
	return out
}

func (r *jobReader) generalStages(f document.Field, what string) []model.Stage {
	lines := map[string]int{}
	var out []model.Stage
	var afters []stageAfter
	namesSure := true
	for _, item := range r.List(f, "stages", "one stage") {
		o := r.Object(item, "a stage of "+what, NamedStageFields...)
		if o == nil {
			namesSure = false
			continue
		}
		st, named := r.stage(o, what, lines)
		namesSure = namesSure && named
		r.together(o, &st, len(out))
		out, afters = append(out, st), append(afters, r.stageAfter(o))
	}
	r.linkStages(out, afters, what, namesSure)
	return out
}

// stage reads all but what the stage comes after, and reports whether its name could be
// made out. The lines are those where names were given.
func (r *jobReader) stage(o *document.Object, what string, lines map[string]int) (st model.Stage, named bool) {
	if f := r.Require(o, "name", "name: extract"); f != nil {
		if st.Name, named = r.Name(*f); named {
			o.What = fmt.Sprintf("stage %q of %s", st.Name, what)
			if line, taken := lines[st.Name]; taken {
				r.Fault(*f, fmt.Sprintf("the stage name %q is taken by line %d", st.Name, line), "choose another name")
			}
			lines[st.Name] = f.At().Line
		}
	}
	if f := o.Get("slot"); f != nil {
		if word, _ := r.Word(*f, "slot", []string{"map", "reduce"}); word == "reduce" {
			st.Slot = model.ReduceSlot
		}
	}
	st.Groups = r.groups(o, st.Slot)
	return st, named
}

// figures reads the figures that o gives, on top of those it inherits.
func (r *jobReader) figures(o *document.Object, inherited figureFields) figureFields {
	out := inherited
	if f := o.Get("wcet"); f != nil {
		out.wcet = r.wcetTable(*f)
		out.sure = out.sure && out.wcet.sure
	}
	if f := o.Get("durations"); f != nil {
		out.durations = r.durations(*f)
		out.sure = out.sure && out.durations.sure
	}
	if f := o.Get("transfer"); f != nil {
		out.transfer = r.transferTable(*f)
		out.sure = out.sure && out.transfer.sure
	}
	if f := o.Get("data"); f != nil {
		out.data = r.selection(*f, "data")
		out.sure = out.sure && out.data.sure
	}
	if f := o.Get("slaves"); f != nil {
		out.slaves = r.selection(*f, "slaves")
		out.sure = out.sure && out.slaves.sure
	}
	r.needs(o, &out)
	r.takes(o, &out)
	return out
}

// groups reads a stage's tasks: a number of equal ones or a list of groups.
func (r *jobReader) groups(o *document.Object, slot model.SlotKind) []model.Group {
	if r.tasks > maxTasks { // refused already; aliases may stand for billions
		return nil
	}
	own := r.figures(o, figureFields{needs: model.Needs{Cores: 1}, sure: true})
	f := r.Require(o, "tasks", "tasks: 1")
	if f == nil {
		return nil
	}
	switch n := document.Deref(f.Value); n.Kind {
	case yaml.SequenceNode:
		var out []model.Group
		for _, item := range r.List(*f, "tasks", "one group") {
			out = append(out, r.group(item, own, o, slot))
		}
		return out
	case yaml.MappingNode:
		r.Fault(*f, "tasks is a mapping", "write a list of groups: tasks: [{count: 2, wcet: 7}]")
		return nil
	}
	g := model.Group{Count: r.count(*f, "tasks"), Profile: r.profile(own, o, slot)}
	g.Durations = own.durationsOf(g.Profile, r)
	return []model.Group{g}
}

// group reads one group of equal tasks.
func (r *jobReader) group(f document.Field, inherited figureFields, stage *document.Object, slot model.SlotKind) model.Group {
	if n := document.Deref(f.Value); n.Kind == yaml.ScalarNode && document.IsPlainDecimal(n.Value) {
		r.Fault(f, fmt.Sprintf("a group of tasks is the number %s", n.Value), fmt.Sprintf("write {count: %s}, or tasks: %s without a list", n.Value, n.Value))
		return model.Group{}
	}
	o := r.Object(f, "a group of tasks", "count", "wcet", "durations", "transfer", "cores", "resources", "pools", "data", "slaves")
	if o == nil {
		return model.Group{}
	}
	o.What = stage.What
	g := model.Group{Count: 1}
	if f := o.Get("count"); f != nil {
		g.Count = r.count(*f, "count")
	} else {
		r.countTasks(document.Field{Value: o.Node}, 1)
	}
	own := r.figures(o, inherited)
	if own.wcet == nil {
		r.FaultAt(o.Node, fmt.Sprintf("neither the group nor %s has a wcet", stage.What), "add the worst-case execution time, like wcet: 5")
		return g
	}
	g.Profile = r.profile(own, o, slot)
	g.Durations = own.durationsOf(g.Profile, r)
	return g
}

// count reads a number of tasks.
func (r *jobReader) count(f document.Field, what string) int {
	v, ok := r.Integer(f, what, 1, maxTasks, "write at least 1 or leave the entry out")
	if !ok {
		return 1
	}
	r.countTasks(f, v)
	return int(v)
}

func (r *jobReader) countTasks(f document.Field, n int64) {
	if r.tasks <= maxTasks && r.tasks+n > maxTasks {
		r.Fault(f, fmt.Sprintf("the job set has more than %d tasks up to here", maxTasks), "split the job set")
	}
	r.tasks += n
}
