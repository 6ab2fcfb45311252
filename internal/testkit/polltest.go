// Polltest has contexts for tests of what is cut short.

package testkit

import "context"

// After is ctx, canceled once it has been asked for its error so many times.
func After(ctx context.Context, polls int) context.Context { return &countdown{ctx, polls} }

type countdown struct {
	context.Context
	polls int
}

// Err counts.
func (c *countdown) Err() error {
	if c.polls--; c.polls < 0 {
		return context.Canceled
	}
	return nil
}
