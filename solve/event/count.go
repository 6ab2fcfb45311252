package event

import (
	"context"
	"sync"
)

// Counts are amounts of work.
type Counts struct {
	// Calls are questions put to clause learning, or stretches of one, and to the SAT solver.
	Calls int64
	// Conflicts and Restarts are those of clause learning. The SAT solver does not tell its own.
	Conflicts, Restarts int64
	// Steps are subgradient steps, in which every job looks for its cheapest place.
	Steps int64
	// Constructions are plans made by list scheduling, or as many placements of tasks.
	Constructions int64
}

// Add adds another's amounts.
func (c *Counts) Add(o Counts) {
	c.Calls += o.Calls
	c.Conflicts += o.Conflicts
	c.Restarts += o.Restarts
	c.Steps += o.Steps
	c.Constructions += o.Constructions
}

// Counter adds up what is counted under a context.
type Counter struct {
	mu     sync.Mutex
	counts Counts
	// whole is the one that this one is a part of, or nil.
	whole *Counter
}

type key struct{}

// Counting makes work done under the context count.
func Counting(ctx context.Context) (context.Context, *Counter) {
	c := &Counter{whole: of(ctx)}
	return context.WithValue(ctx, key{}, c), c
}

func of(ctx context.Context) *Counter {
	c, _ := ctx.Value(key{}).(*Counter)
	return c
}

// Count adds amounts to the counters of ctx, if it has any.
func Count(ctx context.Context, n Counts) {
	for c := of(ctx); c != nil; c = c.whole {
		c.mu.Lock()
		c.counts.Add(n)
		c.mu.Unlock()
	}
}

// Counts are those so far.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}
