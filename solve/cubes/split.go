package cubes

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// warmUp is what the whole question is searched for, in units, so that it is known which variables
// the search is busy with; mostWarmUps bounds how often, as limits come nearer by that.
const warmUp, mostWarmUps = 1024, 6

// FirstBudget is the work, in units, that a cube is given before it is split; its parts have twice as
// much each.
const FirstBudget = 4096

// Split splits the question of the plans that are better than best, which may be nil, and than bound into
// about n cubes, named 1, 2, …; fewer where no more can be told apart, none where nothing is left. Where a
// better plan is found on the way it is the one that counts, and is returned. An error is that of
// the search, for people, or an internal one.
func (p *Problem) Split(ctx context.Context, best model.Schedule, bound int64, n int, opt exact.Options, seed uint64) ([]Cube, model.Schedule, error) {
	return p.splitAfter(ctx, warmUp, best, bound, n, opt, seed)
}

// splitAfter is Split after searches of so many units each.
func (p *Problem) splitAfter(ctx context.Context, units int64, best model.Schedule, bound int64, n int, opt exact.Options, seed uint64) ([]Cube, model.Schedule, error) {
	at := &State{Problem: p, Best: best, Bound: bound}
	refuted, warmed := at.Refuted(), (*exact.Search)(nil)
	for range mostWarmUps {
		most, left := at.target(refuted)
		if !left {
			break
		}
		s, err := p.search(ctx, most, opt, seed, at.Best)
		if err != nil {
			return nil, best, err
		}
		warmed = s
		warm, stop := budget.With(ctx, units)
		if units == 0 {
			stop()
		}
		a, plan := s.Run(warm, nil)
		stop()
		if a == lcg.Unknown {
			break
		}
		if a == lcg.Unsatisfiable {
			refuted = most // which is not written down: whoever works on the cubes finds it again
		} else if at.Best, err = p.complete(plan, most); err != nil {
			return nil, nil, err
		}
	}
	if _, left := at.target(at.Refuted()); !left {
		return nil, at.Best, nil
	}
	lists, err := warmed.Split(ctx, n, nil) // which leave no plan out, whatever the limit
	if len(lists) == 0 && err == nil {
		lists = [][]string{nil}
	}
	var all []Cube
	for k, literals := range lists {
		all = append(all, Cube{fmt.Sprint(k + 1), literals})
	}
	return all, at.Best, err
}
