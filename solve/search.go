package solve

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"downbeat/heuristics"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
)

// search is one solve under way: the best plan so far and the bounds proved so
// far, shared by the workers.
type search struct {
	js  *model.JobSet
	opt Options
	// goal is minimised in lexicographic order.
	goal []model.Objective
	// mayMissHard: hard deadlines are an objective (HardMisses in goal), not a rule.
	mayMissHard bool
	started     time.Time
	// start is a complete schedule to begin with, or nil; it may miss hard deadlines.
	start model.Schedule
	// refuted is the counting argument against the hard deadlines, if there is one.
	refuted *proof.Overload
	// priced proves by prices that the hard jobs are infeasible, if it could be.
	priced *proof.Branching
	// demands on late jobs are what counting has to say of the phase, tolls the
	// prices that bound it.
	demands []proof.Cut
	tolls   [][]proof.Multiplier

	mu sync.Mutex
	// choices of jobs to let go are looked at in phase.
	choices *choices
	best    model.Schedule
	values  []int64 // of best, one per objective
	bounds  []int64 // proved; for objective p only under the values of those before
	proofs  []model.Proof
	// why are the sentences behind bounds, one list per objective.
	why   [][]string
	phase int // the objective that is being closed; bounds after it mean nothing
	doing string
	notes []string
	err   error
}

func newSearch(js *model.JobSet, goal []model.Objective, opt Options, started time.Time) *search {
	return &search{
		js: js, opt: opt, goal: goal, started: started,
		mayMissHard: slices.Contains(goal, model.HardMisses),
		bounds:      make([]int64, len(goal)),
		proofs:      make([]model.Proof, len(goal)),
		why:         make([][]string, len(goal)),
	}
}

// offer takes a complete schedule into account: it becomes the best if it is
// valid and better. A schedule that is not valid is an internal error and ends
// up in s.err.
func (s *search) offer(plan model.Schedule) {
	finishes := s.js.Finishes(plan)
	if !s.mayMissHard && s.js.Value(model.HardMisses, finishes) > 0 {
		return
	}
	values := s.valuesOf(finishes)
	s.mu.Lock()
	better := s.best == nil || slices.Compare(values, s.values) < 0
	s.mu.Unlock()
	if !better {
		return
	}
	err := verify.Schedule(s.js, plan, s.mayMissHard).Err()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.failLocked(fmt.Errorf("a plan failed the validator: %w", err))
	case s.best == nil || slices.Compare(values, s.values) < 0:
		s.adopt(plan, values)
	}
}

// adopt makes a valid plan the best one, unless a bound says that it cannot
// be; s.mu is held.
func (s *search) adopt(plan model.Schedule, values []int64) {
	for p := range min(s.phase+1, len(s.goal)) {
		if values[p] < s.bounds[p] {
			s.failLocked(fmt.Errorf("%s: a plan with %d was found, and a bound of %d proved", s.goal[p], values[p], s.bounds[p]))
			return
		}
		if values[p] > s.bounds[p] {
			break // bounds after this one do not speak of such a plan
		}
	}
	s.best, s.values = plan, values
	s.report()
}

func (s *search) valuesOf(finishes []model.Time) []int64 {
	values := make([]int64, len(s.goal))
	for i, o := range s.goal {
		values[i] = s.js.Value(o, finishes)
	}
	return values
}

// failLocked records an internal error; the first one counts. s.mu is held.
func (s *search) failLocked(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fail is failLocked for those who do not hold s.mu.
func (s *search) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(err)
}

// havePlan reports whether there is a plan.
func (s *search) havePlan() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best != nil
}

// question asks for a plan within limits.
func (s *search) question(lim query.Limits) query.Question {
	return query.Within(s.js, s.mayMissHard, lim)
}

// limitsBefore are the values at which the objectives before p are closed.
func (s *search) limitsBefore(p int) query.Limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	lim := query.Limits{}
	for i, o := range s.goal[:p] {
		lim[o] = s.values[i]
	}
	return lim
}

