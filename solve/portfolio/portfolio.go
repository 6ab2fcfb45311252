// Package portfolio has workers go over a list of strategies, in rounds, and give
// each a slice of their work. Which strategies these are is said by a table
// elsewhere; strategies know of each other through the incumbent only, but for those
// that share what they work on.
package portfolio

import (
	"context"
	"slices"
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
	// Sharing is what further workers do while one is at it.
	Sharing Sharing
	// After is a strategy that this one goes on from: no worker comes to it while one is at that;
	// nil for none.
	After *Strategy
	// Applies reports whether it has anything to do for some work; nil where it always has.
	// Where it does not apply it is not begun.
	Applies func(w *Work) bool
	// Begin begins it for some work, with a seed of its own.
	Begin func(w *Work, seed uint64) Runner
}

// Sharing says what further workers do while one is at a strategy.
type Sharing uint8

const (
	// Single: they pass it over.
	Single Sharing = iota
	// Copies: each begins a runner of its own, with a seed of its own.
	Copies
	// Together: they run the same runner at the same time, which divides its work among them.
	Together
)

// String is the word for it in tables.
func (s Sharing) String() string { return [...]string{"one", "copies", "together"}[s] }

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
	//
	// Where the workers share it Together, it is called again while it runs, with the same
	// slice: such a call has part in the work, and returns when there is nothing to have part in.
	Run(ctx context.Context, s Slice) Outcome
}

// Slice is the share that a strategy gets when it has its turn.
type Slice struct {
	// Round counts the rounds of the list from 0, Turn the runner's own turns.
	Round, Turn int
	// Units bound the work, each strategy having a unit of its own; 0 stands for no
	// bound.
	Units int
}

// Outcome is what came of a slice.
type Outcome uint8

const (
	// Open: there may be more to find in another slice.
	Open Outcome = iota
	// Done: there is nothing left that the strategy could do.
	Done
	// Refused: the job set is too large for the strategy, or of a kind that it
	// cannot treat.
	Refused
)

// String is the word for an outcome.
func (o Outcome) String() string { return [...]string{"open", "done", "refused"}[o] }

// Work is what strategies are made for.
type Work struct {
	*incumbent.Incumbent
	// P is the index of the objective, or incumbent.AnyPlan.
	P    int
	Seed uint64
	// Exact are the options of the engines that answer questions.
	Exact exact.Options
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

// Begun is a strategy that was begun for some work, with a runner for each worker that is at it
// where workers share it by copies.
type Begun struct {
	*Strategy
	w       *Work
	seed    uint64
	runners []*runner
}

// runner is a strategy's, with what it is at.
type runner struct {
	Runner
	turns int
	// workers are at it, on slice. No more are to come where one that came later found nothing
	// to have part in.
	workers int
	slice   Slice
	full    bool
	// over: it has nothing left to do.
	over bool
}

// Begin begins a strategy, which applies.
func Begin(w *Work, s *Strategy, seed uint64) *Begun {
	b := &Begun{Strategy: s, w: w, seed: seed}
	b.begin()
	return b
}

// copySeeds sets the seeds of copies apart from those of rows and solves, which are small numbers.
const copySeeds = 1 << 32

// begin begins a runner, which is the first or a copy.
func (b *Begun) begin() *runner {
	number := b.w.Exact.Worker + len(b.runners)
	r := &runner{Runner: b.Begin(b.w, b.seed+copySeeds*uint64(number))}
	b.runners = append(b.runners, r)
	return r
}

// free is a runner that one more worker may come to, nil if there is none; another tells that one
// more may be begun then, of copies for at most so many workers.
func (b *Begun) free(workers int) (r *runner, another bool) {
	over := false
	for _, r := range b.runners {
		if !r.over && (r.workers == 0 || b.Sharing == Together && !r.full) {
			return r, false
		}
		over = over || r.over // where one has nothing left to do no other has
	}
	return nil, b.Sharing == Copies && !over && len(b.runners) < workers
}

// Entry is a line of a list.
type Entry struct {
	// Row is the row of the table that it comes from, counted from 1.
	Row int
	*Begun
	// Units are those of its slices in rounds 0, 1, …, the last one in all rounds
	// after as well. 0 passes over a round; nil stands for slices without a bound. It
	// is never empty.
	Units []int
}

// units are those in a round, before they grow; ok is false if there are none.
func (e *Entry) units(round int) (units int, ok bool) {
	if e.Units == nil {
		return 0, true
	}
	units = e.Units[min(round, len(e.Units)-1)]
	return units, units > 0
}

// exhausted tells that no round from some one on has any units.
func (e *Entry) exhausted(round int) bool {
	_, ok := e.units(round)
	return !ok && round >= len(e.Units)-1
}

// List is what workers go over, from the first entry to the last, round by round.
type List struct {
	Entries []Entry
	// Otherwise takes the place of Entries when one of them refuses, in the first
	// round only when the others have had a slice; nil goes on with the others.
	Otherwise []Entry
}

// Run has workers go over a list until ctx is done, the objective of the work is closed (or
// there is a plan, or a proof that there is none), or nothing is left to do: each that is free
// takes the next slice. It ends when all have returned.
func Run(ctx context.Context, w *Work, list List, workers int) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := newDispatcher(w, list, workers)
	defer context.AfterFunc(ctx, d.wake)()
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			d.work(ctx, k)
			if w.Over(w.P) {
				stop()
			}
		})
	}
	wg.Wait()
}

