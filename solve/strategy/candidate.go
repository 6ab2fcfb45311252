package strategy

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/exact"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// candidate is an answer of the master problem: a set of jobs to be let go, and
// what is known of the others.
type candidate struct {
	late   []model.JobID
	weight int64
	// alive ends with the candidate: when it is refuted, or no longer lighter than
	// the best plan.
	alive context.Context
	end   context.CancelFunc
	// effort is how often it has been looked into, light how often it had a turn to be
	// refuted only; refutation is the search
	// for an argument against it, exact and relax are those for a plan of the others.
	// refused: there is no exact. dives looks for a plan too.
	effort, light int
	refutation    *lagrange.Refutation
	// tightness is how close multipliers came to refuting it (see lagrange.Refutation).
	tightness float64
	exact     *exact.Search
	refused   bool
	// looking is held by who is at exact and relax: who refutes may look first, too.
	looking sync.Mutex
	relax   *tardinessRelaxation
	dives   *diveSearch
	// under is the examination that is under way, nil while it waits.
	under *examination
}

// examination is that of a candidate, in parts: workers that are free share them.
type examination struct {
	// light: it is to be refuted only.
	light bool
	// work is for branching; effort is that of the candidate when it began, plans the one for plans.
	work, effort, plans int
	// next is the part that nobody has begun. workers are at parts, refuters of them branch, and
	// helpers take part in that.
	next                       part
	workers, refuters, helpers int
	// settled tells that a part came to a plan, or to an argument.
	settled bool
}

// part is one of an examination.
type part uint8

// The parts, in the order in which they are begun.
const (
	refuting part = iota
	diving
	asking
	allParts
	// planning is diving and asking once more, helping has part in the branching, both while it is
	// being refuted.
	planning
	helping
)

// parts are how many parts it has.
func (e *examination) parts() part {
	if e.light {
		return refuting + 1
	}
	return allParts
}

// left tells that there are parts that nobody has begun.
func (e *examination) left() bool { return !e.settled && e.next < e.parts() }

// more is what a worker can do beside those that are at parts once all are begun: the next turn
// of branching while they look for a plan; while they branch look for one further, or help.
func (e *examination) more() (p part, any bool) {
	switch {
	case e.settled || e.left() || e.effort == 0 || e.workers == 0:
		return 0, false
	case e.refuters == 0:
		return refuting, true
	case e.workers == e.refuters+e.helpers:
		return planning, true
	}
	return helping, true
}

// begin notes that a worker begins a part.
func (e *examination) begin(p part) {
	switch {
	case p == e.next:
		e.next++
	case p == refuting:
		e.work *= branchingGrows
	case p == planning:
		e.plans++
	}
	e.count(p, 1)
}

// count counts workers that come to a part, or leave it.
func (e *examination) count(p part, workers int) {
	e.workers += workers
	switch p {
	case refuting:
		e.refuters += workers
	case helping:
		e.helpers += workers
	}
}

// within is ctx, but for as long as the candidate lives.
func (at *candidate) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return whileAlive(ctx, at.alive)
}

// candidates are those that are neither refuted nor of no use: each is being examined, or was in
// vain.
type candidates []*candidate

// waiting are those that nobody is at.
func (w candidates) waiting() candidates {
	return slices.DeleteFunc(slices.Clone(w), func(at *candidate) bool { return at.under != nil })
}

// drop ends candidates.
func (w *candidates) drop(which func(at *candidate) bool) {
	*w = slices.DeleteFunc(*w, func(at *candidate) bool {
		if which(at) {
			at.end()
			return true
		}
		return false
	})
}

// next is the one to look into again, nil if there is none: of the lightest, to be
// refuted, or widely of all, the one with the least effort so far, but in order of
// tightness each may have had twice the time of the one after it.
func (w candidates) next(widely bool) *candidate {
	order := slices.Clone(w)
	slices.SortStableFunc(order, func(a, b *candidate) int {
		byTightness := cmp.Compare(a.tightness, b.tightness)
		if widely {
			return cmp.Or(byTightness, cmp.Compare(a.weight, b.weight))
		}
		return cmp.Or(cmp.Compare(a.weight, b.weight), byTightness)
	})
	var best *candidate
	turn := 0
	for rank, at := range order {
		if !widely && at.weight > order[0].weight {
			break
		}
		effort := at.light
		if widely {
			effort = at.effort
		}
		// An effort more takes four times as long.
		if n := 2*effort + rank; best == nil || n < turn {
			best, turn = at, n
		}
	}
	return best
}

// trim has the refutation that holds most begin anew if all together hold too much. Fresh ones
// hold little.
func (w candidates) trim() {
	total, largest := 0, (*candidate)(nil)
	for _, at := range w {
		if at.effort == 0 {
			continue
		}
		if total += at.refutation.Size(); largest == nil || at.refutation.Size() > largest.refutation.Size() {
			largest = at
		}
	}
	if total > mostMultipliers {
		largest.refutation.Forget()
	}
}

// mostMultipliers bounds what refutations hold together, at about a gigabyte.
const mostMultipliers = 20_000_000

// violates reports whether a cut wants more jobs late than the given ones, which
// ascend.
func violates(late []model.JobID, d *proof.Cut) bool {
	sum := int64(0)
	for n, i := range d.Jobs {
		if _, found := slices.BinarySearch(late, i); found {
			sum += d.Coefficients[n]
		}
	}
	return sum < d.RHS
}

// cuts are what energetic reasoning and multipliers say of which jobs may be late:
// those who bound the misses leave them for the master problem.
type cuts struct {
	mu          sync.Mutex
	found       []proof.Cut
	multipliers [][]proof.Multiplier
}

// cutsOf are those on the late jobs of some work.
func cutsOf(w *portfolio.Work) *cuts {
	return portfolio.Shared(w, cutsKey{}, func() *cuts { return &cuts{} })
}

type cutsKey struct{}

func (c *cuts) add(found ...proof.Cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, found...)
}

func (c *cuts) addMultipliers(at []proof.Multiplier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.multipliers = append(c.multipliers, at)
}

// all are the cuts and the multipliers so far.
func (c *cuts) all() ([]proof.Cut, [][]proof.Multiplier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.found), slices.Clone(c.multipliers)
}
