package strategy

import (
	"context"
	"math/rand/v2"
	"sync"
)

// sharedTurn counts what workers that are at one turn of a runner together have used of its units.
type sharedTurn struct {
	mu sync.Mutex
	// workers are at the turn numbered turn, of which used has been used.
	workers, turn, used int
}

// enter has a worker begin with a turn, or join those that are at it.
func (t *sharedTurn) enter(turn int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.workers == 0 || turn != t.turn {
		t.turn, t.used = turn, 0
	}
	t.workers++
}

func (t *sharedTurn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.workers--
}

// within reports whether something is left of the units of the turn, 0 for any number.
func (t *sharedTurn) within(units int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return units == 0 || t.used < units
}

func (t *sharedTurn) use(units int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used += units
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
