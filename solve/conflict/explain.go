package conflict

import (
	"context"
	"errors"
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/heuristics"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/energy"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/strategy"
)

// Conflict is a set of hard jobs that cannot all meet their deadlines, with jobs of any
// kind that they come after.
type Conflict struct {
	// Jobs, ascending.
	Jobs []model.JobID
	// Irreducible means that leaving out any one job makes the rest feasible,
	// and that a validated plan was found for each of those rests. False where
	// a limit ended the shrinking.
	Irreducible bool
	// Proof backs the infeasibility of Jobs.
	Proof model.Proof
	// Overloads are energetic arguments on Jobs without the others, strongest first;
	// empty where none suffices and only the search refutes.
	Overloads []proof.Overload
	// Branching proves it where no overload does; nil otherwise.
	Branching *proof.Branching
	// ByCores is the proof of it where which core does which task is all there is to find, and neither of these is. It numbers Jobs
	// as if there were no others.
	ByCores *incumbent.NoPlan
	// Fits are parts that were seen to fit on the way; an analysis takes them over.
	Fits []Fit
}

// Fit is a set of jobs, ascending, with a validated plan of them in which those of other jobs have no place, and which count
// as finished for these.
type Fit struct {
	Jobs []model.JobID
	Plan model.Schedule
}

// mostFitted bounds the tasks of all fits that are kept, at 32 bytes each. The first ones are of the most jobs.
const mostFitted = 1 << 20

// withFits adds fits, all of the same set, for which there is room.
func withFits(fits []Fit, more ...Fit) []Fit {
	for _, f := range more {
		if (len(fits)+1)*len(f.Plan) <= mostFitted {
			fits = append(fits, f)
		}
	}
	return fits
}

// in is a plan of the set of some jobs of js as one of js.
func in(js *model.JobSet, jobs []model.JobID, plan model.Schedule) model.Schedule {
	out, at := model.NewSchedule(len(js.Tasks)), 0
	for _, i := range jobs {
		at += copy(out[js.Jobs[i].First:js.Jobs[i].End], plan[at:])
	}
	return out
}

// Options steer the search for a conflict.
type Options struct {
	Seed  uint64
	Exact exact.Options
}

// Explain shrinks an infeasible set, refuted as w says, to jobs that clash. It may
// answer with less (not irreducible) when ctx ends. Internal errors are
// those of w.
func Explain(ctx context.Context, w *incumbent.Incumbent, opt *Options) (*Conflict, error) {
	w.Say("looking for the jobs that clash")
	x := &explainer{w: w, opt: opt}
	x.begin(ctx)
	x.shrink(ctx)
	x.confirm(ctx)
	return x.conflict(ctx), w.Err()
}

// explainer shrinks an infeasible set of hard jobs and those that they come after. What
// is left out of it counts as finished for the jobs after it once those before it are.
type explainer struct {
	w   *incumbent.Incumbent
	opt *Options
	// linked: jobs come after others. Then an argument may rest on jobs that it does not
	// name: on those before and after its own.
	linked bool
	// jobs cannot all meet their deadlines, by an argument.
	jobs []model.JobID
	argument
	// tested says, per job, that jobs without it have a plan; fits are such plans.
	tested []bool
	fits   []Fit
	// e holds all hard jobs, each with a literal to switch it on; nil if the
	// formula is too large or not yet needed.
	e       *exact.Solver
	refused bool
}

// argument is that of a proof: an energetic one, one by multipliers, or one of packing tasks into cores; none of them if a search is
// the proof.
type argument struct {
	proof     model.Proof
	overload  *proof.Overload
	branching *proof.Branching
	byCores   *incumbent.NoPlan
}

// begin finds an infeasible set of jobs to start from: what a counting argument
// names, else a core of the SAT solver.
func (x *explainer) begin(ctx context.Context) {
	x.tested, x.linked = make([]bool, len(x.w.JS.Jobs)), x.w.JS.JobsLinked()
	x.jobs = x.w.JS.WithBefore(query.HardJobs(x.w.JS))
	r := x.w.Refuted()
	x.proof = r.Proof
	sh := r.Overload
	if sh == nil {
		sh = x.counting(ctx, x.jobs)
	}
	if sh != nil {
		all := x.jobs
		x.counted(all, sh)
		x.fewer(ctx, all)
		return
	}
	if x.branching = r.Branching; x.branching != nil {
		return // with all of them: a core of the SAT solver may be far off
	}
	if r.Sentence != "" {
		x.byCores = &incumbent.NoPlan{Proof: r.Proof, Sentence: r.Sentence} // that of all jobs, until it is found again for the hard ones
	}
	if len(x.jobs) == 1 {
		x.tested[x.jobs[0]] = true // without it there is no job
		return
	}
	switch core, a := x.refute(ctx, x.jobs); a {
	case lcg.Unsatisfiable:
		x.jobs = core
	case lcg.Satisfiable:
		x.w.Fail(errors.New("the hard jobs were proved infeasible, and a formula has a plan for them"))
	}
}

