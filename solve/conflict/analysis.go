package conflict

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
)

// Analysis is what is wrong with an infeasible set.
type Analysis struct {
	// Alone are the hard jobs that cannot meet their deadlines even alone on the
	// cluster, ascending. AllTried tells that there are no others.
	Alone    []Alone
	AllTried bool
	// Conflicts do not fit, each by the argument that it has; none is contained in another.
	// There may be others: no more are sought than it takes to bound Out.
	Conflicts []*Conflict
	// Out is how many hard jobs have to be left out.
	Out Out
	// Groups are jobs of several conflicts that meet.
	Groups []Group
	// Fits are parts that were seen to fit on the way.
	Fits []Fit
}

// Out is how many hard jobs have to be left out for the others to fit.
type Out struct {
	// Least have to be left out in any case, as the conflicts prove.
	Least int
	// Jobs, ascending, were left out of a set of hard jobs that fits, for which there is a
	// validated plan; nil if none was found. Least is the optimum where they are as many.
	Jobs []model.JobID
}

// Closed reports whether no fewer jobs can be left out than Jobs.
func (o *Out) Closed() bool { return o.Jobs != nil && len(o.Jobs) == o.Least }

// Group is a set of hard jobs, ascending, that conflicts which meet are about.
type Group struct {
	Jobs []model.JobID
	// Least of them at least have to be left out.
	Least int
	// Any is a number of them of which any choice fits by itself, 0 where none above 1 was
	// seen to.
	Any int
}

// AnalysisOptions say how questions about parts of the set are answered.
type AnalysisOptions struct {
	Conflict Options
	// Find looks for a plan that meets the hard deadlines of a set.
	Find func(ctx context.Context, js *model.JobSet) *incumbent.Incumbent
	// LeastLate says by how much a job is late at least, of a set with one soft job and
	// no hard one, and up to what bound that is proved; not ok if no plan was found.
	LeastLate func(ctx context.Context, js *model.JobSet) (late, bound int64, ok bool, err error)
	// Workers that call Find and LeastLate at a time; the answer is the same for any number. 0
	// stands for one.
	Workers int
	// Late, ascending, are the hard jobs that a plan of the whole set has late; nil
	// without one.
	Late []model.JobID
}

// Analyse says all that is wrong with js, of which first is a conflict. It says less where ctx
// ends early. An error is an internal one.
func Analyse(ctx context.Context, js *model.JobSet, first *Conflict, opt *AnalysisOptions) (*Analysis, error) {
	x := &analyst{js: js, opt: opt, hard: query.HardJobs(js), out: &Analysis{AllTried: true}}
	if opt.Late != nil {
		x.fits = append(x.fits, without(x.hard, opt.Late))
		x.leftOut(opt.Late)
	}
	x.add(first)
	x.allAlone(budget.Part(ctx, 2))
	x.hit(budget.Part(ctx, 2))
	x.groups(ctx)
	x.bound(ctx)
	if x.err != nil {
		return nil, x.err
	}
	return x.out, nil
}

// analyst is a search for conflicts.
type analyst struct {
	js   *model.JobSet
	opt  *AnalysisOptions
	hard []model.JobID
	// sets are the hard jobs of the conflicts, fits sets of hard jobs that fit.
	sets, fits [][]model.JobID
	// learnt counts the conflicts and larger sets that fit found so far.
	learnt int
	out    *Analysis
	err    error
	ahead  ahead
}

// add keeps a conflict, unless it holds one that is known, or is one of which no less is known; those that hold it go.
func (x *analyst) add(c *Conflict) {
	set := x.hardOf(c.Jobs)
	x.out.Fits, c.Fits = withFits(x.out.Fits, c.Fits...), nil
	for _, known := range x.out.Conflicts {
		if contains(c.Jobs, known.Jobs) && (len(c.Jobs) > len(known.Jobs) || known.Irreducible || !c.Irreducible) {
			return
		}
	}
	for k := len(x.out.Conflicts) - 1; k >= 0; k-- {
		if contains(x.out.Conflicts[k].Jobs, c.Jobs) {
			x.out.Conflicts = slices.Delete(x.out.Conflicts, k, k+1)
			x.sets = slices.Delete(x.sets, k, k+1)
		}
	}
	x.learnt++
	x.out.Conflicts, x.sets = append(x.out.Conflicts, c), append(x.sets, set)
}

// Within is a conflict of the analysis that c holds: c itself, unless there is a smaller one of which no job can be left out.
func (a *Analysis) Within(c *Conflict) *Conflict {
	for _, known := range a.Conflicts {
		if known.Irreducible && contains(c.Jobs, known.Jobs) {
			return known
		}
	}
	return c
}

func (x *analyst) hardOf(jobs []model.JobID) []model.JobID {
	var out []model.JobID
	for _, i := range jobs {
		if x.js.Jobs[i].Kind == model.Hard {
			out = append(out, i)
		}
	}
	return out
}

// contains reports whether all of part, ascending, are in whole, ascending.
func contains(whole, part []model.JobID) bool {
	for _, i := range part {
		if _, in := slices.BinarySearch(whole, i); !in {
			return false
		}
	}
	return true
}

