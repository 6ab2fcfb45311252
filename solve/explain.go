package solve

import (
	"context"
	"errors"
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/energy"
)

// explain finds out why the hard jobs of an infeasible set cannot all meet
// their deadlines. It may answer with less (not irreducible, no fixes) when
// ctx ends. proof is how the set was refuted.
func (s *search) explain(ctx context.Context, proof model.Proof) (*Conflict, error) {
	s.say("looking for the jobs that clash")
	x := &explainer{s: s, proof: proof}
	x.begin(ctx)
	x.shrink(ctx)
	x.confirm(ctx)
	c := x.conflict(ctx)
	s.say("looking for what would fix it")
	few, cancel := withFixLimit(ctx)
	defer cancel()
	c.Fixes = s.fixes(few, c)
	return c, s.err
}

// explainer shrinks an infeasible set of hard jobs.
type explainer struct {
	s *search
	// jobs cannot all meet their deadlines, as proof says.
	jobs  []model.JobID
	proof model.Proof
	// why is the counting argument that proves it, nil if the search does.
	why *proof.Overload
	// priced proves it by prices, if neither of them does.
	priced *proof.Branching
	// tested says, per job, that jobs without it have a plan.
	tested []bool
	// e holds all hard jobs, each with a literal to switch it on; nil if the
	// formula is too large or not yet needed.
	e       *engine
	refused bool
}

// begin finds an infeasible set of jobs to start from: what a counting argument
// names, else a core of the SAT solver.
func (x *explainer) begin(ctx context.Context) {
	x.tested = make([]bool, len(x.s.js.Jobs))
	for i := range x.s.js.Jobs {
		if x.s.js.Jobs[i].Kind == model.Hard {
			x.jobs = append(x.jobs, model.JobID(i))
		}
	}
	sh := x.s.refuted
	if sh == nil {
		sh = x.s.shortage(ctx, x.jobs)
	}
	if sh != nil {
		x.counted(sh)
		return
	}
	if x.priced = x.s.priced; x.priced != nil {
		return // with all of them: a core of the SAT solver may be far off
	}
	switch core, a := x.refute(ctx, x.jobs); a {
	case unsatisfiable:
		x.searched(core)
	case satisfiable:
		x.s.fail(errors.New("the hard jobs were proved infeasible, and a formula has a plan for them"))
	}
}

// counted takes the jobs of a counting argument for those that clash.
func (x *explainer) counted(sh *proof.Overload) {
	x.jobs, x.proof, x.why, x.priced = slices.Sorted(slices.Values(sh.Jobs)), model.BoundProof, sh, nil
}

// searched takes jobs that the SAT solver refuted for those that clash.
func (x *explainer) searched(core []model.JobID) {
	x.jobs, x.proof, x.why, x.priced = core, model.SATProof, nil, nil
}

// shrink leaves out one job after the other, latest deadline first, as long as
// the rest is infeasible.
func (x *explainer) shrink(ctx context.Context) {
	order := slices.Clone(x.jobs)
	slices.SortStableFunc(order, func(a, b model.JobID) int {
		return int(x.s.js.Jobs[b].Due() - x.s.js.Jobs[a].Due())
	})
	for _, i := range order {
		if ctx.Err() != nil || x.s.failed() {
			return
		}
		at := slices.Index(x.jobs, i)
		if at < 0 {
			continue
		}
		rest := slices.Delete(slices.Clone(x.jobs), at, at+1)
		switch {
		case x.plans(ctx, rest):
			x.tested[i] = true
		default:
			x.drop(ctx, i, rest)
		}
	}
}

// drop settles whether the rest without job i is infeasible.
func (x *explainer) drop(ctx context.Context, i model.JobID, rest []model.JobID) {
	if sh := x.s.shortage(ctx, rest); sh != nil {
		x.counted(sh)
		return
	}
	if x.s.priced != nil {
		if c := x.s.refutedByPrices(ctx, rest, casesEffort(0), nil); c != nil {
			x.jobs, x.proof, x.why, x.priced = rest, model.BoundProof, nil, c
			return
		}
	}
	switch core, a := x.refute(ctx, rest); a {
	case unsatisfiable:
		x.searched(core)
	case satisfiable:
		x.tested[i] = true
	}
}

// shortage is a counting argument, checked by separate code, that the given
// hard jobs clash by themselves; its jobs are numbered as in s.js.
func (s *search) shortage(ctx context.Context, jobs []model.JobID) *proof.Overload {
	if len(jobs) == 0 {
		return nil
	}
	sub := s.js.Subset(jobs)
	sh := energy.Infeasible(ctx, sub)
	if sh == nil {
		return nil
	}
	for k, id := range sh.Jobs {
		sh.Jobs[k] = jobs[id]
	}
	if err := verify.Overload(s.js, query.HardDues(s.js), sh); err != nil {
		s.fail(err)
		return nil
	}
	return sh
}

// plans reports whether list scheduling finds a valid plan for the given hard
// jobs alone.
func (x *explainer) plans(ctx context.Context, jobs []model.JobID) bool {
	if len(jobs) == 0 {
		return true
	}
	sub := x.s.js.Subset(jobs)
	var spent int
	plan, values := lns.Search(ctx, sub, lns.Options{
		Seed: x.s.opt.Seed, Constructions: affordable(ctx, subsetBudget), Spent: &spent,
	})
	spend(ctx, spent)
	return values[0] == 0 && verify.Schedule(sub, plan, false).OK()
}

