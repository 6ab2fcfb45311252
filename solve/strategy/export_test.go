package strategy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// MasterForTest is a master problem that is ready to take candidates.
type MasterForTest struct{ *master }

// PrepareMaster prepares one without cuts.
func PrepareMaster(w *portfolio.Work) MasterForTest {
	c := masterOf(w)
	if err := c.prepare(context.Background()); err != nil {
		panic(err)
	}
	return MasterForTest{c}
}

// Candidate is one with some jobs late.
func Candidate(late []model.JobID, weight int64) *candidate {
	return &candidate{late: late, weight: weight}
}

// Keep has a candidate wait.
func (c MasterForTest) Keep(ctx context.Context, at *candidate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at.effort = 1
	c.begin(ctx, at)
}

// Conflict is some of the jobs that are in time beside a candidate, which has no plan; nil if it has one, or that is not told.
func (c MasterForTest) Conflict(ctx context.Context, at *candidate) []model.JobID {
	if c.ask(ctx, at, 1) != lcg.Unsatisfiable {
		return nil
	}
	return c.conflict(ctx, at)
}

// Waits reports whether a candidate waits.
func (c MasterForTest) Waits(at *candidate) bool { return slices.Contains(c.open.waiting(), at) }

// Refute has turns of a candidate in which it is to be refuted only.
func (c MasterForTest) Refute(ctx context.Context, at *candidate, turns int) {
	for range turns {
		c.begun(at, lightTurn)
		c.examine(ctx, at, false)
	}
}

// Alive reports whether a candidate is neither refuted nor over.
func (at *candidate) Alive() bool { return at.alive.Err() == nil }

// NewDiveSearch is newDiveSearch.
var NewDiveSearch = newDiveSearch

// RelaxationExchanges reports whether questions of a tardiness relaxation have boards.
func RelaxationExchanges(w *portfolio.Work) bool {
	return newTardinessRelaxation(w, query.HardDues(w.JS), 1).questions.w.Exact.Exchange != nil
}

// PlanOfPart has one neighbourhood of the best plan searched: the values of that plan, and of the one with the
// part's plan in its place; false if there is none.
func PlanOfPart(ctx context.Context, w *portfolio.Work, seed uint64) (before, after int64, found bool) {
	n := newNeighbours(w, seed)
	n.catchUp()
	pivot, ok := n.pivot()
	if !ok {
		return 0, 0, false
	}
	n.choose(pivot, n.rng.IntN(neighbourhoodKinds), firstSize)
	part := n.cut(pivot)
	s, err := lcg.New(ctx, part.question, lcg.Options{Seed: seed, MaxLiterals: neighbourLiterals})
	if err != nil {
		return 0, 0, false
	}
	polls := 0
	a, inner := s.Run(ctx, func() bool { polls++; return polls > mostPolls })
	if a != lcg.Satisfiable {
		return 0, 0, false
	}
	return n.values[w.P], w.ValuesOf(w.JS.Finishes(part.paste(n, inner)))[w.P], true
}

// BarrenNeighbours has a runner of large neighbourhoods go on to the end of a slice of the first round while another is at it, and tells how many that brought nothing
// the other counts.
func BarrenNeighbours(ctx context.Context, w *portfolio.Work) int {
	one, other := Neighbourhoods.Begin(w, 1).(*neighbours), Neighbourhoods.Begin(w, 2).(*neighbours)
	other.barren.enter(0)
	defer other.barren.leave()
	one.Run(ctx, portfolio.Slice{Units: 1000})
	return other.barren.used
}