// without is all but some of the jobs; both ascending.
func without(jobs, some []model.JobID) []model.JobID {
	var out []model.JobID
	for _, i := range jobs {
		if _, in := slices.BinarySearch(some, i); !in {
			out = append(out, i)
		}
	}
	return out
}

// answer is what is known of a set of jobs.
type answer uint8

const (
	unknown answer = iota
	fit
	infeasible
)

// ask settles whether hard jobs fit. If not there is a new conflict among them.
func (x *analyst) ask(ctx context.Context, hard []model.JobID) answer {
	if a := x.known(hard); a != unknown {
		return a
	}
	jobs := x.with(hard)
	sub := x.js.Subset(jobs)
	w, _ := x.ahead.found.Ask(ctx, x.key(hard), x.finding(sub))
	switch {
	case w.Err() != nil:
		x.err = w.Err()
	case w.Best() != nil:
		x.fits = append(x.fits, hard)
		x.out.Fits = withFits(x.out.Fits, Fit{Jobs: jobs, Plan: in(x.js, jobs, w.Best())})
		x.leftOut(without(x.hard, hard))
		return fit
	case w.Refuted() != nil:
		if x.explain(ctx, w, sub, jobs); x.err == nil {
			return infeasible
		}
	}
	return unknown
}

// explain adds the conflict in sub, the set of some jobs, that w has refuted.
func (x *analyst) explain(ctx context.Context, w *incumbent.Incumbent, sub *model.JobSet, jobs []model.JobID) {
	c, err := Explain(ctx, w, &x.opt.Conflict)
	if err != nil {
		x.err = err
		return
	}
	c.Renumber(x.js, sub, jobs)
	x.add(c)
}

// known is what earlier answers say of hard jobs.
func (x *analyst) known(hard []model.JobID) answer {
	switch {
	case len(hard) == 0 || slices.ContainsFunc(x.fits, func(f []model.JobID) bool { return contains(f, hard) }):
		return fit
	case slices.ContainsFunc(x.sets, func(c []model.JobID) bool { return contains(hard, c) }):
		return infeasible
	}
	return unknown
}

// with is hard jobs and the others that they come after, but for hard ones left out.
func (x *analyst) with(hard []model.JobID) []model.JobID {
	return slices.DeleteFunc(x.js.WithBefore(hard), func(i model.JobID) bool {
		_, in := slices.BinarySearch(hard, i)
		return !in && x.js.Jobs[i].Kind == model.Hard
	})
}

// leftOut takes into account that all hard jobs but these fit.
func (x *analyst) leftOut(jobs []model.JobID) {
	if o := &x.out.Out; o.Jobs == nil || len(jobs) < len(o.Jobs) {
		x.learnt++
		o.Jobs = jobs
	}
}

// hit looks for the least number of jobs to leave out. Each round begins with a least
// hitting set, and looks for conflicts without jobs in common in what that leaves.
func (x *analyst) hit(ctx context.Context) {
	for ctx.Err() == nil && x.err == nil {
		out := x.bound(ctx)
		before := x.learnt
		if x.out.Out.Closed() {
			return
		}
		if x.disjoint(ctx, without(x.hard, out)); x.learnt == before {
			return
		}
	}
}

// bound takes into account what the conflicts prove, and gives a set that hits them.
func (x *analyst) bound(ctx context.Context) []model.JobID {
	out, least := hittingSet(ctx, x.sets)
	x.out.Out.Least = max(x.out.Out.Least, least)
	return out
}

// disjoint looks for conflicts among jobs, without jobs in common, until the rest fits,
// which it then makes as large as it can.
func (x *analyst) disjoint(ctx context.Context, jobs []model.JobID) {
	rest := jobs
	for ctx.Err() == nil {
		before := x.learnt
		a := x.ask(ctx, rest)
		if a == fit {
			break
		}
		if a == unknown || x.learnt == before {
			return
		}
		rest = without(rest, x.sets[len(x.sets)-1])
	}
	left := without(jobs, rest)
	more := func(k int) []model.JobID { return slices.Sorted(slices.Values(append(slices.Clone(rest), left[k]))) }
	x.inTurn(ctx, len(left), more, func(k int) bool {
		if larger := more(k); x.ask(ctx, larger) == fit {
			rest = larger
		}
		return true
	})
}

// Renumber makes of an analysis of sub, the set of some jobs of whole, one of whole.
func Renumber(a *Analysis, whole, sub *model.JobSet, jobs []model.JobID) {
	number := func(of []model.JobID) {
		for k, i := range of {
			of[k] = jobs[i]
		}
	}
	for k := range a.Alone {
		alone := &a.Alone[k]
		alone.Job, alone.After = jobs[alone.Job], slices.Clone(alone.After)
		number(alone.After)
		for p := range alone.Path {
			alone.Path[p].Job = jobs[alone.Path[p].Job]
		}
	}
	for _, c := range a.Conflicts {
		c.Renumber(whole, sub, jobs)
	}
	a.Out.Jobs = slices.Clone(a.Out.Jobs)
	number(a.Out.Jobs)
	for k := range a.Groups {
		a.Groups[k].Jobs = slices.Clone(a.Groups[k].Jobs)
		number(a.Groups[k].Jobs)
	}
}
