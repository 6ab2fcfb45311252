package solve

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// A budget bounds a search by the work that it does and not by a clock, so that
// the same answer comes out on every machine. Like a deadline it travels in the
// context, which is done once the budget is spent: always between two pieces of
// work, never within one.
type budget struct {
	left atomic.Int64
	// whole is the budget that this one is a part of, or nil.
	whole  *budget
	cancel context.CancelFunc
}

type budgetKey struct{}

// budgetOf is the budget of a context, or nil.
func budgetOf(ctx context.Context) *budget {
	b, _ := ctx.Value(budgetKey{}).(*budget)
	return b
}

// withBudget gives ctx n units of work; if it has a budget already, they are
// part of that.
func withBudget(ctx context.Context, n int64) (context.Context, context.CancelFunc) {
	b := &budget{whole: budgetOf(ctx)}
	b.left.Store(n)
	ctx, b.cancel = context.WithCancel(context.WithValue(ctx, budgetKey{}, b))
	return ctx, b.cancel
}

// spend takes n units off the budget of ctx, if it has one: one for a
// construction, or for as many placements elsewhere, for a dive, and for a call
// of the SAT solver. What is done last may cost more than is left.
func spend(ctx context.Context, n int) {
	for b := budgetOf(ctx); b != nil; b = b.whole {
		if b.left.Add(-int64(n)) <= 0 {
			b.cancel()
		}
	}
}

// affordable is wanted, a number of constructions with 0 for any number, or what
// is left of the budget of ctx where that is less.
func affordable(ctx context.Context, wanted int) int {
	b := budgetOf(ctx)
	if b == nil {
		return wanted
	}
	left := int(min(math.MaxInt32, max(1, b.left.Load())))
	if wanted > 0 {
		left = min(left, wanted)
	}
	return left
}

// limit puts the limits on a context.
func (o Options) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case o.Budget > 0:
		return withBudget(ctx, o.Budget)
	case o.TimeLimit > 0:
		return context.WithTimeout(ctx, o.TimeLimit)
	}
	return context.WithCancel(ctx)
}

// withPart limits ctx to 1/n of what is left of its budget, or else of its time,
// if asked to and if it has either.
func withPart(ctx context.Context, wanted bool, n int) context.Context {
	if !wanted {
		return ctx
	}
	if b := budgetOf(ctx); b != nil {
		part, cancel := withBudget(ctx, max(1, b.left.Load()/int64(n)))
		context.AfterFunc(ctx, cancel)
		return part
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx
	}
	part, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
	context.AfterFunc(ctx, cancel)
	return part
}

// withFixLimit bounds the search for fixes, which are a courtesy.
func withFixLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	if b := budgetOf(ctx); b != nil {
		return withBudget(ctx, max(1, min(fixBudget, b.left.Load())))
	}
	return context.WithTimeout(ctx, fixTime)
}

const (
	// fixTime is the limit on the clock, fixBudget that on counted work.
	fixTime   = 2 * time.Second
	fixBudget = 2000
	// budgetClauses is the limit of formulas in a search on a budget: a SAT call
	// runs to its end there, for it cannot be ended at the same point twice.
	budgetClauses = 12_000
)
