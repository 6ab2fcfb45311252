package solve

import (
	"context"
	"slices"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/certify"
	"downbeat/solve/conflict"
	"downbeat/solve/incumbent"
	"downbeat/solve/whatif"
)

// What is said of an infeasible set beside the first conflict is a courtesy: it is given
// that much counted work by one worker, so that it is the same from run to run, and at most
// that much time on the clock where there is no budget.
const (
	againUnits    = 10_000
	againTime     = 3 * time.Second
	analysisUnits = 40_000
	analysisTime  = 6 * time.Second
	repairUnits   = 40_000
	repairTime    = 15 * time.Second
	// All of it, the first conflict too, where the least bad plan is looked for besides: on the clock or on a budget.
	whyUnits = 40_000
	whyTime  = 15 * time.Second
)

// explain says why a set is infeasible, which w has proved.
func (s *solver) explain(ctx context.Context, w *incumbent.Incumbent, r *Result) error {
	if s.opt.Relax {
		var cancel context.CancelFunc
		ctx, cancel = besideWhy(ctx)
		defer cancel()
	}
	how := conflict.Options{Seed: s.opt.Seed, Exact: s.opt.exact()}
	c, err := conflict.Explain(budget.Part(ctx, 2), s.refutedAgain(ctx, w), &how)
	if err != nil {
		return err
	}
	if s.opt.Relax {
		ctx = budget.Part(ctx, 4) // most is for the least bad plan
	}
	w.Say("looking for all that is wrong")
	few, cancel := s.courtesy(budget.Part(ctx, 2), analysisUnits, analysisTime)
	defer cancel()
	whole, err := conflict.Analyse(few, s.js, c, s.analysisOptions(s.lateAtLeast(few)))
	if err != nil {
		return err
	}
	r.Notes = w.Answer().Notes
	c = whole.Within(c)
	r.Proof, r.Conflict, r.Analysis = max(r.Proof, c.Proof), c, whole
	if err := s.certifyClashes(ctx, w, r); err != nil {
		return err
	}
	w.Say("looking for what would help")
	r.Repairs, err = s.repairs(ctx, whole)
	whole.Fits = nil // which only repairs begin with
	return err
}

// besideWhy limits ctx to what is said of what is wrong where the least bad plan is looked for besides.
func besideWhy(ctx context.Context) (context.Context, context.CancelFunc) {
	return budget.AtMost(budget.Part(ctx, 2), whyUnits, whyTime)
}

// certifyClashes proves to others, if that is asked for, which jobs clash; where all hard jobs do, that there is no plan says it.
func (s *solver) certifyClashes(ctx context.Context, w *incumbent.Incumbent, r *Result) error {
	if r.Certificate == nil {
		return nil
	}
	few, cancel := s.courtesy(budget.Part(ctx, 2), analysisUnits, analysisTime)
	defer cancel()
	hard := len(query.HardJobs(s.js))
	for k, c := range r.Analysis.Conflicts {
		clash := slices.DeleteFunc(slices.Clone(c.Jobs), func(i model.JobID) bool { return s.js.Jobs[i].Kind != model.Hard })
		if len(clash) == hard {
			continue
		}
		by := &incumbent.Argument{Overloads: c.Overloads, Branching: c.Branching}
		if c.ByCores != nil {
			by = c.ByCores.Argument()
		}
		part := budget.Part(few, len(r.Analysis.Conflicts)-k)
		if err := r.Certificate.Clash(part, s.caller, w, s.work(w, incumbent.AnyPlan), c.Jobs, by); err != nil {
			return err
		}
	}
	return nil
}

// analysisOptions are for the analysis of a set of which a plan has some hard jobs late.
func (s *solver) analysisOptions(late []model.JobID) *conflict.AnalysisOptions {
	by := s.counting()
	return &conflict.AnalysisOptions{
		Conflict: conflict.Options{Seed: s.opt.Seed, Exact: by.opt.exact()}, Find: by.find, LeastLate: by.leastLate,
		Workers: s.opt.NumWorkers(), Late: late,
	}
}

