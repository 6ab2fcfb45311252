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
	return limited && a.err == nil && (least >= a.least || least == a.units && left == least)
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
