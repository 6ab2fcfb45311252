// Package infeasible holds what is said of an infeasible set, and of what would help, against what a
// search finds of the set under changes: every sentence is one.
package infeasible

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/solve/conflict"
	"downbeat/solve/whatif"
)

// Truth is what a search finds of a set under changes.
type Truth struct {
	JS *model.JobSet
	// Fits tells whether the hard jobs can meet their deadlines.
	Fits func(changes ...model.Change) bool
	// Tardiness is the least that soft jobs can have; false where there is no plan that has all jobs.
	Tardiness func(changes ...model.Change) (late model.Time, ok bool)
	// Settled: no limit was reached, and nothing may be left open.
	Settled bool
	// Saw hears of what kind a sentence is that holds.
	Saw func(format string, args ...any)
}

// Conflict holds a set of jobs that are said to clash.
func (x *Truth) Conflict(c *conflict.Conflict) error {
	switch {
	case x.Fits(Without(x.JS, c.Jobs)...):
		return fmt.Errorf("%v are said to clash, and fit", c.Jobs)
	case !c.Irreducible && x.Settled:
		return fmt.Errorf("%v may be too many", c.Jobs)
	case !c.Irreducible:
		x.Saw("clash: not shrunk")
		return nil
	}
	x.Saw("clash: irreducible")
	for k := range c.Jobs {
		if rest := slices.Delete(slices.Clone(c.Jobs), k, k+1); len(rest) > 0 && !x.Fits(Without(x.JS, rest)...) {
			return fmt.Errorf("%v clash, and so do %v", c.Jobs, rest)
		}
	}
	return nil
}

// Without are the changes that leave out all jobs of a set but some.
func Without(js *model.JobSet, but []model.JobID) (out []model.Change) {
	for i := range js.Jobs {
		if !slices.Contains(but, model.JobID(i)) {
			out = append(out, model.Change{Kind: model.ChangeDrop, Name: js.Jobs[i].Name})
		}
	}
	return out
}

func (x *Truth) hard() (out []model.JobID) {
	for i := range x.JS.Jobs {
		if x.JS.Jobs[i].Kind == model.Hard {
			out = append(out, model.JobID(i))
		}
	}
	return out
}

// fit tells whether hard jobs fit where all other hard jobs are left out.
func (x *Truth) fit(kept []model.JobID) bool {
	var out []model.Change
	for _, i := range x.hard() {
		if !slices.Contains(kept, i) {
			out = append(out, model.Change{Kind: model.ChangeDrop, Name: x.JS.Jobs[i].Name})
		}
	}
	return len(out) == len(x.JS.Jobs) || x.Fits(out...)
}

// most is the largest number of some hard jobs that fit, and whether all choices of so many do.
func (x *Truth) most(jobs []model.JobID, any int) (most int, all bool) {
	all = true
	for mask := range 1 << len(jobs) {
		var kept []model.JobID
		for k := range jobs {
			if mask>>k&1 == 1 {
				kept = append(kept, jobs[k])
			}
		}
		fits := x.fit(kept)
		if fits {
			most = max(most, len(kept))
		}
		all = all && (fits || len(kept) != any)
	}
	return most, all
}

// Analysis holds all that is said to be wrong.
func (x *Truth) Analysis(a *conflict.Analysis) error {
	if err := x.out(&a.Out); err != nil {
		return err
	}
	for _, g := range a.Groups {
		x.Saw("groups of clashes")
		most, all := x.most(g.Jobs, g.Any)
		if least := len(g.Jobs) - most; g.Least > least || x.Settled && g.Least < least || g.Any > 0 && !all {
			return fmt.Errorf("group %+v, of which %d fit", g, most)
		}
	}
	for _, c := range a.Conflicts {
		if err := x.Conflict(c); err != nil {
			return err
		}
	}
	for i := range a.Alone {
		if err := x.alone(&a.Alone[i]); err != nil {
			return err
		}
	}
	if !a.AllTried && !x.Settled {
		return nil
	}
	for _, i := range x.hard() {
		said := slices.ContainsFunc(a.Alone, func(c conflict.Alone) bool { return c.Job == i })
		if x.Fits(x.only(i, x.JS.WithBefore([]model.JobID{i}))...) == said {
			return fmt.Errorf("job %d alone, said to be late: %t", i, said)
		}
	}
	return nil
}

func (x *Truth) out(out *conflict.Out) error {
	hard := x.hard()
	most, _ := x.most(hard, 0)
	least := len(hard) - most
	if out.Least > least || (out.Closed() || x.Settled) && out.Least != least || out.Jobs != nil && len(out.Jobs) < least || x.Settled && !out.Closed() {
		return fmt.Errorf("%+v have to be left out, and %d it is", out, least)
	}
	if out.Jobs == nil {
		return nil
	}
	x.Saw("leave out: closed %t", out.Closed())
	if !x.fit(slices.DeleteFunc(hard, func(i model.JobID) bool { return slices.Contains(out.Jobs, i) })) {
		return fmt.Errorf("without %v the others do not fit", out.Jobs)
	}
	return nil
}

// only are the changes that leave some jobs, none of which but one can be late.
func (x *Truth) only(i model.JobID, jobs []model.JobID) []model.Change {
	out := Without(x.JS, jobs)
	for _, k := range jobs {
		if k != i {
			out = append(out, Ease(&x.JS.Jobs[k])...)
		}
	}
	return out
}

