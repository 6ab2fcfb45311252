package slotted

import (
	"errors"
	"fmt"
	"slices"
)

// Policy is a way to send tasks to machines.
type Policy int

// The two schedulers that the paper compares, and two that came after it.
const (
	MaxWeight      Policy = iota // JSQ routing with MaxWeight scheduling
	NaiveFair                    // fewest running tasks first, a local task if the job has one
	Pandas                       // the shortest local queue; idle machines take from the longest
	BalancedPandas               // the machine with the least work for its rate, local before remote
)

// String names a policy for tables.
func (p Policy) String() string {
	switch p {
	case MaxWeight:
		return "jsq+maxweight"
	case NaiveFair:
		return "naive-fair"
	case Pandas:
		return "pandas"
	case BalancedPandas:
		return "balanced-pandas"
	}
	return fmt.Sprintf("policy %d", int(p))
}

// Reading fixes what the paper's text leaves open about JSQ + MaxWeight. It does
// not concern NaiveFair, and only FIFO concerns those that came after it.
type Reading struct {
	// Live compares a task with the queues "when [it] comes in" (Section II-B), and
	// lets every decision see the effects of those before it. Otherwise all decisions
	// of a slot rest on Q(t), the lengths at its start, as Section II-C and the proofs
	// have it: the tasks of a slot do not see each other, and a machine may choose a
	// queue with nothing to start.
	Live bool

	// WaitingOnly leaves tasks in service out of queue lengths. Otherwise a
	// task counts until it is finished, as in the paper's equation (1).
	WaitingOnly bool

	// Fallback lets a machine whose chosen queue has nothing to start take from
	// the other one. Otherwise it stays idle for the slot: the paper counts its
	// service as unused.
	Fallback bool

	// FIFO serves the oldest task of a queue. Otherwise one of the job with the
	// fewest running tasks goes first (ties to the older), as in Section V.
	// Queue lengths do not depend on this.
	FIFO bool
}

// Config says what to simulate.
type Config struct {
	System   System
	Arrivals Arrivals
	Policy   Policy
	Reading  Reading
	Seed     uint64

	Warmup  int // slots before the measured ones, >= 0; the system starts empty
	Slots   int // measured slots, >= 1
	Batches int // equal parts of the measured slots for confidence intervals, 1 … Slots

	// Apart measures how far the queues are from being equal, which takes time with the
	// number of machines in every slot; see Result.Apart.
	Apart bool

	SampleEvery int // slots between samples of the number of jobs; 0 takes none

	load float64 // what a sweep asked for, which Arrivals meet up to rounding; else 0
}

// Paper returns the configuration of the paper's Section V at the given load in
// tasks a slot, with jobs sized by the given law: its cluster, 50,000 slots of
// warm-up and 250,000 measured ones in 50 batches.
// It panics where [PoissonArrivals] fails.
func Paper(load float64, tasks *Law) Config {
	arrivals, err := PoissonArrivals(load, tasks)
	if err != nil {
		panic(err)
	}
	return Config{
		System:   PaperSystem(),
		Arrivals: arrivals,
		Warmup:   50_000,
		Slots:    250_000,
		Batches:  50,
	}
}

// Check returns an error that says what is wrong with a configuration, or nil.
func (c *Config) Check() error {
	if err := c.System.Check(); err != nil {
		return err
	}
	switch {
	case c.Arrivals.Jobs == nil || c.Arrivals.Tasks == nil:
		return errors.New("arrivals without a law")
	case slices.Max(c.Arrivals.Tasks.values) > mostTasks:
		return fmt.Errorf("jobs of more than %d tasks", mostTasks)
	case c.Policy < MaxWeight || c.Policy > BalancedPandas:
		return fmt.Errorf("there is no %v", c.Policy)
	case c.Warmup < 0 || c.Slots < 1:
		return fmt.Errorf("%d slots after a warm-up of %d", c.Slots, c.Warmup)
	case c.Batches < 1 || c.Batches > c.Slots:
		return fmt.Errorf("%d batches of %d slots", c.Batches, c.Slots)
	case c.SampleEvery < 0:
		return fmt.Errorf("samples every %d slots", c.SampleEvery)
	}
	return nil
}
