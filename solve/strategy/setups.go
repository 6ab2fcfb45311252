package strategy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/setups"
)

// SetupServer is for jobs on machines that one server sets up, an order at a time, for their makespan, or for any plan of hard
// jobs that are due together: beam search and annealing for plans, a depth-first search for what is between value and bound.
var SetupServer = &portfolio.Strategy{
	Name: "set-up server", Unit: "ten million set-ups tried, an eighth of a second", Proves: "enumeration", Sharing: portfolio.Copies, Crew: setupCrew, Grows: 2, Most: 16,
	Applies: func(w *portfolio.Work) bool {
		_, ok := setupsOf(w)
		return ok
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		p, _ := setupsOf(w)
		k := &setupServer{w: w, p: p, seed: seed, reached: p.Makespan(longFirst(p)), rng: rand.New(rand.NewPCG(seed, 1))}
		k.search = portfolio.Shared(w, sharedSetups{}, func() *setups.Search { return setupsSearch(w, seed) })
		return k
	},
}

// sharedSetups is the key of the search that workers share.
type sharedSetups struct{}

// setupsSearch is a search of a problem of its own, as workers look at theirs meanwhile. There is none where jobs are many, and for copies that share none with
// the first, which would search the same.
func setupsSearch(w *portfolio.Work, seed uint64) *setups.Search {
	p, _ := setupsOf(w)
	if p.Jobs() > setups.MostSearched || w.IsCopy(seed) {
		return nil
	}
	return setups.NewSearch(p)
}

// setupsOf reads a set as a problem of set-ups: of all jobs, to be done sooner than in the best plan, which no hard deadline is before, or of hard jobs where
// any plan will do.
func setupsOf(w *portfolio.Work) (*setups.Problem, bool) {
	if !boundsHold(w) || w.P != incumbent.AnyPlan && !(w.First(w.P) && w.Goal[w.P] == model.Makespan) {
		return nil, false
	}
	value, _ := timesOpen(w)
	return setups.New(w.JS, duesAt(w, value-1))
}

// setupServer anneals and searches by turns, for longer each time.
type setupServer struct {
	w    *portfolio.Work
	p    *setups.Problem
	seed uint64
	// refused tells that a plan was found beside which others have no place.
	refused bool
	// best is the order of the best plan that was found here. Where any plan will do it may be late; reached is its makespan, that of all jobs by length before
	// there is one.
	best    []int
	reached model.Time
	// turns counts annealings, each with a search after it.
	turns int
	// search is that which workers share, nil for none. completing is that of what beginnings of orders leave.
	search, completing *setups.Search
	// prices are those of beams that learn, backward and forward, of which there have been learnt; learning is what is left to them of set-ups, below zero where the last one took more.
	prices           [2]*setups.Prices
	learnt, learning int
	rng              *rand.Rand
}

