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
	// Grows is how many times the units of its slice before each slice has, up to Most units
	// for one; 0 where all slices have the same.
	Grows, Most int
	// Sharing is what further workers do while one is at it. So many are at it, the Crew, before others
	// go on to the next entry; 0 stands for 1. More join it at the end of a round.
	Sharing Sharing
	Crew    int
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

// grown is what comes of units in a slice, by its number.
func (s *Strategy) grown(units, number int) int {
	factor := 1
	for ; s.Grows > 1 && number > 0 && factor < s.Most; number-- {
		factor *= s.Grows
	}
	return units * factor
}

// Runner is a strategy at work on one objective, or on finding any plan.
type Runner interface {
	// Run works for about as long as a slice says, or until ctx is done or the
	// objective is closed. What it finds it hands to the incumbent.
	//
	// Where workers share it Together, it is called again while it runs, with the same
	// slice: such a call has part in the work, and returns when there is nothing to have part in.
	// Its ctx is done when the first call has returned; what is gone on with in later slices is begun
	// for as long as [Whole] of it.
	Run(ctx context.Context, s Slice) Outcome
}

// Slice is the share that a strategy gets at a time.
type Slice struct {
	// Round counts the rounds of the list from 0, Number the slices of the strategy itself.
	Round, Number int
	// Units bound the work, each strategy having a unit of its own; 0 stands for no
	// bound.
	Units int
	// Workers are those among whom the units are divided, where each has a copy of the strategy; 0 stands for 1.
	Workers int
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
	sliced  int // so many slices it has had
	runners []*runner
	// at is the slice that it has now, nil for none; over tells that there is nothing left to do.
	at   *activeSlice
	over bool
}

// runner is a strategy's.
type runner struct {
	Runner
	busy bool
}

// Begin begins a strategy, which applies.
func Begin(w *Work, s *Strategy, seed uint64) *Begun {
	b := &Begun{Strategy: s, w: w, seed: seed}
	b.begin()
	return b
}

// copySeeds sets the seeds of copies apart from those of rows, which are small numbers above the solve's.
const copySeeds = 1 << 32

// IsCopy reports whether a runner of w that was begun with a seed is not the first one of its strategy.
func (w *Work) IsCopy(seed uint64) bool { return seed-w.Seed >= copySeeds }

// begin begins a runner, which is the first or a copy.
func (b *Begun) begin() *runner {
	number := b.w.Exact.Worker + len(b.runners)
	r := &runner{Runner: b.Begin(b.w, b.seed+copySeeds*uint64(number))}
	b.runners = append(b.runners, r)
	return r
}

// idle is a runner that nobody is at, a new one if need be.
func (b *Begun) idle() *runner {
	for _, r := range b.runners {
		if !r.busy {
			return r
		}
	}
	return b.begin()
}

// activeSlice is a slice that a strategy has, and the workers that are at it: the first, which it is over
// with, and those that joined.
type activeSlice struct {
	*Entry
	slice   Slice
	ctx     context.Context
	end     context.CancelFunc
	workers int
	// full: one found nothing to have part in. left: it was the first, and others go on.
	full, left bool
}

// assignment is what one worker does of a slice.
type assignment struct {
	*activeSlice
	*runner
	joins bool
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
// takes the next slice, or joins one. It ends when all have returned.
func Run(ctx context.Context, w *Work, list List, workers int) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := newDispatcher(ctx, w, list, workers)
	defer context.AfterFunc(ctx, d.wake)()
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			d.work(k)
			if w.Over(w.P) {
				stop()
			}
		})
	}
	wg.Wait()
}

// dispatcher hands out the slices of a list.
type dispatcher struct {
	ctx     context.Context
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

func newDispatcher(ctx context.Context, w *Work, list List, workers int) *dispatcher {
	d := &dispatcher{ctx: ctx, w: w, list: list, workers: workers}
	d.back = sync.NewCond(&d.mu)
	return d
}

// wake has workers that wait look again.
func (d *dispatcher) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.back.Broadcast()
}

// work does what is assigned until there is nothing any more.
func (d *dispatcher) work(worker int) {
	for t := d.next(); t != nil; t = d.next() {
		d.done(t, t.run(d.ctx, d.w, worker))
	}
}

// next is the next assignment, once there is one; nil if there will be none.
func (d *dispatcher) next() *assignment {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.ctx.Err() == nil && !d.w.Over(d.w.P) {
		if t := d.find(); t != nil {
			d.busy++
			t.workers++
			t.runner.busy = true
			return t
		}
		if d.busy == 0 {
			return nil
		}
		d.back.Wait()
	}
	return nil
}

