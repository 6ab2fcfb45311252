package lns

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// Options steer a search. With neither a limit in the context, nor
// Constructions, nor a Target that is met, a search does not end.
type Options struct {
	// Figures are those of the job set; nil: Search works them out.
	Figures *heuristics.Figures
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

// search is a search under way.
type search struct {
	ctx   context.Context
	js    *model.JobSet
	opt   Options
	fig   *heuristics.Figures
	board *heuristics.Board
	rng   *rand.Rand // the board's
	// late marks jobs that are late in every plan.
	late     []bool
	deferral heuristics.Deferral
	// floor bounds the values from below; meeting it ends the search.
	floor []int64

	// incumbent is the best schedule so far, nil before the first; values are its.
	incumbent model.Schedule
	values    []int64
	// bestOrder is the order behind the best construction so far.
	bestOrder heuristics.Order

	finishes []model.Time
	scratch  []int64
}

func newSearch(ctx context.Context, js *model.JobSet, opt Options) *search {
	fig := opt.Figures
	if fig == nil {
		fig = heuristics.NewFigures(js)
	}
	s := &search{
		ctx: ctx, js: js, opt: opt, fig: fig,
		late: opt.Late, finishes: make([]model.Time, len(js.Jobs)),
	}
	s.board = heuristics.NewBoard(s.fig, opt.Seed)
	s.rng = s.board.Rand
	if s.late == nil {
		s.late = make([]bool, len(js.Jobs))
		for i := range s.late {
			s.late[i] = s.fig.LateAlone(model.JobID(i))
		}
	}
	s.deferral = heuristics.NewDeferral(js, opt.Objectives, s.late)
	s.floor = s.lowerBounds()
	return s
}

// lowerBounds are the values if every job had the cluster to itself, and the
// jobs known to be late were late by a tick at least.
func (s *search) lowerBounds() []int64 {
	finishes := make([]model.Time, len(s.js.Jobs))
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		finishes[i] = job.Release + s.fig.Jobs[i].Path
		if s.late[i] {
			finishes[i] = max(finishes[i], job.Due()+1)
		}
	}
	return slices.Clone(s.valuesOf(finishes))
}

// done reports whether the search should end.
func (s *search) done() bool {
	switch {
	case s.incumbent == nil:
		return s.first().Err() != nil
	case slices.Compare(s.values, s.floor) <= 0:
		return true
	case s.opt.Target != nil && slices.Compare(s.values, s.opt.Target) <= 0:
		return true
	case s.opt.Constructions > 0 && s.board.Placed >= int64(s.opt.Constructions)*int64(len(s.js.Tasks)):
		return true
	}
	return s.ctx.Err() != nil
}

// measure works out the values of the complete schedule on the board.
func (s *search) measure() []int64 {
	for i := range s.finishes {
		s.finishes[i] = s.board.JobFinish(model.JobID(i))
	}
	return s.valuesOf(s.finishes)
}

// valuesOf works out the values for given finishes of the jobs. The slice is
// good until the next call.
func (s *search) valuesOf(finishes []model.Time) []int64 {
	s.scratch = append(s.scratch[:0], s.js.ListValue(model.HardMisses, finishes))
	for _, o := range s.opt.Objectives {
		s.scratch = append(s.scratch, s.js.Value(o, finishes))
	}
	return s.scratch
}

// consider keeps the complete schedule on the board if it is the best so far,
// and tells whether it is.
func (s *search) consider() bool {
	values := s.measure()
	if s.incumbent != nil && slices.Compare(values, s.values) >= 0 {
		return false
	}
	s.incumbent = append(s.incumbent[:0], s.board.Place...)
	s.values = append(s.values[:0], values...)
	if s.opt.OnBetter != nil {
		s.opt.OnBetter(slices.Clone(s.incumbent), slices.Clone(s.values))
	}
	return true
}

// small is the number of tasks up to which a construction takes no time to speak of.
const small = 1000

// first is the context of a first construction: small sets get theirs in any case.
func (s *search) first() context.Context {
	if len(s.js.Tasks) <= small {
		return context.WithoutCancel(s.ctx)
	}
	return s.ctx
}

// construct makes a schedule and tells whether it is the best so far.
func (s *search) construct(order heuristics.Order, d heuristics.Deferral) bool {
	return s.fill(order, d) && s.consider()
}

// fill makes a schedule on the board, and reports whether ctx left the time for that.
func (s *search) fill(order heuristics.Order, d heuristics.Deferral) bool {
	s.board.Clear()
	return s.board.Construct(s.constructing(), order, d)
}

// dispatch is fill by time.
func (s *search) dispatch(p heuristics.Priority, d heuristics.Deferral) bool {
	s.board.Clear()
	return s.board.Dispatch(s.constructing(), p, d)
}

// constructing is the context of a construction.
func (s *search) constructing() context.Context {
	if s.incumbent == nil {
		return s.first()
	}
	return s.ctx
}

// objective is the shape of the one at the given level; of misses if there is none.
func (s *search) objective(level int) model.Shape {
	if len(s.opt.Objectives) == 0 {
		return model.Misses.Shape()
	}
	return s.opt.Objectives[level].Shape()
}