// Ease are the changes with which a job cannot be late.
func Ease(job *model.Job) (out []model.Change) {
	if job.Kind == model.Hard {
		out = append(out, model.Change{Kind: model.ChangeSoften, Name: job.Name})
	}
	if job.Kind != model.BestEffort {
		out = append(out, model.Change{Kind: model.ChangeDeadline, Name: job.Name, At: model.MaxTime})
	}
	return out
}

func (x *Truth) alone(a *conflict.Alone) error {
	needed := slices.Sorted(slices.Values(append([]model.JobID{a.Job}, a.After...)))
	job := &x.JS.Jobs[a.Job]
	late, ok := x.Tardiness(append(x.only(a.Job, needed), model.Change{Kind: model.ChangeSoften, Name: job.Name})...)
	switch want := job.Due() + late; {
	case !ok: // it can run nowhere any more
		x.Saw("late alone: nowhere")
		return nil
	case late == 0 || a.Earliest > want || (a.Exact || x.Settled) && a.Earliest != want || x.Settled && !a.Exact:
		return fmt.Errorf("alone %+v, and %d it is", a, want)
	}
	x.Saw("late alone: exact %t", a.Exact)
	for _, k := range a.After {
		rest := slices.DeleteFunc(slices.Clone(needed), func(i model.JobID) bool { return i == k })
		if !x.Fits(x.only(a.Job, rest)...) {
			return fmt.Errorf("alone %+v, but without %d it is no better", a, k)
		}
	}
	return nil
}

// Repairs holds changes that are said to help, or not to.
func (x *Truth) Repairs(r *whatif.Repairs) error {
	for _, rep := range slices.Concat(r.Single, r.Together) {
		x.Saw("repairs of %d", len(rep.Changes))
		if err := x.repair(&rep); err != nil {
			return err
		}
	}
	for _, v := range r.Vain {
		x.Saw("in vain: %s", v.Change.Kind)
		if x.Fits(v.Change) {
			return fmt.Errorf("%v was said to be in vain", v.Change)
		}
	}
	for _, all := range r.Refuted {
		x.Saw("in vain together")
		if few := x.fewer(all); x.Fits(few...) {
			return fmt.Errorf("%v together were said to be in vain", all)
		}
	}
	return nil
}

func (x *Truth) repair(r *whatif.Repair) error {
	if !x.Fits(r.Changes...) {
		return fmt.Errorf("%v does not help", r.Changes)
	}
	for k, c := range r.Changes {
		x.Saw("repair: %s, least %t", c.Kind, r.Least[k])
		rest := slices.Delete(slices.Clone(r.Changes), k, k+1)
		if x.Settled && len(rest) > 0 && x.Fits(rest...) {
			return fmt.Errorf("%v helps without %v", r.Changes, c)
		}
		less := slices.Clone(r.Changes)
		var ok bool
		if less[k], ok = lessOf(c); ok && r.Least[k] && x.Fits(less...) {
			return fmt.Errorf("of %v %v is not the least", r.Changes, c)
		}
		if r.Least[k] && r.AtLeast[k] != c {
			return fmt.Errorf("of %v %v is the least, and %v may do", r.Changes, c, r.AtLeast[k])
		}
		if less[k], ok = lessOf(r.AtLeast[k]); ok && x.made(less[k]) && x.Fits(less...) {
			return fmt.Errorf("of %v less than %v does", r.Changes, r.AtLeast[k])
		}
	}
	return nil
}

// lessOf is a change of one step less, by a tick where it is a time; ok is false where it is made or
// not.
func lessOf(c model.Change) (model.Change, bool) {
	switch c.Kind {
	case model.ChangeDeadline:
		c.At--
	case model.ChangeRelease:
		c.At++
	case model.ChangeFetch:
		c.N++
	case model.ChangeSoften, model.ChangeStay:
		return c, false
	default:
		c.N--
	}
	return c, true
}

// made reports whether a change makes something easier, and is not what there is or less.
func (x *Truth) made(c model.Change) bool {
	job := slices.IndexFunc(x.JS.Jobs, func(j model.Job) bool { return j.Name == c.Name || j.Series == c.Name })
	switch c.Kind {
	case model.ChangeDeadline:
		return c.At > x.JS.Jobs[job].Deadline
	case model.ChangeRelease:
		return c.At < x.JS.Jobs[job].Release
	case model.ChangeFetch:
		return c.N < 100
	case model.ChangeCount:
		return c.N > x.members(c.Name)
	default:
		return c.N > 0
	}
}

// members is the number of slaves of a class.
func (x *Truth) members(class string) (n int64) {
	for i := range x.JS.Slaves {
		if x.JS.Slaves[i].Class == class {
			n++
		}
	}
	return n
}

// fewer are changes with a slave, a core, a slot and a unit more at most, so that exhaustive search
// comes to an end: what is in vain is so with less of it.
func (x *Truth) fewer(changes []model.Change) []model.Change {
	out := slices.Clone(changes)
	for k := range out {
		switch c := &out[k]; c.Kind {
		case model.ChangeCount:
			c.N = min(c.N, x.members(c.Name)+1)
		case model.ChangeCores, model.ChangeSlots, model.ChangeUnits:
			c.N = 1
		}
	}
	return out
}