// find looks for a slice under way that has not all its crew, for a new one in what is left of the round, for
// any to join, then in the rounds after, unless workers are at all that is left; d.mu is held.
func (d *dispatcher) find() *assignment {
	for {
		if t := d.join(true); t != nil {
			return t
		}
		for d.at < len(d.list.Entries) {
			e := &d.list.Entries[d.at]
			if _, ok := e.units(d.round); ok && d.round == 0 && d.tooEarly(e) {
				return d.join(false) // what is in the first round is not to come rounds later
			}
			d.at++
			if units, ok := e.units(d.round); ok && d.free(e) {
				return d.begin(e, units)
			}
		}
		if t := d.join(false); t != nil {
			return t
		}
		switch instead := d.refused && d.list.Otherwise != nil; {
		case instead && d.busy > 0:
			return nil // the others have their slice first
		case instead:
			d.otherwise()
		case d.anyFree():
			d.round, d.at = d.round+1, 0
		default:
			return nil
		}
	}
}

// free tells that the strategy of an entry has something to do, and no worker is at it; who joined its last
// slice may still be at a copy.
func (d *dispatcher) free(e *Entry) bool {
	return !e.over && e.at == nil && (e.Sharing == Copies || !e.runners[0].busy) && !d.tooEarly(e)
}

// tooEarly tells that workers are at the strategy that an entry's goes on from.
func (d *dispatcher) tooEarly(e *Entry) bool { return e.After != nil && d.isAt(e.After) }

// isAt reports whether any worker is at a strategy.
func (d *dispatcher) isAt(s *Strategy) bool {
	return slices.ContainsFunc(d.list.Entries, func(e Entry) bool { return e.Strategy == s && e.at != nil })
}

// anyFree reports whether any entry has slices in later rounds that a worker can take now.
func (d *dispatcher) anyFree() bool {
	return slices.ContainsFunc(d.list.Entries, func(e Entry) bool { return !e.exhausted(d.round+1) && d.free(&e) })
}

// begin has a strategy begin a slice.
func (d *dispatcher) begin(e *Entry, units int) *assignment {
	t := &activeSlice{Entry: e, slice: Slice{Round: d.round, Number: e.sliced, Units: e.grown(units, e.sliced)}}
	switch {
	case e.Sharing == Together && d.workers > 1:
		// What is divided finds less in as many units, and is over the sooner.
		t.slice.Units += t.slice.Units * d.workers / partsAtOnce
	case e.Sharing != Copies:
	case e.Crew > 0:
		t.slice.Workers = min(d.workers, e.Crew)
	case units > 0:
		// So many workers come by so much oftener.
		t.slice.Units = max(1, t.slice.Units/d.workers)
	}
	t.ctx, t.end = context.WithCancel(context.WithValue(d.ctx, wholeKey{}, d.ctx))
	e.sliced++
	e.at = t
	return &assignment{activeSlice: t, runner: e.idle()}
}

// partsAtOnce: for so many workers what they do together has as many units again. Two to eight workers
// close tardiness-30-1 in 2.9 to 3.9 s of processor time with it, as one does in 4.1, and without in 10 to 22.
const partsAtOnce = 4

// Whole is the context of all slices of a list, for who joined one of them, else ctx: that of who
// has a slice is not done with it.
func Whole(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(wholeKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}

type wholeKey struct{}

// join joins the slice that has the fewest workers, nil if there is none to join: one that has not all its
// crew, or any.
func (d *dispatcher) join(crew bool) *assignment {
	var fewest *activeSlice
	for i := range d.list.Entries {
		e := &d.list.Entries[i]
		t := e.at
		if t == nil || e.Sharing == Single || t.full || crew && t.workers >= max(1, e.Crew) {
			continue
		}
		if fewest == nil || t.workers < fewest.workers {
			fewest = t
		}
	}
	switch {
	case fewest == nil:
		return nil
	case fewest.Sharing == Copies:
		return &assignment{activeSlice: fewest, runner: fewest.idle(), joins: true}
	}
	return &assignment{activeSlice: fewest, runner: fewest.runners[0], joins: true}
}

// otherwise goes over to the other list.
func (d *dispatcher) otherwise() {
	d.list = List{Entries: d.list.Otherwise}
	d.round, d.at, d.refused = 0, 0, false
}

// done notes what came of an assignment. A slice ends with the first at it: those that joined have copies, or
// nothing to do any more. Only where that one has no part in what they are at together is it they
// who end it.
func (d *dispatcher) done(t *assignment, out Outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy--
	t.workers--
	others := t.Sharing == Together && t.workers > 0
	t.runner.busy = others
	over := !t.joins && (out == Done || out == Refused)
	switch {
	case over, !t.joins && !others, t.left && t.workers == 0:
		d.reopen()
		t.end()
		t.Begun.at = nil
	default:
		t.full = true
		t.left = t.left || !t.joins
	}
	if over {
		t.Begun.over = true
	}
	if over && out == Refused {
		if d.refused = true; t.slice.Round > 0 && d.list.Otherwise != nil {
			d.otherwise()
		}
	}
	d.back.Broadcast()
}

// reopen has workers look again at slices in which one found nothing to have part in.
func (d *dispatcher) reopen() {
	for i := range d.list.Entries {
		if t := d.list.Entries[i].at; t != nil {
			t.full = false
		}
	}
}

// run gives the strategy a slice, and tells of it where somebody listens.
func (t *assignment) run(ctx context.Context, w *Work, worker int) Outcome {
	s := t.slice
	if t.joins {
		ctx = t.ctx
	}
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
