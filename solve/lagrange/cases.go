package lagrange

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Refutation is a search for an argument that not all jobs can finish by their due
// times: prices, or where those prove nothing, cases with prices in each. It stops
// when its work is done and goes on where it was.
//
// For cases it shaves (Carlier and Pinson, 1994; Martin and Shmoys, 1996): if
// prices refute that a stage ends as early, or as late, as it might, the windows
// around shrink, and with smaller windows prices refute more. When no edge gives
// way any more it splits a window and takes the parts one by one; where the ends
// of all stages are settled it shaves where and when tasks run. What is left then
// it asks about.
type Refutation struct {
	ctx      context.Context
	js       *model.JobSet
	due      []model.Time
	thorough bool
	// size is that of what it holds, in tolls.
	size atomic.Int64

	mu      sync.Mutex
	refuter *refuter
	next    func() (*proof.Branching, bool)
	stop    func()
}

// NewRefutation prepares a search for due (absolute, by JobID; model.Never for
// jobs that play no part). It is over when ctx is done.
func NewRefutation(ctx context.Context, js *model.JobSet, due []model.Time, thorough bool) *Refutation {
	r := &Refutation{ctx: ctx, js: js, due: due, thorough: thorough}
	r.begin()
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stop()
	})
	return r
}

func (r *Refutation) begin() {
	f := &refuter{ctx: r.ctx, thorough: r.thorough}
	r.refuter = f
	r.next, r.stop = iter.Pull(func(yield func(*proof.Branching) bool) {
		f.pause = func() bool { return yield(nil) }
		if c := f.all(r.js, r.due); c != nil {
			yield(c)
		}
	})
}

// Run goes on with the search, with some more work: in starts looked at, of which
// 10⁸ take about a second; 0 rules out cases. ask, which may be nil, is what it asks.
// c is nil if it found no argument, for whatever reason. steps is how often it
// looked at prices. It does nothing while another call is at it.
func (r *Refutation) Run(work int, ask Ask) (c *proof.Branching, steps int) {
	if !r.mu.TryLock() {
		return nil, 0
	}
	defer r.mu.Unlock()
	f := r.refuter
	before := f.steps
	f.left, f.ask = work, ask
	c, some := r.next()
	r.size.Store(0)
	if some {
		r.size.Store(int64(f.tolls))
	}
	return c, f.steps - before
}

// Size bounds what the search holds to go on from, in tolls of 48 bytes.
func (r *Refutation) Size() int { return int(r.size.Load()) }

// Forget has the search begin anew, unless a call is at it.
func (r *Refutation) Forget() {
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	if r.stop(); r.ctx.Err() == nil {
		r.begin()
	}
	r.size.Store(0)
}

// Refute is a search with no more than some work.
func Refute(ctx context.Context, js *model.JobSet, due []model.Time, e Effort, ask Ask) (c *proof.Branching, steps int) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return NewRefutation(ctx, js, due, e.Thorough).Run(e.Work, ask)
}

// all is the whole search.
func (r *refuter) all(js *model.JobSet, due []model.Time) *proof.Branching {
	refusal := refuseAll(due)
	if !fits(js, due, refusal) {
		return nil
	}
	m, impossible := newMarket(js, due, refusal)
	r.leeways = newLeeways(m)
	if impossible > 0 {
		return r.empty()
	}
	first := min(DefaultSteps, maxWork/(1+m.size))
	if first < fewestSteps {
		return nil
	}
	if c := r.byPrices(m.price, first, 1); c != nil || r.done() {
		return c
	}
	return r.refute(slices.Clone(m.price))
}

// Effort is what may be done for cases.
type Effort struct {
	// Work is after how much of it to give up, in starts looked at: 10⁸ take about
	// a second; 0 rules out cases.
	Work int
	// Thorough shaves tasks in every case, not only where the ends of all stages
	// are settled, and splits their windows where nothing else is left to be split.
	// It refutes what is not refuted otherwise, but it comes much later to where it
	// asks, which is where plans are found.
	Thorough bool
}

// Ask tells whether it is refuted that tasks keep to rooms as well, or that there is a
// plan in which they do: then there is no argument, and the search is over. last
// tells that no other way to refute it is left.
type Ask func(rooms []query.Restriction, last bool) (refuted, planned bool)

// refuseAll is the refusal of one unit for each job that is due.
func refuseAll(due []model.Time) []int64 {
	refusal := make([]int64, len(due))
	for i, d := range due {
		if d < model.Never {
			refusal[i] = unit
		}
	}
	return refusal
}

