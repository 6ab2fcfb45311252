package budget

import (
	"context"
	"sync"
)

// Epochs have workers spend a budget side by side, so that what they come to repeats: each stops
// in [Spend] once it has spent an epoch of units, until all have. What they tell each other they tell
// between two epochs.
type Epochs struct {
	whole   context.Context
	units   int64
	between func()

	mu      sync.Mutex
	begins  *sync.Cond // an epoch
	epoch   int
	workers []*worker
	active  int // workers that have not left
	waiting int
}

// worker is the part of a budget that a worker spends.
type worker struct {
	budget
	all *Epochs
	// left is what it may still spend in this epoch, spent what is to be taken off the whole. Only the
	// worker looks at them in an epoch.
	left, spent int64
}

// NewEpochs divides the budget of ctx among workers. Between two epochs, of so many units each,
// one goroutine calls between, while no worker is at work.
func NewEpochs(ctx context.Context, workers int, units int64, between func()) *Epochs {
	e := &Epochs{whole: ctx, units: units, between: between, active: workers}
	e.begins = sync.NewCond(&e.mu)
	for range workers {
		e.workers = append(e.workers, &worker{all: e, left: units})
	}
	e.share()
	return e
}

// share has each worker that has not left spend its part of what is left at most.
func (e *Epochs) share() {
	if b := of(e.whole); b != nil && e.active > 0 {
		for _, w := range e.workers {
			w.budget.left.Store(max(1, b.left.Load()/int64(e.active)))
		}
	}
}

// Worker is the context of a worker, by its number. It is done with that of the whole, and when the
// worker's part is spent.
func (e *Epochs) Worker(k int) (context.Context, context.CancelFunc) {
	w := e.workers[k]
	ctx, cancel := context.WithCancel(context.WithValue(e.whole, key{}, &w.budget))
	w.budget.cancel = cancel
	w.budget.worker = w
	return ctx, cancel
}

// Leave is called by a worker that has nothing left to do.
func (e *Epochs) Leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active--; !e.next() && e.active == 0 {
		e.charge() // what is less than an epoch
	}
}

// charge takes what workers have spent off the whole; e.mu is held, and no worker at work.
func (e *Epochs) charge() {
	spent := 0
	for _, w := range e.workers {
		spent += int(w.spent)
		w.spent = 0
	}
	Spend(e.whole, spent)
}

// spend counts n units of a worker's work, and waits until it may go on.
func (w *worker) spend(n int64) {
	w.spent += n
	for w.left -= n; w.left <= 0; w.left += w.all.units {
		w.all.wait()
	}
}

// wait waits until the next epoch begins.
func (e *Epochs) wait() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting++
	if e.next() {
		return
	}
	for epoch := e.epoch; epoch == e.epoch; {
		e.begins.Wait()
	}
}

// next begins an epoch if all workers wait for it; e.mu is held.
func (e *Epochs) next() bool {
	if e.waiting < e.active || e.waiting == 0 {
		return false
	}
	e.charge()
	e.between()
	e.share()
	e.epoch++
	e.waiting = 0
	e.begins.Broadcast()
	return true
}