// refutedAgain is a refutation that does not depend on which of several workers was the first
// to find one, so that what is said of the set is the same from run to run; w itself where one
// worker takes too long for that.
func (s *solver) refutedAgain(ctx context.Context, w *incumbent.Incumbent) *incumbent.Incumbent {
	if s.opt.NumWorkers() == 1 {
		return w
	}
	few, cancel := s.courtesy(ctx, againUnits, againTime)
	defer cancel()
	if again := s.counting().find(few, s.js); again.Refuted() != nil {
		return again
	}
	return w
}

// repairs tries changes to the set in its own ticks.
func (s *solver) repairs(ctx context.Context, of *Analysis) (*Repairs, error) {
	few, cancel := s.courtesy(ctx, repairUnits, repairTime)
	defer cancel()
	r, err := whatif.FindRepairs(few, s.original, s.repairOptions(of))
	if err == nil {
		r.Limited = ctx.Err() != nil
	}
	return r, err
}

// repairOptions have what is known of what is wrong.
func (s *solver) repairOptions(of *Analysis) *whatif.RepairOptions {
	opt := &whatif.RepairOptions{Plan: s.counting().fits, Workers: s.opt.NumWorkers(), Late: of.Out.Jobs, LeftOf: s.opt.leftOf}
	for _, c := range of.Conflicts {
		opt.Conflicts = append(opt.Conflicts, c.Jobs)
	}
	for i := range of.Alone {
		opt.Alone = append(opt.Alone, whatif.LateAlone{Job: of.Alone[i].Job, Earliest: of.Alone[i].Earliest * s.unit})
	}
	for _, f := range of.Fits {
		opt.Plans = append(opt.Plans, s.back(f.Plan))
	}
	return opt
}

// fits tells whether the hard jobs of a set in its own ticks can meet their deadlines, where all
// is left out that may be.
func (s *solver) fits(ctx context.Context, js *model.JobSet) (model.Status, model.Schedule, error) {
	in := js.Needed()
	if len(in) == 0 {
		return model.Feasible, model.NewSchedule(len(js.Tasks)), nil
	}
	set := restate(js)
	sub := set.js.Subset(in)
	set.js = sub
	set.takeTogether(s.goal)
	w := s.find(ctx, set.js)
	switch {
	case w.Err() != nil:
		return model.Unknown, nil, w.Err()
	case w.Best() != nil:
		plan := spread(js, set.back(w.Best()), sub, in)
		return model.Feasible, plan, check.Schedule(js, plan, false).Err()
	}
	if refuted, err := s.refuted(ctx, w, sub, set.alike.Groups()); !refuted {
		return model.Unknown, nil, err
	}
	return model.Infeasible, nil, nil
}

// refuted tells whether w has refuted its set, which is js with the slaves of each group alike taken together: where proofs are asked for,
// whether the checker agrees to one.
func (s *solver) refuted(ctx context.Context, w *incumbent.Incumbent, js *model.JobSet, alike [][]model.SlaveID) (bool, error) {
	if w.Refuted() == nil || !s.opt.Proof {
		return w.Refuted() != nil, nil
	}
	c, err := certify.Of(ctx, s.caller, js, 1, alike, w, s.work(w, incumbent.AnyPlan))
	if err != nil {
		return false, err
	}
	return c.Agreed(ctx)
}

