package heuristics

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// SearchOptions steer a search. With neither a limit in the context, nor
// Constructions, nor a Target that is met, a search does not end.
type SearchOptions struct {
	// Objectives in lexicographic order; with none, the search ends when every
	// hard deadline is met.
	Objectives []model.Objective
	// Seed fixes every random choice: the same seed and Constructions give the
	// same schedule, if the context does not end the search.
	Seed uint64
	// Constructions bounds the work: so many times as many task placements as
	// there are tasks. 0 means no bound.
	Constructions int
	// Spent, if set, receives the work that was done, in constructions as above,
	// rounded up.
	Spent *int
	// Start is a valid complete schedule to begin with, or nil.
	Start model.Schedule
	// Late marks jobs that are late in every plan; no effort goes into them. Nil
	// means that Search looks for them itself.
	Late []bool
	// Target ends the search when the values (as Search returns them) come down
	// to it, compared lexicographically; nil means none.
	Target []int64
	// OnBetter, if set, is called with each schedule that improves on all
	// before, and its values. The schedule is the callee's to keep.
	OnBetter func(model.Schedule, []int64)
}

// Search looks for a good complete schedule: all rules once, then squeaky
// wheel over orders, then large-neighbourhood search until the context, the
// budget or the target ends it. It returns the best schedule and its values:
// the number of hard jobs that are late, then each objective. At least one
// construction is made even if the context is done.
func Search(ctx context.Context, js *model.JobSet, opt SearchOptions) (model.Schedule, []int64) {
	s := newSearcher(ctx, js, opt)
	s.run()
	if n := int64(len(js.Tasks)); opt.Spent != nil {
		*opt.Spent = int((s.board.placed + n - 1) / max(1, n))
	}
	return s.best, s.values
}

func (s *searcher) run() {
	if s.opt.Start != nil {
		s.board.load(s.opt.Start)
		s.consider()
	}
	s.rules()
	s.squeak()
	s.postpone()
	s.improve()
}

// searcher is a search under way.
type searcher struct {
	ctx   context.Context
	js    *model.JobSet
	opt   SearchOptions
	fig   *Figures
	board *board
	rng   *rand.Rand
	// late marks jobs that are late in every plan.
	late   []bool
	policy policy
	// floor bounds the values from below; meeting it ends the search.
	floor []int64

	best   model.Schedule
	values []int64
	// bestOrder is the order behind the best construction so far.
	bestOrder Order

	finishes []model.Time
	scratch  []int64
}

func newSearcher(ctx context.Context, js *model.JobSet, opt SearchOptions) *searcher {
	s := &searcher{
		ctx: ctx, js: js, opt: opt, rng: newRand(opt.Seed), fig: NewFigures(js),
		late: opt.Late, finishes: make([]model.Time, len(js.Jobs)),
	}
	s.board = newBoard(s.fig, s.rng)
	if s.late == nil {
		s.late = make([]bool, len(js.Jobs))
		for i := range s.late {
			s.late[i] = s.fig.LateAlone(model.JobID(i))
		}
	}
	s.policy = newPolicy(js, opt.Objectives, s.late)
	s.floor = s.lowerBounds()
	return s
}

// lowerBounds are the values if every job had the cluster to itself, and the
// jobs known to be late were late by a tick at least.
func (s *searcher) lowerBounds() []int64 {
	finishes := make([]model.Time, len(s.js.Jobs))
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		finishes[i] = job.Release + s.fig.jobs[i].path
		if s.late[i] {
			finishes[i] = max(finishes[i], job.Due()+1)
		}
	}
	return slices.Clone(s.valuesOf(finishes))
}

// done reports whether the search should end.
func (s *searcher) done() bool {
	switch {
	case s.best == nil:
		return false
	case slices.Compare(s.values, s.floor) <= 0:
		return true
	case s.opt.Target != nil && slices.Compare(s.values, s.opt.Target) <= 0:
		return true
	case s.opt.Constructions > 0 && s.board.placed >= int64(s.opt.Constructions)*int64(len(s.js.Tasks)):
		return true
	}
	return s.ctx.Err() != nil
}

// measure works out the values of the complete schedule on the board.
func (s *searcher) measure() []int64 {
	for i := range s.finishes {
		s.finishes[i] = s.board.jobFinish(model.JobID(i))
	}
	return s.valuesOf(s.finishes)
}

// valuesOf works out the values for given finishes of the jobs. The slice is
// good until the next call.
func (s *searcher) valuesOf(finishes []model.Time) []int64 {
	s.scratch = append(s.scratch[:0], s.js.Value(model.HardMisses, finishes))
	for _, o := range s.opt.Objectives {
		s.scratch = append(s.scratch, s.js.Value(o, finishes))
	}
	return s.scratch
}

// consider keeps the complete schedule on the board if it is the best so far,
// and tells whether it is.
func (s *searcher) consider() bool {
	values := s.measure()
	if s.best != nil && slices.Compare(values, s.values) >= 0 {
		return false
	}
	s.best = append(s.best[:0], s.board.place...)
	s.values = append(s.values[:0], values...)
	if s.opt.OnBetter != nil {
		s.opt.OnBetter(slices.Clone(s.best), slices.Clone(s.values))
	}
	return true
}

// rules tries every rule once; if misses come first but are not all that
// counts, once more with late jobs in their places.
func (s *searcher) rules() {
	policies := []policy{s.policy}
	if s.policy.deferLate && len(s.opt.Objectives) > 1 {
		policies = append(policies, policy{last: make([]bool, len(s.js.Jobs))})
	}
	for _, rule := range Rules() {
		order := rule.Order(s.fig)
		for _, p := range policies {
			if s.done() {
				return
			}
			if s.construct(order, p) {
				s.bestOrder = order
			}
		}
	}
}

// construct makes a schedule and tells whether it is the best so far.
func (s *searcher) construct(order Order, p policy) bool {
	s.board.clear()
	s.board.construct(order, p)
	return s.consider()
}