// subsetBudget is the number of constructions spent on a subset before the
// exact search is asked.
const subsetBudget = 60

// refute asks the SAT solver whether the given hard jobs fit by themselves. If
// not, the answer comes with those of them that the refutation rests on; if so,
// the plan has been validated.
func (x *explainer) refute(ctx context.Context, jobs []model.JobID) ([]model.JobID, answer) {
	if x.e == nil && !x.refused {
		q := x.s.question(query.Limits{})
		for i := range q.Role {
			if q.Role[i] == query.Must {
				q.Role[i] = query.May
			}
		}
		enc, err := x.s.build(q)
		if err != nil {
			x.refused = true
		} else {
			x.e = newEngine(enc, 0)
		}
	}
	if x.refused {
		return nil, unknown
	}
	return x.ask(ctx, jobs)
}

func (x *explainer) ask(ctx context.Context, jobs []model.JobID) ([]model.JobID, answer) {
	on := make([]z.Lit, len(jobs))
	for k, i := range jobs {
		if on[k] = x.e.On(i); on[k] == cnf.False {
			return []model.JobID{i}, unsatisfiable // late alone
		}
	}
	a := x.e.solve(ctx, nil, on...)
	switch a {
	case unsatisfiable:
		var core []model.JobID
		for k, m := range on {
			if slices.Contains(x.e.failed, m) {
				core = append(core, jobs[k])
			}
		}
		return core, a
	case satisfiable:
		if !x.valid(jobs) {
			return nil, unknown
		}
	}
	return nil, a
}

// valid checks the model that the SAT solver has just found for the jobs.
func (x *explainer) valid(jobs []model.JobID) bool {
	whole := x.e.Decode(x.e.g.Value)
	sub := x.s.js.Subset(jobs)
	plan := model.NewSchedule(0)
	for _, i := range jobs {
		plan = append(plan, whole[x.s.js.Jobs[i].First:x.s.js.Jobs[i].End]...)
	}
	if err := verify.Schedule(sub, plan, false).Err(); err != nil {
		x.s.fail(err)
		return false
	}
	return true
}

// confirm refutes the jobs once more, by a formula of their own: assumptions
// and cores had no part in it.
func (x *explainer) confirm(ctx context.Context) {
	if x.proof != model.SATProof || x.refused || ctx.Err() != nil {
		return
	}
	alone := newSearch(x.s.js.Subset(x.jobs), nil, x.s.opt, x.s.started)
	enc, err := alone.build(alone.question(query.Limits{}))
	if err == nil && newEngine(enc, 1).solve(ctx, nil) == satisfiable {
		x.s.fail(errors.New("jobs that were said to clash have a plan"))
	}
}

func (x *explainer) conflict(ctx context.Context) *Conflict {
	if x.why == nil {
		if sh := x.s.shortage(ctx, x.jobs); sh != nil {
			x.counted(sh)
		}
	}
	if x.why == nil && x.priced == nil {
		if c := x.s.refutedByPrices(ctx, x.jobs, casesEffort(0), nil); c != nil {
			x.priced, x.proof = c, c.Proof()
		}
	}
	c := &Conflict{Jobs: x.jobs, Proof: x.proof, Prices: x.priced, Irreducible: true}
	for _, i := range x.jobs {
		c.Irreducible = c.Irreducible && x.tested[i]
	}
	if x.why != nil {
		c.Shortages = []proof.Overload{*x.why}
	}
	return c
}

// maxFixes bounds the number of jobs for which a fix is sought.
const maxFixes = 8

// fixes looks, for each job of the conflict, for the least deadline with which
// the whole set becomes feasible, or else finds that leaving the job out does.
// Where jobs clash in several unrelated places no single change helps.
func (s *search) fixes(ctx context.Context, c *Conflict) []Fix {
	var fixes []Fix
	for k, i := range c.Jobs[:min(len(c.Jobs), maxFixes)] {
		if s.failed() {
			break
		}
		left := min(len(c.Jobs), maxFixes) - k
		if fix, ok := s.fix(withPart(ctx, true, left), i); ok {
			fixes = append(fixes, fix)
		}
	}
	return fixes
}

// fix treats job i as soft and asks how late it has to be.
func (s *search) fix(ctx context.Context, i model.JobID) (Fix, bool) {
	if ctx.Err() != nil {
		return Fix{}, false
	}
	var hard []model.JobID
	var at int
	for k := range s.js.Jobs {
		if s.js.Jobs[k].Kind == model.Hard {
			if model.JobID(k) == i {
				at = len(hard)
			}
			hard = append(hard, model.JobID(k))
		}
	}
	eased := s.js.Subset(hard)
	eased.Jobs[at].Kind = model.Soft
	opt := s.opt
	opt.Progress, opt.Relax = nil, false
	sub := newSearch(eased, []model.Objective{model.Tardiness}, opt, s.started)
	status, _ := sub.findPlan(ctx)
	if status == model.Feasible {
		sub.closePhases(ctx)
	}
	if sub.err != nil {
		s.fail(sub.err)
	}
	if status != model.Feasible || s.failed() {
		return Fix{}, false
	}
	late, bound := sub.gap(0)
	if late == 0 {
		s.fail(errors.New("the hard jobs were proved infeasible, and a plan for them found"))
	}
	return Fix{
		Job: i, Deadline: s.js.Jobs[i].Deadline + model.Time(late), Least: late == bound,
	}, late > 0
}