// refuter looks at cases, depth first.
type refuter struct {
	ctx context.Context
	*leeways
	// left is the work that may be done before a pause, steps those taken.
	left, steps int
	// pause waits for more work to be done, and reports whether there is any.
	pause func() bool
	over  bool
	// tolls counts those of all tariffs so far, those thrown away included.
	tolls    int
	thorough bool
	ask      Ask
	odds     odds
}

// Steps for prices of a part, from prices that were good for the whole, whose
// first factor is warmFactor: a few at first, then as many as are of use.
const (
	fewSteps, manySteps = 100, 250
	warmFactor          = 0.2
)

// maxTolls bounds the size of an argument, at 48 bytes each.
const maxTolls = 8_000_000

// done reports whether to give up, after a pause if the work is done.
func (r *refuter) done() bool {
	if !r.over && r.left <= 0 {
		r.over = !r.pause()
	}
	r.over = r.over || r.tolls > maxTolls || r.ctx.Err() != nil
	return r.over
}

// empty is the argument where a task has no placement left.
func (r *refuter) empty() *proof.Branching {
	return &proof.Branching{Bound: &proof.DualBound{Penalty: r.m.refusal}}
}

// byPrices looks for prices that refute what the windows leave. It leaves the
// last ones in the market: unlike the best, which are often none at all, they are
// a start for more.
func (r *refuter) byPrices(start []int64, steps int, factor float64) *proof.Branching {
	c, _ := r.within(start, steps, factor, math.MinInt64)
	return c
}

// within is byPrices that gives up where prices are worth less than hope after
// most of the steps. It also gives what the best were worth.
func (r *refuter) within(start []int64, steps int, factor float64, hope int64) (c *proof.Branching, reached int64) {
	copy(r.m.price, start)
	a := newAscent(r.m, steps)
	a.factor = factor
	most := int(mostSteps * float64(steps))
	a.run(r.ctx, most, 1, unit)
	if a.latest >= hope {
		a.run(r.ctx, steps-most, 1, unit)
		most = steps
	}
	r.left -= most * (1 + r.m.size)
	r.steps += most
	if a.value <= 0 {
		return nil, a.value
	}
	tf := r.m.tariff(a.best)
	r.tolls += len(tf.Multipliers)
	return &proof.Branching{Bound: tf}, a.value
}

// mostSteps is the part of the steps after which prices that are to refute
// anything come close to it.
const mostSteps = 0.6

// refute settles what the windows leave, from prices that are good there; nil if
// it cannot. It leaves the windows as they were.
func (r *refuter) refute(start []int64) *proof.Branching {
	mark := r.mark()
	defer r.back(mark)
	s := shaving{refuter: r, start: start}
	split, open := s.reduce()
	switch {
	case s.rest != nil:
		return wrap(s.facts, s.rest)
	case !open || r.done():
		return nil
	}
	c := &proof.Branching{Split: split}
	if c.Holds = r.side(&split, true, s.start); c.Holds != nil {
		c.Fails = r.side(&split, false, s.start)
	}
	if c.Fails == nil {
		return nil
	}
	return wrap(s.facts, c)
}

// reduce shaves, and asks about what is left if nothing is to be split, unless
// all is refuted by then.
func (s *shaving) reduce() (split proof.Split, open bool) {
	if s.run(s.gates, gateEfforts...) || s.thorough && s.run(s.tasks, thoroughEffort) {
		return split, false
	}
	if split, open = s.splitGates(); open {
		return split, true
	}
	if !s.thorough && s.run(s.tasks, taskEffort) {
		return split, false
	}
	if s.thorough {
		if split, open = s.splitTasks(); open && s.asked(false) {
			return split, false
		}
	}
	for !open && !s.asked(true) && !s.done() {
		s.left = 0 // it may be known when there is more time for it
	}
	return split, open
}

// side settles one side of a split.
func (r *refuter) side(split *proof.Split, holds bool, start []int64) *proof.Branching {
	mark := r.mark()
	defer r.back(mark)
	if !r.narrow(split, holds) {
		return r.empty()
	}
	if c := r.byPrices(start, manySteps, warmFactor); c != nil {
		return c
	}
	return r.refute(slices.Clone(r.m.price))
}

// fact is a split of which one side is left, for the other is refuted.
type fact struct {
	split   proof.Split
	holds   bool // which side is left
	refuted *proof.Branching
}

// wrap puts facts around an argument about what they leave.
func wrap(facts []fact, rest *proof.Branching) *proof.Branching {
	for k := len(facts) - 1; k >= 0; k-- {
		f := &facts[k]
		c := &proof.Branching{Split: f.split, Holds: f.refuted, Fails: rest}
		if f.holds {
			c.Holds, c.Fails = rest, f.refuted
		}
		rest = c
	}
	return rest
}