const (
	// setupCrew is the number of workers that search, and have beams that learn, before others do something else: of setups-40x5-1 one of two workers was 50 s of 60 at what brought
	// nothing.
	setupCrew = 8
	// setupsPerUnit is what a unit is.
	setupsPerUnit = 10_000_000
	// setupsPerConstruction are those that count as one unit of a budget.
	setupsPerConstruction = 10_000
	// setupsPerNode is what a node of the search takes as long as.
	setupsPerNode = 35
	// firstSetups is what the first annealing is given; each has half as much again as the one before.
	firstSetups = setupsPerUnit
	// leastSearch is how many times of that the search is given, and what completes beginnings; fewJobs are those for which the search has more.
	leastSearch, fewJobs = 2, 30
	// manyTurns, about 10 s of processor time, are those after which the search of more jobs is given more in each, too: setups-40x5-1 within 451 takes it some 17 s.
	manyTurns = 4
	// wideBeams is how many times of that beams are given from the third turn on, where the search comes to no end.
	wideBeams = 3
	// learntBeams is how many beams learn from each other in each direction until prices are drawn anew: then they come to the same beginnings over and over.
	learntBeams = 8
	// leastCompleted and mostCompleted bound the jobs that come after beginnings of orders which are completed: of setups-40x5-3 within 531, with 20, 16 and 13 of them
	// one in 211, one in 4 to 192 and none in 1000, of those of beams that have long jobs first none in 1000.
	leastCompleted, mostCompleted = 14, 20
	// mostTurnsJobs bounds how many jobs more come after them, one for each turn past manyTurns: where it takes long to come to an order there are few, and of setups-40x5-1 within 452,
	// in 14 s of processor time each, none is found in 12,000 beginnings with 14 and 16 jobs left, with 17, 18, 19, 20, 22 and 24 six, four, three, one, one and one.
	mostTurnsJobs = 4
	// keepShort is how much every other beam for beginnings keeps short set-ups for what comes last then: of setups-40x5-1 within 452, with 17 jobs left, beams lead to six orders so
	// and to none without, of 30x5-3 within 361, with 14, to one in place of nine.
	keepShort = 20
	// leavingLeast is the part of beginnings, about a quarter, that are completed, those that leave the least work: of setups-40x5-1 within 453, with 14 jobs left, 74 of them lead
	// to an order in 10 s of processor time, of all 26; of 30x5-2 within 362 nine and four.
	leavingLeast = 3
	// completingParts are those of what a turn has for completing: one is for beginnings, and a search of one beginning has no more than one.
	completingParts = 4
	// leastNodes take as long as what a search works out first, of which a beginning that leads nowhere needs little more: 1 to 2 ms.
	leastNodes = 3000
	// beamSetups times the square of the number of jobs are tried for each beginning that beam search goes on with.
	beamSetups = 10
	// longestLayer bounds the beginnings of a layer with a job more, which take a third of a second and 50 MB: turns get longer
	// without end.
	longestLayer = 1 << 19
	// nodesAtOnce are those after which the bound is raised.
	nodesAtOnce = 1 << 14
)

// learningWidths is how many beginnings beams that learn go on with, another one for each drawing of prices: backward, 5,000 wide, three of three come to an order of setups-40x6-2 within
// 447 in 4 to 7 s of processor time of a busy machine, 2,000 wide one in 8 s each; 2,000 wide three of three to one of 40x6-5 within 381 in 1 to 2 s, 5,000 wide in 3 to 4; to one of 40x7-2
// within 371 with 2,000 and 5,000 none in 8 s, 15,000 wide two of two in 11 s.
var learningWidths = [...]int{2_000, 5_000, 12_000}

// Run implements portfolio.Runner.
func (k *setupServer) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if k.w.P == incumbent.AnyPlan && k.reached <= k.p.Due() {
		k.offer(longFirst(k.p))
	}
	if _, bound := k.gap(); bound < int64(k.p.Least()) {
		k.raise(int64(k.p.Least()), k.least())
	}
	if k.search != nil && k.turns == 0 {
		k.settle(ctx, nodesAtOnce) // all that there is to it, where jobs are few
	}
	given := firstSetups
	for range k.turns {
		given += given / 2
	}
	for left := setupsPerUnit * s.Units / max(1, s.Workers); left > 0 && !k.over(ctx); {
		beam, learn, complete, search := k.shares()
		k.beam(ctx, beam*given)
		k.learn(ctx, learn*given)
		for range complete { // with another number of jobs left each
			k.complete(ctx, given)
		}
		k.anneal(ctx, given)
		k.settle(ctx, search*given/setupsPerNode)
		left -= (1 + beam + learn + complete + search) * given
		k.turns++
		given += given / 2
	}
	if k.refused {
		return portfolio.Done
	}
	return portfolio.Open
}

// longFirst is the order of jobs by length.
func longFirst(p *setups.Problem) []int {
	order := make([]int, p.Jobs())
	for k := range order {
		order[k] = k
	}
	return order
}

// over tells that there is nothing left to find here.
func (k *setupServer) over(ctx context.Context) bool {
	return k.refused || k.w.Over(k.w.P) || ctx.Err() != nil
}

