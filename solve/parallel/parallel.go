// Package parallel does pieces of work side by side, so that what comes of them does not hang
// on which of them ends first.
package parallel

import (
	"context"
	"sync"
)

// Window is how many pieces are under way at most on so many workers: with twice as many as
// there are workers one that takes long does not keep the others from going on.
func Window(workers int) int {
	if workers <= 1 {
		return 1
	}
	return 2 * workers
}

// Ordered does n pieces of work on so many workers, at least 1. Begin prepares a piece and gives
// what a worker is to do, nil for nothing; finish takes what came of it. Both are called in the
// order of the pieces, by the goroutine that called: piece i begins after piece i − [Window] is
// finished and before the next one is, whichever workers are faster. On one worker a piece is
// begun, done and finished before the next, by that goroutine.
//
// The first error, in the order of the pieces, is returned, and ends the context that the others
// work with. The end of ctx does not keep pieces from being begun: they are told by it.
func Ordered(ctx context.Context, workers, n int, begin func(i int) func(context.Context) error, finish func(i int) error) error {
	var group sync.WaitGroup
	defer group.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	window := Window(workers)
	waiting := make(chan func(), window) // pieces that no worker has taken yet: the first one is the next
	defer close(waiting)
	if window > 1 {
		for range min(workers, n) {
			group.Go(func() {
				for work := range waiting {
					work()
				}
			})
		}
	}
	results := make([]chan error, window) // of the pieces under way
	start := func(i int) chan error {
		work, result := begin(i), make(chan error, 1)
		switch {
		case work == nil:
			result <- nil
		case window == 1:
			result <- work(ctx)
		default:
			waiting <- func() { result <- work(ctx) }
		}
		return result
	}
	next := 0
	for i := range n {
		for ; next < min(n, i+window); next++ {
			results[next%window] = start(next)
		}
		if err := <-results[i%window]; err != nil {
			return err
		}
		if err := finish(i); err != nil {
			return err
		}
	}
	return nil
}