// counted takes those of some jobs that a counting argument on them rests on for the ones that clash: what it names, and what that
// comes after.
func (x *explainer) counted(jobs []model.JobID, sh *proof.Overload) {
	if x.linked {
		jobs = among(jobs, x.w.JS.WithBefore(sh.Jobs))
	} else {
		jobs = slices.Sorted(slices.Values(sh.Jobs))
	}
	x.jobs, x.argument = jobs, argument{proof: model.EnergyProof, overload: sh}
}

// fewer looks for an overload of fewer jobs, among all at first and then among those that clash, as long as there is one.
func (x *explainer) fewer(ctx context.Context, all []model.JobID) {
	for from := all; len(x.jobs) > 1; from = x.jobs {
		before := len(x.jobs)
		sh := strategy.Overload(ctx, x.w, from, energy.Fewest)
		if sh == nil {
			return
		}
		known, by := x.jobs, x.argument
		if x.counted(from, sh); len(x.jobs) >= before {
			x.jobs, x.argument = known, by
			return
		}
	}
}

// counting looks for an energetic argument that jobs clash.
func (x *explainer) counting(ctx context.Context, jobs []model.JobID) *proof.Overload {
	if sh := strategy.Overload(ctx, x.w, jobs, energy.Infeasible); sh != nil {
		return sh
	}
	return strategy.Overload(ctx, x.w, jobs, strategy.FurtherOverload)
}

// among are those of the jobs that are among some, ascending.
func among(jobs, some []model.JobID) []model.JobID {
	return slices.DeleteFunc(slices.Clone(jobs), func(i model.JobID) bool {
		_, in := slices.BinarySearch(some, i)
		return !in
	})
}

// mostParts: of many jobs one part of so many may be left out at a time.
const mostParts = 64

// shrink leaves out one job after the other, latest deadline first, as long as
// the rest is infeasible; of many jobs several at a time, twice as many as before where that went, half as many where not.
func (x *explainer) shrink(ctx context.Context) {
	order := slices.Clone(x.jobs)
	slices.SortStableFunc(order, func(a, b model.JobID) int {
		return int(x.w.JS.Jobs[b].Due() - x.w.JS.Jobs[a].Due())
	})
	for size := 1; len(order) > 0 && ctx.Err() == nil && x.w.Err() == nil; {
		if order = among(order, x.jobs); len(order) == 0 {
			return
		}
		some := order[:min(size, len(order))]
		switch answer := x.leaveOut(ctx, some); {
		case answer == lcg.Unsatisfiable:
			size = max(1, min(2*size, len(x.jobs)/mostParts))
		case len(some) > 1:
			size = len(some) / 2
		default:
			x.tested[some[0]] = answer == lcg.Satisfiable
			order = order[1:]
		}
	}
}

// leaveOut settles whether the jobs without some of them fit. If not, those that an argument rests on are left.
func (x *explainer) leaveOut(ctx context.Context, some []model.JobID) lcg.Answer {
	rest := x.needed(without(x.jobs, slices.Sorted(slices.Values(some))))
	sh := strategy.Overload(ctx, x.w, rest, energy.Infeasible) // before lists: of large sets that takes a hundredth of the time
	if sh == nil {
		if x.plans(ctx, rest) {
			return lcg.Satisfiable
		}
		sh = strategy.Overload(ctx, x.w, rest, strategy.FurtherOverload)
	}
	if sh != nil {
		x.counted(rest, sh)
		return lcg.Unsatisfiable
	}
	if x.w.Refuted().Branching != nil {
		if c := x.byBranching(ctx, rest); c != nil {
			x.jobs, x.argument = rest, argument{proof: c.Proof(), branching: c}
			return lcg.Unsatisfiable
		}
	}
	core, a := x.refute(ctx, rest)
	if a == lcg.Unsatisfiable {
		x.jobs = core
	}
	return a
}

// needed are those of some jobs, ascending, that are hard, or that hard ones of them come after: others clash with
// nothing, as they may be left out where they can run no more.
func (x *explainer) needed(jobs []model.JobID) []model.JobID {
	js := x.w.JS
	return among(jobs, js.WithBefore(slices.DeleteFunc(slices.Clone(jobs), func(i model.JobID) bool { return js.Jobs[i].Kind != model.Hard })))
}