// gap are the makespan of the best plan and what it is at least. Where any plan will do it is sought from the best order on, which is late, until all jobs are in time: at once
// it is found later, or not at all.
func (k *setupServer) gap() (value, bound int64) {
	if k.w.P == incumbent.AnyPlan {
		return int64(k.reached), int64(k.p.Due())
	}
	return k.w.Gap(k.w.P)
}

// raise tells that no plan ends before the least makespan, and why: where any will do there is none.
func (k *setupServer) raise(least int64, why string) {
	if k.w.P == incumbent.AnyPlan {
		k.w.Refute(incumbent.NoPlan{Proof: model.EnumerationProof})
		return
	}
	k.w.Raise(k.w.P, least, model.EnumerationProof, why)
}

// least says why no plan ends before the least makespan that sums prove, which know of what runs already.
func (k *setupServer) least() string {
	return fmt.Sprintf("no plan ends before %s: what runs and all that is left take as long, with one input at a time",
		clock.Of(k.w.JS).Value(model.Makespan.String(), int64(k.p.Least())))
}

// shares are how many times of what annealing is given beam search, beams that learn, searches that complete beginnings and the search are: of few jobs the search more in each turn, as it comes to
// an end then, and half as much more what completes beginnings; of many beams, of which each that is twice as wide brings about a tick, and
// what completes beginnings: with twice in place of three times setups-40x5-3 is open after 16 s; after many turns the search and beams that learn, in place of most of completing, which of several
// workers all but the first one have from the beginning in place of wider beams. Where there are walks nothing is completed, as each beginning would need its own.
func (k *setupServer) shares() (beam, learn, complete, search int) {
	n := k.p.Jobs()
	if n > setups.MostSearched {
		return 0, 0, 0, 0
	}
	beam, complete, search = 1, leastSearch, leastSearch
	switch {
	case n <= fewJobs && k.search != nil:
		complete, search = complete+k.turns/2, search+k.turns
	case k.p.Walked():
		beam = leastSearch
	default:
		beam, complete = min(1+k.turns, wideBeams), leastSearch+1
		copied, more := k.w.IsCopy(k.seed), k.turns-manyTurns
		if more >= 0 || copied {
			beam, learn = 1, beam-1
		}
		if more >= 0 {
			learn, complete, search = learn+leastSearch+more, 1, search+2*(more+1)
			if copied {
				learn, complete = learn+1, 0
			}
		}
	}
	if k.p.Walked() {
		complete = 0
	}
	if k.search == nil {
		search = 0
	}
	return beam, learn, complete, search
}

// complete looks for a better plan with about so many set-ups: beam search makes beginnings, and a search goes over all that comes after each.
func (k *setupServer) complete(ctx context.Context, given int) {
	value, _ := k.gap()
	left, short := leastCompleted+k.rng.IntN(mostCompleted-leastCompleted+1), 0
	if k.turns > manyTurns {
		left, short = left+min(k.turns-manyTurns, mostTurnsJobs), keepShort*k.rng.IntN(2)
	}
	if given == 0 || k.p.Jobs() <= left || k.over(ctx) {
		return
	}
	if k.completing == nil {
		k.completing = setups.NewSearch(k.p)
	}
	k.completing.SeeksOnly = k.turns > manyTurns // before, beginnings are few, and each is searched to its end
	n, nodes := k.p.Jobs(), given/setupsPerNode/completingParts
	beam := setups.Beam{Width: max(1, min(given/completingParts/(beamSetups*n*n), longestLayer/n)), Below: model.Time(value), ShortLast: short}
	given -= given / completingParts
	for _, first := range beam.Beginnings(ctx, k.p, n-left, max(1, beam.Width/leavingLeast), k.rng, func(n int) { spendSetups(ctx, n) }) {
		rest, jobs := k.p.After(first)
		k.completing.Reset(rest)
		last, answer, spent := k.completing.Run(ctx, model.Time(value-1), nodes)
		spent += leastNodes
		spendSetups(ctx, spent*setupsPerNode)
		if answer == setups.Found {
			for _, j := range last {
				first = append(first, jobs[j])
			}
			k.offer(first)
			return
		}
		if given -= spent * setupsPerNode; given <= 0 || ctx.Err() != nil {
			return
		}
	}
}

