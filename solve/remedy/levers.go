package remedy

import (
	"fmt"
	"maps"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
)

// lever is a change of which there may be more or less. More of it never does harm.
type lever struct {
	kind change.Kind
	// of is the change with n steps of it, 1 to most; the whole is as good as any amount
	// where all is true.
	of   func(n int64) change.Change
	most int64
	all  bool
	// job is the one that is changed, -1 if a slave is.
	job model.JobID
}

// utmost is what helps wherever the lever does.
func (l *lever) utmost() change.Change {
	if l.kind == change.Deadline {
		return change.Change{Kind: change.Soften, Name: l.of(1).Name}
	}
	return l.of(l.most)
}

// mostSteps bounds how many slaves, cores, slots or units more are tried.
const mostSteps = 64

// levers lists changes to some jobs, and to slaves.
func (x *search) levers(jobs []model.JobID) []lever {
	var out []lever
	for _, i := range jobs {
		out = append(out, x.ofJob(i)...)
	}
	return append(out, x.ofSlaves()...)
}

// once is a change that is made or not.
func once(c change.Change, job model.JobID) lever {
	return lever{kind: c.Kind, of: func(int64) change.Change { return c }, most: 1, all: true, job: job}
}

func (x *search) ofJob(i model.JobID) []lever {
	var out []lever
	job := &x.js.Jobs[i]
	if job.Kind == model.Hard {
		out = append(out, lever{
			kind: change.Deadline, most: int64((model.MaxTime - job.Deadline) / x.grain), all: true, job: i,
			of: func(n int64) change.Change {
				return change.Change{Kind: change.Deadline, Name: job.Name, At: job.Deadline + model.Time(n)*x.grain}
			},
		}, once(change.Change{Kind: change.Soften, Name: job.Name}, i))
	}
	if job.Release > 0 {
		out = append(out, lever{
			kind: change.Release, most: int64(job.Release / x.grain), all: true, job: i,
			of: func(n int64) change.Change {
				return change.Change{Kind: change.Release, Name: job.Name, At: job.Release - model.Time(n)*x.grain}
			},
		})
	}
	if fetches(x.js, job) {
		out = append(out, lever{
			kind: change.Fetch, most: 100, all: true, job: i,
			of: func(n int64) change.Change { return change.Change{Kind: change.Fetch, Name: job.Name, N: 100 - n} },
		})
	}
	return out
}

// fetches reports whether a task of the job has input to fetch on some slave.
func fetches(js *model.JobSet, job *model.Job) bool {
	var last *model.Profile
	for t := job.First; t < job.End; t++ {
		p := js.Tasks[t].Profile
		if p == last {
			continue
		}
		for s := range model.SlaveID(len(js.Slaves)) {
			if p.Eligible(s) && p.Transfer(s) > 0 {
				return true
			}
		}
		last = p
	}
	return false
}

// ofSlaves lists changes to classes, and to slaves: of those that are alike, to the first.
func (x *search) ofSlaves() []lever {
	var out []lever
	members := map[string]int64{}
	for s := range x.js.Slaves {
		members[x.js.Slaves[s].Class]++
	}
	for _, class := range slices.Sorted(maps.Keys(members)) {
		out = append(out, x.moreSlaves(class, members[class]))
		if members[class] > 1 {
			out = append(out, x.moreOn(class)...)
		}
	}
	for _, s := range x.kinds() {
		slave := &x.js.Slaves[s]
		out = append(out, x.moreOn(slave.Name)...)
		for _, d := range slave.Down {
			out = append(out, once(change.Change{Kind: change.Stay, Name: slave.Name, At: d.Start}, -1))
		}
	}
	return out
}

// moreOn is for more cores, slots and units on a slave, or each one of a class: as many more
// as all tasks need are as good as any number.
func (x *search) moreOn(name string) []lever {
	var out []lever
	more := func(kind change.Kind, resource string, need func(*model.Task) int64) {
		needed := int64(0)
		for t := range x.js.Tasks {
			needed += need(&x.js.Tasks[t])
		}
		if needed > 0 {
			out = append(out, lever{
				kind: kind, most: min(mostSteps, needed), all: needed <= mostSteps, job: -1,
				of: func(n int64) change.Change {
					return change.Change{Kind: kind, Name: name, Resource: resource, N: n}
				},
			})
		}
	}
	more(change.Cores, "", (*model.Task).Cores)
	more(change.Slots, "", func(*model.Task) int64 { return 1 })
	for k, resource := range x.js.Named {
		more(change.Units, resource, func(t *model.Task) int64 { return t.Units(k) })
	}
	return out
}

// moreSlaves is for more slaves of a class: as many more as there are tasks are as good as
// any number.
func (x *search) moreSlaves(class string, members int64) lever {
	tasks := int64(len(x.js.Tasks))
	return lever{
		kind: change.Count, most: min(mostSteps, tasks), all: tasks <= mostSteps, job: -1,
		of: func(n int64) change.Change { return change.Change{Kind: change.Count, Name: class, N: members + n} },
	}
}

// kinds are slaves, the first of each kind: those alike have the same class, the same of
// everything, and the same times for each task.
func (x *search) kinds() []model.SlaveID {
	profiles := x.profiles()
	var out []model.SlaveID
	for s := range model.SlaveID(len(x.js.Slaves)) {
		alike := func(r model.SlaveID) bool {
			a, b := x.js.Slaves[r], x.js.Slaves[s]
			a.Name, b.Name = "", ""
			return fmt.Sprint(a) == fmt.Sprint(b) && !slices.ContainsFunc(profiles, func(p *model.Profile) bool {
				return p.WCET(r) != p.WCET(s) || p.Transfer(r) != p.Transfer(s)
			})
		}
		if !slices.ContainsFunc(out, alike) {
			out = append(out, s)
		}
	}
	return out
}

func (x *search) profiles() []*model.Profile {
	var out []*model.Profile
	seen := map[*model.Profile]bool{}
	for t := range x.js.Tasks {
		if p := x.js.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
