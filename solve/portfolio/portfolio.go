// Package portfolio runs strategies side by side and in turn: each worker goes
// over its list of strategies in rounds, and gives each a slice of its time or
// work. Which strategies these are is said by a table elsewhere; strategies know
// of each other through the incumbent only, but for those that share what they work on.
package portfolio

import (
	"context"
	"sync"
	"time"

	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/memory"
)

// Strategy is a technique by its name, as a table lists it.
type Strategy struct {
	// Name is for people, and no other's.
	Name string
	// Unit says what a unit of its slices is, Proves by what arguments it proves: both
	// are words for people. Proves is empty where it looks for plans alone.
	Unit, Proves string
	// Grows is how many times the units of its turn before each turn has, up to Most units
	// for one; 0 where all turns have the same.
	Grows, Most int
	// Applies reports whether it has anything to do for some work; nil where it always has.
	// Where it does not apply it is not begun.
	Applies func(w *Work) bool
	// Begin begins it for some work, with a seed of its own.
	Begin func(w *Work, seed uint64) Runner
}

// AppliesTo reports whether the strategy has anything to do for some work.
func (s *Strategy) AppliesTo(w *Work) bool { return s.Applies == nil || s.Applies(w) }

// grown is what comes of units in a turn.
func (s *Strategy) grown(units, turn int) int {
	factor := 1
	for ; s.Grows > 1 && turn > 0 && factor < s.Most; turn-- {
		factor *= s.Grows
	}
	return units * factor
}

// Runner is a strategy at work on one objective, or on finding any plan.
type Runner interface {
	// Run works for about as long as a slice says, or until ctx is done or the
	// objective is closed. What it finds it hands to the incumbent.
	Run(ctx context.Context, s Slice) Outcome
}

// Slice is the share that a strategy gets when it has its turn.
type Slice struct {
	// Round counts the worker's rounds from 0, Turn the strategy's own turns.
	Round, Turn int
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

// String is the word for an outcome.
func (o Outcome) String() string { return [...]string{"open", "improved", "done", "refused"}[o] }

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
	// Guide makes guided plans of the set; nil where there are none for the objective.
	Guide Runner

	// shared is what strategies have in common, by who made it.
	shared map[any]any
}

// Shared is what some strategies of w have in common under a key, made when the first of
// them is begun. Not safe for concurrent use: strategies are begun one after the other.
func Shared[T any](w *Work, key any, begin func() T) T {
	if w.shared == nil {
		w.shared = map[any]any{}
	}
	if _, ok := w.shared[key]; !ok {
		w.shared[key] = begin()
	}
	return w.shared[key].(T)
}

// Begun is a strategy that was begun for some work.
type Begun struct {
	*Strategy
	Runner
	turns int
}

// Begin begins a strategy, which applies.
func Begin(w *Work, s *Strategy, seed uint64) *Begun {
	return &Begun{Strategy: s, Runner: s.Begin(w, seed)}
}

// Entry is a line of a worker's list.
type Entry struct {
	// Row is the row of the table that it comes from, counted from 1.
	Row int
	*Begun
	// Units are those of its slices in rounds 0, 1, …, the last one in all rounds
	// after as well. 0 passes over a round; nil stands for slices without a bound. It
	// is never empty.
	Units []int
}

// slice is the share in a round; ok is false if there is none.
func (e *Entry) slice(round int, patience time.Duration) (s Slice, ok bool) {
	s = Slice{Round: round, Turn: e.turns, Patience: patience}
	if e.Units == nil {
		return s, true
	}
	s.Units = e.grown(e.Units[min(round, len(e.Units)-1)], e.turns)
	return s, s.Units > 0
}

// run gives the strategy a slice, and tells of it where somebody listens.
func (e *Entry) run(ctx context.Context, w *Work, worker int, s Slice) Outcome {
	e.turns++
	if !w.Heard() {
		return e.Run(ctx, s)
	}
	began := time.Now()
	ctx, counter := event.Counting(ctx)
	out := e.Run(ctx, s)
	w.Had(&event.Slice{
		Strategy: e.Name, Row: e.Row, Worker: worker, Round: s.Round, Outcome: out.String(),
		Took: time.Since(began), Counts: counter.Counts(), Memory: memory.Taken(),
	})
	return out
}

// Worker is one of those that work side by side.
type Worker struct {
	Entries []Entry
	// Patience is that of slices in the first round. It doubles with every round; when
	// a question was answered by a better plan it is twice what that took. 0: slices
	// are measured by work alone.
	Patience time.Duration
	// Otherwise takes the place of Entries when one of them refuses, in the first
	// round only when the others have had a slice; nil goes on with the others.
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
			workers[k].run(ctx, w, k)
			if w.Over(w.P) {
				stop()
			}
		})
	}
	wg.Wait()
}

// longest keeps patience from growing without bound.
const longest = time.Hour

// run goes over the entries in rounds until none is left.
func (k *Worker) run(ctx context.Context, w *Work, number int) {
	entries, otherwise, patience := k.Entries, k.Otherwise, k.Patience
	for round := 0; len(entries) > 0; round++ {
		left, took, refused := pass(ctx, w, entries, number, round, patience)
		switch {
		case refused && otherwise != nil:
			entries, otherwise, patience, round = otherwise, nil, k.Patience, -1
			continue
		case took > 0 && k.Patience > 0:
			patience = max(k.Patience, 2*took)
		default:
			patience = min(2*patience, longest)
		}
		entries = left
	}
}

// pass is one round. It says which entries are left, how long a better plan took,
// if one was found, and whether a strategy refused: but for the first round it then
// ends at once.
func pass(ctx context.Context, w *Work, entries []Entry, worker, round int, patience time.Duration) (left []Entry, took time.Duration, refused bool) {
	for _, e := range entries {
		if ctx.Err() != nil || w.Over(w.P) {
			return nil, 0, false
		}
		s, ok := e.slice(round, patience)
		if !ok {
			if round < len(e.Units)-1 {
				left = append(left, e)
			}
			continue
		}
		began := time.Now()
		switch e.run(ctx, w, worker, s) {
		case Improved:
			took = time.Since(began)
			left = append(left, e)
		case Open:
			left = append(left, e)
		case Refused:
			if refused = true; round > 0 {
				return left, took, true
			}
		}
	}
	return left, took, refused
}