// beam looks for a plan with about so many set-ups, none where there are none.
func (k *setupServer) beam(ctx context.Context, given int) {
	if given == 0 || k.over(ctx) {
		return
	}
	n := k.p.Jobs()
	value, _ := k.gap()
	kind := k.turns
	if k.w.IsCopy(k.seed) {
		kind += 2 // the other direction
	}
	beam := setups.Beam{
		Width: max(1, min(given/(beamSetups*n*n), 2*longestLayer/n)), Below: model.Time(value),
		Backward: kind%4 < 2 != k.p.Walked(), LongFirst: kind%2 == 1,
	}
	if order := beam.Order(ctx, k.p, func(n int) { spendSetups(ctx, n) }); order != nil {
		k.offer(order)
	}
}

// learn looks for better plans with about so many set-ups, by beams that learn from each other, backward and forward by turns: 5,000 wide, in 5 s each, those backward come to an order of
// setups-50x5-7 within 563 and of 40x5-6 within 467, and those forward do not; of 40x5-7 within 477 and of long-40x3-1 within 1086 those forward do.
func (k *setupServer) learn(ctx context.Context, given int) {
	for k.learning += given; given > 0 && k.learning > 0 && !k.over(ctx); k.learnt++ {
		direction, drawing := k.learnt%2, k.learnt/(2*learntBeams)
		if k.learnt%(2*learntBeams) < 2 {
			k.prices[direction] = setups.NewPrices(k.p, k.rng)
		}
		value, _ := k.gap()
		beam := setups.Beam{Width: min(learningWidths[drawing%len(learningWidths)], 2*longestLayer/k.p.Jobs()), Below: model.Time(value), Backward: direction == 0, Prices: k.prices[direction]}
		order := beam.Order(ctx, k.p, func(n int) {
			k.learning -= n
			spendSetups(ctx, n)
		})
		if order != nil {
			k.offer(order)
		}
	}
}

// anneal looks for plans with so many set-ups: from the best order, and every other turn from the longest jobs on.
func (k *setupServer) anneal(ctx context.Context, setupsLeft int) {
	var from []int
	if k.turns%2 == 0 {
		from = k.best
	}
	// A move sets up a third of all jobs on average; twice as many, to cool more slowly, prove three sets of six fewer.
	moves := 3 * setupsLeft / 2 / k.p.Jobs()
	a := setups.NewAnnealing(k.p, k.seed<<8+uint64(k.turns), from, moves)
	for !k.over(ctx) {
		value, _ := k.gap()
		order := a.Run(ctx, model.Time(value-1), func(n int) { spendSetups(ctx, n) })
		if order == nil {
			return
		}
		k.offer(order)
	}
}

func spendSetups(ctx context.Context, n int) { budget.Spend(ctx, max(1, n/setupsPerConstruction)) }

func (k *setupServer) offer(order []int) {
	k.best, k.reached = slices.Clone(order), k.p.Makespan(order)
	if k.w.P == incumbent.AnyPlan && k.reached > k.p.Due() {
		return
	}
	k.w.Offer(k.w.Complete(k.p.Schedule(order)))
	k.refused = k.w.P == incumbent.AnyPlan && k.w.Best() == nil
}

// settle rules values out from the bound up, or finds a plan with the value that is the bound.
func (k *setupServer) settle(ctx context.Context, nodes int) {
	for nodes > 0 && !k.over(ctx) {
		_, v := k.gap()
		order, answer, spent := k.search.Run(ctx, model.Time(v), min(nodes, nodesAtOnce))
		spendSetups(ctx, spent*setupsPerNode)
		nodes -= spent
		switch answer {
		case setups.Found:
			k.offer(order)
		case setups.None:
			k.raise(v+1, searched(k.w.JS, model.Makespan, v))
		}
	}
}
