package lns

import (
	"cmp"
	"slices"

	"downbeat/heuristics"
)

// rankStep is the distance in rank of neighbours in an order, so that a stage can
// be moved between two others.
const rankStep = 16

// rankBy numbers the stages in the given order, with room in between.
func (s *search) rankBy(rank []int64, order heuristics.Order) {
	for i, ref := range order {
		rank[s.fig.Index(ref)] = int64(i) * rankStep
	}
}

// orderBy sorts the stages by rank, each behind those that it waits for.
func (s *search) orderBy(rank []int64) heuristics.Order {
	ids := make([]int32, len(rank))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b))
	})
	s.fig.InSequence(ids)
	order := make(heuristics.Order, len(ids))
	for i, id := range ids {
		order[i] = s.fig.Stages[id].Ref
	}
	return order
}
