// Package portfolio runs strategies side by side and in turn: each worker goes
// over its list of strategies in rounds, and gives each a slice of its time or
// work. Which strategies these are is said by tables elsewhere; strategies know
// of each other through the incumbent only.
package portfolio

import (
	"context"
	"sync"
	"time"

	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
)

// Strategy is a technique at work on one objective, or on finding any plan.
type Strategy interface {
	// Run works for about as long as a slice says, or until ctx is done or the
	// objective is closed. What it finds it hands to the incumbent.
	Run(ctx context.Context, s Slice) Outcome
}

// Slice is the share that a strategy gets when it has its turn.
type Slice struct {
	// Round counts the worker's rounds from 0.
	Round int
	// Units bound the work, each strategy having a unit of its own; 0 stands for no
	// bound.
	Units int
	// Patience bounds the time; 0 where only work is counted.
	Patience time.Duration
}

// Outcome is what came of a slice.
type Outcome uint8

const (
	// Open: there may be more to find in another slice.
	Open Outcome = iota
	// Improved: a question was answered by a better plan, so that the next is not
	// likely to be harder.
	Improved
	// Done: there is nothing left that the strategy could do.
	Done
	// Refused: the job set is too large for the strategy, or of a kind that it
	// cannot treat.
	Refused
)

// Work is what strategies are made for.
type Work struct {
	*incumbent.Incumbent
	// P is the index of the objective, or incumbent.AnyPlan.
	P    int
	Seed uint64
	// Exact are the options of the engines that answer questions.
	Exact exact.Options
	// Counted: slices are measured in work only, so that runs repeat.
	Counted bool
}

// Entry is a line of a worker's table.
type Entry struct {
	Name string
	Strategy
	// Units are those of its slices in rounds 0, 1, …, the last one in all rounds
	// after as well. 0 passes over a round; nil stands for slices without a bound.
	Units []int
}

// slice is the share in a round; ok is false if there is none.
func (e *Entry) slice(round int, patience time.Duration) (s Slice, ok bool) {
	s = Slice{Round: round, Patience: patience}
	if e.Units == nil {
		return s, true
	}
	s.Units = e.Units[min(round, len(e.Units)-1)]
	return s, s.Units > 0
}

// Worker is one of those that work side by side.
type Worker struct {
	Entries []Entry
	// Patience is that of slices in the first round; it doubles with every round,
	// and starts again when a strategy has improved the plan. 0: by work alone.
	Patience time.Duration
	// Otherwise takes the place of Entries when one of them refuses; nil goes on
	// with the others.
	Otherwise []Entry
}

// Run has workers go on until ctx is done, the objective of the work is closed (or
// there is a plan, or a proof that there is none), or nothing is left to do. It
// ends when all have returned.
func Run(ctx context.Context, w *Work, workers []Worker) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			workers[k].run(ctx, w)
			if w.Over(w.P) {
				stop()
			}
		})
	}
	wg.Wait()
}

// longest keeps patience from growing without bound.
const longest = time.Hour

func (k *Worker) run(ctx context.Context, w *Work) {
	entries, patience := k.Entries, k.Patience
	for round := 0; len(entries) > 0; round++ {
		left, improved := entries[:0:0], false
		for _, e := range entries {
			if ctx.Err() != nil || w.Over(w.P) {
				return
			}
			s, ok := e.slice(round, patience)
			if !ok {
				if round < len(e.Units)-1 || s.Units > 0 {
					left = append(left, e)
				}
				continue
			}
			switch e.Run(ctx, s) {
			case Improved:
				improved = true
				fallthrough
			case Open:
				left = append(left, e)
			case Refused:
				if k.Otherwise != nil {
					(&Worker{Entries: k.Otherwise, Patience: k.Patience}).run(ctx, w)
					return
				}
			}
		}
		entries, patience = left, min(2*patience, longest)
		if improved {
			patience = k.Patience
		}
	}
}
