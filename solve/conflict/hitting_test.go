package conflict

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
)

// A least hitting set hits all sets, is of the size that trying all choices gives, and
// says so; where the search may not begin the bound still holds.
func TestHittingSet(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var sets [][]model.JobID
		for range 1 + r.IntN(8) {
			var set []model.JobID
			for i := range model.JobID(8) {
				if r.IntN(3) == 0 {
					set = append(set, i)
				}
			}
			if set != nil {
				sets = append(sets, set)
			}
		}
		least := 8
		for n := range 8 {
			if slices.ContainsFunc(choices([]model.JobID{0, 1, 2, 3, 4, 5, 6, 7}, n, 1<<20), func(hit []model.JobID) bool { return hitsAll(sets, hit) }) {
				least = n
				break
			}
		}
		hit, bound := hittingSet(t.Context(), sets)
		if bound != least || len(hit) != least || !hitsAll(sets, hit) {
			t.Errorf("seed %d: %v and a bound of %d, the least has %d", seed, hit, bound, least)
		}
		if hit, bound := hittingSet(done, sets); bound > least || !hitsAll(sets, hit) {
			t.Errorf("seed %d: given up with %v and a bound of %d, the least has %d", seed, hit, bound, least)
		}
	}
}

func hitsAll(sets [][]model.JobID, hit []model.JobID) bool {
	return !slices.ContainsFunc(sets, func(c []model.JobID) bool { return !isHit(c, hit) })
}

// Cores that meet are one component, also where a later one links two; single jobs are none.
func TestComponents(t *testing.T) {
	got := components([][]model.JobID{{0, 1}, {4, 5}, {2, 3}, {7}, {1, 2}})
	want := [][]model.JobID{{4, 5}, {0, 1, 2, 3}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := minimal([][]model.JobID{{0, 1}, {1}, {2, 3}, {2, 3}}); !slices.EqualFunc(got, [][]model.JobID{{1}, {2, 3}}, slices.Equal) {
		t.Errorf("minimal sets %v", got)
	}
}