// byBranching looks for an argument by multipliers and branching that the given jobs
// clash. It takes all jobs that they come after as given.
func (x *explainer) byBranching(ctx context.Context, jobs []model.JobID) *proof.Branching {
	js := x.w.JS
	if x.linked && !slices.Equal(js.WithBefore(jobs), jobs) {
		return nil
	}
	hard := slices.DeleteFunc(slices.Clone(jobs), func(i model.JobID) bool { return js.Jobs[i].Kind != model.Hard })
	return strategy.Refute(ctx, x.w, query.DuesOf(js, hard), strategy.BranchingEffort(0), nil)
}

// plans reports whether list scheduling finds a valid plan for the given jobs alone.
func (x *explainer) plans(ctx context.Context, jobs []model.JobID) bool {
	if len(jobs) == 0 {
		return true
	}
	sub := x.w.JS.Subset(jobs)
	var spent int
	plan, values := lns.Search(ctx, sub, lns.Options{
		Seed: x.opt.Seed, Constructions: budget.Affordable(ctx, subsetBudget), Spent: &spent,
	})
	budget.Spend(ctx, spent)
	if plan == nil || values[0] != 0 || !check.Schedule(sub, plan, false).OK() {
		return false
	}
	x.fit(jobs, plan)
	return true
}

// fit keeps a validated plan of some jobs alone.
func (x *explainer) fit(jobs []model.JobID, plan model.Schedule) {
	x.fits = withFits(x.fits, Fit{Jobs: jobs, Plan: in(x.w.JS, jobs, plan)})
}

// subsetBudget is the number of constructions spent on a subset before the
// exact search is asked.
const subsetBudget = 60

// refute asks who packs tasks into cores, else gini, or lcg where gini is left out, whether the given jobs fit by
// themselves. If not, the answer comes with those of them that the refutation rests
// on, and takes the place of earlier arguments; if so, the plan has been validated.
func (x *explainer) refute(ctx context.Context, jobs []model.JobID) (core []model.JobID, a lcg.Answer) {
	switch alone := strategy.ByCores(ctx, x.w, jobs, x.opt.Seed); {
	case alone.Refuted() != nil:
		x.argument = argument{proof: alone.Refuted().Proof, byCores: alone.Refuted()}
		return jobs, lcg.Unsatisfiable
	case alone.Best() != nil:
		x.fit(jobs, alone.Best())
		return nil, lcg.Satisfiable
	}
	by := model.SATProof
	if x.linked || !x.opt.Exact.Allows(exact.Gini) {
		core = jobs
		a, by = x.refuteWhole(ctx, jobs)
	} else {
		core, a = x.refuteSome(ctx, jobs)
	}
	if a == lcg.Unsatisfiable {
		x.argument = argument{proof: by}
	}
	return core, a
}

// refuteSome asks gini about the formula in which every hard job may be left out.
func (x *explainer) refuteSome(ctx context.Context, jobs []model.JobID) ([]model.JobID, lcg.Answer) {
	if x.e == nil && !x.refused {
		q := x.w.Question(nil)
		for i := range q.Role {
			if q.Role[i] == query.Must {
				q.Role[i] = query.May
			}
		}
		enc, err := exact.Formula(ctx, q, &x.opt.Exact)
		if err != nil {
			x.w.LeftOut(err)
			x.refused = true
		} else {
			x.e = exact.NewSolver(enc, 0)
		}
	}
	if x.refused {
		return nil, lcg.Unknown
	}
	return x.ask(ctx, jobs)
}

// refuteWhole asks an engine about the given jobs alone, and tells how it answers.
func (x *explainer) refuteWhole(ctx context.Context, jobs []model.JobID) (lcg.Answer, model.Proof) {
	sub := x.w.JS.Subset(jobs)
	q := query.Within(sub, false, nil)
	a, plan, by := x.answer(ctx, q)
	if a == lcg.Satisfiable {
		whole := heuristics.Complete(sub, plan)
		if err := check.Schedule(sub, whole, false).Err(); err != nil {
			x.w.Fail(err)
			return lcg.Unknown, by
		}
		x.fit(jobs, whole)
	}
	return a, by
}

// answer asks package lcg, or gini about what that is not asked.
func (x *explainer) answer(ctx context.Context, q query.Question) (lcg.Answer, model.Schedule, model.Proof) {
	opt := &x.opt.Exact
	if opt.Allows(exact.LCG) {
		if search, err := exact.New(ctx, q, opt, x.opt.Seed, nil); err == nil {
			a, plan := search.Run(ctx, nil)
			return a, plan, model.LCGProof
		}
	}
	if opt.Allows(exact.Gini) {
		if enc, err := exact.Formula(ctx, q, opt); err == nil {
			e := exact.NewSolver(enc, 0)
			if a := e.Solve(ctx, nil); a != lcg.Satisfiable {
				return a, nil, model.SATProof
			}
			return lcg.Satisfiable, e.Plan(), model.SATProof
		}
	}
	return lcg.Unknown, nil, model.NoProof
}

