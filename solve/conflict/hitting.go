package conflict

import (
	"context"
	"slices"

	"downbeat/model"
)

// mostNodes bounds the search for a least hitting set.
const mostNodes = 20_000

// hittingSet is a hitting set of cores, ascending, and a lower bound on the size of any:
// the two agree unless the search was given up.
func hittingSet(ctx context.Context, cores [][]model.JobID) (hit []model.JobID, least int) {
	h := &hitter{ctx: ctx, cores: slices.Clone(cores)}
	slices.SortStableFunc(h.cores, func(a, b []model.JobID) int { return len(a) - len(b) })
	h.best = h.greedy()
	least = h.packing(nil)
	h.search(nil)
	if !h.over() {
		least = len(h.best)
	}
	slices.Sort(h.best)
	return h.best, least
}

// hitter is a branch-and-bound search over the cores that are not hit yet.
type hitter struct {
	ctx   context.Context
	cores [][]model.JobID
	best  []model.JobID
	nodes int
}

func (h *hitter) over() bool { return h.nodes >= mostNodes || h.ctx.Err() != nil }

func isHit(core, hit []model.JobID) bool {
	return slices.ContainsFunc(core, func(i model.JobID) bool { return slices.Contains(hit, i) })
}

// greedy takes the job that hits most of the rest, again and again.
func (h *hitter) greedy() []model.JobID {
	var hit []model.JobID
	for {
		count, most := map[model.JobID]int{}, model.JobID(-1)
		for _, core := range h.cores {
			if isHit(core, hit) {
				continue
			}
			for _, i := range core {
				count[i]++
				if most < 0 || count[i] > count[most] || count[i] == count[most] && i < most {
					most = i
				}
			}
		}
		if most < 0 {
			return hit
		}
		hit = append(hit, most)
	}
}

// packing is a number of cores without jobs in common among those that are not hit.
func (h *hitter) packing(hit []model.JobID) int {
	var taken []model.JobID
	n := 0
	for _, core := range h.cores {
		if !isHit(core, hit) && !isHit(core, taken) {
			taken = append(taken, core...)
			n++
		}
	}
	return n
}

// search tries each job of the smallest core that is not hit.
func (h *hitter) search(hit []model.JobID) {
	if h.nodes++; h.over() || len(hit)+h.packing(hit) >= len(h.best) {
		return
	}
	for _, core := range h.cores {
		if isHit(core, hit) {
			continue
		}
		for _, i := range core {
			h.search(append(slices.Clone(hit), i))
		}
		return
	}
	h.best = hit
}
