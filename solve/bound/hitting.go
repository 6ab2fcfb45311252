package bound

import (
	"slices"

	"downbeat/model"
)

// maxNodes bounds the search for one hitting set.
const maxNodes = 1 << 18

// hitter searches for a lightest choice of jobs that takes one from each core.
type hitter struct {
	js    *model.JobSet
	cores []core
	state []verdict // per job
	nodes int
	best  int64
	// choice attains best.
	choice []model.JobID
}

type verdict uint8

const (
	open verdict = iota
	taken
	refused
)

// cheapest is the least weight of a choice of jobs that takes one from each
// core, and such a choice, ascending. If exact is false the search was cut
// short and the weight is that of some choice.
func cheapest(js *model.JobSet, cores []core) (weight int64, choice []model.JobID, exact bool) {
	h := &hitter{js: js, cores: cores, state: make([]verdict, len(js.Jobs)), best: 1 << 62}
	h.search(0)
	return h.best, h.choice, h.nodes < maxNodes
}

// search extends a choice that weighs spent. It branches on the core with the
// fewest jobs left to take from: take the first of them, or refuse that and
// take the second, and so on.
func (h *hitter) search(spent int64) {
	if h.nodes++; h.nodes >= maxNodes {
		return
	}
	rest, branch := h.outlook()
	if spent+rest >= h.best {
		return
	}
	if branch == nil {
		h.best, h.choice = spent, nil
		for i, v := range h.state {
			if v == taken {
				h.choice = append(h.choice, model.JobID(i))
			}
		}
		return
	}
	for _, i := range branch {
		h.state[i] = taken
		h.search(spent + h.js.Jobs[i].Weight)
		h.state[i] = refused
	}
	for _, i := range branch {
		h.state[i] = open
	}
}

// outlook is a lower bound on what is still to be spent, by cores not hit that
// have no open job in common, and the open jobs of the smallest core not hit,
// nil if all are hit. Cores are counted from the smallest up.
func (h *hitter) outlook() (least int64, smallest []model.JobID) {
	var missed [][]model.JobID
	for k := range h.cores {
		if left, hit := h.left(&h.cores[k]); !hit {
			if len(left) == 0 {
				return 1 << 62, nil
			}
			missed = append(missed, left)
		}
	}
	if len(missed) == 0 {
		return 0, nil
	}
	slices.SortStableFunc(missed, func(a, b []model.JobID) int { return len(a) - len(b) })
	counted := map[model.JobID]bool{}
	for _, left := range missed {
		if slices.ContainsFunc(left, func(i model.JobID) bool { return counted[i] }) {
			continue
		}
		for _, i := range left {
			counted[i] = true
		}
		least += lightest(h.js, left)
	}
	return least, missed[0]
}

// left lists the open jobs of a core; hit tells that one is taken.
func (h *hitter) left(c *core) (left []model.JobID, hit bool) {
	for _, i := range c.jobs {
		switch h.state[i] {
		case taken:
			return nil, true
		case open:
			left = append(left, i)
		}
	}
	return left, false
}
