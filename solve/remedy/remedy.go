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
	// Changes are to be made in this order.
	Changes []change.Change
	// Least tells, per change, that with one step less of it, and the others as they are,
	// there is no plan: proved. A step is a tick, a slave, a core, a slot, a unit, a
	// percent.
	Least []bool
	// Cost, in millionths, is the sum of the shares by which each change exceeds what there
	// is: a later deadline of the deadline, an earlier release of the time from release to
	// due, less to fetch of the input, slaves of all that slaves cost (of their number where
	// no slave has a cost), cores, slots and units of those on all slaves, an absence less
	// of the time of all slaves until the last hard job is due. A model, to have an order.
	Cost int64
}

// Vain is a change that was tried in vain: as it stands there, and so with less of it,
// there is no plan, which was proved.
type Vain struct {
	Change change.Change
	// All tells that no amount of it helps.
	All bool
}

// Together says what came of trying each choice of several changes.
type Together struct {
	// Changes are how many there are in a choice, Of those from which they are chosen, with
	// as much of each as was tried.
	Changes int
	Of      []Vain
	// Choices is the number of all choices. Helped of them help. Vain were proved not to,
	// whatever the amounts within Of. Dearer were not tried, for they cost more than what
	// is given of Helped. Of the others nothing is known: a limit ended the search.
	Choices, Helped, Vain, Dearer int
}

// Answer is what was found, in the order in which it was tried.
type Answer struct {
	// Single changes help alone.
	Single []Remedy
	// Together are changes none of which is enough, the cheapest first: sought where no
	// single one helps.
	Together []Remedy
	// Vain were tried in vain alone. Changes to single jobs are not tried, nor listed,
	// if a clash is without the job, for then they cannot help.
	Vain []Vain
	// Open are those of which nothing is known: a limit ended the trial.
	Open []change.Change
	// Jobs are those in all clashes, to which alone a single change of a job can help.
	Jobs []model.JobID
	// Tried says what came of choices of two changes, and of three.
	Tried []Together
	// Refuted are changes that were tried together in vain: so are fewer of them, and less.
	Refuted [][]change.Change
}

// Search looks for remedies. It says less where ctx ends early. An error is an internal one.
func Search(ctx context.Context, js *model.JobSet, opt *Options) (*Answer, error) {
	x := &search{js: js, opt: opt, grain: coarse.CommonTick(js), known: map[string]trial{}, out: &Answer{Jobs: inAll(opt.Clashes)}}
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			x.last = max(x.last, js.Jobs[i].Due())
		}
	}
	x.singles(ctx)
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
	// last is when the last hard job is due.
	last  model.Time
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
	key := fmt.Sprint(changes)
	if t, ok := x.known[key]; ok {
		return t
	}
	if x.err != nil || ctx.Err() != nil {
		return trial{}
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

// singles tries each lever alone, and once more those of which a limit has left something
// open.
func (x *search) singles(ctx context.Context) {
	levers := x.levers(ctx, x.out.Jobs)
	answers := make([]alone, len(levers))
	x.round(budget.Part(ctx, 2), levers, answers)
	if !slices.ContainsFunc(answers, func(a alone) bool { return a.fit == Yes }) {
		ctx = budget.Part(ctx, 2) // for several together
	}
	x.round(ctx, levers, answers)
	for k := range levers {
		switch l, a := &levers[k], &answers[k]; a.fit {
		case No:
			x.out.Vain = append(x.out.Vain, l.inVain())
		case Unknown:
			x.out.Open = append(x.out.Open, l.of(l.most))
		default:
			x.out.Single = append(x.out.Single, Remedy{Changes: []change.Change{l.of(a.steps)}, Least: []bool{a.least}, Cost: l.cost(a.steps)})
		}
	}
}

// round tries each lever of which something is open.
func (x *search) round(ctx context.Context, levers []lever, answers []alone) {
	open := len(levers)
	for k := range levers {
		if a := &answers[k]; x.err == nil && !a.settled() {
			if again := x.alone(budget.Part(ctx, open), &levers[k]); a.fit == Unknown || again.settled() || again.fit == Yes && again.steps < a.steps {
				*a = again
			}
		}
		open--
	}
}

// inVain is a lever that does not help.
func (l *lever) inVain() Vain { return Vain{Change: l.of(l.most), All: l.all} }

// alone is what is known of a lever: how many steps of it do, and whether fewer do not.
type alone struct {
	fit   Fit
	steps int64
	least bool
}

func (a *alone) settled() bool { return a.fit == No || a.least }

func (x *search) alone(ctx context.Context, l *lever) alone {
	t := x.try(budget.Part(ctx, 2), l.utmost())
	if t.fit != Yes {
		return alone{fit: t.fit}
	}
	n, least := least(ctx, 1, x.steps(l, t), func(n int64) Fit { return x.try(ctx, l.of(n)).fit })
	return alone{Yes, n, least}
}

// steps is how many steps of a lever do, where its utmost did. No job has another number
// in a changed set.
func (x *search) steps(l *lever, t trial) int64 {
	if l.kind != change.Deadline {
		return l.most
	}
	late := x.js.Jobs[l.job].Late(t.ends[l.job])
	return max(1, int64((late+l.step-1)/l.step))
}

// least looks for the least number of steps, from some on and up to one that is known to
// do, with which a set fits. It tells whether one less is proved not to; of one less than
// the first that is known.
func least(ctx context.Context, first, enough int64, fits func(n int64) Fit) (steps int64, proved bool) {
	refuted, given := first-1, first-1 // steps up to refuted are proved not to do, up to given tried
	probe := func(n int64) bool {
		switch fits(n) {
		case Yes:
			enough = n
			return true
		case No:
			refuted = max(refuted, n)
		}
		given = max(given, n)
		return false
	}
	for n := int64(1); first-1+n < enough && !probe(first-1+n); n *= 2 {
	}
	for enough-given > 1 && ctx.Err() == nil {
		probe(given + (enough-given)/2)
	}
	return enough, refuted == enough-1
}
