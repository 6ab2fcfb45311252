package portfolio

import (
	"context"
	"sync"

	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
)

// epochUnits is what a worker spends between two exchanges: a stretch of clause learning between
// two polls.
const epochUnits = 64

// RunByEpochs is Run on the budget of ctx, with an answer that repeats for a number of workers: each has
// an incumbent and strategies of its own, and they learn of each other when all have spent an epoch of
// units. The first goes over the whole list, the others over the strategies that are shared by copies.
func RunByEpochs(ctx context.Context, w *Work, list func(w *Work) List, workers int) {
	forks := make([]*incumbent.Incumbent, workers)
	stops := make([]context.CancelFunc, workers)
	for k := range forks {
		forks[k] = w.Fork()
	}
	join := func() {
		w.Join(forks)
		w.Exact.Exchange.Epoch()
		if w.Over(w.P) {
			for _, stop := range stops {
				stop()
			}
		}
	}
	epochs := budget.NewEpochs(ctx, workers, epochUnits, join)
	var dispatchers []*dispatcher
	for k := range workers {
		ctx, stop := epochs.Worker(k)
		defer stop()
		stops[k] = stop
		mine := *w
		mine.Incumbent, mine.Exact.Worker = forks[k], k
		if k > 0 {
			mine.shared = nil
		}
		l := list(&mine)
		if k > 0 {
			l = l.copies()
		}
		dispatchers = append(dispatchers, newDispatcher(ctx, &mine, l, 1))
	}
	var wg sync.WaitGroup
	for k, d := range dispatchers {
		wg.Go(func() {
			d.work(k)
			epochs.Leave()
		})
	}
	wg.Wait()
	join()
}

// copies are the entries that workers share by copies.
func (l List) copies() List {
	return List{Entries: onlyCopies(l.Entries), Otherwise: onlyCopies(l.Otherwise)}
}

func onlyCopies(entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		if e.Sharing == Copies {
			out = append(out, e)
		}
	}
	return out
}