// dispatcher hands out the slices of a list.
type dispatcher struct {
	w       *Work
	workers int

	mu sync.Mutex
	// back is told when a worker has come back, or ctx is done.
	back *sync.Cond
	list List
	// round and at are where the list is gone on with; refused tells that Otherwise comes after the round.
	round, at int
	refused   bool
	busy      int // workers
}

func newDispatcher(w *Work, list List, workers int) *dispatcher {
	d := &dispatcher{w: w, list: list, workers: workers}
	d.back = sync.NewCond(&d.mu)
	return d
}

// wake has workers that wait look again.
func (d *dispatcher) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.back.Broadcast()
}

// work takes slices until there are none any more.
func (d *dispatcher) work(ctx context.Context, worker int) {
	for {
		t := d.next(ctx)
		if t == nil {
			return
		}
		d.took(t, t.run(ctx, d.w, worker))
	}
}

// turn is a slice that is handed to a worker.
type turn struct {
	*Entry
	*runner
	slice Slice
	// joins: another worker is at it.
	joins bool
}

// next is the next slice, once there is one; nil if there will be none.
func (d *dispatcher) next(ctx context.Context) *turn {
	d.mu.Lock()
	defer d.mu.Unlock()
	for ctx.Err() == nil && !d.w.Over(d.w.P) {
		if t := d.find(); t != nil {
			d.busy++
			return t
		}
		if d.busy == 0 {
			return nil
		}
		d.back.Wait()
	}
	return nil
}

// find looks for a slice in what is left of the round, then in those after, unless workers
// are at all that is left; d.mu is held.
func (d *dispatcher) find() *turn {
	for {
		for d.at < len(d.list.Entries) {
			e := &d.list.Entries[d.at]
			d.at++
			if t := d.take(e); t != nil {
				return t
			}
		}
		if d.refused && d.busy > 0 && d.round == 0 && d.list.Otherwise != nil {
			return nil // the others have their slice first
		}
		if d.refused && d.list.Otherwise != nil {
			d.otherwise()
			continue
		}
		if !d.anyFree() {
			return nil
		}
		d.round, d.at = d.round+1, 0
	}
}

// anyFree reports whether any entry has slices in later rounds that a worker can take now.
func (d *dispatcher) anyFree() bool {
	for i := range d.list.Entries {
		e := &d.list.Entries[i]
		if r, another := d.free(e); !e.exhausted(d.round+1) && (r != nil || another) {
			return true
		}
	}
	return false
}

// free is a runner of an entry that one more worker may come to, or whether another may be begun.
func (d *dispatcher) free(e *Entry) (r *runner, another bool) {
	if e.After != nil && d.isAt(e.After) {
		return nil, false
	}
	return e.free(d.workers)
}

// isAt reports whether any worker is at a strategy.
func (d *dispatcher) isAt(s *Strategy) bool {
	for i := range d.list.Entries {
		if b := d.list.Entries[i].Begun; b.Strategy == s && slices.ContainsFunc(b.runners, func(r *runner) bool { return r.workers > 0 }) {
			return true
		}
	}
	return false
}

// otherwise goes over to the other list.
func (d *dispatcher) otherwise() {
	d.list = List{Entries: d.list.Otherwise}
	d.round, d.at, d.refused = 0, 0, false
}

// take makes a turn of an entry in this round, nil if there is none; d.mu is held.
func (d *dispatcher) take(e *Entry) *turn {
	units, ok := e.units(d.round)
	if !ok {
		return nil
	}
	r, another := d.free(e)
	switch {
	case another:
		r = e.begin()
	case r == nil:
		return nil
	}
	t := &turn{Entry: e, runner: r, joins: r.workers > 0}
	if !t.joins {
		r.slice = Slice{Round: d.round, Turn: r.turns, Units: e.grown(units, r.turns)}
		r.turns++
	}
	r.workers++
	t.slice = r.slice
	return t
}

// took notes what came of a turn.
func (d *dispatcher) took(t *turn, out Outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy--
	r := t.runner
	r.workers--
	r.full = r.workers > 0
	switch {
	case t.joins && out != Refused:
	case out == Done:
		r.over = true
	case out == Refused:
		r.over = true
		if d.refused = true; t.slice.Round > 0 && d.list.Otherwise != nil {
			d.otherwise()
		}
	}
	d.back.Broadcast()
}

// run gives the strategy a slice, and tells of it where somebody listens.
func (t *turn) run(ctx context.Context, w *Work, worker int) Outcome {
	s := t.slice
	if !w.Heard() {
		return t.Run(ctx, s)
	}
	began := time.Now()
	ctx, counter := event.Counting(ctx)
	out := t.Run(ctx, s)
	w.Had(&event.Slice{
		Strategy: t.Name, Row: t.Row, Worker: worker, Round: s.Round, Outcome: out.String(),
		Took: time.Since(began), Counts: counter.Counts(), Memory: memory.Taken(),
	})
	return out
}
