package strategy

import (
	"context"
	"math/rand/v2"
	"sync"
)

// sharedSlice counts what workers that are at one slice of a runner together have used of its units.
type sharedSlice struct {
	mu sync.Mutex
	// workers are at the slice of that number, of which used has been used.
	workers, number, used int
}

// enter has a worker begin with a slice, or join those that are at it.
func (t *sharedSlice) enter(number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.workers == 0 || number != t.number {
		t.number, t.used = number, 0
	}
	t.workers++
}

func (t *sharedSlice) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.workers--
}

// within reports whether something is left of the units of the slice, 0 for any number.
func (t *sharedSlice) within(units int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return units == 0 || t.used < units
}

func (t *sharedSlice) use(units int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used += units
}

// renew has nothing of the slice used.
func (t *sharedSlice) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = 0
}

// whileAlive is ctx, but no longer than another context, which ends when what is worked on is of
// no use any more.
func whileAlive(ctx, alive context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	forget := context.AfterFunc(alive, end)
	return ctx, func() { forget(); end() }
}

// lockedSource is a source of random numbers for several workers.
type lockedSource struct {
	mu   sync.Mutex
	from rand.Source
}

// Uint64 implements rand.Source.
func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from.Uint64()
}
