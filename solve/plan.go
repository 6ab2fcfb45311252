package solve

import (
	"context"
	"time"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/certify"
	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/memory"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// Plan finds the best plan for a job set: proved optimal, or the best found
// within the limits with a proved bound. Cancelling ctx ends the search; the
// best so far is the answer. An error is an internal one. Where slaves go for good, jobs that
// can run nowhere any more are left out.
func Plan(ctx context.Context, js *model.JobSet, opt Options) (*Result, error) {
	if js.Leavable() != nil {
		return planLeaving(ctx, js, opt)
	}
	return planAll(ctx, js, opt)
}

// planAll is Plan where no job is left out.
func planAll(ctx context.Context, js *model.JobSet, opt Options) (*Result, error) {
	started := time.Now()
	caller := ctx
	ctx, clock, cancel := opt.limit(ctx)
	defer cancel()
	goal := opt.Objectives
	if goal == nil {
		goal = js.Goal()
	}
	ctx, heard := opt.listen(ctx, js, goal, started)
	from := opt.From
	var kept *Kept
	if from != nil {
		var err error
		if opt.From, kept, err = repair(ctx, js, from, goal); err != nil {
			return nil, err
		}
	}
	set := restate(js)
	set.near = opt.From
	if !opt.EachSlave {
		set.takeTogether(goal)
	}
	s := &solver{caller: caller, restated: set, goal: goal, opt: opt.restate(&set), started: started, clock: clock}
	clock.keepBack(opt.keptBack())
	r, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	set.backIn(r)
	if kept != nil {
		kept.compare(from, r.Schedule)
		r.Kept = kept
	}
	r.Notes = append(r.Notes, memory.Notes(ctx)...)
	r.Settled = s.settled
	r.Seed, r.Elapsed, r.Stop = opt.Seed, time.Since(started), r.reason(caller, ctx, &opt)
	if r.Schedule != nil {
		if err := check.Schedule(js, r.Schedule, r.Relaxed).Err(); err != nil {
			return nil, err
		}
	}
	heard.end(r)
	return r, nil
}

// paintingShare: pictures have one part of so many of a time limit at most, for a plan comes
// first.
const paintingShare = 4

// proofShare: one part of so many of a time limit is for saying in steps what was proved, and
// for checking these. Of a branching by weighted tardiness that takes up to a twelfth of the
// time in which it was found; a single line about 1,000 tasks on 30 slaves takes 0.2 s.
const proofShare = 10

// keptBack is what of the time limit is not for the search, beside what validating a plan takes.
func (o *Options) keptBack() time.Duration {
	d := min(o.Painting, o.TimeLimit/paintingShare)
	if o.Proof {
		d += o.TimeLimit / proofShare
	}
	return d
}

// solver is one call of Plan: a set as it is solved, and what is asked of it.
type solver struct {
	restated
	// caller is the context of who asked: the search's own ends before it, at its limits.
	caller  context.Context
	goal    []model.Objective
	opt     Options
	started time.Time
	clock   *timeLimit
	// settled is how long it took to settle whether the hard jobs can meet their deadlines, 0 if that is open.
	settled time.Duration
	// byGuide makes plans for the first objective; nil where sets are small.
	byGuide *strategy.Guided
	// asksMany tells that this is one of many questions, each about any plan: list scheduling
	// and slow arguments are tried no longer than it takes to see whether they answer at once.
	asksMany bool
}

// plan finds any plan first, then minimises the objectives one after the other.
func (s *solver) plan(ctx context.Context) (*Result, error) {
	w := s.incumbent()
	first := ctx
	if s.opt.Relax {
		first, w.KeepsLate = budget.Part(ctx, 2), true
	}
	s.findPlan(first, w)
	s.settle(w)
	switch {
	case w.Err() != nil:
		return nil, w.Err()
	case w.Best() != nil:
		s.minimise(ctx, w)
	case w.Refuted() != nil || s.opt.Relax:
		return s.infeasible(ctx, w)
	}
	return s.finish(ctx, w)
}

// settle notes when the question about the hard jobs was answered, and tells of it before what follows: a
// better plan, or why there is none.
func (s *solver) settle(w *incumbent.Incumbent) {
	refuted := w.Refuted()
	if w.Err() != nil || w.Best() == nil && refuted == nil || len(query.HardJobs(s.js)) == 0 {
		return
	}
	s.settled = time.Since(s.started)
	if s.opt.Events == nil {
		return
	}
	how := &event.Settled{Status: model.Feasible, Proof: model.WitnessProof}
	if w.Best() == nil {
		how = &event.Settled{Status: model.Infeasible, Proof: refuted.Proof}
	}
	s.opt.Events(event.Event{Kind: event.Verdict, Elapsed: s.settled, HavePlan: w.Best() != nil, Objectives: w.Answer().Objectives, Settled: how})
}

// incumbent begins a solve.
func (s *solver) incumbent() *incumbent.Incumbent {
	w := incumbent.New(s.js, s.goal, s.opt.From, s.opt.Events, s.started)
	w.Validated, w.Proofs = s.clock.validated, s.opt.Proof
	return w
}

// work is what strategies are made for: objective p of w.
func (s *solver) work(w *incumbent.Incumbent, p int) *portfolio.Work {
	work := &portfolio.Work{
		Incumbent: w, P: p, Seed: s.opt.Seed, Exact: s.opt.exact(),
	}
	work.Exact.Record = s.opt.Proof
	work.Exact.Exchange = exact.NewExchange(s.opt.NumWorkers(), s.opt.Budget > 0)
	return work
}

// findPlan looks for a plan that meets the hard deadlines, or a proof that there
// is none.
func (s *solver) findPlan(ctx context.Context, w *incumbent.Incumbent) {
	w.Say("looking for a plan")
	s.first(ctx, w)
	if s.large() && s.opt.From == nil && ctx.Err() != nil {
		return // what follows takes long to look at its first context
	}
	if w.Best() == nil {
		if strategy.RefuteByEnergy(ctx, w); w.Over(incumbent.AnyPlan) {
			return
		}
	}
	if s.construct(ctx, w); w.Over(incumbent.AnyPlan) || ctx.Err() != nil {
		return
	}
	if strategy.RefuteFurther(ctx, w); w.Over(incumbent.AnyPlan) {
		return
	}
	w.Say("no plan by list scheduling, asking the exact engines")
	work := s.work(w, incumbent.AnyPlan)
	s.run(ctx, work)
}

// run has the workers go over the table.
func (s *solver) run(ctx context.Context, w *portfolio.Work) {
	n, kind := s.opt.NumWorkers(), alone
	switch {
	case s.asksMany:
		kind = hurried
	case w.AfterOpen():
		kind = following
	case n > 1:
		kind = several
	}
	if n > 1 && s.opt.Budget > 0 {
		portfolio.RunByEpochs(ctx, w, func(w *portfolio.Work) portfolio.List { return listFor(w, kind) }, n)
	} else {
		portfolio.Run(ctx, w, listFor(w, kind), n)
	}
}

// leastHurried is the number of tasks from which on arguments and guides take seconds: a
// plan comes first, for who has no more time than that.
const leastHurried = 2000

func (s *solver) large() bool { return len(s.js.Tasks) >= leastHurried }

// first looks for a plan by a single construction where sets are large and there is none
// to start from.
func (s *solver) first(ctx context.Context, w *incumbent.Incumbent) {
	if s.large() && s.opt.From == nil {
		strategy.FirstPlan(ctx, w, s.opt.Seed)
	}
}

// construct looks for any plan by list scheduling, in the order of a guide first where
// sets are large. Smaller ones get a plan even where ctx is done: it takes no time.
func (s *solver) construct(ctx context.Context, w *incumbent.Incumbent) {
	if w.Best() != nil && len(s.goal) == 0 {
		return
	}
	if s.byGuide = strategy.NewGuided(w, s.opt.Seed); s.byGuide != nil {
		s.byGuide.AnyPlan(ctx)
	}
	if !w.Over(incumbent.AnyPlan) && (s.byGuide == nil || ctx.Err() == nil) {
		n := strategy.FirstConstructions(s.js)
		if s.asksMany {
			n = min(n, manyConstructions)
		}
		strategy.Construct(ctx, w, s.opt.Seed, n)
	}
}

// manyConstructions are those for one of many questions.
const manyConstructions = 60

// minimise closes the objectives one after the other, each under the best of those before, and ends early when ctx is done. One that stays
// open, as its share of the time is up or nothing more can be proved, leaves those after it without bounds, but not as they happen to be; it is
// taken up again, and those after it are once it is closed, where they needed less time than there is.
// There is a plan already, or an internal error.
func (s *solver) minimise(ctx context.Context, w *incumbent.Incumbent) {
	p := s.inOrder(ctx, w, 0, false)
	for p >= 0 && ctx.Err() == nil {
		p = s.inOrder(ctx, w, p, true)
	}
}

// inOrder closes the objectives from first on, which has all of the time if it is taken up again. It returns the first that stays open by its
// share of the time alone, -1 for none. At the end no values are kept of any that is open.
func (s *solver) inOrder(ctx context.Context, w *incumbent.Incumbent, first int, again bool) (open int) {
	defer w.Release()
	open = -1
	for p := first; p < len(s.goal); p++ {
		share, whole := ctx, p+1 == len(s.goal) || again && p == first
		if !whole {
			share = budget.AllBut(ctx, laterShare)
		}
		w.Begin(p)
		if w.Err() != nil {
			return -1
		}
		work := s.work(w, p)
		s.close(share, work)
		switch closed := w.Closed(p); {
		case !closed && (whole || ctx.Err() != nil):
			return open
		case p+1 == len(s.goal):
		case !closed:
			if open < 0 && share.Err() != nil {
				open = p
			}
			w.Keep(p)
		case !w.AfterOpen() && !s.opt.Proof:
			strategy.HoldInTime(ctx, work)
		}
	}
	return open
}

// laterShare: all objectives after one have one part of so many of what is left, so that they are bettered where it stays open. Nearly all that they come to
// comes in a second or two; with one part of 16 on a budget a last slice of what comes before leaves them none of it.
const laterShare = 8

// close works on an objective until its value meets its bound.
func (s *solver) close(ctx context.Context, w *portfolio.Work) {
	if !w.AfterOpen() {
		for _, raise := range []func(context.Context, *portfolio.Work){strategy.EnergyBound, strategy.IdleBound, strategy.WeightedBound} {
			if !w.Over(w.P) {
				raise(ctx, w)
			}
		}
	}
	if w.P == 0 && s.byGuide != nil {
		w.Guide = s.byGuide
	}
	if w.Guide == nil && !w.Over(w.P) && ctx.Err() == nil {
		strategy.Construct(ctx, w.Incumbent, s.opt.Seed+1, strategy.FirstOf(w))
	}
	if !w.Over(w.P) {
		s.run(ctx, w)
	}
}

// infeasible answers for a set that is infeasible, or was not found to be
// either and is to be relaxed: the conflict, and the least bad plan if asked for.
func (s *solver) infeasible(ctx context.Context, w *incumbent.Incumbent) (*Result, error) {
	r := resultOf(w)
	refuted := w.Refuted()
	if refuted != nil {
		r.Status, r.Proof = model.Infeasible, refuted.Proof
	}
	var least *solver
	var late *incumbent.Incumbent
	if s.opt.Relax { // whoever interrupts what follows has a plan
		least, late = s.relaxed(ctx, w.Late(), r)
	}
	if refuted != nil {
		if err := s.certify(budget.Part(ctx, 2), w, r); err != nil {
			return nil, err
		}
		if !s.opt.NoConflict {
			if err := s.explain(ctx, w, r); err != nil {
				return nil, err
			}
		}
	}
	if !s.opt.Relax {
		return r, nil
	}
	return s.relax(ctx, least, late, r)
}

// relaxed begins the search for the least bad plan, by the fewest hard misses first: with the plan known that misses
// some, nil where there is none, and with lists. r is what is known of the set as it stands.
func (s *solver) relaxed(ctx context.Context, known model.Schedule, r *Result) (*solver, *incumbent.Incumbent) {
	relaxed := *s
	relaxed.goal = []model.Objective{model.HardMisses}
	if s.opt.HardByCount {
		relaxed.goal = append(relaxed.goal, s.goal...)
	}
	w := relaxed.incumbent()
	if r.Status == model.Infeasible {
		w.Raise(0, 1, r.Proof)
	}
	if known != nil {
		w.Offer(known)
	} else {
		relaxed.first(ctx, w)
	}
	if relaxed.construct(ctx, w); w.Best() != nil && r.Status == model.Infeasible && !s.opt.NoConflict && s.opt.Budget == 0 {
		some, cancel := s.beforeWhy(ctx)
		defer cancel()
		relaxed.minimise(some, w)
	}
	return &relaxed, w
}

// On the clock, where whoever waits may end it, the least bad plan has one part of so many of what is left, but no more than this, before
// why no plan has all in time is looked for. Of 2,000 tasks 28 and 52 late jobs after lists become 14 and 27. On a budget, which nobody
// sees pass, what is begun anew after that would be lost.
const (
	beforeWhyShare = 8
	beforeWhyUnits = 500
	beforeWhyTime  = 3 * time.Second
)

// beforeWhy limits ctx to that.
func (s *solver) beforeWhy(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.courtesy(budget.Part(ctx, beforeWhyShare), beforeWhyUnits, beforeWhyTime)
}

// relax finds the least bad plan: fewest hard misses first, then, where there are any, the
// least lateness of hard jobs, and the objectives last. It goes on with what relaxed began.
func (s *solver) relax(ctx context.Context, relaxed *solver, w *incumbent.Incumbent, r *Result) (*Result, error) {
	if w.Best() == nil && w.Err() == nil {
		r.Interrupted = true // the set is too large for any plan within the limit
		return r, nil
	}
	first := ctx
	if !s.opt.HardByCount {
		first = budget.Part(ctx, 2)
	}
	relaxed.minimise(first, w)
	if w.Err() != nil {
		return nil, w.Err()
	}
	if hard, _ := w.Gap(0); hard == 0 {
		return s.fitsAfterAll(ctx, w, r)
	}
	least, err := relaxed.finish(ctx, w)
	if err != nil {
		return nil, err
	}
	if !s.opt.HardByCount {
		if err := s.leastLateness(ctx, w, r, least); err != nil {
			return nil, err
		}
	}
	least.Certificate = r.Certificate.With(least.Certificate)
	if len(r.Notes) > 0 {
		least.Notes = r.Notes
	}
	least.Relaxed, least.Status, least.Conflict = true, model.Unknown, r.Conflict
	least.Analysis, least.Repairs = r.Analysis, r.Repairs
	if hard := least.Objectives[0]; *hard.Bound > 0 {
		least.Status = model.Infeasible
		least.Proof = max(r.Proof, least.Proof)
	}
	return least, nil
}

// fitsAfterAll plans on from a plan that meets all hard deadlines, which came from hard misses.
func (s *solver) fitsAfterAll(ctx context.Context, from *incumbent.Incumbent, r *Result) (*Result, error) {
	out, err := s.improve(ctx, from.Best())
	if err == nil && len(r.Notes) > 0 {
		out.Notes = r.Notes
	}
	return out, err
}

// finish tidies the best plan and makes the result.
func (s *solver) finish(ctx context.Context, w *incumbent.Incumbent) (*Result, error) {
	if s.opt.Early && s.opt.From == nil { // else the plan that there was is kept where it may be
		w.Earlier(ctx, s.opt.Seed)
	}
	w.Tidy(ctx)
	if w.Err() != nil {
		return nil, w.Err()
	}
	r := resultOf(w)
	r.Interrupted = ctx.Err() != nil && r.Status != model.Optimal
	return r, s.certify(ctx, w, r)
}

// certify proves to others what w has come to, if that is asked for.
func (s *solver) certify(ctx context.Context, w *incumbent.Incumbent, r *Result) (err error) {
	if !s.opt.Proof {
		return nil
	}
	if r.Certificate, err = certify.Of(ctx, s.caller, s.original, s.unit, s.alike.Groups(), w, s.work(w, 0)); err == nil {
		r.Certificate.Mark(r.Objectives)
	}
	return err
}

// resultOf is the result as it stands.
func resultOf(w *incumbent.Incumbent) *Result {
	a := w.Answer()
	r := &Result{Schedule: a.Schedule, Objectives: a.Objectives, Proof: a.Proof, Why: a.Why, Notes: a.Notes}
	if a.Schedule != nil {
		r.Status = model.Feasible
	}
	if r.Closed() {
		r.Status = model.Optimal
	}
	return r
}

// Check answers whether the hard jobs can meet their deadlines, with a
// validated plan on a yes and a conflict on a no. Cancelling ctx ends the
// search. An error is an internal one.
func Check(ctx context.Context, js *model.JobSet, opt Options) (*Verdict, error) {
	opt.Objectives = []model.Objective{}
	opt.Relax, opt.Early = false, false
	started := time.Now()
	r, err := Plan(ctx, js, opt)
	if err != nil {
		return nil, err
	}
	if r.Status == model.Feasible {
		r.Proof = model.WitnessProof
	}
	return &Verdict{
		Status: r.Status, Proof: r.Proof, Schedule: r.Schedule, LeftOut: r.LeftOut, Conflict: r.Conflict, Analysis: r.Analysis, Repairs: r.Repairs, Certificate: r.Certificate,
		Notes: r.Notes, Stop: r.Stop, Stats: r.Stats, Settled: r.Settled, Elapsed: time.Since(started),
	}, nil
}
