package lazy

import (
	"context"
	"errors"
	"fmt"

	"downbeat/encode"
	"downbeat/model"
)

// Answer is what a search found out; the zero value claims nothing.
type Answer int

// The answers.
const (
	Unknown Answer = iota
	Satisfiable
	Unsatisfiable
)

// DefaultMaxLiterals keeps a search below about 400 MB before it learns.
const DefaultMaxLiterals = 2_000_000

// Options steer a search; the zero value is ready to use.
type Options struct {
	// Seed makes searches differ; equal seeds give equal searches.
	Seed uint64
	// MaxLiterals bounds the size; 0 stands for DefaultMaxLiterals.
	MaxLiterals int64
	// Useless, if not nil, is asked now and then whether the answer has lost
	// its use; then the search ends.
	Useless func() bool
}

// ErrFIFO says that job sets with fifo are not supported.
var ErrFIFO = errors.New("the propagating search does not support fifo")

// TooLarge says that a question was not asked.
type TooLarge struct{ Literals, Limit int64 }

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the propagating search would have %d literals, more than the limit of %d", e.Literals, e.Limit)
}

// Solve answers a question: Satisfiable with a schedule in which the jobs that
// are left out, and those that may be and are, have no places; Unsatisfiable;
// or Unknown if ctx ended or the answer lost its use. MakespanFrom plays no
// part. Errors are ErrFIFO and *TooLarge.
func Solve(ctx context.Context, q encode.Question, opt Options) (Answer, model.Schedule, error) {
	p, err := build(q, &opt)
	if err != nil {
		return Unknown, nil, err
	}
	stop := func() bool { return ctx.Err() != nil || opt.Useless != nil && opt.Useless() }
	if stop() {
		return Unknown, nil, nil
	}
	a := p.search(stop)
	if a != Satisfiable {
		return a, nil, nil
	}
	return a, p.decode(), nil
}
