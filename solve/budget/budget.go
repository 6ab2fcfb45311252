// Package budget bounds a search by the work that it does and not by a clock, so
// that the same answer comes out on every machine. Like a deadline a budget
// travels in the context, which is done once the budget is spent: always between
// two pieces of work, never within one.
//
// A unit is one construction of a plan, or as many placements of tasks as one
// takes; other work is charged by the piece.
package budget

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// budget is what is left of the work that a context allows.
type budget struct {
	left atomic.Int64
	// given is what there was at first, needed how much of that was asked for (Affordable, Part, AtMost),
	// counted from there.
	given  int64
	needed atomic.Int64
	// lent counts the parts that are out, see [Lend].
	lent atomic.Int64
	// whole is the budget that this one is a part of, or nil.
	whole  *budget
	cancel context.CancelFunc
	// worker spends it in epochs; nil for others.
	worker *worker
}

type key struct{}

// of is the budget of a context, or nil.
func of(ctx context.Context) *budget {
	b, _ := ctx.Value(key{}).(*budget)
	return b
}

// With gives ctx n units of work; if it has a budget already, they are part of
// that.
func With(ctx context.Context, n int64) (context.Context, context.CancelFunc) {
	b := &budget{whole: of(ctx), given: n}
	b.left.Store(n)
	ctx, b.cancel = context.WithCancel(context.WithValue(ctx, key{}, b))
	return ctx, b.cancel
}

// Spend takes n units off the budget of ctx, if it has one. What is done last may
// cost more than is left.
func Spend(ctx context.Context, n int) {
	for b := of(ctx); b != nil; b = b.whole {
		if b.left.Add(-int64(n)) <= 0 {
			b.cancel()
		}
		if b.worker != nil {
			b.worker.spend(int64(n))
		}
	}
}

// Affordable is wanted, a number of constructions with 0 for any number, or what
// is left of the budget of ctx where that is less.
func Affordable(ctx context.Context, wanted int) int {
	b := of(ctx)
	if b == nil {
		return wanted
	}
	left := int(min(math.MaxInt32, max(1, b.left.Load())))
	if wanted <= 0 {
		b.needed.Store(math.MaxInt64)
		return left
	}
	b.need(int64(wanted))
	return min(left, wanted)
}

// need notes that with less than n from here on the work need not come to the same.
func (b *budget) need(n int64) {
	if end := b.given - b.left.Load() + n; end > b.needed.Load() {
		b.needed.Store(end)
	}
}

// Left is what is left of the budget of ctx, and of the least of those that it is a part of, itself
// among them; false if it has none.
func Left(ctx context.Context) (left, least int64, limited bool) {
	b := of(ctx)
	if b == nil {
		return 0, 0, false
	}
	left = b.left.Load()
	for least = left; b != nil; b = b.whole {
		least = min(least, b.left.Load())
	}
	return left, least, true
}

// Apart gives ctx n units of work that are no part of the budget that it may have.
func Apart(ctx context.Context, n int64) (context.Context, context.CancelFunc) {
	return With(context.WithValue(ctx, key{}, (*budget)(nil)), n)
}

// Taken is how much of the budget that ctx was given last is spent, and the least of which the
// same work would have come to the same. It has one.
func Taken(ctx context.Context) (spent, least int64) {
	b := of(ctx)
	spent = b.given - b.left.Load()
	if least = max(spent+1, b.needed.Load()); least > b.given {
		least = math.MaxInt64 // with more it would have gone on, or afforded more
	}
	return spent, least
}

// Part limits ctx to 1/n of what is left of its budget, or else of its time, if it
// has either.
func Part(ctx context.Context, n int) context.Context {
	return limit(ctx, func(left int64) int64 { return left / int64(n) })
}

// AllBut limits ctx to all but 1/n of that.
func AllBut(ctx context.Context, n int) context.Context {
	return limit(ctx, func(left int64) int64 { return left - left/int64(n) })
}

// limit limits ctx to some of what is left of its budget, in units, or else of its time.
func limit(ctx context.Context, some func(left int64) int64) context.Context {
	if b := of(ctx); b != nil {
		b.needed.Store(math.MaxInt64)
		part, cancel := With(ctx, max(1, some(b.left.Load())))
		context.AfterFunc(ctx, cancel)
		return part
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx
	}
	part, cancel := context.WithTimeout(ctx, time.Duration(some(int64(time.Until(deadline)))))
	context.AfterFunc(ctx, cancel)
	return part
}

// Lend takes 1/n of what is left of the budget of ctx out of it, for work beside other work, which
// is then not cut short by what the other spends: ctx is done by its budget only once nothing is
// lent. What it gives as well puts back what is left of the part; it is called once the work has
// ended. Calls of both repeat if they come in the same order. Where ctx has no budget it is as it was.
func Lend(ctx context.Context, n int) (context.Context, func()) {
	whole := of(ctx)
	if whole == nil {
		return ctx, func() {}
	}
	left := whole.left.Load()
	for b := whole; b != nil; b = b.whole {
		left = min(left, b.left.Load())
	}
	part, share := &budget{}, max(0, min(left, max(1, left/int64(n))))
	part.left.Store(share)
	for b := whole; b != nil; b = b.whole {
		b.lent.Add(1)
		b.left.Add(-share)
	}
	ctx, part.cancel = context.WithCancel(context.WithValue(ctx, key{}, part))
	if share == 0 {
		part.cancel()
	}
	return ctx, func() {
		part.cancel()
		for b := whole; b != nil; b = b.whole {
			if left, lent := b.left.Add(part.left.Load()), b.lent.Add(-1); left <= 0 && lent == 0 {
				b.cancel()
			}
		}
	}
}

// AtMost limits ctx to n units where it has a budget, else to d on the clock.
func AtMost(ctx context.Context, n int64, d time.Duration) (context.Context, context.CancelFunc) {
	if b := of(ctx); b != nil {
		b.need(n)
		return With(ctx, max(1, min(n, b.left.Load())))
	}
	return context.WithTimeout(ctx, d)
}
