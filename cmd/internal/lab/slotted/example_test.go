package slotted_test

import (
	"context"
	"fmt"

	"downbeat/cmd/internal/lab/slotted"
)

// The capacity of the paper's cluster, and of one whose data lie badly.
func ExampleCapacity() {
	paper, err := slotted.Capacity(slotted.PaperSystem())
	if err != nil {
		panic(err)
	}
	badly, err := slotted.Capacity(slotted.System{
		Machines: 3, Alpha: 0.8, Gamma: 0.2,
		Types: []slotted.Type{{Local: []int{0}, Weight: 9}, {Local: []int{1, 2}, Weight: 1}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f %.3f\n", paper, badly)
	// Output: 680 1.297
}

// Theorem 2 beside a simulated mean.
func ExampleLowerBound() {
	arrivals, err := slotted.PoissonArrivals(6.6, slotted.Constant(1))
	if err != nil {
		panic(err)
	}
	config := slotted.Config{
		System:   slotted.System{Machines: 10, Alpha: 0.8, Gamma: 0.2, Holders: 8, Replicas: 3},
		Arrivals: arrivals,
		Warmup:   10_000, Slots: 100_000, Batches: 20,
	}
	bound, err := slotted.LowerBound(config.System, config.Arrivals)
	if err != nil {
		panic(err)
	}
	result, err := slotted.Run(context.Background(), config)
	if err != nil {
		panic(err)
	}
	fmt.Printf("bound %.1f, simulated mean above it: %v, backlog %v\n", bound, result.Queue.Mean > bound, result.Trend)
	// Output: bound 15.6, simulated mean above it: true, backlog flat
}
