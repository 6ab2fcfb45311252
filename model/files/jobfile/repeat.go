package jobfile

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/files/document"
)

// repeat says how often a job recurs, and how far apart.
type repeat struct {
	every, times document.Field
	step         timeStep
	count        int
}

// repeat reads how a job recurs; nil if it does not, or if that cannot be made out.
func (r *jobReader) repeat(o *document.Object) (rep *repeat, sure bool) {
	f := o.Get("repeat")
	if f == nil {
		return nil, true
	}
	of := r.Object(*f, "repeat of "+o.What, "every", "times")
	if of == nil {
		return nil, false
	}
	every, count := r.Require(of, "every", "the time from one to the next, like every: 24h"), r.Require(of, "times", "how often, like times: 7")
	if every == nil || count == nil {
		return nil, false
	}
	rep = &repeat{every: *every, times: *count}
	var okStep, okCount bool
	rep.step, okStep = r.Step(*every, "every")
	n, okCount := r.Integer(*count, "times", 1, maxTasks, "write at least 1 or leave repeat out")
	rep.count = int(n)
	return rep, okStep && okCount
}

// instances adds the instances of a recurring job, as long as nothing is wrong with
// them. A due time is absolute and moves along; due is nil where there is none.
func (r *jobReader) instances(j model.Job, rep *repeat, due *document.Field) (sure bool) {
	tasks, links := 0, 0
	for k := range j.Stages {
		links += len(j.Stages[k].After)
		for _, g := range j.Stages[k].Groups {
			tasks += g.Count
		}
	}
	r.countTasks(rep.times, int64(tasks)*int64(rep.count-1))
	if r.tasks > maxTasks || !r.countLinks(rep.times, links*(rep.count-1)) {
		return false
	}
	first := j.Due()
	for k := range rep.count {
		one := j
		one.Name, one.Series, one.Instance = instanceName(j.Name, k+1), j.Name, k+1
		var ok bool
		if one.Release, ok = r.Add(rep.every, "the release of "+one.Name, j.Release, rep.step, k); !ok {
			return false
		}
		if due != nil {
			at, ok := r.Add(rep.every, "the due time of "+one.Name, first, rep.step, k)
			if !ok {
				return false
			}
			if one.Deadline = at - one.Release; one.Deadline < 1 {
				r.Fault(*due, one.Name+" is due no later than it is released, as clocks are changed", "write a later time")
				return false
			}
		}
		one.Stages = slices.Clone(j.Stages)
		for k := range one.Stages {
			one.Stages[k].Groups = slices.Clone(one.Stages[k].Groups)
		}
		r.JS.Jobs = append(r.JS.Jobs, one)
	}
	return true
}

func instanceName(series string, number int) string { return fmt.Sprintf("%s-%d", series, number) }

// jobRef is what a name stands for: a job, or all instances of a recurring one.
type jobRef struct {
	line  int
	first model.JobID
	// count is the number of instances, 0 for a job that does not recur.
	count int
	of    string // the recurring job that an instance's name was made from
}

// last is the job after the last one.
func (ref jobRef) end() model.JobID { return ref.first + model.JobID(max(1, ref.count)) }

// nameJob notes a job's name, and those of its instances.
func (r *jobReader) nameJob(f document.Field, name string, count int) (sure bool) {
	ref := jobRef{line: f.At().Line, first: model.JobID(len(r.JS.Jobs)), count: count}
	if before, taken := r.jobNames[name]; taken {
		message := fmt.Sprintf("the job name %q is taken by line %d", name, before.line)
		if before.of != "" {
			message = fmt.Sprintf("the job name %q is taken: %q of line %d recurs and expands to it", name, before.of, before.line)
		}
		r.Fault(f, message, "choose another name")
	} else {
		r.entries = append(r.entries, name)
	}
	r.jobNames[name] = ref
	if problem, _ := document.BadName(instanceName(name, count)); count > 0 && problem != "" {
		r.Fault(f, "the last name of the recurring job "+problem, fmt.Sprintf("write a name that leaves room for -%d within %d characters", count, document.MaxName))
		return false
	}
	for k := range count {
		instance := instanceName(name, k+1)
		if before, taken := r.jobNames[instance]; taken {
			r.Fault(f, fmt.Sprintf("the recurring job %q expands to %q, a name taken by line %d", name, instance, before.line), "choose another name")
			return false
		}
		r.jobNames[instance] = jobRef{line: ref.line, first: ref.first + model.JobID(k), of: name}
	}
	return true
}