func (x *explainer) ask(ctx context.Context, jobs []model.JobID) ([]model.JobID, lcg.Answer) {
	on := make([]z.Lit, len(jobs))
	for k, i := range jobs {
		if on[k] = x.e.On(i); on[k] == cnf.False {
			return []model.JobID{i}, lcg.Unsatisfiable // late alone
		}
	}
	a := x.e.Solve(ctx, nil, on...)
	switch a {
	case lcg.Unsatisfiable:
		var core []model.JobID
		for k, m := range on {
			if slices.Contains(x.e.Failed, m) {
				core = append(core, jobs[k])
			}
		}
		return core, a
	case lcg.Satisfiable:
		if !x.valid(jobs) {
			return nil, lcg.Unknown
		}
	}
	return nil, a
}

// valid checks the model that the SAT solver has just found for the jobs.
func (x *explainer) valid(jobs []model.JobID) bool {
	whole := x.e.Plan()
	sub := x.w.JS.Subset(jobs)
	plan := model.NewSchedule(0)
	for _, i := range jobs {
		plan = append(plan, whole[x.w.JS.Jobs[i].First:x.w.JS.Jobs[i].End]...)
	}
	if err := check.Schedule(sub, plan, false).Err(); err != nil {
		x.w.Fail(err)
		return false
	}
	x.fit(jobs, plan)
	return true
}

// confirm refutes the jobs once more, by a formula of their own: assumptions
// and cores had no part in it.
func (x *explainer) confirm(ctx context.Context) {
	if x.proof != model.SATProof || x.refused || ctx.Err() != nil {
		return
	}
	enc, err := exact.Formula(ctx, query.Within(x.w.JS.Subset(x.jobs), false, nil), &x.opt.Exact)
	if err == nil && exact.NewSolver(enc, 1).Solve(ctx, nil) == lcg.Satisfiable {
		x.w.Fail(errors.New("jobs that were said to clash have a plan"))
	}
}

func (x *explainer) conflict(ctx context.Context) *Conflict {
	if x.overload == nil {
		if sh := x.counting(ctx, x.jobs); sh != nil {
			x.counted(x.jobs, sh)
		}
	}
	if x.overload == nil && x.branching == nil {
		if c := x.byBranching(ctx, x.jobs); c != nil {
			x.argument = argument{proof: c.Proof(), branching: c}
		}
	}
	c := &Conflict{Jobs: x.jobs, Proof: x.proof, Branching: x.branching, ByCores: x.byCores, Irreducible: true, Fits: x.fits}
	for _, i := range x.jobs {
		c.Irreducible = c.Irreducible && x.tested[i]
	}
	if x.overload != nil {
		c.Overloads = []proof.Overload{*x.overload}
	}
	return c
}

// Renumber makes of a conflict in sub, the set of some jobs of whole, one in whole.
func (c *Conflict) Renumber(whole, sub *model.JobSet, jobs []model.JobID) {
	c.Jobs = numbers(c.Jobs, jobs)
	for k := range c.Overloads {
		c.Overloads[k].Renumber(whole, sub, jobs)
	}
	renumber(c.Branching, whole, sub, jobs)
	for k, f := range c.Fits {
		c.Fits[k] = Fit{Jobs: numbers(f.Jobs, jobs), Plan: in(whole, jobs, f.Plan)}
	}
}

func numbers(of, jobs []model.JobID) []model.JobID {
	out := make([]model.JobID, len(of))
	for k, i := range of {
		out[k] = jobs[i]
	}
	return out
}

func renumber(b *proof.Branching, whole, sub *model.JobSet, jobs []model.JobID) {
	if b == nil {
		return
	}
	if b.Holds != nil || b.Fails != nil {
		i := sub.Tasks[b.Split.Task].Job
		b.Split.Task += whole.Jobs[jobs[i]].First - sub.Jobs[i].First
	}
	if d := b.Bound; d != nil {
		d.Penalty = spread(d.Penalty, jobs, len(whole.Jobs))
		if d.Late != nil {
			d.Late = spread(d.Late, jobs, len(whole.Jobs))
		}
		d.Multipliers = slices.Clone(d.Multipliers)
		for k := range d.Multipliers {
			if m := &d.Multipliers[k]; m.Slave == model.NoSlave {
				m.Shared = whole.SharedLike(&sub.Shared()[m.Shared], jobs)
			}
		}
	}
	renumber(b.Holds, whole, sub, jobs)
	renumber(b.Fails, whole, sub, jobs)
}

// spread is a list by the numbers of some jobs as one by those of all n.
func spread(list []int64, jobs []model.JobID, n int) []int64 {
	out := make([]int64, n)
	for k, v := range list {
		out[jobs[k]] = v
	}
	return out
}
