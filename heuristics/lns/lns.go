package lns

import (
	"context"

	"downbeat/heuristics"
	"downbeat/model"
)

// Search looks for a good complete schedule: all rules once, then squeaky
// wheel over orders, then large-neighbourhood search until the context, the
// budget or the target ends it. It returns the best schedule and its values:
// the number of hard jobs that are late, then each objective. Sets of up to 1,000 tasks
// get one construction even if the context is done; for others both are nil if it ends
// before the first.
func Search(ctx context.Context, js *model.JobSet, opt Options) (model.Schedule, []int64) {
	s := newSearch(ctx, js, opt)
	s.run()
	if n := int64(len(js.Tasks)); opt.Spent != nil {
		*opt.Spent = int((s.board.Placed + n - 1) / max(1, n))
	}
	return s.incumbent, s.values
}

func (s *search) run() {
	if s.opt.Start != nil && s.board.Load(s.first(), s.opt.Start) {
		s.consider()
	}
	s.rules()
	if s.incumbent == nil {
		return
	}
	s.squeak()
	s.postpone()
	s.improve()
}

// rules tries every rule once; if misses come first but are not all that
// counts, once more with late jobs in their places.
func (s *search) rules() {
	deferrals := []heuristics.Deferral{s.deferral}
	if s.deferral.Late && len(s.opt.Objectives) > 1 {
		deferrals = append(deferrals, heuristics.Deferral{})
	}
	for _, rule := range heuristics.Rules() {
		order := rule.Order(s.fig)
		for _, d := range deferrals {
			if s.done() {
				return
			}
			if s.construct(order, d) {
				s.bestOrder = order
			}
		}
	}
}
