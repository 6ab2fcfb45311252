package model

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

func (l *loader) jobs(f field) {
	lines := map[string]int{}
	for _, item := range l.list(f, "jobs", "one job") {
		o := l.object(item, "a job", "name", "release", "deadline", "hard", "weight", "map", "reduce", "stages")
		if o == nil {
			continue
		}
		j := Job{Weight: 1}
		what := "a job"
		if f := l.require(o, "name", "name: j1"); f != nil {
			if name, ok := l.name(*f); ok {
				j.Name = name
				what = fmt.Sprintf("job %q", name)
				if line, taken := lines[name]; taken {
					l.fault(*f, fmt.Sprintf("the job name %q is taken by line %d", name, line), "choose another name")
				}
				lines[name] = f.at().Line
			}
		}
		l.timing(o, what, &j)
		j.Stages = l.stages(o, what)
		l.js.Jobs = append(l.js.Jobs, j)
	}
}

// timing reads release, deadline, kind and weight.
func (l *loader) timing(o *object, what string, j *Job) {
	if f := o.get("release"); f != nil {
		j.Release, _ = l.time(*f, "release", 0, "")
	}
	deadline, hard := o.get("deadline"), o.get("hard")
	if deadline != nil {
		j.Kind = Soft
		j.Deadline, _ = l.time(*deadline, "deadline", 1, "write the time from release to deadline, or leave it out for a best-effort job")
	}
	if hard != nil {
		isHard, _ := l.boolean(*hard, "hard")
		switch {
		case isHard && deadline == nil:
			l.fault(*hard, what+" is hard without a deadline", "add a deadline or leave out hard")
		case isHard:
			j.Kind = Hard
		}
	}
	if f := o.get("weight"); f != nil {
		j.Weight, _ = l.integer(*f, "weight", 1, maxWeight, "")
	}
}

// stages reads map and reduce, or the general form.
func (l *loader) stages(o *object, what string) []Stage {
	maps, reduces, general := o.get("map"), o.get("reduce"), o.get("stages")
	var out []Stage
	for _, f := range []*field{maps, reduces} {
		if f == nil {
			continue
		}
		st := Stage{Name: f.key.Value}
		if f == reduces {
			st.Slot = ReduceSlot
		}
		name := fmt.Sprintf("stage %q of %s", st.Name, what)
		if o := l.object(*f, name, "tasks", "wcet", "transfer", "data", "slaves"); o != nil {
			st.Groups = l.groups(o, st.Slot)
			out = append(out, st)
		}
	}
	switch {
	case general != nil && (maps != nil || reduces != nil):
		l.faultAt(general.key, what+" has stages beside map or reduce", "give either map and reduce, or stages")
	case general != nil:
		return l.generalStages(*general, what)
	case maps == nil && reduces == nil:
		l.faultAt(o.node, what+" has no stage", "add map, reduce or stages, like map: {tasks: 1, wcet: 5}")
	}
	return out
}

func (l *loader) generalStages(f field, what string) []Stage {
	lines := map[string]int{}
	var out []Stage
	for _, item := range l.list(f, "stages", "one stage") {
		stage := "a stage of " + what
		o := l.object(item, stage, "name", "slot", "tasks", "wcet", "transfer", "data", "slaves")
		if o == nil {
			continue
		}
		var st Stage
		if f := l.require(o, "name", "name: extract"); f != nil {
			if name, ok := l.name(*f); ok {
				st.Name = name
				o.what = fmt.Sprintf("stage %q of %s", name, what)
				if line, taken := lines[name]; taken {
					l.fault(*f, fmt.Sprintf("the stage name %q is taken by line %d", name, line), "choose another name")
				}
				lines[name] = f.at().Line
			}
		}
		if f := o.get("slot"); f != nil {
			if word, _ := l.word(*f, "slot", []string{"map", "reduce"}); word == "reduce" {
				st.Slot = ReduceSlot
			}
		}
		st.Groups = l.groups(o, st.Slot)
		out = append(out, st)
	}
	return out
}

// figureFields are the fields that a group can have of its own.
type figureFields struct {
	wcet, transfer *table
	data, slaves   *selection
	// sure is false if one of them could not be read, so that what depends on
	// them cannot be judged.
	sure bool
}

// figures reads the figures that o gives, on top of those it inherits.
func (l *loader) figures(o *object, inherited figureFields) figureFields {
	out := inherited
	if f := o.get("wcet"); f != nil {
		out.wcet = l.wcetTable(*f)
		out.sure = out.sure && out.wcet.sure
	}
	if f := o.get("transfer"); f != nil {
		out.transfer = l.transferTable(*f)
		out.sure = out.sure && out.transfer.sure
	}
	if f := o.get("data"); f != nil {
		out.data = l.selection(*f, "data")
		out.sure = out.sure && out.data.sure
	}
	if f := o.get("slaves"); f != nil {
		out.slaves = l.selection(*f, "slaves")
		out.sure = out.sure && out.slaves.sure
	}
	return out
}

// groups reads a stage's tasks: a number of equal ones or a list of groups.
func (l *loader) groups(o *object, slot SlotKind) []Group {
	own := l.figures(o, figureFields{sure: true})
	f := l.require(o, "tasks", "tasks: 1")
	if f == nil {
		return nil
	}
	switch n := deref(f.value); n.Kind {
	case yaml.SequenceNode:
		var out []Group
		for _, item := range l.list(*f, "tasks", "one group") {
			out = append(out, l.group(item, own, o, slot))
		}
		return out
	case yaml.MappingNode:
		l.fault(*f, "tasks is a mapping", "write a list of groups: tasks: [{count: 2, wcet: 7}]")
		return nil
	}
	return []Group{{Count: l.count(*f, "tasks"), Profile: l.profile(own, o, slot)}}
}

// group reads one group of equal tasks.
func (l *loader) group(f field, inherited figureFields, stage *object, slot SlotKind) Group {
	if n := deref(f.value); n.Kind == yaml.ScalarNode && isPlainDecimal(n.Value) {
		l.fault(f, fmt.Sprintf("a group of tasks is the number %s", n.Value), fmt.Sprintf("write {count: %s}, or tasks: %s without a list", n.Value, n.Value))
		return Group{}
	}
	o := l.object(f, "a group of tasks", "count", "wcet", "transfer", "data", "slaves")
	if o == nil {
		return Group{}
	}
	g := Group{Count: 1}
	if f := o.get("count"); f != nil {
		g.Count = l.count(*f, "count")
	} else {
		l.countTasks(field{value: o.node}, 1)
	}
	own := l.figures(o, inherited)
	if own.wcet == nil {
		l.faultAt(o.node, fmt.Sprintf("neither the group nor %s has a wcet", stage.what), "add the worst-case execution time, like wcet: 5")
		return g
	}
	g.Profile = l.profile(own, o, slot)
	return g
}

// count reads a number of tasks.
func (l *loader) count(f field, what string) int {
	v, ok := l.integer(f, what, 1, maxTasks, "write at least 1 or leave the entry out")
	if !ok {
		return 1
	}
	l.countTasks(f, v)
	return int(v)
}

func (l *loader) countTasks(f field, n int64) {
	if l.tasks <= maxTasks && l.tasks+n > maxTasks {
		l.fault(f, fmt.Sprintf("the job set has more than %d tasks up to here", maxTasks), "split the job set")
	}
	l.tasks += n
}