// failed reports whether an internal error has occurred.
func (s *search) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// raise records that objective p cannot go below v, and why in sentences.
func (s *search) raise(p int, v int64, proof model.Proof, why ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.best != nil && v > s.values[p] {
		s.failLocked(fmt.Errorf("%s: a bound of %d was proved, and a plan with %d found", s.goal[p], v, s.values[p]))
		return
	}
	if v > s.bounds[p] {
		s.bounds[p], s.proofs[p], s.why[p] = v, proof, why
		s.report()
	}
}

// gap is the best value of objective p and the bound on it.
func (s *search) gap(p int) (value, bound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[p], s.bounds[p]
}

// closed reports whether objective p is at its proved best.
func (s *search) closed(p int) bool {
	value, bound := s.gap(p)
	return value == bound
}

// say sets the words that go with progress.
func (s *search) say(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = doing
	s.report()
}

// leaveOut notes why no formula is made. One reason is enough: the size of what
// is refused differs from one question to the next.
func (s *search) leaveOut(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) == 0 {
		s.notes = []string{"the exact search was left out: " + fmt.Sprintf(format, args...)}
	}
}

// report tells the observer; s.mu is held, so the observer hears one thing at
// a time.
func (s *search) report() {
	if s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{
		Elapsed: time.Since(s.started), Phase: s.doing,
		HavePlan: s.best != nil, Objectives: s.objectiveValues(),
	})
}

// objectiveValues pairs values with bounds; an objective has a bound only once
// all before it are closed. s.mu is held.
func (s *search) objectiveValues() []model.ObjectiveValue {
	if s.best == nil {
		return nil
	}
	out := make([]model.ObjectiveValue, len(s.goal))
	open := false
	for p, o := range s.goal {
		out[p] = model.ObjectiveValue{Name: o.String(), Value: s.values[p]}
		if !open && p <= s.phase {
			bound := s.bounds[p]
			out[p].Bound = &bound
			open = bound < s.values[p]
		}
	}
	return out
}

// complete makes a plan of a schedule from which jobs were left out.
func (s *search) complete(partial model.Schedule) model.Schedule {
	if partial.Complete() {
		return partial
	}
	return heuristics.Complete(s.js, partial)
}

// heuristic searches by list scheduling and local search until ctx is done, the
// budget of constructions is used up (0: none) or the goal is met.
func (s *search) heuristic(ctx context.Context, seed uint64, constructions int) {
	s.mu.Lock()
	start := s.best
	if start == nil {
		start = s.start
	}
	target := s.target()
	s.mu.Unlock()
	s.constructions(ctx, lns.Options{
		Objectives: s.softGoal(), Seed: seed, Constructions: constructions, Start: start, Target: target,
	})
}

// constructions runs a search by heuristics, within the budget if there is one.
func (s *search) constructions(ctx context.Context, opt lns.Options) {
	var spent int
	opt.Spent = &spent
	opt.Constructions = affordable(ctx, opt.Constructions)
	opt.OnBetter = func(plan model.Schedule, _ []int64) { s.offer(plan) }
	lns.Search(ctx, s.js, opt)
	spend(ctx, max(1, spent)) // who goes on for ever does not do so for nothing
}

// heuristicPlan searches in the same way until ctx is done or a plan is found,
// whatever its values.
func (s *search) heuristicPlan(ctx context.Context, seed uint64) {
	s.constructions(ctx, lns.Options{Seed: seed})
}

// softGoal is the goal without HardMisses, which heuristics always put first.
func (s *search) softGoal() []model.Objective {
	if s.mayMissHard {
		return s.goal[1:]
	}
	return s.goal
}

// target is the vector of values that would close every objective up to the
// current one, or nil; s.mu is held.
func (s *search) target() []int64 {
	target := slices.Clone(s.bounds)
	if !s.mayMissHard {
		target = append([]int64{0}, target...)
	}
	return target
}

// result is the answer as it stands.
func (s *search) result() *Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Result{Seed: s.opt.Seed, Notes: s.notes, Elapsed: time.Since(s.started)}
	if s.best == nil {
		return r
	}
	r.Status, r.Schedule, r.Objectives = model.Feasible, s.best, s.objectiveValues()
	for p, o := range r.Objectives {
		if o.Bound != nil {
			r.Proof = max(r.Proof, s.proofs[p])
			r.Why = append(r.Why, s.why[p]...)
		}
	}
	if r.Closed() {
		r.Status = model.Optimal
	}
	return r
}
