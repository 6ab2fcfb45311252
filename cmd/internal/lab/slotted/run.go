package slotted

import "context"

// Run simulates one sample path. The same configuration gives the same result,
// bit for bit. It fails if the configuration does not pass [Config.Check], and
// with the context's error, soon, if that ends first.
func Run(ctx context.Context, c Config) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	e, err := newRun(&c)
	if err != nil {
		return Result{}, err
	}
	return e.run(ctx)
}

// newRun returns an empty system with the policy that is asked for.
func newRun(c *Config) (*engine, error) {
	e, err := newEngine(c)
	if err != nil {
		return nil, err
	}
	switch c.Policy {
	case MaxWeight:
		e.policy = newMaxWeight(e)
	case NaiveFair:
		e.policy = newFair(e)
	case Pandas:
		e.policy = newPandas(e)
	case BalancedPandas:
		e.policy = newBalanced(e)
	}
	return e, nil
}
