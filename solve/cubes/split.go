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
// the search is busy with.
const warmUp = 1024

// FirstBudget is the work, in units, that a cube is given before it is split; its parts have twice as
// much each.
const FirstBudget = 4096

// Split splits the question of the plans that are better than best, which may be nil, into about n
// cubes, named 1, 2, …; fewer where no more can be told apart, none where nothing is left. Where a
// better plan is found on the way it is the one that counts, and is returned. An error is that of
// the search, for people, or an internal one.
func (p *Problem) Split(ctx context.Context, best model.Schedule, n int, opt exact.Options, seed uint64) ([]Cube, model.Schedule, error) {
	return p.splitAfter(ctx, warmUp, best, n, opt, seed)
}

// splitAfter is Split after a search of so many units.
func (p *Problem) splitAfter(ctx context.Context, units int64, best model.Schedule, n int, opt exact.Options, seed uint64) ([]Cube, model.Schedule, error) {
	for {
		most, left := p.Target(best)
		if !left {
			return nil, best, nil
		}
		s, err := p.search(ctx, most, opt, seed, best)
		if err != nil {
			return nil, best, err
		}
		warm, stop := budget.With(ctx, units)
		if units == 0 {
			stop()
		}
		a, plan := s.Run(warm, nil)
		if stop(); a == lcg.Satisfiable {
			if best, err = p.complete(plan, most); err != nil {
				return nil, nil, err
			}
			continue
		}
		lists, err := s.Split(n, nil)
		if len(lists) == 0 && err == nil {
			lists = [][]string{nil} // refuted: whoever works on it writes that down
		}
		var all []Cube
		for k, literals := range lists {
			all = append(all, Cube{fmt.Sprint(k + 1), literals})
		}
		return all, best, err
	}
}
