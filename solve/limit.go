package solve

import (
	"context"
	"sync"
	"time"

	"downbeat/solve/budget"
	"downbeat/solve/memory"
)

// limit puts the limits on a context. What it gives as well is told how long validating
// a plan takes.
func (o *Options) limit(ctx context.Context) (context.Context, *timeLimit, context.CancelFunc) {
	ceiling := o.Memory
	if ceiling == 0 && o.Budget > 0 {
		ceiling = memory.Fixed
	}
	free := func() {}
	if ceiling > 0 {
		// What a method may take leaves room for two workers.
		ctx, free = memory.With(memory.Beside(ctx, (o.NumWorkers()+1)/2), ceiling, o.Budget == 0)
	}
	stop, spent := func() {}, func() {}
	var clock *timeLimit
	if left, limited := o.left(ctx); limited {
		ctx, clock, stop = withTimeLimit(ctx, left, afterwards+o.Writing)
	}
	if o.Budget > 0 {
		ctx, spent = budget.With(ctx, o.Budget)
	}
	ctx, cancel := context.WithCancel(ctx)
	return ctx, clock, func() { cancel(); spent(); stop(); free() }
}

// left is the time until the limit, or until the deadline of ctx where that is sooner; false
// where there is neither.
func (o *Options) left(ctx context.Context) (time.Duration, bool) {
	until, limited := ctx.Deadline()
	left := time.Until(until)
	if o.TimeLimit > 0 && o.Budget == 0 && (!limited || o.TimeLimit < left) {
		return o.TimeLimit, true
	}
	return left, limited
}

// afterwards is how many times what validating a plan takes is kept back for what
// follows a search: the plan is tidied and validated, once more in its own ticks, and printed.
const afterwards = 6

// timeLimit ends a search so much before the time is up that what comes after it still
// has its time. On small sets that is none to speak of. Nil is no limit.
type timeLimit struct {
	mu    sync.Mutex
	until time.Time
	timer *time.Timer
	// least is the least time that validating a plan took so far, 0 before the first.
	least time.Duration
	// times is how many times that is kept back.
	times int
}

// withTimeLimit is context.WithTimeout with a limit that can be moved forward, by so many
// times what validating a plan takes.
func withTimeLimit(ctx context.Context, d time.Duration, times int) (context.Context, *timeLimit, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	l := &timeLimit{until: time.Now().Add(d), timer: time.AfterFunc(d, cancel), times: times}
	return ctx, l, func() { l.timer.Stop(); cancel() }
}

// validated takes into account how long validating a plan took.
func (l *timeLimit) validated(took time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.least > 0 && took >= l.least {
		return
	}
	l.least = took
	l.timer.Reset(time.Until(l.until) - time.Duration(l.times)*took)
}

// keepBack ends the search by so much earlier. What follows it may take until the limit.
func (l *timeLimit) keepBack(d time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = l.until.Add(-d)
	l.timer.Reset(time.Until(l.until) - time.Duration(l.times)*l.least)
}
