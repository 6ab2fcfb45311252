package mixed

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/conflict"
	"downbeat/solve/whatif"
)

// holdWhy holds what is said of an infeasible set, and of what would help, against exhaustive search.
func (x *trial) holdWhy(v *solve.Verdict) error {
	if v.Conflict != nil {
		if err := x.holdConflict(v.Conflict); err != nil {
			return err
		}
	}
	if v.Analysis != nil {
		if err := x.holdAnalysis(v.Analysis); err != nil {
			return err
		}
	}
	if v.Repairs != nil {
		return x.holdRepairs(v.Repairs)
	}
	return nil
}

func (x *trial) holdConflict(c *conflict.Conflict) error {
	if x.fits(x.without(c.Jobs)...) {
		return fmt.Errorf("%v are said to clash, and fit", c.Jobs)
	}
	if !c.Irreducible {
		x.saw("clash: not shrunk")
		return nil
	}
	x.saw("clash: irreducible")
	for k := range c.Jobs {
		if rest := slices.Delete(slices.Clone(c.Jobs), k, k+1); len(rest) > 0 && !x.fits(x.without(rest)...) {
			return fmt.Errorf("%v clash, and so do %v", c.Jobs, rest)
		}
	}
	return nil
}

func (x *trial) hard() (out []model.JobID) {
	for i := range x.js.Jobs {
		if x.js.Jobs[i].Kind == model.Hard {
			out = append(out, model.JobID(i))
		}
	}
	return out
}

// fit tells whether hard jobs fit where all other hard jobs are left out.
func (x *trial) fit(kept []model.JobID) bool {
	var out []model.Change
	for _, i := range x.hard() {
		if !slices.Contains(kept, i) {
			out = append(out, model.Change{Kind: model.ChangeDrop, Name: x.js.Jobs[i].Name})
		}
	}
	return len(out) == len(x.js.Jobs) || x.fits(out...)
}

