package tabu

import (
	"slices"
)

const (
	// alike is the share of distance between two solutions, of the most there can be, up to which they are as good as one.
	alike = 0.01
	// barren generations in a row have the search begin anew, with the best solution alone.
	barren = 2 * population
	// least is the share of each parent in what lies between them.
	least = 0.2
)

// keep takes the best solution of a trajectory among those kept, in place of the worst, unless it
// is no better than that, or hardly differs from one of them.
func (s *Search) keep() {
	if s.enter() {
		s.failed = 0
		return
	}
	if s.failed++; s.failed < barren {
		return
	}
	best := slices.MinFunc(s.elite, shorter)
	s.elite, s.failed = append(s.elite[:0], best), 0
}

func shorter(a, b *solution) int { return int(a.length - b.length) }

// enter reports whether what the trajectory found is new among those kept.
func (s *Search) enter() bool {
	for _, e := range s.elite {
		if s.sh.distance(e, s.found) > s.near {
			continue
		}
		if s.found.length < e.length {
			e.set(s.found)
			return true
		}
		return false
	}
	if len(s.elite) < population {
		s.elite = append(s.elite, s.found.clone())
		return true
	}
	// Were one as long let in, solutions that are all as long would take each other's place for ever.
	worst := slices.MaxFunc(s.elite, shorter)
	if s.found.length >= worst.length {
		return false
	}
	worst.set(s.found)
	return true
}

// choose picks the parents of a generation.
func (s *Search) choose() {
	i, j := s.rng.IntN(len(s.elite)), s.rng.IntN(len(s.elite)-1)
	if j >= i {
		j++
	}
	s.parents = [2]*solution{s.elite[i], s.elite[j]}
	s.price = slices.MinFunc(s.parents[:], shorter).price
}

// between is a solution on a path from one parent to the other: each task in turn is the next one of either that is not
// in it yet, on its machine there. So every order that they agree on stays, and there are no cycles.
func (s *Search) between() *solution {
	share := least + s.rng.Float64()*(1-2*least)
	clear(s.placed)
	child, at := s.child, [2]int{}
	for i := range child.order {
		k := 0
		if s.rng.Float64() < share {
			k = 1
		}
		p := s.parents[k]
		for s.placed[p.order[at[k]]] {
			at[k]++
		}
		v := p.order[at[k]]
		s.placed[v], child.order[i], child.machine[v] = true, v, p.machine[v]
	}
	return child
}
