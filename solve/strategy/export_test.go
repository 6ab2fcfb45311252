package strategy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/solve/portfolio"
)

// MasterForTest is a master problem that is ready to take candidates.
type MasterForTest struct{ *Master }

// PrepareMaster prepares one without cuts.
func PrepareMaster(w *portfolio.Work, inner Inner) MasterForTest {
	c := NewMaster(w, &Cuts{}, inner, nil)
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
	c.begin(ctx, at)
	c.keep(at)
}

// Waits reports whether a candidate waits.
func (c MasterForTest) Waits(at *candidate) bool { return slices.Contains(c.waiting, at) }

// RefuteAside is that of the second hand.
func (c MasterForTest) RefuteAside() bool { return aside(c).refuteAside() }

// Alive reports whether a candidate is neither refuted nor over.
func (at *candidate) Alive() bool { return at.alive.Err() == nil }

// Improve has a turn at the plan by some entries, and gives how much is to be done before
// the next one.
func (c MasterForTest) Improve(between []portfolio.Entry) (leisure int) {
	c.between = between
	c.improve(context.Background())
	return c.leisure
}

// NewDiveSearch is newDiveSearch.
var NewDiveSearch = newDiveSearch