// most is the largest number of some hard jobs that fit, any whether all choices of so many do.
func (x *trial) most(jobs []model.JobID, any int) (most int, all bool) {
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

func (x *trial) holdAnalysis(a *conflict.Analysis) error {
	hard := x.hard()
	most, _ := x.most(hard, 0)
	least := len(hard) - most
	switch out := a.Out; {
	case out.Least > least, out.Closed() && out.Least != least, out.Jobs != nil && len(out.Jobs) < least:
		return fmt.Errorf("%+v have to be left out, exhaustive search says %d", out, least)
	case out.Jobs != nil:
		x.saw("leave out: closed %t", out.Closed())
		rest := slices.DeleteFunc(hard, func(i model.JobID) bool { return slices.Contains(out.Jobs, i) })
		if !x.fit(rest) {
			return fmt.Errorf("without %v the others do not fit", out.Jobs)
		}
	}
	for _, g := range a.Groups {
		x.saw("groups of clashes")
		most, all := x.most(g.Jobs, g.Any)
		if g.Least > len(g.Jobs)-most || g.Any > 0 && !all {
			return fmt.Errorf("group %+v, exhaustive search says that %d fit", g, most)
		}
	}
	for _, c := range a.Conflicts {
		if err := x.holdConflict(c); err != nil {
			return err
		}
	}
	for _, alone := range a.Alone {
		if err := x.holdAlone(&alone); err != nil {
			return err
		}
	}
	if !a.AllTried {
		return nil
	}
	for _, i := range x.hard() {
		said := slices.ContainsFunc(a.Alone, func(c conflict.Alone) bool { return c.Job == i })
		if x.fits(x.only(i, x.js.WithBefore([]model.JobID{i}))...) == said {
			return fmt.Errorf("job %d alone, said to be late: %t", i, said)
		}
	}
	return nil
}

// only are the changes that leave some jobs, of which one alone has a deadline.
func (x *trial) only(i model.JobID, jobs []model.JobID) []model.Change {
	out := x.without(jobs)
	for _, k := range jobs {
		if k != i {
			out = append(out, model.Change{Kind: free, Name: x.js.Jobs[k].Name})
		}
	}
	return out
}

func (x *trial) holdAlone(a *conflict.Alone) error {
	x.saw("late alone: exact %t", a.Exact)
	needed := slices.Sorted(slices.Values(append([]model.JobID{a.Job}, a.After...)))
	job := &x.js.Jobs[a.Job]
	soft := append(x.only(a.Job, needed), model.Change{Kind: model.ChangeSoften, Name: job.Name})
	best, err := x.least([]model.Objective{model.Tardiness}, false, soft...)
	if err != nil {
		return err
	}
	if best == nil || best[1] > 0 { // it can run nowhere any more
		x.saw("late alone: nowhere")
		return nil
	}
	if want := job.Due() + model.Time(best[2]); best[2] == 0 || a.Earliest > want || a.Exact && a.Earliest != want {
		return fmt.Errorf("%+v, exhaustive search says %d", a, want)
	}
	for _, k := range a.After {
		rest := slices.DeleteFunc(slices.Clone(needed), func(i model.JobID) bool { return i == k })
		if !x.fits(x.only(a.Job, rest)...) {
			return fmt.Errorf("%+v, but without %d it is no better", a, k)
		}
	}
	return nil
}

func (x *trial) holdRepairs(r *whatif.Repairs) error {
	for _, rep := range slices.Concat(r.Single, r.Together) {
		x.saw("repairs of %d", len(rep.Changes))
		if err := x.holdRepair(&rep); err != nil {
			return err
		}
	}
	for _, v := range r.Vain {
		x.saw("in vain: %s", v.Change.Kind)
		if x.fits(v.Change) {
			return fmt.Errorf("%v was said to be in vain", v.Change)
		}
	}
	for _, all := range r.Refuted {
		x.saw("in vain together")
		if few := x.fewer(all); x.fits(few...) {
			return fmt.Errorf("%v together were said to be in vain", all)
		}
	}
	return nil
}

func (x *trial) holdRepair(r *whatif.Repair) error {
	if !x.fits(r.Changes...) {
		return fmt.Errorf("%v does not help", r.Changes)
	}
	for k, c := range r.Changes {
		x.saw("repair: %s, least %t", c.Kind, r.Least[k])
		less := slices.Clone(r.Changes)
		var ok bool
		if less[k], ok = lessOf(c); ok && r.Least[k] && x.fits(less...) {
			return fmt.Errorf("of %v %v is not the least", r.Changes, c)
		}
		if less[k], ok = lessOf(r.AtLeast[k]); ok && x.made(less[k]) && x.fits(less...) {
			return fmt.Errorf("of %v less than %v does", r.Changes, r.AtLeast[k])
		}
	}
	return nil
}

// lessOf is a change of one step less; ok is false where it is made or not.
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
func (x *trial) made(c model.Change) bool {
	job := slices.IndexFunc(x.js.Jobs, func(j model.Job) bool { return j.Name == c.Name || j.Series == c.Name })
	switch c.Kind {
	case model.ChangeDeadline:
		return c.At > x.js.Jobs[job].Deadline
	case model.ChangeRelease:
		return c.At < x.js.Jobs[job].Release
	case model.ChangeFetch:
		return c.N < 100
	case model.ChangeCount:
		return c.N > x.members(c.Name)
	case model.ChangePool:
		return c.N > 0
	default:
		return c.N > 0
	}
}

func (x *trial) members(class string) (n int64) {
	for i := range x.js.Slaves {
		if x.js.Slaves[i].Class == class {
			n++
		}
	}
	return n
}

// fewer are changes with a slave, a core, a slot and a unit more at most, so that exhaustive search
// comes to an end: what is in vain is so with less of it.
func (x *trial) fewer(changes []model.Change) []model.Change {
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
