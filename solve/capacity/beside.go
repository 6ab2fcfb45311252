package capacity

import (
	"context"
	"slices"
	"sync"

	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/memory"
	"downbeat/solve/parallel"
)

// oneAtATime has events told by one goroutine at a time.
func oneAtATime(tell func(event.Event)) func(event.Event) {
	if tell == nil {
		return nil
	}
	var mu sync.Mutex
	return func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		tell(e)
	}
}

// beside asks about n things that do not depend on each other, as [parallel.Ordered] does. Each has
// an asker, which knows what those before had learnt when it began, and a part of what is left of
// the budget; on one worker that is a itself, with all of it. With fewer things than workers
// each question has several.
func (a *asker) beside(n int, begin func(i int, a *asker) func() error, finish func(i int) error) error {
	side := min(n, a.opt.Workers)
	if side <= 1 {
		return parallel.Ordered(a.ctx, 1, n, func(i int) func(context.Context) error {
			work := begin(i, a)
			return func(context.Context) error { return doIf(work) }
		}, finish)
	}
	ctx, stop := context.WithCancel(memory.Beside(a.ctx, roomy(side)))
	defer stop()
	under, finished := make([]lent, n), 0
	return parallel.Ordered(ctx, side, n, func(i int) func(context.Context) error {
		part, back := budget.Lend(ctx, min(parallel.Window(side), n-finished)-(i-finished))
		f := a.fork(part, a.opt.Workers/side)
		work := begin(i, f)
		under[i] = lent{f, back}
		return func(still context.Context) error {
			defer context.AfterFunc(still, stop)() // where another has failed
			return doIf(work)
		}
	}, func(i int) error {
		under[i].back()
		a.learn(under[i].asker)
		under[i] = lent{}
		finished++
		return finish(i)
	})
}

// roomy is for [memory.Beside], of so many questions side by side: what a method may take leaves
// room for two.
func roomy(side int) int { return (side + 1) / 2 }

// lent is an asker with what it is given of the budget, until it gives that back.
type lent struct {
	*asker
	back func()
}

func doIf(work func() error) error {
	if work == nil {
		return nil
	}
	return work()
}

// fork is an asker that knows what a does, and learns for itself.
func (a *asker) fork(ctx context.Context, workers int) *asker {
	f := *a
	f.Engine, f.ctx, f.opt.Workers, f.notes = a.Engine.Fork(), ctx, workers, nil
	return &f
}

// learn takes over what a fork has learnt.
func (a *asker) learn(f *asker) {
	a.Engine.Learn(&f.Engine)
	a.note(f.notes)
	if f.leastRound > a.leastRound {
		a.least, a.leastRound = f.least, f.leastRound
	}
}

// note keeps notes, each once.
func (a *asker) note(notes []string) {
	for _, n := range notes {
		if !slices.Contains(a.notes, n) {
			a.notes = append(a.notes, n)
		}
	}
}
