// Package remedy looks for changes that make an infeasible set feasible: each is tried by
// planning the changed set.
package remedy

import (
	"context"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/coarse"
	"downbeat/solve/budget"
)

// Fit is what is known of a changed set.
type Fit uint8

// The answers. Yes has been validated, No proved.
const (
	Unknown Fit = iota
	Yes
	No
)

// Options say how changed sets are planned, and what is known of the set.
type Options struct {
	// Plan tells whether the hard jobs of a set can meet their deadlines, by which plan.
	// An error is an internal one.
	Plan func(ctx context.Context, js *model.JobSet) (Fit, model.Schedule, error)
	// Clashes, ascending, were each proved not to fit, whatever is changed about other
	// jobs.
	Clashes [][]model.JobID
	// Late, ascending, are the hard jobs that a plan has late; nil without one.
	Late []model.JobID
}

// Remedy is one change, or several together, with which the hard jobs of the whole set
// have a validated plan.
type Remedy struct {
	Changes []change.Change
	// Least tells, per change, that with one step less of it, and the others as they are,
	// there is no plan: proved. A step is a tick, a slave, a core, a slot, a unit, a
	// percent.
	Least []bool
}

// Vain is a change that was tried in vain: as it stands there, and so with less of it,
// there is no plan, which was proved.
type Vain struct {
	Change change.Change
	// All tells that no amount of it helps.
	All bool
}

// Answer is what was found, in the order in which it was tried.
type Answer struct {
	// Single changes help alone.
	Single []Remedy
	// Together are changes none of which is enough: sought where no single one helps.
	Together []Remedy
	// Vain were tried in vain alone. Changes to single jobs are not tried, nor listed,
	// if a clash is without the job, for then they cannot help.
	Vain []Vain
	// Open are those of which nothing is known: a limit ended the trial.
	Open []change.Change
	// Jobs are those in all clashes, to which alone a single change of a job can help.
	Jobs []model.JobID
}

// Search looks for remedies. It says less where ctx ends early. An error is an internal one.
func Search(ctx context.Context, js *model.JobSet, opt *Options) (*Answer, error) {
	x := &search{js: js, opt: opt, grain: coarse.CommonTick(js), known: map[string]trial{}, out: &Answer{Jobs: inAll(opt.Clashes)}}
	x.singles(budget.Part(ctx, 2))
	if len(x.out.Single) == 0 {
		x.together(ctx)
	}
	return x.out, x.err
}

// search is a search for remedies.
type search struct {
	js  *model.JobSet
	opt *Options
	// grain divides all times: finishes may be taken for multiples of it, so that due
	// times and releases between two of them mean the same as one of the two.
	grain model.Time
	known map[string]trial
	out   *Answer
	err   error
}

// trial is what came of trying changes: where the set fits, when the jobs end.
type trial struct {
	fit  Fit
	ends []model.Time
}

// inAll are the jobs of all clashes.
func inAll(clashes [][]model.JobID) []model.JobID {
	if len(clashes) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(clashes[0]), func(i model.JobID) bool {
		return slices.ContainsFunc(clashes, func(c []model.JobID) bool { return !slices.Contains(c, i) })
	})
}

// try plans the set with changes. Of one that cannot be made
// nothing is known.
func (x *search) try(ctx context.Context, changes ...change.Change) trial {
	if x.err != nil || ctx.Err() != nil {
		return trial{}
	}
	key := fmt.Sprint(changes)
	if t, ok := x.known[key]; ok {
		return t
	}
	changed, err := change.Apply(x.js, changes)
	if err != nil {
		return trial{}
	}
	var t trial
	var plan model.Schedule
	if t.fit, plan, x.err = x.opt.Plan(ctx, changed); t.fit == Yes {
		t.ends = changed.Finishes(plan)
	}
	if t.fit != Unknown {
		x.known[key] = t
	}
	return t
}

// singles tries each lever alone.
func (x *search) singles(ctx context.Context) {
	levers := x.levers(x.out.Jobs)
	for k := range levers {
		if x.err != nil {
			return
		}
		x.single(budget.Part(ctx, len(levers)-k), &levers[k])
	}
}

func (x *search) single(ctx context.Context, l *lever) {
	steps, fit := x.enough(budget.Part(ctx, 2), l)
	switch fit {
	case No:
		x.out.Vain = append(x.out.Vain, Vain{Change: l.of(l.most), All: l.all})
	case Unknown:
		x.out.Open = append(x.out.Open, l.of(l.most))
	default:
		n, least := x.least(ctx, l, steps, nil)
		x.out.Single = append(x.out.Single, Remedy{Changes: []change.Change{l.of(n)}, Least: []bool{least}})
	}
}

// enough pulls a lever as far as it goes, and says how many steps of it do.
func (x *search) enough(ctx context.Context, l *lever) (steps int64, fit Fit) {
	t := x.try(ctx, l.utmost())
	return x.steps(l, t), t.fit
}

// steps is how many steps of a lever do, where its utmost did. No job has another number
// in a changed set.
func (x *search) steps(l *lever, t trial) int64 {
	if l.kind != change.Deadline || t.fit != Yes {
		return l.most
	}
	late := x.js.Jobs[l.job].Late(t.ends[l.job])
	return max(1, int64((late+x.grain-1)/x.grain))
}

// least looks for the least number of steps, up to one that is known to do, with which the
// set fits beside other changes. It tells whether one less was proved not to.
func (x *search) least(ctx context.Context, l *lever, enough int64, others []change.Change) (steps int64, proved bool) {
	refuted, given := int64(0), int64(0) // steps up to refuted are proved not to do, up to given tried
	probe := func(n int64) bool {
		switch x.try(ctx, append(slices.Clone(others), l.of(n))...).fit {
		case Yes:
			enough = n
			return true
		case No:
			refuted = max(refuted, n)
		}
		given = max(given, n)
		return false
	}
	for n := int64(1); n < enough && !probe(n); n *= 2 {
	}
	for enough-given > 1 && ctx.Err() == nil {
		probe(given + (enough-given)/2)
	}
	if enough == 1 && len(others) > 0 {
		return 1, x.try(ctx, others...).fit == No
	}
	return enough, refuted == enough-1
}
