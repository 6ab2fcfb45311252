package lcg

import (
	"context"
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// Answer is what a search found out; the zero value claims nothing.
type Answer = core.Answer

// The answers.
const (
	Unknown       = core.Unknown
	Satisfiable   = core.Satisfiable
	Unsatisfiable = core.Unsatisfiable
)

// DefaultMaxLiterals keeps a search below about 400 MB before it learns.
const DefaultMaxLiterals = 2_000_000

// Options steer a search; the zero value is ready to use.
type Options struct {
	// Seed makes searches differ; equal seeds give equal searches.
	Seed uint64
	// MaxLiterals bounds the size; 0 stands for DefaultMaxLiterals.
	MaxLiterals int64
	// Like, if not nil, is a complete schedule, valid or not, that answers are
	// first looked for near.
	Like model.Schedule
}

// ErrFIFO says that job sets with fifo are not supported.
var ErrFIFO = errors.New("the propagating search does not support fifo")

// TooLarge says that a question was not asked.
type TooLarge struct{ Literals, Limit int64 }

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the propagating search would have %d literals, more than the limit of %d", e.Literals, e.Limit)
}

// Search is a question and what has been learnt about it.
type Search struct{ p *problem }

// New prepares a search. Errors are ErrFIFO and *TooLarge.
func New(q query.Question, opt Options) (*Search, error) {
	p, err := build(q, &opt)
	if err != nil {
		return nil, err
	}
	return &Search{p}, nil
}

// Run answers: Satisfiable with a schedule in which the jobs that are left out,
// and those that may be and are, have no places; Unsatisfiable; or Unknown if
// ctx ended or stop, which may be nil, said so. Stop is polled after every 256
// conflicts or 4096 decisions, at the same points in every run. A search that
// was stopped can be run again, and goes on.
func (s *Search) Run(ctx context.Context, stop func() bool) (Answer, model.Schedule) {
	ended := func() bool { return ctx.Err() != nil || stop != nil && stop() }
	if ended() {
		return Unknown, nil
	}
	a := s.p.Search(ended)
	if a != Satisfiable {
		return a, nil
	}
	return a, s.p.decode()
}

// Conflicts counts what the search has learnt from so far.
func (s *Search) Conflicts() int64 { return s.p.Solver.Conflicts() }
