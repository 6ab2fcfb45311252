package sequence

import (
	"context"
	"math"
	"slices"
)

// SplitNow splits what there is before anything is known of it.
func (s *Search) SplitNow(ctx context.Context) {
	from, to := s.spans()
	for k := range s.Jobs {
		if from[k] < to[k] {
			s.goOn(ctx, s.splitBy(split{k, (from[k] + to[k]) / 2}))
			return
		}
	}
}

// AtMost bounds the passes, and what may be left before open splits.
func (s *Search) AtMost(passes, parted int) { s.mostPasses, s.mostParted = passes, parted }

// Passes is how many there are.
func (s *Search) Passes() int { return len(s.all()) }

// BySteps has subgradient steps find rewards, as of many jobs.
func (s *Search) BySteps() {
	s.columns, s.total, s.best = nil, math.MinInt64, slices.Repeat([]int64{1}, len(s.Jobs))
}