// courtesy limits ctx to some work, and to some time where that is not counted.
func (s *solver) courtesy(ctx context.Context, units int64, d time.Duration) (context.Context, context.CancelFunc) {
	if s.opt.Budget > 0 {
		return budget.With(ctx, units)
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	ctx, spent := budget.With(ctx, units)
	return ctx, func() { spent(); cancel() }
}

// counting is the solver that works on a budget of its context's, as one worker does, and
// answers many questions, each with little of that.
func (s *solver) counting() *solver {
	c := *s
	c.opt.Budget, c.opt.Workers, c.asksMany = max(1, c.opt.Budget), 1, true
	return &c
}

// leastBadConstructions is what the search for a plan with few hard jobs late may take of small sets, leastBadTasks how many tasks
// it places at most, but for a few constructions: of 10,000 tasks the former would be all the time that there is for what is wrong.
const leastBadConstructions, leastBadTasks = 400, 100_000

// lateAtLeast are the hard jobs that a plan found by list scheduling has late; nil where
// there is none.
func (s *solver) lateAtLeast(ctx context.Context) []model.JobID {
	most := max(10, min(leastBadConstructions, leastBadTasks/len(s.js.Tasks)))
	few, cancel := budget.AtMost(ctx, int64(most), time.Second)
	defer cancel()
	var spent int
	plan, _ := lns.Search(few, s.js, lns.Options{Seed: s.opt.Seed, Constructions: budget.Affordable(few, most), Spent: &spent})
	budget.Spend(ctx, max(1, spent))
	if plan == nil || check.Schedule(s.js, plan, true).Err() != nil {
		return nil
	}
	var late []model.JobID
	for i, finish := range s.js.Finishes(plan) {
		if job := &s.js.Jobs[i]; job.Kind == model.Hard && job.Late(finish) > 0 {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// find looks for any plan of another set, which takes a unit at least: about what it takes to put the set together.
func (s *solver) find(ctx context.Context, js *model.JobSet) *incumbent.Incumbent {
	defer budget.Spend(ctx, 1)
	inner := &solver{restated: restated{js: js}, opt: s.opt, started: s.started, asksMany: s.asksMany}
	inner.opt.From, inner.opt.Events = nil, nil
	w := incumbent.New(js, nil, nil, nil, s.started)
	inner.findPlan(ctx, w)
	return w
}

// leastLate looks for the least lateness of the one soft job of a set without hard ones, by
// asking about deadlines that are later by so much.
func (s *solver) leastLate(ctx context.Context, js *model.JobSet) (late, bound int64, ok bool, err error) {
	w := s.find(ctx, js)
	if w.Err() != nil || w.Best() == nil {
		return 0, 0, false, w.Err()
	}
	k := slices.IndexFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Soft })
	lateIn := func(w *incumbent.Incumbent) int64 { return int64(js.Jobs[k].Late(js.Finishes(w.Best())[k])) }
	e := whatif.Edge{Fits: lateIn(w), Fails: -1}
	for round := whatif.Round(0); round < lateRounds && !e.Exact() && ctx.Err() == nil; round++ {
		err := e.Narrow(func(v int64) (whatif.Reply, error) {
			some, stop := budget.AtMost(ctx, round.Work(len(js.Tasks)), round.Time(whatif.OneOfMany))
			defer stop()
			w := s.find(some, dueLater(js, k, model.Time(v)))
			r := whatif.Reply{Status: model.Unknown}
			switch {
			case w.Err() != nil:
				return r, w.Err()
			case w.Best() != nil:
				r.Status, r.Reach = model.Feasible, lateIn(w)
				return r, nil
			}
			refuted, err := s.refuted(some, w, w.JS, nil)
			if refuted {
				r.Status = model.Infeasible
			}
			return r, err
		})
		if err != nil {
			return 0, 0, false, err
		}
	}
	return e.Fits, e.Fails + 1, true, nil
}

// lateRounds bounds how often leastLate comes back to what is open.
const lateRounds = 8

// dueLater is js with job k hard, and due so much later.
func dueLater(js *model.JobSet, k int, by model.Time) *model.JobSet {
	return withJobs(js, func(i model.JobID, job *model.Job) {
		if int(i) == k {
			job.Kind, job.Deadline = model.Hard, job.Deadline+by
		}
	})
}
