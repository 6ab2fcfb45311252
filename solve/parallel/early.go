package parallel

import (
	"context"
	"sync"

	"downbeat/solve/budget"
)

// Early has answers to questions that were looked for before who asks them has come to them: a
// question that several workers are asked ahead costs who asks it no time. It is charged the same
// work, and an answer counts only where it is what would be found with the work that is left by
// then: so whoever asks cannot tell that there are other workers. The zero value has none.
type Early[T any] struct {
	mu      sync.Mutex
	answers map[string]*answer[T]
}

type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
	// units are what there was to be spent, spent what was, least the least with which it would
	// have come out the same.
	units, spent, least int64
}

// holds reports whether the answer would be the same with the budget of ctx.
func (a *answer[T]) holds(ctx context.Context) bool {
	left, least, limited := budget.Left(ctx)
	if !limited {
		return a.err == nil && a.least < unlimited
	}
	return a.err == nil && (least >= a.least || least == a.units && left == least)
}

// Prepare looks for the answer to a question, named by a key, with the budget of ctx, which it
// has, and keeps it for Ask. It is not ok where the search was ended by others, or failed.
func (e *Early[T]) Prepare(ctx context.Context, key string, find func(context.Context) (T, error)) (value T, ok bool) {
	if a := e.waitFor(ctx, key); a != nil && a.holds(ctx) {
		budget.Spend(ctx, int(a.spent))
		return a.value, true
	}
	_, units, _ := budget.Left(ctx)
	a := &answer[T]{done: make(chan struct{}), units: units}
	defer close(a.done)
	e.mu.Lock()
	if e.answers == nil {
		e.answers = map[string]*answer[T]{}
	}
	e.answers[key] = a
	e.mu.Unlock()
	some, stop := budget.With(ctx, units)
	defer stop()
	a.value, a.err = find(some)
	if a.spent, a.least = budget.Taken(some); ctx.Err() != nil && a.spent < units {
		a.err = ctx.Err()
	}
	return a.value, a.err == nil
}

// waitFor is the answer that was looked for ahead, nil where there is none before ctx ends.
func (e *Early[T]) waitFor(ctx context.Context, key string) *answer[T] {
	e.mu.Lock()
	a := e.answers[key]
	e.mu.Unlock()
	if a == nil || ctx.Err() != nil {
		return nil
	}
	select {
	case <-a.done:
		return a
	case <-ctx.Done():
		return nil
	}
}

// Ask gives the answer to a question: one that was looked for ahead, if it is what find would find
// now, with the budget of ctx.
func (e *Early[T]) Ask(ctx context.Context, key string, find func(context.Context) (T, error)) (T, error) {
	if a := e.waitFor(ctx, key); a != nil && a.holds(ctx) {
		budget.Spend(ctx, int(a.spent))
		return a.value, nil
	}
	return find(ctx)
}

const (
	// mostShares: what is looked for ahead may take one part of so many of what is left, each time.
	mostShares = 8
	// unlimited is for work that has no budget.
	unlimited = 1 << 50
)

// Ahead does n pieces of work one after the other, by do, up to the first error, while other workers
// look for answers that the next pieces will ask for: ahead gives the work that prepares those of a
// piece (see [Early.Prepare]), nil for none. Such work has a part of what is left of the budget of ctx,
// of which it takes nothing; where that is less than enough it is not begun.
func Ahead(ctx context.Context, workers, n int, enough int64, ahead func(i int) func(context.Context), do func(i int) error) error {
	return Ordered(ctx, max(1, workers), n, func(i int) func(context.Context) error {
		if workers <= 1 || ctx.Err() != nil {
			return nil
		}
		part := int64(unlimited)
		if _, left, limited := budget.Left(ctx); limited {
			part = left / int64(min(Window(workers), mostShares))
		}
		if part < enough {
			return nil
		}
		work := ahead(i)
		if work == nil {
			return nil
		}
		return func(ctx context.Context) error {
			ctx, stop := budget.Apart(ctx, part)
			defer stop()
			work(ctx)
			return nil
		}
	}, do)
}
