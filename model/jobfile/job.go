package jobfile

import (
	"fmt"

	"downbeat/model"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

const (
	maxTasks  = 1_000_000
	maxWeight = 1_000_000
)

// jobReader reads jobs, their stages and groups of tasks.
type jobReader struct {
	*profileReader

	tasks int64 // so far
}

func (r *jobReader) jobs(f document.Field) {
	lines := map[string]int{}
	for _, item := range r.List(f, "jobs", "one job") {
		o := r.Object(item, "a job", "name", "release", "deadline", "hard", "weight", "map", "reduce", "stages")
		if o == nil {
			continue
		}
		j := model.Job{Weight: 1}
		what := "a job"
		if f := r.Require(o, "name", "name: j1"); f != nil {
			if name, ok := r.Name(*f); ok {
				j.Name = name
				what = fmt.Sprintf("job %q", name)
				if line, taken := lines[name]; taken {
					r.Fault(*f, fmt.Sprintf("the job name %q is taken by line %d", name, line), "choose another name")
				}
				lines[name] = f.At().Line
			}
		}
		r.timing(o, what, &j)
		j.Stages = r.stages(o, what)
		r.js.Jobs = append(r.js.Jobs, j)
	}
}

// timing reads release, deadline, kind and weight.
func (r *jobReader) timing(o *document.Object, what string, j *model.Job) {
	if f := o.Get("release"); f != nil {
		j.Release, _ = r.time(*f, "release", 0, "")
	}
	deadline, hard := o.Get("deadline"), o.Get("hard")
	if deadline != nil {
		j.Kind = model.Soft
		j.Deadline, _ = r.time(*deadline, "deadline", 1, "write the time from release to deadline, or leave it out for a best-effort job")
	}
	if hard != nil {
		isHard, _ := r.Boolean(*hard, "hard")
		switch {
		case isHard && deadline == nil:
			r.Fault(*hard, what+" is hard without a deadline", "add a deadline or leave out hard")
		case isHard:
			j.Kind = model.Hard
		}
	}
	if f := o.Get("weight"); f != nil {
		j.Weight, _ = r.Integer(*f, "weight", 1, maxWeight, "")
	}
}

// stages reads map and reduce, or the general form.
func (r *jobReader) stages(o *document.Object, what string) []model.Stage {
	maps, reduces, general := o.Get("map"), o.Get("reduce"), o.Get("stages")
	var out []model.Stage
	for _, f := range []*document.Field{maps, reduces} {
		if f == nil {
			continue
		}
		st := model.Stage{Name: f.Key.Value}
		if f == reduces {
			st.Slot = model.ReduceSlot
		}
		name := fmt.Sprintf("stage %q of %s", st.Name, what)
		if o := r.Object(*f, name, "tasks", "wcet", "transfer", "data", "slaves"); o != nil {
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
	for _, item := range r.List(f, "stages", "one stage") {
		stage := "a stage of " + what
		o := r.Object(item, stage, "name", "slot", "tasks", "wcet", "transfer", "data", "slaves")
		if o == nil {
			continue
		}
		var st model.Stage
		if f := r.Require(o, "name", "name: extract"); f != nil {
			if name, ok := r.Name(*f); ok {
				st.Name = name
				o.What = fmt.Sprintf("stage %q of %s", name, what)
				if line, taken := lines[name]; taken {
					r.Fault(*f, fmt.Sprintf("the stage name %q is taken by line %d", name, line), "choose another name")
				}
				lines[name] = f.At().Line
			}
		}
		if f := o.Get("slot"); f != nil {
			if word, _ := r.Word(*f, "slot", []string{"map", "reduce"}); word == "reduce" {
				st.Slot = model.ReduceSlot
			}
		}
		st.Groups = r.groups(o, st.Slot)
		out = append(out, st)
	}
	return out
}

// figures reads the figures that o gives, on top of those it inherits.
func (r *jobReader) figures(o *document.Object, inherited figureFields) figureFields {
	out := inherited
	if f := o.Get("wcet"); f != nil {
		out.wcet = r.wcetTable(*f)
		out.sure = out.sure && out.wcet.sure
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
	return out
}

// groups reads a stage's tasks: a number of equal ones or a list of groups.
func (r *jobReader) groups(o *document.Object, slot model.SlotKind) []model.Group {
	if r.tasks > maxTasks { // refused already; aliases may stand for billions
		return nil
	}
	own := r.figures(o, figureFields{sure: true})
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
	return []model.Group{{Count: r.count(*f, "tasks"), Profile: r.profile(own, o, slot)}}
}

// group reads one group of equal tasks.
func (r *jobReader) group(f document.Field, inherited figureFields, stage *document.Object, slot model.SlotKind) model.Group {
	if n := document.Deref(f.Value); n.Kind == yaml.ScalarNode && document.IsPlainDecimal(n.Value) {
		r.Fault(f, fmt.Sprintf("a group of tasks is the number %s", n.Value), fmt.Sprintf("write {count: %s}, or tasks: %s without a list", n.Value, n.Value))
		return model.Group{}
	}
	o := r.Object(f, "a group of tasks", "count", "wcet", "transfer", "data", "slaves")
	if o == nil {
		return model.Group{}
	}
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
